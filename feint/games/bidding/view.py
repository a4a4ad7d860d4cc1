"""What a player of Bidding Elimination sees: its own purse and bids, the lowest bid of every round and who went out with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
from jax import Array

from feint import game
from feint.game import Rows, pytree

if TYPE_CHECKING:
    from feint.games.bidding.rules import Bidding

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


def encode(rules: Bidding, view: View) -> dict[str, Array | Rows]:
    """A view as network input; seats are counted clockwise from one's own."""
    clockwise = jnp.where(view.out == NONE, NONE, (view.out - view.seat) % rules.players)
    return {
        "coins": jax.nn.one_hot(view.coins, rules.coins + 1),
        "round": jax.nn.one_hot(view.round, rules.rounds + 1),
        "alive": jnp.roll(view.alive, -view.seat),
        # Round by round.
        "lowest": Rows(jax.nn.one_hot(view.lowest, rules.coins + 1)),
        "bids": Rows((view.bids[:, None] + 1) / (rules.coins + 1)),
        "out": Rows((clockwise[:, None] + 1) / rules.players),
        "own_turn": view.turn == view.seat,
    }
