"""Counting games as they are played: from what came of each to the totals of a match."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.arena.rollout import Outcomes
from feint.arena.seated import MOST_ORDERED, ONE, Deals, Seated, Slice, Tally, pairs
from feint.arena.totals import Totals, gathered
from feint.errors import UserError
from feint.game import Game

Floats = NDArray[np.float64]

COARSE = 2**10  # payoffs that are whole multiples of 1 / COARSE add up exactly in float64
EXACT = 2**53  # below this float64 holds every whole number
HALF = 2.0**32  # large whole numbers are added up in two halves


class Counting:
    """What a match has come to so far. Parts may be added in any order and any size: the totals are the same to the last bit."""

    def __init__(
        self,
        game: Game[Any, Any],
        agents: Sequence[str],
        seatings: Sequence[tuple[int, ...]],
        *,
        seed: int,
        length: int,
        duplicate: bool,
        level: float,
    ) -> None:
        self.game, self.agents, self.seatings = game, tuple(agents), seatings
        self.seed, self.length, self.duplicate, self.level = seed, length, duplicate, level
        self.parts: list[Seated] = []

    def go_on(self, after: Totals, starts: Sequence[int], most: int) -> list[int]:
        """Count what was played of this match before it was stopped: how many matches of each seating, from its start on."""
        held = [0] * len(self.seatings)
        same = all(getattr(after, name) == value for name, value in self._facts().items())
        for part in after.seated:
            number = self.seatings.index(part.agents) if part.agents in self.seatings else None
            if not same or number is None or part.slices != (Slice(self.seed, starts[number], part.slices[0].count),):
                raise UserError("The match to go on with is another one: of other rules, agents, seed, seats or games.")
            held[number] = part.slices[0].count
        if max(held) > most:
            raise UserError(f"The match to go on with is longer: it has {max(held)} matches of a seating, not {most}.")
        self.parts.extend(after.seated)
        return held

    def totals(self) -> Totals:
        """The totals of the match; seatings that were not reached are left out."""
        return Totals(**self._facts(), level=float(self.level), seated=gathered(tuple(self.parts), self.agents))

    def _facts(self) -> dict[str, Any]:
        """What is the same in all parts of the match."""
        game = self.game
        chosen = {name: getattr(game, name) for name in game.options()}
        low, high = game.payoff_range
        return {
            "game": game.name,
            "version": game.version,
            "options": json.loads(json.dumps(chosen)),
            "measure": game.measure,
            "unit": game.unit,
            "payoff_range": (float(low), float(high)),
            "agents": self.agents,
            "length": self.length,
            "duplicate": self.duplicate,
        }


def counted(
    game: Game[Any, Any], seating: Sequence[int], seed: int, first: int, played: Outcomes, duplicate: bool
) -> Seated:
    """What matches of a seating came to, from number `first` on; with every single game where deals are duplicate."""
    payoffs, winners = np.asarray(played.rewards, np.float64), np.asarray(played.winners, bool)
    matches, _, seats = payoffs.shape
    # By seat: numbers that are worked on together lie together.
    paid, won = (np.ascontiguousarray(each.reshape(-1, seats).T) for each in (payoffs, winners))
    sums, products = exact_sums(paid)
    return Seated(
        agents=tuple(seating),
        slices=(Slice(seed, first, matches),),
        moves=int(np.asarray(played.moves, np.int64).sum()),
        winners=tally(won, 2),
        payoffs=sums,
        products=products,
        orders=tally(_places(paid), seats) if game.measure == "payoff" and seats <= MOST_ORDERED else {},
        counters={
            name: tuple(np.asarray(each, np.int64).sum(axis=(0, 1)).tolist()) for name, each in played.events.items()
        },
        deals=Deals(payoffs.astype(np.float32), winners) if duplicate else None,
    )


def tally(digits: NDArray[Any], base: int) -> Tally:
    """How often each column of digits below a base comes up, [seats, games]."""
    seats = len(digits)
    if base**seats <= 2**16:
        weights = base ** np.arange(seats)[::-1]
        codes = sum(digit * np.int32(weight) for digit, weight in zip(digits, weights, strict=True))
        often = np.bincount(codes)
        seen = np.flatnonzero(often)
        rows, counts = seen[:, None] // weights % base, often[seen]
    else:
        rows, counts = np.unique(digits.T.astype(np.uint8), axis=0, return_counts=True)
    return {"".join(map(str, row)): count for row, count in zip(rows.tolist(), counts.tolist(), strict=True)}


def _places(payoffs: Floats) -> NDArray[np.int8]:
    """How many were paid more, [seats, games]."""
    places = np.zeros(payoffs.shape, np.int8)
    for one, other in permutations(range(len(payoffs)), 2):
        places[one] += payoffs[other] > payoffs[one]
    return places


def exact_sums(payoffs: Floats) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Payoffs of games, [seats, games], added up for each seat, and multiplied for each pair of seats: exact, in units of 1 / ONE."""
    seats, games = payoffs.shape
    coarse = payoffs * COARSE
    if (coarse == np.rint(coarse)).all() and games * max(np.abs(coarse).max(), 1.0) ** 2 < EXACT:
        by_seat, by_pair = coarse.sum(axis=1), coarse @ coarse.T
        products = [int(by_pair[pair]) * (ONE // COARSE**2) for pair in pairs(seats)]
        return tuple(int(each) * (ONE // COARSE) for each in by_seat), tuple(products)
    sums = tuple(_fixed_sum(payoffs[seat]) for seat in range(seats))
    return sums, tuple(_fixed_sum(payoffs[one] * payoffs[other]) for one, other in pairs(seats))


def _fixed_sum(values: Floats) -> int:
    """The sum of values that are each rounded to a multiple of 1 / ONE."""
    fixed = np.rint(values * ONE)
    if len(fixed) * np.abs(fixed).max() < 2**62:
        return int(fixed.astype(np.int64).sum())
    high = np.floor(fixed / HALF)
    low = fixed - high * HALF
    return int(high.astype(np.int64).sum()) * int(HALF) + int(low.astype(np.int64).sum())
