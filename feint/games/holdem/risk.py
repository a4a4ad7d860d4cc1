"""Risk dominance: Selten's measure of two equilibria, and how the paper on risk dominance in poker judges a bet."""

from __future__ import annotations

from math import log

import jax.numpy as jnp
from jax import Array

from feint.game import pytree
from feint.games.holdem.state import CALL, FOLD, RAISE

NEAR = log(1.02)  # actions so near to the best are as good


def selten(payoffs: Array) -> Array:
    """Selten's measure of (A, A) over (B, B) in a game of two players and two actions, payoffs[player, own action, the other's action]:
    the mean over players of the logarithm of what leaving the one costs, beside what leaving the other does."""
    at_a, at_b = payoffs[:, 0, 0] - payoffs[:, 1, 0], payoffs[:, 1, 1] - payoffs[:, 0, 1]
    return jnp.log(at_a / at_b).mean()


def ratio(gain: Array, other: Array, shift: Array | float = 0.0) -> Array:
    """The paper's measure of one action over another, by what each is expected to gain; as printed it has no shift, and then means nothing
    where one of them gains nothing or less."""
    return jnp.log((gain + shift) / (other + shift))


@pytree
class Prospects:
    """What can come of each of one's actions: one row an action, one column what others do, float32[3, 3] each."""

    payoff: Array  # chips
    chance: Array

    @property
    def gains(self) -> Array:
        """What each action is expected to gain, float32[3]."""
        return (self.payoff * self.chance).sum(axis=1)


@pytree
class Stakes:
    """What a decision is about, in chips."""

    pot: Array  # all chips in it
    bet: Array  # of this round
    to_call: Array
    callers: Array  # float32: how many would pay for a raise, if any


def literal(stakes: Stakes, wins: Array) -> Array:
    """The payoffs as printed, in the paper's equations 3 to 5, float32[3, 3], where one wins a showdown with a chance `wins`, of that shape."""
    y, x, p = stakes.pot, stakes.bet, wins
    raised, called = p * (y + 4 * x) - (1 - p) * 2 * x, p * (y + 2 * x) - (1 - p) * x
    return _rows(call=(y, p * y, called), bet=(y, called, raised))


def corrected(stakes: Stakes, wins: Array) -> Array:
    """The same net of one's own chips, with what is to be called, and with the choice to fold to a raise."""
    y, x, c, m = stakes.pot, stakes.bet, stakes.to_call, stakes.callers

    def showdown(won: Array, lost: Array) -> Array:
        return wins * won - (1 - wins) * lost

    called, raised = showdown(y + m * x, c + x), showdown(y + 2 * m * x, c + 2 * x)
    return _rows(call=(y, showdown(y, c), jnp.maximum(-c, called)), bet=(y, called, jnp.maximum(-(c + x), raised)))


def _rows(call: tuple[Array, Array, Array], bet: tuple[Array, Array, Array]) -> Array:
    """Rows by action, columns by what others do, both numbered alike; of arrays of this shape, what is said of each place."""
    table = jnp.zeros((3, 3))
    for row, cells in ((CALL, call), (RAISE, bet)):
        for column, cell in zip((FOLD, CALL, RAISE), cells, strict=True):
            table = table.at[row, column].set(jnp.broadcast_to(cell, (3, 3))[row, column])
    return table


def by_gains(prospects: Prospects, shift: Array) -> Array:
    """The logarithm of what each action gains above a worst case, float32[3]: a difference is the paper's measure."""
    return jnp.log(prospects.gains + shift)


def by_deviations(prospects: Prospects, legal: Array) -> Array:
    """How each action stands against the one that it fares worst against, float32[3]: Selten's measure, of what leaving either costs
    where others do what they do after it. A chip is added to both, since one cost is often nothing."""
    advantage = jnp.maximum(prospects.payoff[:, None] - prospects.payoff[None], 0)  # [action, other action, response]
    costs = (advantage * prospects.chance[:, None]).sum(axis=2)
    return jnp.where(legal, jnp.log((costs + 1) / (costs.T + 1)), jnp.inf).min(axis=1)


def optimal(measure: Array, legal: Array) -> Array:
    """How likely each action is chosen, float32[3]: those near the best, in proportion to what was measured; weights."""
    measure = jnp.where(legal, measure, -jnp.inf)
    best = measure.max()
    return jnp.where(measure >= best - NEAR, jnp.exp(measure - best), 0.0)
