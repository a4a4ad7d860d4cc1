"""The bodies of `feint match`, `feint tournament` and `feint merge`: many games, a bar while they run, a table at the end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from feint import workers
from feint.arena.match import games_each, match
from feint.arena.result import Result
from feint.arena.seatings import WAYS, Seating, round_robin
from feint.arena.show import Paper
from feint.arena.storage import check_savable
from feint.arena.tournament import Tournament
from feint.connect.bots import hired
from feint.errors import UserError
from feint.files import check_writable, locked, write_whole
from feint.game import Game
from feint.interrupts import check, on_ctrl_c, shown
from feint.progress import Bar
from feint.terminal.seating import chosen_game
from feint.visible import shortened, visible
from feint.words import counted

PLOTS = (".png", ".svg", ".pdf")
KEEP_EVERY = 10.0  # seconds between two times that an unfinished match is kept,
SHARE = 0.05  # or more, where keeping it would take more of the time than this


def play_match(
    name: str,
    agents: Sequence[str],
    *,
    options: Sequence[str],
    players: int | None,
    games: int,
    seats: str,
    duplicate: bool,
    length: int,
    seed: int,
    level: float,
    part: str | None,
    limit: float | None,
    fault: str,
    save: Path | None,
    plot: Path | None,
    on: str = workers.HERE,
) -> int:
    """Play a match, or a part of one, keep its result and print it; the exit code."""
    workers.check_place(on)
    if seats not in WAYS:
        raise UserError(f"--seats must be one of {', '.join(WAYS)}, not {seats!r}.")
    if players not in (None, len(agents)):
        raise UserError(
            f"--players asks for {players}, but you named {counted(len(agents), 'agent')}: a match seats all of them."
        )
    _check_files(save, plot)
    game = chosen_game(name, options, len(agents))
    seatings = WAYS[seats](range(len(agents)))
    with locked(save, "The result") if save else nullcontext(), _seated(agents, game, fault, limit) as sitters:
        result = _played(game, sitters, seatings, games, duplicate, length, seed, level, part, limit, save, on)
        _keep(result, save, plot)
    _console().print(result)
    return 0


def play_tournament(
    name: str,
    agents: Sequence[str],
    *,
    options: Sequence[str],
    games: int,
    seats: str,
    seed: int,
    level: float,
    limit: float | None,
    fault: str,
    save: Path | None,
    on: str = workers.HERE,
) -> int:
    """Play everybody against everybody, keep the result and print standings, cross-table and ratings; the exit code."""
    workers.check_place(on)
    _check_files(save, None)
    game = chosen_game(name, options)
    seatings = round_robin(len(agents), game.players, seats)  # type: ignore[arg-type]
    with locked(save, "The result") if save else nullcontext(), _seated(agents, game, fault, limit) as sitters:
        result = _played(game, sitters, seatings, games, False, 1, seed, level, None, limit, save, on)
        _keep(result, save, None)
    _console().print(Tournament(result))
    return 0


def merge_results(paths: Sequence[Path], save: Path | None) -> int:
    """Merge saved results of one match, keep the outcome and print it; the exit code."""
    _check_files(save, None)
    first, *others = (Result.load(path) for path in paths)
    result = first.merge(*others)
    if save:
        result.save(save)
    _console().print(result)
    return 0


def _seated(
    agents: Sequence[str], game: Game[Any, Any], fault: str, limit: float | None
) -> AbstractContextManager[list[Any]]:
    """Whoever was named, bots among them: only what is typed on the command line starts a program or opens a connection."""

    def tell(complaint: str) -> None:
        Paper(stderr=True).print(f"feint: {visible(complaint)}", soft_wrap=True, highlight=False, markup=False)

    return hired(agents, game, fault, limit, tell)  # type: ignore[arg-type]


def _played(
    game: Game[Any, Any],
    agents: Sequence[Any],
    seatings: Sequence[Seating],
    games: int,
    duplicate: bool,
    length: int,
    seed: int,
    level: float,
    part: str | None,
    limit: float | None,
    save: Path | None,
    on: str,
) -> Result:
    """The result; what has been played is kept now and then beside where the result is to be, and shown where Ctrl-C stops it."""
    each = games_each(games, len(seatings), length)
    if each * len(seatings) != games:
        what = f"{len(seatings)} seatings" + (f" and matches of {length}" if length > 1 else "")
        _console().print(f"{each * len(seatings)} games are played, so that {what} come out even.")
    first, count = _share(part, each // length) if part else (0, each // length)
    in_all = count * length * len(seatings)
    so_far: list[Callable[[], Result | None]] = []
    before = _before(save)
    keeping = _Keeping(lambda: so_far[0](), save)
    with (
        on_ctrl_c(lambda: _stopped(so_far[0]() if so_far else None, in_all, save)),
        workers.on(on),
        bar(in_all, before.played if before else 0) as shown_in,
    ):

        def told(more: int) -> None:
            keeping.look()
            shown_in(more)

        return match(
            game,
            agents,
            seatings,
            games,
            seed,
            part=(first * length, count * length),
            duplicate=duplicate,
            length=length,
            level=level,
            progress=told,
            begun=so_far.append,
            after=before,
            limit=limit,
        )


def _unfinished(save: Path) -> Path:
    """Where the games of a match that was stopped are kept: a result that was there before stays until another is whole."""
    return save.with_name(f"{save.stem}.unfinished.json")


class _Keeping:
    """Keeps what has been played every now and then, so that a match goes on wherever its process came to an end."""

    def __init__(self, so_far: Callable[[], Result | None], save: Path | None) -> None:
        self.so_far, self.save = so_far, save
        self.kept, self.took = time.monotonic(), 0.0

    def look(self) -> None:
        if self.save is None or time.monotonic() - self.kept < max(KEEP_EVERY, self.took / SHARE):
            return
        began = time.monotonic()
        if result := self.so_far():
            result.save(_unfinished(self.save))
        self.kept = time.monotonic()
        self.took = self.kept - began


def _before(save: Path | None) -> Result | None:
    """What was played of a match before it was stopped."""
    if save is None or not _unfinished(save).exists():
        return None
    before = Result.load(_unfinished(save))
    _console().print(f"Going on from {_unfinished(save)} after {before.played} games.", soft_wrap=True, highlight=False)
    return before


def _stopped(result: Result | None, in_all: int, save: Path | None) -> str:
    """Keep and show what has been played; the sentence that says so."""
    if result is None:
        return "Stopped before any games were through; the same command begins again."
    if save:
        result.save(_unfinished(save))
    _console().print(result)  # without the ratings of a tournament, which take a while
    stopped = f"Stopped after {result.played} of {in_all} games"
    if save is None:
        return f"{stopped}; with --save FILE they would be kept to go on from."
    return f"{stopped}, kept in {_unfinished(save)}; the same command goes on."


def _share(part: str, matches: int) -> tuple[int, int]:
    """The first match of a part written as 2/4, the second of four that make up the whole, and how many there are."""
    number, _, parts = part.partition("/")
    if not re.fullmatch("[0-9]{1,9}/[0-9]{1,9}", part) or not 1 <= int(number) <= int(parts):
        raise UserError(f"--part must be one of so many equal parts, such as 2/4, not {shortened(part, 60)!r}.")
    first, end = (matches * bound // int(parts) for bound in (int(number) - 1, int(number)))
    if first == end:
        raise UserError(f"--part {part} is empty: each seating has only {matches} matches, so at most {matches} parts.")
    return first, end - first


def _check_files(save: Path | None, plot: Path | None) -> None:
    """Refuse before anything is played what could not be written after."""
    if save:
        check_savable(save)
    if plot and plot.suffix not in PLOTS:
        raise UserError(f"A figure must be a {', '.join(PLOTS[:-1])} or {PLOTS[-1]} file, not {plot.name}.")
    if plot:
        check_writable(plot, "The figure")


def _keep(result: Result, save: Path | None, plot: Path | None) -> None:
    if save:
        result.save(save)
        _unfinished(save).unlink(missing_ok=True)
    if plot:
        drawn = BytesIO()
        result.plot().figure.savefig(drawn, format=plot.suffix[1:], bbox_inches="tight")  # type: ignore[union-attr]
        write_whole(plot, drawn.getvalue(), "The figure")


def _console() -> Console:
    return Paper()


class _ASecond(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.finished_speed or task.speed or 0:,.0f} {task.description}/s")


@contextmanager
def bar(games: int, played: int, what: str = "games") -> Iterator[Any]:
    """A bar on the terminal, told how many games more have been played; it leaves no trace in a file."""
    columns = (
        TextColumn("{task.completed:,} of {task.total:,} {task.description}"),
        BarColumn(),
        _ASecond(),
        TimeRemainingColumn(),
    )
    console = Paper(stderr=True)
    with shown(Bar(*columns, console=console, transient=True, disable=not console.is_terminal)) as progress:
        task = progress.add_task(what, total=games, completed=played)

        def told(more: int) -> None:
            progress.advance(task, more)
            check()

        yield told
