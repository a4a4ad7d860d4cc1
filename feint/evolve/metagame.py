"""The game above a game: what each of some strategies wins, or is paid, at every table they can make up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb, factorial

from feint.arena import statistics
from feint.arena.seated import MOST_PAIRED
from feint.arena.totals import Totals
from feint.arena.tournament import Play
from feint.errors import UserError
from feint.game import Game

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Scale:
    """How fitness is told: a difference of fitness times `factor` is so many of a unit."""

    unit: str = "points"
    factor: float = 100.0
    places: int = 2


@dataclass(frozen=True, eq=False)
class MetaGame:
    """What each strategy made in every composition of a table.

    Fitness is the chance to win a game; of a game that is measured by payoff, the payoff as a share of the way from the least to the
    most that it can pay, so that it is a number from 0 to 1 too. A population's fitness is exact in these rates: tables are drawn
    from it at random, and every composition counts as often as it would come up. All noise is that of the games played, and every
    fitness and difference of fitness carries it.
    """

    strategies: tuple[str, ...]
    tables: Integers  # [tables, strategies]: how many seats each strategy has there
    games: Integers  # [tables]
    scores: NDArray[Any]  # [tables, strategies]: games won, or payoffs, by all seats of a strategy together
    level: float = statistics.LEVEL
    # Sums over games of one strategy's score times another's, [tables, strategies, strategies]; None where one at most wins a game.
    products: Floats | None = None
    told: Scale = field(default_factory=Scale)

    @property
    def seats(self) -> int:
        return int(self.tables[0].sum())

    def index(self, strategy: str) -> int:
        """Which strategy is meant."""
        if strategy not in self.strategies:
            raise UserError(f"{strategy!r} was not measured; there are: {', '.join(self.strategies)}.")
        return self.strategies.index(strategy)

    @cached_property
    def rates(self) -> Floats:
        """What a strategy makes of a game at a table, all its seats together, [tables, strategies]."""
        return self.scores / np.maximum(self.games, 1)[:, None]

    def fitness(self, shares: ArrayLike) -> Floats:
        """What each strategy makes at a table drawn from an infinite population with these shares, [strategies]."""
        return (self.in_shares(shares) * self.rates).sum(axis=0)

    def fitness_among(self, counts: ArrayLike) -> Floats:
        """The same for a finite population, from which tables are drawn without replacement."""
        return (self.in_counts(counts) * self.rates).sum(axis=0)

    def in_shares(self, shares: ArrayLike) -> Floats:
        """What a strategy's rate at each table counts for in its fitness, [tables, strategies]."""
        x = np.asarray(shares, float)
        if x.shape != (len(self.strategies),) or (x < -1e-9).any() or abs(x.sum() - 1) > 1e-6:
            raise UserError(f"Shares are {len(self.strategies)} numbers from 0 that add up to 1, not {x}.")

        def drawn(_: int, others: Integers) -> Floats:  # multinomial, whoever one is
            return factorial(self.seats - 1) * (np.maximum(x, 0) ** others / factorial(others)).prod(axis=1)

        return self._weights(drawn)

    def in_counts(self, counts: ArrayLike) -> Floats:
        """The same for a finite population with these numbers of each strategy."""
        population = np.asarray(counts, np.int64)
        if population.sum() < self.seats:
            raise UserError(f"A population of {population.sum()} does not fill a table of {self.seats}.")
        ways = comb(population.sum() - 1, self.seats - 1)

        def drawn(own: int, others: Integers) -> Floats:  # hypergeometric, from everybody else
            rest = population - (np.arange(len(population)) == own)
            return comb(rest, others).prod(axis=1) / ways if population[own] else np.zeros(len(others))

        return self._weights(drawn)

    def _weights(self, drawn: Callable[[int, Integers], Floats]) -> Floats:
        """Weights from the chance that the others at the table of one's own strategy are so many of each, [tables, strategies]."""
        weights = np.zeros(self.tables.shape)
        for own in range(len(self.strategies)):
            sits = self.tables[:, own] > 0
            others = self.tables[sits] - (np.arange(len(self.strategies)) == own)
            weights[sits, own] = drawn(own, others) / self.tables[sits, own]
        unknown = (weights > 0).any(axis=1) & (self.games == 0)
        if unknown.any():
            table = dict(zip(self.strategies, self.tables[np.argmax(unknown)].tolist(), strict=True))
            raise UserError(f"No game was played at the table {table}.")
        return weights

    def measured(self, weights: Floats) -> tuple[float, float]:
        """A sum of weighted rates, weights [tables, strategies], and its standard error.

        Games are independent, and what strategies make of one goes together as it was seen to. To the games that were seen half a
        game is added that each strategy wins alone (or that pays it the most, and the others the least), and half a game that nobody
        does, so that no number of games makes a rate look certain.
        """
        seated = self.tables > 0
        games = (self.games + (seated.sum(axis=1) + 1) / 2)[:, None]
        mean = (self.scores + 0.5) * seated / games
        spread = (weights**2 * (self._squares + 0.5) * seated / games).sum(axis=1) - (weights * mean).sum(axis=1) ** 2
        if self.products is not None:
            apart = self.products * ~np.eye(len(self.strategies), dtype=bool)
            spread += np.einsum("ti,tij,tj->t", weights, apart, weights) / games[:, 0]
        variance = (spread / np.maximum(self.games, 1)).sum()
        return float((weights * self.rates).sum()), float(np.sqrt(max(variance, 0.0)))

    @property
    def _squares(self) -> NDArray[Any]:
        """Sums of squared scores, [tables, strategies]: of games won by one at most, the wins themselves."""
        return self.scores if self.products is None else np.diagonal(self.products, axis1=1, axis2=2)

    def resampled(self, rng: np.random.Generator) -> MetaGame:
        """What another run of as many games might have given, for bootstrap intervals."""
        if self.products is None:
            rates = np.column_stack([self.rates, 1 - self.rates.sum(axis=1)])  # the last: nobody wins
            return replace(self, scores=rng.multinomial(self.games, np.maximum(rates, 0))[:, :-1])
        return replace(self, scores=np.array([rng.multivariate_normal(*each) for each in self._sums()]))

    def _sums(self) -> Iterator[tuple[Floats, Floats]]:
        """The sum of scores at each table, [strategies], and how it spreads over runs, [strategies, strategies]."""
        assert self.products is not None
        for games, scores, products in zip(self.games, self.scores, self.products, strict=True):
            yield scores, products - np.outer(scores, scores) / max(games, 1)


def compositions(strategies: int, seats: int) -> Integers:
    """Every way to fill seats with strategies when their order does not matter, int[tables, strategies]."""
    chosen = combinations_with_replacement(range(strategies), seats)
    return np.array([np.bincount(each, minlength=strategies) for each in chosen])


def measure(play: Play, game: Game[Any, Any], strategies: Sequence[str], games: int, seed: int = 0) -> MetaGame:
    """Play every seating of the strategies at the game's table, `games` games in all.

    Every order of seats is played equally often, so that no strategy gains by where it sits.
    """
    seatings = list(product(range(len(strategies)), repeat=game.players))
    return from_result(play(game, strategies, seatings, games, seed))


def from_result(result: Totals) -> MetaGame:
    """The meta-game of a match in which every seating of the agents was played equally often."""
    if len(set(result.games.tolist())) > 1:
        raise UserError("A meta-game needs every seating to have been played equally often.")
    count = len(result.agents)
    tables = compositions(count, result.seats)
    place = {tuple(table): i for i, table in enumerate(tables.tolist())}
    sits = np.stack([result.sits(agent) for agent in range(count)], axis=2)  # [seatings, seats, strategies]
    at = np.array([place[tuple(table)] for table in sits.sum(axis=1).tolist()])
    games = _added(at, result.games, len(tables))
    if result.measure == "payoff":
        by_seat, by_pair, told = _paid(result)
    else:
        by_seat, by_pair, told = _won(result)
    scores = _added(at, (by_seat[:, :, None] * sits).sum(axis=1), len(tables))
    products = None if by_pair is None else _added(at, np.einsum("sia,sij,sjb->sab", sits, by_pair, sits), len(tables))
    return MetaGame(result.labels, tables, games, scores, result.level, products, told)


Scores = tuple[NDArray[Any], Floats | None, Scale]  # sums by seat and by pair of seats, and how they are told


def _won(result: Totals) -> Scores:
    """Games won by each seat, [seatings, seats], and by each two, [seatings, seats, seats]: None where none was won by two."""
    at, won, often = result.winner_sets
    if not (won.sum(axis=1) > 1).any():
        return result.wins, None, Scale()
    both = won[:, :, None] & won[:, None, :]
    return result.wins, _added(at, both * often[:, None, None], len(result.seatings)).astype(float), Scale()


def _paid(result: Totals) -> Scores:
    """The same of payoffs, counted from the least to the most that a game can pay."""
    low, high = result.payoff_range
    if result.payoff_products is None or not np.isfinite([low, high]).all():
        raise UserError(
            f"{result.game} is measured by payoff: a meta-game needs its range and at most {MOST_PAIRED} seats."
        )
    games, sums, span = result.games[:, None], result.payoff_sum, high - low
    crossed = low * (sums[:, :, None] + sums[:, None, :]) - low**2 * games[:, :, None]
    unit = result.unit
    told = Scale(unit.name or "payoff", span * unit.scale, unit.places)
    return (sums - low * games) / span, (result.payoff_products - crossed) / span**2, told


def _added(at: Integers, values: NDArray[Any], tables: int) -> NDArray[Any]:
    """Values of seatings added up for each table."""
    total = np.zeros((tables, *values.shape[1:]), values.dtype)
    np.add.at(total, at, values)
    return total
