"""The game above a game: how often each of some strategies wins at every table they can make up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb, factorial

from feint.arena import statistics
from feint.arena.result import Result
from feint.arena.tournament import Play
from feint.errors import UserError
from feint.game import Game

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MetaGame:
    """Games won by each strategy in every composition of a table. Fitness is the chance to win a game.

    A population's fitness is exact in these rates: tables are drawn from it at random, and every composition counts as often as
    it would come up. All noise is that of the games played, and every fitness and difference of fitness carries it.
    """

    strategies: tuple[str, ...]
    tables: Integers  # [tables, strategies]: how many seats each strategy has there
    games: Integers  # [tables]
    wins: Integers  # [tables, strategies]: by all seats of a strategy together
    level: float = statistics.LEVEL

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
        """The chance that a strategy wins at a table, all its seats together, [tables, strategies]."""
        return self.wins / np.maximum(self.games, 1)[:, None]

    def fitness(self, shares: ArrayLike) -> Floats:
        """The chance of each strategy to win at a table drawn from an infinite population with these shares, [strategies]."""
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

        The wins at one table are one multinomial sample, those of different tables are independent. Rates in the error are
        smoothed by half a win each, so that no number of games makes a rate look certain.
        """
        seated = self.tables > 0
        smooth = (self.wins + 0.5) * seated / (self.games + (seated.sum(axis=1) + 1) / 2)[:, None]
        spread = (weights**2 * smooth).sum(axis=1) - (weights * smooth).sum(axis=1) ** 2
        variance = (spread / np.maximum(self.games, 1)).sum()
        return float((weights * self.rates).sum()), float(np.sqrt(max(variance, 0.0)))

    def resampled(self, rng: np.random.Generator) -> MetaGame:
        """What another run of as many games might have given, for bootstrap intervals."""
        rates = np.column_stack([self.rates, 1 - self.rates.sum(axis=1)])  # the last: nobody wins
        return replace(self, wins=rng.multinomial(self.games, np.maximum(rates, 0))[:, :-1])


def compositions(strategies: int, seats: int) -> Integers:
    """Every way to fill seats with strategies when their order does not matter, int[tables, strategies]."""
    chosen = combinations_with_replacement(range(strategies), seats)
    return np.array([np.bincount(each, minlength=strategies) for each in chosen])


def measure(play: Play, game: Game[Any, Any], strategies: Sequence[str], games: int, seed: int = 0) -> MetaGame:
    """Play every seating of the strategies at the game's table, `games` games each.

    Every order of seats is played equally often, so that no strategy gains by where it sits.
    """
    seatings = list(product(range(len(strategies)), repeat=game.players))
    return from_result(play(game, strategies, seatings, games, seed))


def from_result(result: Result) -> MetaGame:
    """The meta-game of a match in which every seating of the agents was played equally often."""
    if not result.played or len(set(result.games.tolist())) > 1:
        raise UserError("A meta-game needs every seating to have been played equally often.")
    if (result.wins.sum(axis=1) > result.games).any():
        raise UserError(f"Some games of {result.game} had several winners; a meta-game is of games with one.")
    count = len(result.agents)
    tables = compositions(count, result.seats)
    place = {tuple(table): i for i, table in enumerate(tables.tolist())}
    sits = np.stack([result.sits(agent) for agent in range(count)], axis=2)  # [seatings, seats, strategies]
    at = [place[tuple(table)] for table in sits.sum(axis=1).tolist()]
    games, wins = np.zeros(len(tables), np.int64), np.zeros((len(tables), count), np.int64)
    np.add.at(games, at, result.games)
    np.add.at(wins, at, (result.wins[:, :, None] * sits).sum(axis=1))
    return MetaGame(result.labels, tables, games, wins, result.level)
