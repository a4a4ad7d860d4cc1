"""A state through the eyes of every player: what it sees, and what of it moves when whatever it cannot know is dealt anew."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import Game
from feint.pytrees import pytree

AnyGame = Game[Any, Any]


@pytree
class Worlds:
    """For each player, the state and another one that must look the same to it."""

    view: Any  # View[players]
    view_again: Any  # View[players]: of the other state
    spectated: Any  # View[players]: a spectator's view, the same in each row
    spectated_again: Any  # View[players]: of the other state
    other: Any  # State[players]
    valid: Array  # bool[players]: whether the other state is


def worlds(game: AnyGame, state: Any, key: chance.Key) -> Worlds:
    """Deal anew, for each player in turn, whatever it does not know."""

    def through(player: Array) -> Worlds:
        view = game.observe(state, player)
        other = game.redeal(view, jax.random.fold_in(key, player))
        again = game.observe(other, player)
        return Worlds(view, again, game.spectate(state), game.spectate(other), other, game.is_valid(other))

    return jax.vmap(through)(jnp.arange(game.players))
