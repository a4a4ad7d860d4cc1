"""Cells of the study. Hands of one match are not independent where somebody learns through it, so errors are those of matches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from feint.arena.statistics import LEVEL
from feint.studies.report import Cell, Holds

Values = NDArray[Any]


def ratio(hits: Values, among: Values, match: Values) -> tuple[float, float, int]:
    """The share of hits, bool[decisions], among some, bool[decisions], its standard error over matches, and how many there are."""
    count = int(match.max()) + 1 if match.size else 0
    right, all = (np.bincount(match[which], minlength=count) for which in (hits & among, among))
    total = int(all.sum())
    if not total:
        return float("nan"), float("nan"), 0
    share = right.sum() / total
    return float(share), float(_spread(right - share * all) / total), total


def share(hits: Values, among: Values, match: Values, published: float | None = None, of: int = 0) -> Cell:
    """That share in percent, beside a published one of so many decisions, in percent too."""
    found, error, _ = ratio(hits, among, match)
    half = float(stats.norm.ppf((1 + LEVEL) / 2)) * error
    p = None
    if published is not None:
        other = (published / 100 * (1 - published / 100) / of) ** 0.5
        apart = (error**2 + other**2) ** 0.5
        p = float(2 * stats.norm.sf(abs(found - published / 100) / apart)) if apart else float(found == published)
    low, high = 100 * max(found - half, 0.0), 100 * min(found + half, 1.0)
    return Cell(published, 100 * found, low, high, p, unit="%")


def difference(one: tuple[Values, Values], other: tuple[Values, Values], match: Values) -> Cell:
    """How much larger the first share, (hits, among), is than the second, in points."""
    count = int(match.max()) + 1
    parts, apart = np.zeros(count), 0.0
    for sign, (hits, among) in ((1, one), (-1, other)):
        right, all = (np.bincount(match[which], minlength=count) for which in (hits & among, among))
        found = right.sum() / all.sum()
        apart += sign * found
        parts += sign * (right - found * all) / all.sum()
    return Cell.around(100 * float(apart), 100 * _spread(parts))


def _spread(parts: Values) -> float:
    """The standard error of a sum of independent parts whose mean is nothing."""
    many = len(parts)
    return float(np.sqrt((parts**2).sum() * many / max(many - 1, 1)))


def mean(values: Values, scale: float = 1.0, places: int = 0) -> Cell:
    """The mean of one value a match."""
    error = float(values.std(ddof=1) / len(values) ** 0.5)
    return Cell.around(scale * float(values.mean()), scale * error, places=places)


def sign(cell: Cell) -> int:
    """1 where a difference is shown to be above 0, -1 where it is below, 0 where its interval holds 0."""
    assert cell.low is not None
    assert cell.high is not None
    return int(cell.low > 0) - int(cell.high < 0)


def all_say(cells: list[Cell], expected: int) -> Holds:
    """Whether all differences have the sign that is claimed: in part where only some have, not at all where some have the other only."""
    signs = [expected * sign(cell) for cell in cells]
    if all(each > 0 for each in signs):
        return "holds"
    if any(each > 0 for each in signs):
        return "partly"
    return "differs" if any(each < 0 for each in signs) else "open"


def told(cell: Cell) -> str:
    """A difference in words."""
    return f"{cell.measured:+.{cell.places}f} [{cell.low:+.{cell.places}f}, {cell.high:+.{cell.places}f}]"
