"""The application all commands belong to, what several of them take, and how they wake the engine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.typed import MOST, game_name, path, within
from feint.version import __version__

app = typer.Typer(
    help="feint: a laboratory for games of bluff.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


GameName = Annotated[
    str,
    typer.Argument(
        callback=game_name,
        autocompletion=completion.games,
        help="A game, or a preset of one, such as okey:thesis; feint games lists them.",
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the rules; may be given several times."),
]
Players = Annotated[int | None, typer.Option(help="Seats at the table.")]
Seed = Annotated[int, typer.Option(callback=within(0, MOST), help="The same seed gives the same games.")]
Level = Annotated[float, typer.Option(callback=within(0.01, 0.999999), help="The confidence of every interval.")]
Save = Annotated[
    Path | None, typer.Option(parser=path, metavar="PATH", help="Keep the result: a .json, .csv or .parquet file.")
]
On = Annotated[
    str,
    typer.Option(
        metavar="PLACE",
        help="Where it is worked out: here; ray, the Ray cluster that this machine is part of, or one of its own; ray://HOST:PORT.",
    ),
]


def spare_the_accelerator() -> None:
    """One game needs no accelerator, and waking one takes longer than the deal; JAX_PLATFORMS still has the last word."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")


def load_engine() -> None:
    """JAX, loaded only by commands that need it."""
    import feint.engine  # noqa: F401


def _version(asked: bool) -> None:
    if asked:
        print(f"feint {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    pass
