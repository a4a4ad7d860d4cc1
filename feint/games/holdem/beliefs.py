"""What others may hold, in five bins of EHS: by what they did, and by how strengths come, go and win from round to round.

`python -m feint.games.holdem.beliefs` samples the latter anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.game import pytree
from feint.games.holdem.cards import CARDS
from feint.games.holdem.equities import Equities

BINS = 5  # of an opponent's EHS
FINE = 20  # of one's own
SEEN = (0, 3, 4, 5)  # cards of the board, by round
SHIPPED = Path(__file__).with_name("beliefs.csv")


@pytree
class Course:
    """What happens to random cards. Games of other rounds than four make do with it."""

    first: Any  # float32[5]: how likely each bin is before the flop
    onward: Any  # float32[3, 5, 5]: how likely each bin of a round leads to each of the next
    wins: Any  # float32[4, 20, 5]: how likely one's own bin, a fine one, wins against another's, by round


@cache
def shipped() -> Course:
    """What was sampled."""
    rows = np.loadtxt(SHIPPED, delimiter=",", dtype=np.float32)
    rounds = len(SEEN)
    return Course(rows[0], rows[1:16].reshape(rounds - 1, BINS, BINS), rows[16:].reshape(rounds, FINE, BINS))


def bin_of(ehs: Any, bins: int = BINS) -> Array:
    """The bin of a strength, int32."""
    return jnp.clip((ehs * bins).astype(jnp.int32), 0, bins - 1)


def filtered(course: Course, told: Array, rounds_on: Array) -> Array:
    """How likely others hold each bin in each round up to one, float32[rounds, players, 5], given the logarithm of how likely what they did
    in it is with each, told[rounds, players, 5]."""
    belief = jnp.broadcast_to(jnp.asarray(course.first), told.shape[1:])
    found = []
    for number in range(len(told)):
        weighed = belief * jnp.exp(told[number] - told[number].max(axis=-1, keepdims=True))
        belief = weighed / weighed.sum(axis=-1, keepdims=True)
        found.append(belief)
        belief = jnp.where(number < rounds_on, belief @ jnp.asarray(course.onward)[min(number, 2)], belief)
    return jnp.stack(found)


def sampled(deals: int, seed: int = 0, batch_size: int = 4096) -> Course:
    """The same from so many random deals to two players."""

    @jax.jit
    def portion(equities: Equities, first: Array) -> tuple[Array, Array]:
        def one(number: Array) -> tuple[Array, Array]:
            cards = chance.sample(jax.random.fold_in(chance.key(seed), number), 9, CARDS).astype(jnp.int8)
            own, board = cards[:4].reshape(2, 2), cards[4:]
            ehs = jnp.stack([jnp.stack([equities.when(each, board, seen) for seen in SEEN]) for each in own])
            return ehs, (jnp.sign(ehs[0, -1] - ehs[1, -1]) + 1) / 2

        return jax.vmap(one)(first + jnp.arange(batch_size))

    parts = [portion(Equities(), jnp.int32(begin)) for begin in range(0, deals, batch_size)]
    ehs, won = (np.concatenate([np.asarray(part[which]) for part in parts]) for which in (0, 1))
    bins, fine = np.asarray(bin_of(ehs)), np.asarray(bin_of(ehs, FINE))
    first = np.bincount(bins[:, :, 0].ravel(), minlength=BINS)
    onward = np.zeros((len(SEEN) - 1, BINS, BINS))
    wins, often = (np.zeros((len(SEEN), FINE, BINS)) for _ in range(2))
    for at in range(len(SEEN)):
        np.add.at(wins[at], (fine[:, 0, at], bins[:, 1, at]), won)
        np.add.at(often[at], (fine[:, 0, at], bins[:, 1, at]), 1)
        if at:
            np.add.at(onward[at - 1], (bins[:, :, at - 1], bins[:, :, at]), 1)
    # Where few deals fell, as if the odds of either hand could be divided; bins that nothing leads from stay as they are.
    own, theirs = ((np.arange(count) + 0.5) / count for count in (FINE, BINS))
    odds = (own / (1 - own))[:, None] * (1 - theirs) / theirs
    onward += np.eye(BINS) * 1e-3
    return Course(
        first / first.sum(), onward / onward.sum(axis=-1, keepdims=True), (wins + 10 * odds / (1 + odds)) / (often + 10)
    )


if __name__ == "__main__":
    found = sampled(400_000)
    rows = [found.first[None], found.onward.reshape(-1, BINS), found.wins.reshape(-1, BINS)]
    np.savetxt(SHIPPED, np.concatenate(rows), fmt="%.4f", delimiter=",")
