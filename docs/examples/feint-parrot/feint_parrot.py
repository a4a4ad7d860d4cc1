"""Two agents for Bluff that feint finds by entry point: one compiled, for matches of any size, one in plain Python."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.chance import Key
from feint.game import pytree
from feint.games.bluff.agents import Laying, latest_cards
from feint.games.bluff.view import NOBODY, View


@pytree
class Parrot(Laying):
    """Lays as many cards as were laid before it, and calls bluff for as long as the last call was right."""

    most: int = 4  # it never lays more than this

    def cards(self, view: View, key: Key) -> Array:
        return latest_cards(view, jnp.clip(view.log.count[0], 1, jnp.minimum(self.most, view.most)))

    def calls(self, view: View, key: Key) -> Array:
        called = view.log.caller != NOBODY
        last = jnp.argmax(called)  # the log has the newest play first
        return called.any() & (view.log.honest[last] == 0)


class Gut:
    """Lays one card, a true one if there is one, and calls bluff on claims of so many cards or more."""

    def __init__(self, claim: int = 3) -> None:
        self.claim = claim

    def act(self, view: Any, legal: np.ndarray) -> int:
        lay, trust, call = view.ranks, view.ranks + 1, view.ranks + 2
        if view.asked > 0:
            return call if view.claim >= self.claim else trust
        return lay if legal[lay] else int(np.argmax(legal))  # action 0 picks a true card
