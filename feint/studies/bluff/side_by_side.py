"""Rows of the thesis beside rows of ours: tables and figures in which both readings of the rules stand side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from feint.games.bluff.game import Bluff
from feint.studies.bluff.as_run import AsRun
from feint.studies.bluff.played_rows import Room, Sample
from feint.studies.bluff.published import AGENTS, RUN
from feint.studies.report import Cell, Holds, Row, Table, Verdict

CLEAN = Room(Bluff(), (*AGENTS, "trusting"))
PROGRAM = Room(AsRun(), (*AGENTS, "late-anxious"))
CLEAN_SIX = Room(Bluff(players=6, remainder="unused"), ("smart", "anxious(2)"))  # everybody has as many cards
PROGRAM_SIX = Room(AsRun(players=6), ("smart", "mutant"))

Percents = Sequence[float]


def share_cells(published: Percents | None, sample: Sample, of: int = RUN) -> tuple[Cell, ...]:
    """The share of games that each seat won, beside the percentages published."""
    told: Sequence[float | None] = [each / 100 for each in published] if published else [None] * len(sample.wins)
    return tuple(Cell.share(each, of, int(wins), sample.games) for each, wins in zip(told, sample.wins, strict=True))


def seat_table(title: str, rows: Sequence[tuple[str, Percents | None, Sample]], note: str = "") -> Table:
    """Games won by seat, in percent."""
    seats = len(rows[0][2].wins)
    draws = sum(sample.draws for _, _, sample in rows)
    if draws:
        note = f"{note} Games without a winner: {draws:,}.".strip()
    return Table(
        title,
        ("", *(f"seat {seat + 1}" for seat in range(seats))),
        tuple(Row(label, share_cells(published, sample)) for label, published, sample in rows),
        note,
        shares=True,
    )


def agree(*tables: Table) -> str:
    """How many cells of some tables agree, in words."""
    counts = [table.counted() for table in tables]
    return f"{sum(each for each, _ in counts)} of {sum(of for _, of in counts)}"


def all_agree(table: Table) -> bool:
    """Whether no cell and no whole row of a table disagrees."""
    agree, of = table.counted()
    return agree == of and all(p is None or p >= 1 - table.level for p in table.row_p())


def percent(sample: Sample, seat: int) -> str:
    return f"{100 * sample.wins[seat] / sample.games:.1f}"


def readings(axes: Axes, labels: Sequence[str], published: Percents, series: Mapping[str, Sequence[Cell]]) -> None:
    """Published percentages as pale bars, and the points of each reading with their intervals."""
    places = range(len(labels))
    axes.bar(places, published, color="#8a8f98", alpha=0.35, width=0.7, label="published")
    for number, (name, cells) in enumerate(series.items()):
        at = [place + 0.24 * (number - (len(series) - 1) / 2) for place in places]
        axes.errorbar(at, *points(cells), fmt="os^"[number], markersize=5, capsize=3, label=name)
    axes.set_xticks(places, labels)
    axes.set_ylim(bottom=0)


def points(cells: Sequence[Cell]) -> tuple[list[float], list[list[float]]]:
    """What was measured, and how far the intervals reach below and above it."""
    ours = [cell.measured for cell in cells]
    below = [cell.measured - (cell.measured if cell.low is None else cell.low) for cell in cells]
    above = [(cell.measured if cell.high is None else cell.high) - cell.measured for cell in cells]
    return ours, [below, above]


def legend(axes: Any, **how: Any) -> None:
    """One legend for a row or grid of panels, above them."""
    first = axes.flat[0] if hasattr(axes, "flat") else axes
    handles, labels = first.get_legend_handles_labels()
    first.figure.legend(handles, labels, loc="outside upper center", **({"ncols": len(labels)} | how))


def verdict(holds: Holds, shown: bool, text: str) -> Verdict:
    """What the games show; where they were too few to show it, that is said."""
    return Verdict(holds, text) if shown else Verdict("open", f"{text} So few games do not settle it.")
