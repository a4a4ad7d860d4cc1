"""What a network reads of a view of Bidding Elimination."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.bidding.rules import Rules
from feint.games.bidding.view import NONE, View


def encode(rules: Rules, view: View) -> Array:
    """A view as network input; seats are counted clockwise from one's own."""
    clockwise = jnp.where(view.out == NONE, NONE, (view.out - view.seat) % rules.players)
    parts = [
        jax.nn.one_hot(view.coins, rules.coins + 1),
        jax.nn.one_hot(view.round, rules.rounds + 1),
        jnp.roll(view.alive, -view.seat),
        jax.nn.one_hot(view.lowest, rules.coins + 1),
        (view.bids + 1) / (rules.coins + 1),
        (clockwise + 1) / rules.players,
        (view.turn == view.seat)[None],
    ]
    return jnp.concatenate([jnp.asarray(part, jnp.float32).ravel() for part in parts])
