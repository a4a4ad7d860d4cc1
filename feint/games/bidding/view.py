"""What a player of Bidding Elimination sees: its own purse and bids, the lowest bid of every round and who went out with it."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from feint import game
from feint.game import pytree

NONE = -1  # no bid, or nobody


@pytree
class View(game.View):
    coins: Array  # int16: one's own, less the bid of this round once it is made
    bids: Array  # int16[rounds]: one's own, NONE where there is none
    lowest: Array  # int16[rounds]: the lowest bid of each round settled, NONE for those to come
    out: Array  # int16[rounds]: who went out in it
    alive: Array  # bool[players]: who is still in
    round: Array  # int32: rounds settled
    turn: Array  # int32: whose bid is awaited; bids themselves stay sealed until all are in

    @property
    def players(self) -> int:
        return self.alive.shape[-1]

    @property
    def left(self) -> Array:
        """Players still in."""
        return self.players - self.round

    @property
    def purse(self) -> Array:
        """What everybody began with."""
        return self.coins + jnp.maximum(self.bids, 0).sum(axis=-1)
