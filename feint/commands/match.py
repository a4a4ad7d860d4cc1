"""The bodies of `feint match` and `feint tournament`: many games, a bar while they run, a table at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from feint.arena.match import match
from feint.arena.result import Result
from feint.arena.seatings import WAYS, Seating, round_robin
from feint.arena.tournament import Tournament
from feint.errors import UserError
from feint.game import Game
from feint.terminal.seating import chosen_game


def play_match(
    name: str,
    agents: Sequence[str],
    *,
    options: Sequence[str],
    games: int,
    seats: str,
    duplicate: bool,
    length: int,
    seed: int,
    level: float,
    save: Path | None,
    plot: Path | None,
) -> int:
    """Play a match and print its result; the exit code."""
    if seats not in WAYS:
        raise UserError(f"--seats is one of {', '.join(WAYS)}, not {seats!r}.")
    game = chosen_game(name, options, len(agents))
    seatings = WAYS[seats](range(len(agents)))
    result, whole = _played(game, agents, seatings, games, duplicate, length, seed, level)
    _console().print(result)
    return _kept(result, whole, save, plot)


def play_tournament(
    name: str,
    agents: Sequence[str],
    *,
    options: Sequence[str],
    games: int,
    seats: str,
    seed: int,
    level: float,
    save: Path | None,
) -> int:
    """Play everybody against everybody and print standings, cross-table and ratings; the exit code."""
    game = chosen_game(name, options)
    seatings = round_robin(len(agents), game.players, seats)  # type: ignore[arg-type]
    result, whole = _played(game, agents, seatings, games, False, 1, seed, level)
    _console().print(Tournament(result))
    return _kept(result, whole, save, None)


def _played(
    game: Game[Any, Any],
    agents: Sequence[str],
    seatings: Sequence[Seating],
    games: int,
    duplicate: bool,
    length: int,
    seed: int,
    level: float,
) -> tuple[Result, bool]:
    """The result, and whether all of it was played."""
    if games < 1:
        raise UserError(f"--games is a whole number from 1, not {games}.")
    if length < 1:
        raise UserError(f"--length is a whole number from 1, not {length}.")
    if not 0 <= seed < 2**31:
        raise UserError(f"--seed is a whole number from 0 to {2**31 - 1}, not {seed}.")
    step = len(seatings) * length
    each = -(-games // step) * length
    if each * len(seatings) != games:
        what = f"{len(seatings)} seatings" + (f" and matches of {length}" if length > 1 else "")
        _console().print(f"{each * len(seatings)} games are played, so that {what} come out even.", highlight=False)
    with _bar(each * len(seatings)) as told:
        result = match(
            game,
            agents,
            seatings,
            each,
            seed,
            duplicate=duplicate,
            length=length,
            level=level,
            progress=told,
            cut_short=True,
        )
    return result, result.played == each * len(seatings)


def _kept(result: Result, whole: bool, save: Path | None, plot: Path | None) -> int:
    if save:
        result.save(save)
    if plot:
        result.plot().figure.savefig(plot, bbox_inches="tight")  # type: ignore[union-attr]
    if not whole:
        print(f"Stopped: these are the {result.played} games that were played.", file=sys.stderr)
        return 130
    return 0


def _console() -> Console:
    return Console()


class _GamesASecond(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:,.0f} games/s")


@contextmanager
def _bar(games: int) -> Iterator[Any]:
    """A bar on the terminal, told how many games more have been played; it leaves no trace in a file."""
    columns = (
        TextColumn("{task.completed:,} of {task.total:,} games"),
        BarColumn(),
        _GamesASecond(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=games)
        yield lambda played: progress.advance(task, played)
