"""What a network reads of a view of Bidding Elimination."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import Rows
from feint.games.bidding.rules import Rules
from feint.games.bidding.view import NONE, View


def encode(rules: Rules, view: View) -> dict[str, Array | Rows]:
    """A view as network input; seats are counted clockwise from one's own."""
    whole = view.purse
    purse = view.coins / whole
    clockwise = jnp.where(view.out == NONE, NONE, (view.out - view.seat) % rules.players)
    return {
        "coins": jax.nn.one_hot(view.coins, rules.coins + 1),
        # Of a full purse, so that what holds for few coins holds for many: what is left, and an even share of it for each round to come.
        "purse": jnp.stack([purse, purse / jnp.maximum(view.left - 1, 1)]),
        "round": jax.nn.one_hot(view.round, rules.rounds + 1),
        "alive": jnp.roll(view.alive, -view.seat),
        # Round by round.
        "lowest": Rows(jax.nn.one_hot(view.lowest, rules.coins + 1)),
        "lowest_share": Rows((view.lowest[:, None] + 1) / (whole + 1)),
        "bids": Rows((view.bids[:, None] + 1) / (whole + 1)),
        "out": Rows((clockwise[:, None] + 1) / rules.players),
        "own_turn": view.turn == view.seat,
    }


def tells(rules: Rules, view: View) -> dict[str, Array]:
    """In which round everybody went out, float32[players, rounds], and with which share of a full purse; who stayed in has zeros."""
    out = view.out == jnp.arange(rules.players)[:, None]
    return {"out": out.astype(jnp.float32), "lowest": jnp.where(out, view.lowest / view.purse, 0.0)}
