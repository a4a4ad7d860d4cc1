"""What was counted at one seating of a match: which games, how often who won, and exact sums.

Whole numbers throughout, so that parts add up to the same totals in whatever order they are added. A payoff is rounded once to a
multiple of 2**-40, which every float32 above 2**-17 already is, and counted in those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from numpy.typing import NDArray

ONE = 2**40  # a payoff of 1, as it is counted
MOST_PAIRED = 16  # seats; for more only the squares of payoffs are added up, not the products of every two
MOST_ORDERED = 6  # seats; for more it is not counted who was paid more than whom

Tally = Mapping[str, int]  # how often each outcome came up: a digit for every seat


@dataclass(frozen=True, order=True)
class Slice:
    """Matches that were played: from number `first` on, so many of one seed."""

    seed: int
    first: int
    count: int

    @property
    def end(self) -> int:
        """The number of the first match after it."""
        return self.first + self.count


@dataclass(frozen=True, eq=False)
class Deals:
    """Single games, match by match in the order of a seating's slices."""

    payoffs: NDArray[np.float32]  # [matches, length, seats]
    winners: NDArray[np.bool_]  # [matches, length, seats]


@dataclass(frozen=True, eq=False)
class Seated:
    """The games at one seating."""

    agents: tuple[int, ...]  # who sits in each seat
    slices: tuple[Slice, ...]  # in order, and no two that touch
    moves: int
    winners: Tally  # "010": the second seat won alone; "110": the first two did; "000": nobody
    payoffs: tuple[int, ...]  # sums by seat
    products: tuple[int, ...]  # sums of one seat's payoff times another's: for every pair of `pairs`
    orders: Tally  # "021": the first seat was paid most, the last less, the second least; empty where not counted
    counters: Mapping[str, tuple[int, ...]]  # what the game counts, by seat
    deals: Deals | None = None  # where deals are duplicate

    @property
    def games(self) -> int:
        return sum(self.winners.values())

    @property
    def matches(self) -> int:
        return sum(each.count for each in self.slices)


def pairs(seats: int) -> list[tuple[int, int]]:
    """The pairs of seats whose payoffs are multiplied: all, each seat with itself among them, or only those where there are many."""
    return [(one, other) for one in range(seats) for other in range(one, seats if seats <= MOST_PAIRED else one + 1)]


def overlap(parts: Iterable[Seated]) -> Slice | None:
    """Matches that two parts hold both, if there are any."""
    slices = sorted(each for part in parts for each in part.slices)
    for one, other in pairwise(slices):
        if one.seed == other.seed and other.first < one.end:
            return Slice(one.seed, other.first, min(one.end, other.end) - other.first)
    return None


def joined(parts: Sequence[Seated]) -> Seated:
    """Parts of one seating as one; none may overlap."""
    return Seated(
        agents=parts[0].agents,
        slices=_connected(each for part in parts for each in part.slices),
        moves=sum(part.moves for part in parts),
        winners=_added(part.winners for part in parts),
        payoffs=_by_place(part.payoffs for part in parts),
        products=_by_place(part.products for part in parts),
        orders=_added(part.orders for part in parts),
        counters={name: _by_place(part.counters[name] for part in parts) for name in sorted(parts[0].counters)},
        deals=_in_order(parts),
    )


def _connected(slices: Iterable[Slice]) -> tuple[Slice, ...]:
    """Slices in order, those that touch as one."""
    whole: list[Slice] = []
    for each in sorted(slices):
        if whole and (whole[-1].seed, whole[-1].end) == (each.seed, each.first):
            each = Slice(each.seed, whole[-1].first, whole.pop().count + each.count)
        whole.append(each)
    return tuple(whole)


def _added(tallies: Iterable[Tally]) -> Tally:
    return dict(sorted(reduce(add, map(Counter, tallies)).items()))


def _by_place(sums: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip(*sums, strict=True)))


def _in_order(parts: Sequence[Seated]) -> Deals | None:
    """The single games of all parts, in the order of their slices."""
    pieces = []
    for part in parts:
        at = 0
        for each in part.slices:
            if part.deals is None:
                return None
            pieces.append((each, part.deals.payoffs[at : at + each.count], part.deals.winners[at : at + each.count]))
            at += each.count
    pieces.sort(key=lambda piece: piece[0])
    _, payoffs, winners = zip(*pieces, strict=True)
    return Deals(np.concatenate(payoffs), np.concatenate(winners))
