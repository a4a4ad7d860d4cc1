"""The body of `feint gallery`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.table import Table

from feint import workers
from feint.arena.show import Paper, a_game, grid, paid, percent
from feint.commands.match import bar
from feint.errors import UserError
from feint.files import check_writable, locked
from feint.game import Game
from feint.interrupts import on_ctrl_c
from feint.learn.evaluate import LEVEL, Score
from feint.learn.gallery import Gallery, tables_of
from feint.learn.tables import ME


def show_gallery(
    game: Game[Any, Any],
    agent: str,
    more: Sequence[str],
    games: int,
    seed: int,
    save: Path | None,
    fresh: bool,
    on: str = workers.HERE,
    length: int = 1,
) -> int:
    """Play an agent at all tables of a game's gallery and print what it makes of them, the worst first. The exit code."""
    workers.check_place(on)
    gallery = Gallery(game, agent, tables_of(game, agent, more), games, seed, length)
    if save is not None:
        if save.suffix != ".json":
            raise UserError(f"A gallery must be a .json file, not {save.name}.")
        check_writable(save, "The result")
    console = Paper()
    with (
        locked(save, "The result") if save else nullcontext(),
        on_ctrl_c(lambda: _stopped(console, gallery, save)),
        workers.on(on),
    ):
        if save and save.exists() and not fresh:
            gallery.restore(save)
        with bar(len(gallery.tables), len(gallery.scores), "tables") as told:
            while not gallery.done:
                gallery.step()
                if save:
                    gallery.save(save)
                told(1)
    console.print(table_of(gallery))
    return 0


def _stopped(console: Paper, gallery: Gallery, save: Path | None) -> str:
    if not gallery.scores:
        return "Stopped before the first table was through; the same command begins again."
    console.print(table_of(gallery))
    stopped = f"Stopped after {len(gallery.scores)} of {len(gallery.tables)} tables"
    if save is None:
        return f"{stopped}; with --save FILE they would be kept to go on from."
    return f"{stopped}, kept in {save}; the same command goes on."


def table_of(gallery: Gallery) -> Table:
    """All tables that were played, the worst first."""
    unit, wins = gallery.game.unit, gallery.game.measure == "wins"
    matches = f", matches of {gallery.length:,}" if gallery.length > 1 else ""
    title = f"{gallery.agent} at {gallery.game}{matches}, seed {gallery.seed}"
    what = "Win %" if wins else a_game(unit)
    table = grid(title, ["Beside", "Games", what, f"{LEVEL:.0%} interval"])
    for score in gallery.worst_first():
        table.add_row(opponents(score), f"{score.games:,}", *told(score))
    return table


def told(score: Score) -> tuple[str, str]:
    """What the game is measured by, and its interval."""
    return percent(score.wins) if score.measure == "wins" else paid(score.payoff, score.unit)


def opponents(score: Score) -> str:
    """The others at a table, in words: three of a kind are told so."""
    others = [name for name in score.table if name != ME]
    counts = {name: others.count(name) for name in others}
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in counts.items())
