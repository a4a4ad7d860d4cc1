"""How strong two cards are: Billings' measures, by playing every other hand and every card to come.

HS is how likely one is ahead of a random hand now, ties counted half; PPot how likely one who is behind comes out ahead, NPot how
likely one who is ahead falls behind. EHS, which is made of them, is how likely one wins against a random hand if nobody folds.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import pytree
from feint.games.holdem.boards import sets
from feint.games.holdem.cards import masks
from feint.games.holdem.evaluator import strength

BEHIND, TIED, AHEAD = range(3)


@pytree
class Strength:
    """Of two cards and a board, float32 each."""

    hs: Array
    ppot: Array
    npot: Array

    @property
    def ehs(self) -> Array:
        """Effective hand strength."""
        return self.hs * (1 - self.npot) + (1 - self.hs) * self.ppot

    def betting(self, opponents: Array | int) -> Array:
        """The variant by which Billings bets against so many: what may get worse is not held against a hand."""
        ahead = self.hs**opponents
        return ahead + (1 - ahead) * self.ppot


def measured(cards: Array, board: Array) -> Strength:
    """Of two cards, int[2], and three to five of a board, none of them hidden. On the flop that is a million hands."""
    outcomes = transitions(cards, board)
    behind, tied, ahead = outcomes.sum(axis=1)
    rises = outcomes[BEHIND, AHEAD] + outcomes[BEHIND, TIED] / 2 + outcomes[TIED, AHEAD] / 2
    falls = outcomes[AHEAD, BEHIND] + outcomes[AHEAD, TIED] / 2 + outcomes[TIED, BEHIND] / 2
    return Strength(
        hs=(ahead + tied / 2) / (ahead + tied + behind),
        ppot=rises / jnp.maximum(behind + tied / 2, 1),
        npot=falls / jnp.maximum(ahead + tied / 2, 1),
    )


@jax.jit  # traced once, as `masks` is
def hand_strength(cards: Array, board: Array) -> Array:
    """HS alone, float32; on the river it is EHS."""
    own, now = masks(cards), masks(board)
    possible = apart(every(2), own | now)
    points = jax.lax.optimization_barrier(jnp.where(possible, compared(own, now), 0))  # added up after all are there
    return points.sum() / (2 * possible.sum())


def transitions(cards: Array, board: Array) -> Array:
    """How many of all other hands and cards to come lead from being behind, tied or ahead now to each of these, int32[3, 3]."""
    own, now = masks(cards), masks(board)
    before = _by_outcome(compared(own, now), apart(every(2), own | now))

    def counted(to_come: Array) -> Array:
        possible = apart(every(2), to_come) & apart(to_come, own | now)
        after = _by_outcome(compared(own, now | to_come), possible)
        return jnp.matmul(before, after.T, precision="highest").astype(jnp.int32)

    return jax.lax.map(counted, every(5 - len(board)).T).sum(axis=0)


def compared(own: Array, board: Array) -> Array:
    """Whether one is behind of each holding there is, tied or ahead, int32[1326]; one's own cards and the board as ranks by suit."""
    ours, theirs = strength(own | board), strength(every(2) | board[:, None])
    return (ours > theirs).astype(jnp.int32) + (ours >= theirs)


def _by_outcome(outcomes: Array, possible: Array) -> Array:
    """Outcomes, int32[hands], told apart, float32[3, hands]; none where they are not possible, bool[hands]."""
    outcomes = jax.lax.optimization_barrier(outcomes)
    return ((outcomes == jnp.arange(3)[:, None]) & possible).astype(jnp.float32)


def apart(many: Array, one: Array) -> Array:
    """Which of many sets of cards, int32[4, ...], have none of another, int32[4]."""
    return ~(many & one.reshape(4, *[1] * (many.ndim - 1))).any(axis=0)


def every(size: int) -> Array:
    """All sets of so many cards as ranks by suit, int32[4, sets]."""
    return masks(jnp.asarray(sets(size).T))
