"""Commands for data: decisions of many games as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from feint.cli import completion
from feint.cli.app import GameName, Options, Players, Seed, app, load_engine
from feint.cli.typed import MOST, path, within
from feint.options import with_players


@app.command()
def dataset(
    game: GameName,
    out: Annotated[Path, typer.Option(parser=path, metavar="PATH", help="The folder of the data set.")],
    seats: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.seats,
            help="Who plays, such as smart,anxious(2),smart,no-bluff; everybody sits one seat further in each game.",
        ),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", "-n", callback=within(1, MOST - 2**20), help="Games in all.")
    ] = 10000,
    per_file: Annotated[int, typer.Option(callback=within(1, 10**6), help="Games in a file.")] = 1000,
    players: Players = None,
    option: Options = None,
    seed: Seed = 0,
) -> None:
    """Play games and write every decision into Parquet files. Each says what was seen, what could be done, what was done and what came of it. Stopped, it can go on."""
    load_engine()
    from feint.commands.dataset import make_dataset

    raise typer.Exit(make_dataset(game, seats, with_players(option, players), games, seed, per_file, out))
