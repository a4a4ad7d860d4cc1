"""The body of `feint study`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from feint import workers
from feint.errors import UserError
from feint.files import locked
from feint.interrupts import on_ctrl_c
from feint.registry import find_study, study_names


def study(
    name: str | None = None,
    *,
    listing: bool = False,
    only: Sequence[str] = (),
    games: int | None = None,
    seed: int = 0,
    out: Path | None = None,
    on: str = workers.HERE,
) -> int:
    """Run a study and say where its report is; or list the studies, or the sections of one. The exit code."""
    from feint.arena.show import Paper
    from feint.studies.run import Settings, run

    workers.check_place(on)
    console = Paper()
    if listing:
        _list(console, name)
        return 0
    if name is None:
        raise UserError(f"Run which study? There are: {', '.join(study_names()) or 'none'}.")
    if games is not None and games < 1:
        raise UserError(f"--games must be a whole number from 1, not {games}.")
    if not 0 <= seed < 2**31:
        raise UserError(f"--seed must be a whole number from 0 to {2**31 - 1}, not {seed}.")
    chosen = find_study(name)
    folder = out or Path("runs") / "studies" / name
    kept = f"Stopped; the sections that were finished are kept in {folder}, and the same command goes on."
    with locked(folder / "sections", "The study"), on_ctrl_c(lambda: kept), workers.on(on):
        page, summary = run(chosen, Settings(chosen.games if games is None else games, seed), folder, only, console)
    console.print(f"Report: {page}\nSummary: {summary}", soft_wrap=True)
    return 0


def _list(console: Console, name: str | None) -> None:
    from feint.arena.show import grid

    if name is not None:
        chosen = find_study(name)
        table = grid(chosen.title, ["Section", "What it does"], words=2)
        for step in chosen.steps:
            table.add_row(step.key, step.title)
    elif not study_names():
        console.print("There are no studies.")
        return
    else:
        table = grid("Studies", ["Name", "What it does", "Sections"], words=2)
        for each in map(find_study, study_names()):
            table.add_row(each.name, each.about, f"{len(each.steps)}")
    console.print(table)
