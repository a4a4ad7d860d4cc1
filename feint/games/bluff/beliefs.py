"""What follows from a view of Bluff about cards one cannot see, every hidden world that fits being as likely as the others."""

from __future__ import annotations

from math import comb

import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.game import pytree
from feint.games.bluff.view import NOBODY, View


@pytree
class Beliefs:
    """The rank due, among the other players."""

    unseen: Array  # float32: cards of the rank due that one has not located
    known: Array  # float32[players]: those located with a player
    chances: Array  # float32[players, copies + 1]: of a player holding so many of the unseen ones

    def at_least(self, count: Array) -> Array:
        """The chance that a player holds so many cards of the rank due or more, float32[players]."""
        held = jnp.arange(self.chances.shape[1]) + self.known[:, None]
        return jnp.where(held >= count, self.chances, 0.0).sum(axis=1)


def beliefs(view: View) -> Beliefs:
    """How many cards of the rank due everybody holds, the claim on the table counted as still in the hand that laid it."""
    seats = jnp.arange(view.players)
    known_place = view.located != NOBODY
    hidden = (~known_place).sum()  # cards one has not located, in hands, in the pile or out of play
    by_owner = view.located == seats[:, None, None]  # bool[players, copies, ranks]
    laid = (view.pile == seats[:, None]).sum(axis=1)
    hands = view.sizes + jnp.where(seats == view.player, view.claim, 0)
    owned = view.sizes + laid  # what a located card may be: in the hand, or laid since
    in_hand = hands / jnp.maximum(owned, 1)
    slots = jnp.maximum(owned - by_owner.sum(axis=(1, 2)), 0) * in_hand
    unseen = jnp.where(view.is_due, ~known_place, False).sum()
    known = jnp.where(view.is_due, by_owner, False).sum(axis=(1, 2)) * in_hand
    others = seats != view.seat
    chances = hypergeometric(hidden, unseen, jnp.where(others, slots, 0.0), view.copies)
    return Beliefs(unseen.astype(jnp.float32), jnp.where(others, jnp.round(known), 0.0), chances)


def hypergeometric(population: Array, marked: Array, drawn: Array, most: int) -> Array:
    """The chances of 0 .. `most` marked ones among those drawn, float32[..., most + 1]; `drawn` need not be whole."""
    steps = np.arange(most)
    count = np.arange(most + 1)
    in_hand = _falling(drawn[..., None], steps)  # drawn (drawn - 1) ..., float32[..., most + 1]
    elsewhere = _falling((population - drawn)[..., None], steps)
    left = jnp.clip(marked - count, 0, most).astype(jnp.int32)
    # Looked up by comparing with every index, which compilers fuse with what is around it.
    others = jnp.where(left[:, None] == count, elsewhere[..., None, :], 0.0).sum(axis=-1)
    all_of = jnp.clip(marked, 0, most).astype(jnp.int32)
    ways = jnp.where(all_of == count[:, None], _CHOOSE[: most + 1, : most + 1], 0.0).sum(axis=0)
    weight = jnp.where(count <= marked, ways * in_hand * others, 0.0)
    total = weight.sum(axis=-1, keepdims=True)
    certain = (count == 0).astype(jnp.float32)
    return jnp.where(total > 0, weight / jnp.where(total > 0, total, 1.0), certain)


def _falling(start: Array, steps: np.ndarray) -> Array:
    """1, start, start (start - 1), ... with no factor below zero, float32[..., steps + 1]."""
    products = [jnp.ones_like(start, jnp.float32)]
    for step in steps.tolist():
        products.append(products[-1] * jnp.maximum(start - step, 0.0))
    return jnp.concatenate(products, axis=-1)


_CHOOSE = np.array([[float(comb(n, k)) for k in range(9)] for n in range(9)])
