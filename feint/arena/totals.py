"""The totals of a match: the pure data of a result, and the rates and intervals that follow from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from feint.arena import statistics
from feint.arena.seated import ONE, Seated, Slice, Tally, joined, overlap, pairs
from feint.arena.statistics import Interval
from feint.errors import UserError
from feint.game import Unit

By = Literal["wins", "payoff"]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST = 2**53  # that is counted of anything


@dataclass(frozen=True, eq=False)
class Totals:
    """A match: exact totals for every seating and seat.

    An agent's rate is over its seats: one that sits twice at a table counts two games for each game there. Intervals take games as
    independent. One that sits twice or deals played in every rotation make them, as a rule, too wide; agents that learn from game
    to game in a long match may make them too narrow, and several seeds show by how much.
    """

    game: str
    version: int  # of the game
    options: Mapping[str, Any]  # of the rules, as JSON has them
    measure: By  # what the game is measured by
    unit: Unit  # in which payoffs are told
    payoff_range: tuple[float, float]
    agents: tuple[str, ...]  # specifications
    length: int  # games of a match
    duplicate: bool  # whether every seating played the same deals
    level: float  # of confidence, for every interval and claim
    seated: tuple[Seated, ...]  # the seatings, in order

    def __post_init__(self) -> None:
        _check(self)

    # ---- what was played

    @property
    def title(self) -> str:
        """The game and its options."""
        return f"{self.game}({', '.join(f'{name}={value}' for name, value in self.options.items())})"

    @property
    def labels(self) -> tuple[str, ...]:
        """The agents' names, numbered where one plays more than once."""
        often, seen = Counter(self.agents), Counter[str]()
        labels = []
        for agent in self.agents:
            seen[agent] += 1
            labels.append(f"{agent} #{seen[agent]}" if often[agent] > 1 else agent)
        return tuple(labels)

    @property
    def seats(self) -> int:
        return len(self.seated[0].agents)

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(sorted({part.seed for each in self.seated for part in each.slices}))

    @property
    def played(self) -> int:
        """Games in all."""
        return int(self.games.sum())

    def index(self, agent: int | str) -> int:
        """Which agent is meant, by its label or its number."""
        if isinstance(agent, str):
            if agent not in self.labels:
                raise UserError(f"{agent!r} did not play; there are: {', '.join(self.labels)}.")
            return self.labels.index(agent)
        return agent

    def sits(self, agent: int | str, seat: int | None = None) -> Flags:
        """Where an agent sat, bool[seatings, seats]; a seat is an index, from 0."""
        if seat is not None and not 0 <= seat < self.seats:
            raise UserError(f"seat must be an index from 0 to {self.seats - 1}, not {seat}.")
        here = self.seatings == self.index(agent)
        return here if seat is None else here & (np.arange(self.seats) == seat)

    def seats_of(self, agent: int | str) -> list[int]:
        """The seats an agent sat in, as indices from 0."""
        return [seat for seat in range(self.seats) if self.seat_games(agent, seat)]

    # ---- totals as arrays

    @cached_property
    def seatings(self) -> Integers:
        """Which agent sits there, [seatings, seats]."""
        return np.array([each.agents for each in self.seated], np.int64)

    @cached_property
    def games(self) -> Integers:
        """[seatings]"""
        return np.array([each.games for each in self.seated], np.int64)

    @cached_property
    def moves(self) -> Integers:
        """[seatings]"""
        return np.array([each.moves for each in self.seated], np.int64)

    @cached_property
    def winner_sets(self) -> tuple[Integers, Flags, Integers]:
        """Every set of winners that came up: at which seating, [sets]; who won, [sets, seats]; and how often, [sets]."""
        at, won, often = outcomes(self.seats, [each.winners for each in self.seated])
        return at, won == 1, often

    @cached_property
    def wins(self) -> Integers:
        """Games that a seat was among the winners of, [seatings, seats]."""
        at, won, often = self.winner_sets
        wins = np.zeros(self.seatings.shape, np.int64)
        np.add.at(wins, at, won * often[:, None])
        return wins

    @cached_property
    def draws(self) -> Integers:
        """Games that nobody won, [seatings]."""
        nobody = "0" * self.seats
        return np.array([each.winners.get(nobody, 0) for each in self.seated], np.int64)

    @cached_property
    def payoff_sum(self) -> Floats:
        """[seatings, seats]"""
        return np.array([[each / ONE for each in here.payoffs] for here in self.seated], float)

    @cached_property
    def payoff_products(self) -> Floats | None:
        """Sums of one seat's payoff times another's, [seatings, seats, seats]; None where only squares were added up."""
        places = pairs(self.seats)
        if len(places) < self.seats * (self.seats + 1) / 2:
            return None
        products = np.zeros((len(self.seated), self.seats, self.seats))
        for i, (one, other) in enumerate(places):
            products[:, one, other] = products[:, other, one] = [here.products[i] / ONE for here in self.seated]
        return products

    @cached_property
    def payoff_square_sum(self) -> Floats:
        """[seatings, seats]"""
        own = [i for i, (one, other) in enumerate(pairs(self.seats)) if one == other]
        return np.array([[here.products[i] / ONE for i in own] for here in self.seated], float)

    @cached_property
    def counters(self) -> dict[str, Integers]:
        """What the game counts, each [seatings, seats]."""
        return {
            name: np.array([each.counters[name] for each in self.seated], np.int64) for name in self.seated[0].counters
        }

    def deal_scores(self, by: By, seatings: Flags | None = None) -> Floats | None:
        """What each agent made of each duplicate deal on average over the seatings (bool[seatings], or all), [deals, agents].

        Of the deals that all of these seatings played; None where there are none.
        """
        if not self.duplicate:
            return None
        here = [each for i, each in enumerate(self.seated) if seatings is None or seatings[i]]
        numbers = [_numbers(each) for each in here]
        shared = reduce(np.intersect1d, numbers)
        if not len(shared):
            return None
        sums, often = np.zeros((len(shared) * self.length, len(self.agents))), np.zeros(len(self.agents))
        for each, numbered in zip(here, numbers, strict=True):
            assert each.deals is not None
            made = each.deals.winners if by == "wins" else each.deals.payoffs
            for seat, agent in enumerate(each.agents):
                sums[:, agent] += made[np.searchsorted(numbered, shared), :, seat].ravel()
                often[agent] += 1
        return sums / np.where(often > 0, often, np.nan)

    # ---- by agent

    def seat_games(self, agent: int | str, seat: int | None = None) -> int:
        """How many games an agent played, in one seat (an index from 0) or in all; twice a game where it sits twice."""
        return int((self.sits(agent, seat) * self.games[:, None]).sum())

    def seat_wins(self, agent: int | str, seat: int | None = None) -> int:
        """How many of them it won."""
        return int(self.wins[self.sits(agent, seat)].sum())

    def counter(self, name: str, agent: int | str, seat: int | None = None) -> int:
        """How often the game counted something of an agent."""
        return int(self.counters[name][self.sits(agent, seat)].sum())

    def win_rate(self, agent: int | str, seat: int | None = None) -> Interval:
        """The share of its games an agent won, in one seat or in all. Seats are indices, from 0; tables that are shown count them from 1."""
        return statistics.win_rate(self.seat_wins(agent, seat), self.seat_games(agent, seat), self.level)

    def payoff(self, agent: int | str, seat: int | None = None) -> Interval:
        """What a game paid an agent on average, in one seat (an index from 0) or in all; over deals where every deal was played at all seatings."""
        deals = self.deal_scores("payoff") if seat is None else None
        if deals is not None:
            return statistics.mean(deals[:, self.index(agent)], self.level)
        sits = self.sits(agent, seat)
        total, squares = float(self.payoff_sum[sits].sum()), float(self.payoff_square_sum[sits].sum())
        return statistics.mean_of_sums(total, squares, self.seat_games(agent, seat), self.level)

    def score(self, agent: int | str, seat: int | None = None) -> Interval:
        """What the game is measured by: the share of games an agent won, or its mean payoff; in one seat (an index from 0) or in all."""
        return (self.win_rate if self.measure == "wins" else self.payoff)(agent, seat)

    # ---- more of the same

    def merge(self, *others: Totals) -> Self:
        """All runs as one, at the highest level of any: of the same game and agents, and no game twice.

        In whatever order they are merged, the outcome is the same.
        """
        for other in others:
            _check_mergeable(self, other)
        every: list[Totals] = [self, *others]
        parts = [part for each in every for part in each.seated]
        return replace(self, level=max(each.level for each in every), seated=gathered(parts, self.labels))


def outcomes(seats: int, tallies: Iterable[Mapping[str, int]]) -> tuple[Integers, Integers, Integers]:
    """Tallies as arrays: of which tally, [outcomes]; each seat's digit, [outcomes, seats]; and how often, [outcomes]."""
    listed = [(i, key, often) for i, tally in enumerate(tallies) for key, often in tally.items()]
    digits = np.frombuffer("".join(key for _, key, _ in listed).encode(), np.uint8).astype(np.int64) - ord("0")
    numbers = np.array([(i, often) for i, _, often in listed], np.int64).reshape(-1, 2)
    return numbers[:, 0], digits.reshape(-1, seats), numbers[:, 1]


def gathered(parts: Iterable[Seated], labels: tuple[str, ...]) -> tuple[Seated, ...]:
    """Parts of a match, those of one seating as one, in the order of seatings."""
    by_seating = defaultdict(list)
    for part in parts:
        by_seating[part.agents].append(part)
    for seating, here in by_seating.items():
        if twice := overlap(here):
            who, which = ", ".join(labels[agent] for agent in seating), f"{twice.first} to {twice.end - 1}"
            raise UserError(f"Matches {which} of seed {twice.seed} with {who} would be counted twice.")
    return tuple(joined(by_seating[seating]) for seating in sorted(by_seating))


def _numbers(seated: Seated) -> Integers:
    """The matches of a seating, numbered through all seeds, in order."""
    return np.concatenate([each.seed * 2**32 + np.arange(each.first, each.end) for each in seated.slices])


def _check(totals: Totals) -> None:
    if not totals.seated or not totals.seated[0].agents:
        raise UserError("A result needs at least one seating: the agent that sits in each seat.")
    if not 0 < totals.level < 1 or totals.length < 1:
        raise UserError("A result has matches of at least one game, and a level of confidence between 0 and 1.")
    seats, names = totals.seats, totals.seated[0].counters.keys()
    for each in totals.seated:
        if len(each.agents) != seats or not all(0 <= agent < len(totals.agents) for agent in each.agents):
            raise UserError(f"A seating names {seats} of the {len(totals.agents)} agents, not {list(each.agents)}.")
        if not all(_numbered(part) for part in each.slices) or overlap([each]):
            raise UserError("The games of a result are numbered from 0, and none is there twice.")
        counts = [each.moves, *each.winners.values(), *each.orders.values(), *chain(*each.counters.values())]
        if not all(0 <= count <= MOST for count in counts):
            raise UserError(f"What is counted in a result must be a whole number from 0 to {MOST}.")
        if not each.games or each.games != each.matches * totals.length:
            raise UserError(
                f"{each.matches} matches of {totals.length} are not the {each.games} games that were won or drawn."
            )
        if not _told(each.winners, seats, 2) or not _told(each.orders, seats, seats):
            raise UserError(f"The outcome of a game has a digit for each of the {seats} seats.")
        if len(each.payoffs) != seats or len(each.products) != len(pairs(seats)):
            raise UserError(f"Payoffs are added up for each of the {seats} seats and each pair of them.")
        if each.counters.keys() != names or any(len(counts) != seats for counts in each.counters.values()):
            raise UserError(f"Every seating counts the same things for each of the {seats} seats.")
        shape = (each.matches, totals.length, seats)
        if (each.deals is not None) != totals.duplicate or (each.deals and each.deals.payoffs.shape != shape):
            raise UserError(f"The payoffs of {each.matches} duplicate deals belong to each seating of this result.")


def _numbered(part: Slice) -> bool:
    return 0 <= part.seed < 2**31 and part.first >= 0 and part.count > 0 and part.end <= 2**32


def _told(outcomes: Tally, seats: int, base: int) -> bool:
    """Whether outcomes have a digit for every seat, each below the base."""
    digits = set("0123456789"[:base])
    return all(len(key) == seats and digits.issuperset(key) for key in outcomes)


SAME = ("measure", "unit", "payoff_range")


def _check_mergeable(one: Totals, other: Totals) -> None:
    if (one.game, one.options) != (other.game, other.options):
        raise UserError(f"Only results of the same game merge: {one.title} and {other.title} differ.")
    if one.version != other.version:
        raise UserError(
            f"One result is of {one.game} version {one.version}, the other of {other.version}: they do not merge."
        )
    if any(getattr(one, name) != getattr(other, name) for name in SAME):
        raise UserError(f"The results measure {one.game} differently, so they do not merge.")
    if one.agents != other.agents:
        raise UserError(
            f"Only results of the same agents merge: {', '.join(one.agents)} and {', '.join(other.agents)} differ."
        )
    if one.length != other.length:
        raise UserError(f"Only matches of the same length merge, not those of {one.length} and {other.length} games.")
    if one.duplicate != other.duplicate:
        raise UserError("One result is of duplicate deals and the other is not, so they do not merge.")
    if one.seated[0].counters.keys() != other.seated[0].counters.keys():
        raise UserError("The results count different things in the game, so they do not merge.")
