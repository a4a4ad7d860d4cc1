"""Cells of the study: shares, means, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.arena import statistics
from feint.arena.statistics import Interval
from feint.studies.report import Cell, Holds

Values = NDArray[Any]
SLIGHT = 2.0  # points of win rate


def share(hits: Values) -> Cell:
    """The part of all, in percent."""
    return Cell.share(None, 0, int(hits.sum()), hits.size)


def mean(values: Values, places: int = 2) -> Cell:
    """A mean over games."""
    found = statistics.mean(values)
    return Cell(None, found.estimate, found.low, found.high, games=values.size, places=places)


def apart(hits: Values, others: Values) -> Cell:
    """How much more of the first than of the second, in points."""
    found = statistics.two_rates(int(hits.sum()), hits.size, int(others.sum()), others.size)
    return points(found.difference, hits.size + others.size)


def points(found: Interval, games: int) -> Cell:
    """A difference of shares, in points."""
    hundred = found.scaled(100)
    return Cell(None, hundred.estimate, hundred.low, hundred.high, games=games)


def means_apart(values: Values, others: Values, places: int = 2) -> Cell:
    """How much larger the mean of the first is."""
    variance = values.var(ddof=1) / values.size + others.var(ddof=1) / others.size
    difference = float(values.mean() - others.mean())
    return Cell.around(difference, float(np.sqrt(variance)), values.size + others.size, places=places)


def shows(cell: Cell) -> int:
    """Whether a difference is shown: 1 where it is above 0, -1 where it is below, 0 where its interval holds 0."""
    assert cell.low is not None
    assert cell.high is not None
    return int(cell.low > 0) - int(cell.high < 0)


def matters(cells: Iterable[Cell], slight: float = SLIGHT) -> Holds:
    """Whether something makes a difference: some interval leaves out 0. It makes none if all differences are slight."""
    found = list(cells)
    if any(shows(cell) for cell in found):
        return "holds"
    return "differs" if all(-slight < (cell.low or 0) and (cell.high or 0) < slight for cell in found) else "open"


def gains(cells: Iterable[Cell], slight: float = SLIGHT) -> Holds:
    """Whether something is an advantage: what shows is above 0. It is none if that is below, or if all differences are slight."""
    found = list(cells)
    up, down = (any(shows(cell) == way for cell in found) for way in (1, -1))
    if up or not down:
        return "partly" if up and down else matters(found, slight)
    return "differs"


def ahead(ones: Values, others: Values) -> Cell:
    """How much more often the first than the second, in the same games, in points."""
    return points(statistics.mean(1.0 * ones - others), len(ones))


def listed(cells: Mapping[str, Cell]) -> str:
    """Differences by name, in words."""
    return ", ".join(f"{signed(cell)} ({name})" for name, cell in cells.items())


def signed(cell: Cell) -> str:
    """A difference in words."""
    return f"{cell.measured:+.{cell.places}f} [{cell.low:+.{cell.places}f}, {cell.high:+.{cell.places}f}]"


def percent(cell: Cell) -> str:
    return f"{cell.measured:.1f}%"
