"""The body of `feint search`: a bar while generations go by, then what was found and how it does on fresh deals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from feint import workers
from feint.arena.show import Paper, a_game, grid, number, paid, percent
from feint.errors import UserError
from feint.evolve.search import Parameter, Search, Settings, Table
from feint.files import check_writable, locked
from feint.interrupts import check, on_ctrl_c, shown
from feint.progress import Bar
from feint.specs import split_specs
from feint.terminal.seating import chosen_game
from feint.visible import shortened


def search(
    name: str,
    agent: str,
    tables: Sequence[str],
    *,
    options: Sequence[str],
    vary: Sequence[str],
    settings: Settings,
    games: int,
    level: float,
    out: Path | None,
    fresh: bool,
    on: str = workers.HERE,
) -> int:
    """Search the settings of an agent, going on with what the file holds; the exit code."""
    workers.check_place(on)
    at = [table(text) for text in tables]
    if not at:
        raise UserError("Say who the agent plays with, such as --table no-bluff,smart,reinforcement.")
    run = Search(
        chosen_game(name, options, len(at[0].others) + 1), agent, at, [parameter(text) for text in vary], settings
    )
    path = out or Path("runs") / "search" / f"{name.replace(':', '-')}-{re.match('[^(:]*', agent)[0]}.json"  # type: ignore[index]
    check_writable(path, "The search")
    console = Paper()
    with locked(path, "The search"), on_ctrl_c(lambda: _stopped(run, path)), workers.on(on):
        if path.exists() and not fresh:
            run.restore(path)
            console.print(f"Going on from {path} after {len(run.history)} generations.", soft_wrap=True)
        _run(run, path)
        _tell(console, run, agent)
        _measure(console, run, games, level)
    console.print(f"Saved as {path}.", soft_wrap=True)
    return 0


def _stopped(run: Search, path: Path) -> str:
    if not run.history:
        return "Stopped before the first generation was through; the same command begins again."
    played = "generation that was played is" if len(run.history) == 1 else f"{len(run.history)} generations played are"
    return f"Stopped; the {played} kept in {path}, and the same command goes on."


def table(text: str) -> Table:
    """A table as typed: the others between commas, before them perhaps a weight, such as 2*smart,smart,anxious."""
    weight = re.match(r"\s*([\d.]+)\s*\*", text)
    if not weight:
        return Table(tuple(split_specs(text)))
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", weight[1]):
        raise UserError(f"{shortened(weight[1], 60)} is not a weight of a table: write a number such as 2 or 0.5.")
    return Table(tuple(split_specs(text[weight.end() :])), float(weight[1]))


def parameter(text: str) -> str | Parameter:
    """A setting as typed: a name, or a name and a range such as win=0.1..100."""
    name, equals, span = (part.strip() for part in text.partition("="))
    if not equals:
        return name
    low, dots, high = span.partition("..")
    try:
        if dots:
            return Parameter(name, float(low), float(high))
    except ValueError as wrong:
        if isinstance(wrong, UserError):
            raise
    raise UserError(f"{text!r} is not a range: write NAME=LOW..HIGH, such as win=0.1..100.")


def _run(run: Search, path: Path) -> None:
    with _bar(run) as told:
        while len(run.history) < run.settings.generations:
            run.step()
            run.save(path)
            told()
            check()


@contextmanager
def _bar(run: Search) -> Iterator[Any]:
    columns = (
        TextColumn("generation {task.completed} of {task.total}"),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    console = Paper(stderr=True)
    with shown(Bar(*columns, console=console, transient=True, disable=not console.is_terminal)) as progress:
        bar = progress.add_task("compiling", total=run.settings.generations, completed=len(run.history))

        def told() -> None:
            last = run.history[-1]
            progress.update(bar, completed=len(run.history), description=f"mean {last.mean:.3f}, best {last.best:.3f}")

        yield told


def _tell(console: Console, run: Search, agent: str) -> None:
    if not run.history:
        return
    first, last = run.history[0], run.history[-1]
    console.print(
        f"Mean {'share of wins' if run.by == 'wins' else 'payoff'} of a generation: {first.mean:.3f} in the first, {last.mean:.3f} in the last of {len(run.history)}."
    )
    settings = ", ".join(f"{name}={value:g}" for name, value in run.found.items())
    kept = _given(agent, run)
    console.print(
        f"Found: {agent.partition('(')[0]}({', '.join(filter(None, [kept, settings]))})", soft_wrap=True, markup=False
    )


def _given(agent: str, run: Search) -> str:
    """The settings that were asked for and not searched, as a specification writes them."""
    from feint.registry import agent_settings

    searched = {each.name for each in run.parameters}
    usual = agent_settings(type(run.start)) if "(" in agent else {}
    changed = {name: getattr(run.start, name) for name in usual if name not in searched}
    return ", ".join(f"{name}={value!r}" for name, value in changed.items() if value != usual[name])


def _measure(console: Console, run: Search, games: int, level: float) -> None:
    interval = f"{100 * level:g}% interval"
    with shown(Paper(stderr=True).status("Playing fresh deals ...")):
        measured = run.measure(games, level)
    what = "Wins %" if run.by == "wins" else a_game(run.game.unit)
    title = f"What was found, on {measured[0][0].played:,} fresh games a table; before: the settings it began with"
    rows = grid(title, ["Beside", what, interval, f"{what} over before", interval])
    for at, (result, test) in zip(run.tables, measured, strict=True):
        now = percent(result.win_rate(0)) if run.by == "wins" else paid(result.payoff(0), result.unit)
        more = number(test.difference.scaled(100), 1) if run.by == "wins" else paid(test.difference, result.unit)
        rows.add_row(" ".join(map(str, at.others)), *now, *more)
    console.print(rows)
