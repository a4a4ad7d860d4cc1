"""The command that opens the lab in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from feint.cli.app import app, load_engine, spare_the_accelerator
from feint.cli.typed import MOST, within
from feint.errors import UserError


@app.command()
def lab(
    host: Annotated[str, typer.Option(help="Where to listen: 127.0.0.1 is for this machine alone.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(callback=within(0, 65535), help="The port; 0 takes any that is free.")] = 8017,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where games are kept: sqlite:///FILE or postgresql://USER@HOST/NAME; a file in your data folder by default.",
        ),
    ] = None,
    games: Annotated[
        str | None, typer.Option(help="The games to offer, such as bluff,okey; all of them by default.")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A name under which others reach this machine; may be given several times."),
    ] = None,
    experiments: Annotated[
        int | None,
        typer.Option(
            callback=within(0, 64),
            help="How many experiments of the Run page may run at a time; by default 1 on this machine alone, and none where others can reach the lab.",
        ),
    ] = None,
    tables: Annotated[int, typer.Option(callback=within(1, MOST), help="Tables that may be open at a time.")] = 10_000,
    connections: Annotated[
        int, typer.Option(callback=within(1, MOST), help="Connections that this process takes at a time.")
    ] = 5_000,
    new_tables: Annotated[
        int, typer.Option(callback=within(1, MOST), help="Tables that one address may open or join within a minute.")
    ] = 60,
    open: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Open the lab in the browser. Play with friends and agents, watch, and look back at games."""
    spare_the_accelerator()
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as missing:
        raise UserError(f"The lab needs {missing.name}: pip install 'feint[web]' brings all that it needs.") from None
    load_engine()
    from feint.web.lab import Limits
    from feint.web.serving import serve

    offered = [] if games is None else [each.strip() for each in games.split(",")]
    limits = Limits(tables, connections, new_tables=new_tables)
    raise typer.Exit(serve(host, port, database, offered, name or [], open, limits, experiments))
