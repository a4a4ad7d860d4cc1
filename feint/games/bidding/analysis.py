"""What can be said exactly about Bidding Elimination: payoffs, equilibria of three players, conventions of many, the limit of many coins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import jax
import jax.numpy as jnp
import numpy as np

from feint.errors import NotSmall, UserError
from feint.games.bidding.bidders import Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import best_plan, sample_minima
from feint.games.bidding.value_iteration import is_convention
from feint.solvers.symmetric import SymmetricGame, symmetric_equilibria

MOST_COINS = 30  # for which every outcome of three players is listed
THIRD = Fraction(1, 3)

Strategy = tuple[Fraction, ...]  # the probability of each bid
Polynomial = dict[tuple[int, int], Fraction]  # of a and b: the coefficient of a^i b^j


def payoffs(coins: int) -> np.ndarray:
    """Each player's chance to win with three players, float64[3, coins + 1, coins + 1, coins + 1], by the first bids; from the rules.

    Every entry is a whole number of twelfths, the deals being as many ways to break ties.
    """
    if coins > MOST_COINS:
        raise NotSmall(
            f"Three players with {coins} coins have {(coins + 1) ** 3:,} outcomes; at most {MOST_COINS} coins are listed."
        )
    game = Bidding(3, coins)
    deals = jax.vmap(game.deal)(game.deals()[0])

    @jax.jit
    @jax.vmap
    def wins(bids: jax.Array) -> jax.Array:
        def from_deal(deal: object) -> jax.Array:
            after = game.bid_all(deal, bids)  # type: ignore[arg-type]
            return game.bid_all(after, after.coins.astype(jnp.int32)).rewards

        return jax.vmap(from_deal)(deals).sum(axis=0)

    first = np.stack(np.meshgrid(*[np.arange(coins + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    counted = np.asarray(wins(jnp.asarray(first)), np.float64) / len(deals.terminated)
    return counted.T.reshape(3, *[coins + 1] * 3)


def exact(payoffs: np.ndarray) -> list[list[list[Fraction]]]:
    """The first player's payoffs as fractions, by own bid and the others'."""
    twelfths = np.rint(12 * payoffs[0]).astype(int)
    if not np.allclose(twelfths, 12 * payoffs[0]):
        raise UserError("These are not payoffs of three players: some are not whole numbers of twelfths.")
    return [[[Fraction(int(cell), 12) for cell in row] for row in own] for own in twelfths]


def utilities(table: list[list[list[Fraction]]], strategy: Strategy) -> list[Fraction]:
    """What each bid is worth when both others play a strategy: eq. (1) of the paper, exactly."""
    support = [bid for bid, chance in enumerate(strategy) if chance]
    return [
        sum((own[y][z] * strategy[y] * strategy[z] for y in support for z in support), Fraction(0)) for own in table
    ]


def equation_one() -> list[Polynomial]:
    """The worth of bidding 0, 1 and 2 of two coins as polynomials of a and b, the others bidding 0, 1, 2 with a, b, 1 - a - b."""
    chances: list[Polynomial] = [
        {(1, 0): Fraction(1)},
        {(0, 1): Fraction(1)},
        {(0, 0): Fraction(1), (1, 0): Fraction(-1), (0, 1): Fraction(-1)},
    ]
    worth: list[Polynomial] = []
    for own in exact(payoffs(2)):
        total: Polynomial = {}
        for y, z in np.ndindex(3, 3):
            for (i, j), first in chances[y].items():
                for (k, h), second in chances[z].items():
                    total[i + k, j + h] = total.get((i + k, j + h), Fraction(0)) + own[y][z] * first * second
        worth.append({power: value for power, value in total.items() if value})
    return worth


def is_equilibrium(table: list[list[list[Fraction]]], strategy: Strategy) -> bool:
    """Whether no bid is worth more than the strategy when everybody plays it. Exact."""
    worth = utilities(table, strategy)
    return max(worth) <= sum((chance * each for chance, each in zip(strategy, worth, strict=True)), Fraction(0))


def proven_equilibria(coins: int) -> list[Strategy]:
    """Every symmetric equilibrium of three players, by proof.

    All are alike, so each wins a third of the time, and in equilibrium so does every bid that is made. The lowest of these, made with
    probability p, wins a third of p^2 and half of 2 p (1 - p), nothing else: p is 1/2 or 1. So does the highest. One bid, or two with one half
    each: those are all there can be, and each is checked against every other bid in exact arithmetic.
    """
    table = exact(payoffs(coins))
    _check_extremes(table)
    bids = range(coins + 1)
    single = [_spread(coins, (bid,)) for bid in bids]
    pairs = [_spread(coins, pair) for pair in combinations(bids, 2)]
    return [strategy for strategy in (*single, *pairs) if is_equilibrium(table, strategy)]


def _spread(coins: int, support: tuple[int, ...]) -> Strategy:
    return tuple(Fraction(int(bid in support), len(support)) for bid in range(coins + 1))


def _check_extremes(table: list[list[list[Fraction]]]) -> None:
    """What the proof says of the lowest and the highest bid made is so in the rules."""
    bids = range(len(table))
    for own in bids:
        for beyond in ([bid for bid in bids if bid > own], [bid for bid in bids if bid < own]):
            holds = table[own][own][own] == THIRD
            holds &= all(table[own][own][z] == table[own][z][own] == Fraction(1, 2) for z in beyond)
            holds &= not any(table[own][y][z] for y in beyond for z in beyond)
            if not holds:
                raise AssertionError(f"a bid of {own} at the edge does not win as the proof says")


def searched_equilibria(coins: int, starts: int = 16, seed: int = 0) -> list[np.ndarray]:
    """The symmetric equilibria of three players that a search over all supports finds."""
    return symmetric_equilibria(SymmetricGame.of_tensor(payoffs(coins)), starts, seed)


def conventions(players: int, coins: int) -> Iterator[tuple[int, ...]]:
    """Every way to spend all coins in players - 1 bids."""
    rounds = players - 1
    for bars in combinations(range(coins + rounds - 1), rounds - 1):
        edges = (-1, *bars, coins + rounds - 1)
        yield tuple(after - before - 1 for before, after in pairwise(edges))


def count_conventions(players: int, coins: int) -> int:
    return comb(coins + players - 2, players - 2)


def every_convention_holds(players: int, coins: int) -> bool:
    """Whether each of them is an equilibrium: nobody does better than 1 in `players` by leaving it."""
    return all(is_convention(np.array(schedule), coins) for schedule in conventions(players, coins))


def best_fractions(players: int, purses: list[int], games: int = 20_000, seed: int = 0) -> np.ndarray:
    """The best first bids, as fractions of the purse, against opponents who bid anything; float64[purses, rounds]."""
    rows = []
    for coins in purses:
        game = Bidding(players, coins)
        minima = sample_minima(game, [Uniform()], [0] * (players - 1), games, seed)
        rows.append(np.array(best_plan(minima, coins).schedule()) / coins)
    return np.array(rows)
