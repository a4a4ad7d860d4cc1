"""The simplest players of Hold'em, by which others are measured."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import pytree
from feint.games.holdem.state import CALL, RAISE
from feint.games.holdem.view import View


@pytree
class AlwaysCall(Memoryless):
    """Calls, or checks, whatever its cards."""

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return jnp.int32(CALL), memory


@pytree
class AlwaysRaise(Memoryless):
    """Bets and raises up to the cap, whatever its cards, and calls there."""

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return jnp.where(legal[RAISE], RAISE, CALL), memory
