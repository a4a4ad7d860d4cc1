"""What a learner is paid besides what the game pays, by name: a shaping of the game says how well off a player is at a view."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array

from feint.errors import UserError
from feint.game import Game

SPARSE = "sparse"  # paid what the game pays, and nothing else


def shaping(game: Game[Any, Any], name: str) -> Any:
    """How well off a player is at a view, by the shaping of this name; `sparse` takes nobody for better off than others."""
    known = {SPARSE: lambda _: jnp.float32(0)} | game.shapings()
    if name not in known:
        raise UserError(f"rewards of {game.name} are one of {', '.join(known)}, not {name!r}.")
    return known[name]


def rise(standing: Array, discount: Array, next_standing: Array) -> Array:
    """What is paid for standing better at the next decision, which counts for `discount`.

    Where the game is over, nobody stands anywhere: all that was paid for standing well is taken back, and what is best to do
    stays the same (Ng, Harada and Russell, 1999).
    """
    return discount * next_standing - standing
