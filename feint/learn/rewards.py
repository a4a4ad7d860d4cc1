"""Potential-based reward shaping: a learner is also paid for what raises a potential, which a game gives by name.

Ng, Harada and Russell, Policy invariance under reward transformations (1999).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array

from feint.errors import UserError
from feint.game import Game

SPARSE = "sparse"  # paid what the game pays, and nothing else


def potential(game: Game[Any, Any], name: str) -> Any:
    """The potential of this name, a function of a view; that of `sparse` is 0 everywhere."""
    known = {SPARSE: lambda _: jnp.float32(0)} | game.shapings()
    if name not in known:
        raise UserError(f"rewards of {game.name} must be one of {', '.join(known)}, not {name!r}.")
    return known[name]


def shaping(potential: Array, discount: Array, next_potential: Array) -> Array:
    """What is paid for the next decision's potential, which counts for `discount`: γ Φ(s') − Φ(s).

    After the end of a game the potential is 0: all that was paid is taken back, and what is best to do stays the same.
    """
    return discount * next_potential - potential
