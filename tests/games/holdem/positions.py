"""Hands of Hold'em dealt by hand, and played by letters."""

import jax
import jax.numpy as jnp
import numpy as np

from feint.games.holdem import cards
from feint.games.holdem.acpc import LETTERS
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import View

TWO, THREE = Holdem(), Holdem(players=3)
BOARD = "2c7d9hJsKc"

_deal, _step = jax.jit(Holdem.deal), jax.jit(Holdem.step)
_observe = jax.jit(Holdem.observe)


def dealt(rules: Holdem, hole: str, board: str = BOARD) -> State:
    """A hand with these cards, "AsKd|QhQc"."""
    own = jnp.asarray([cards.read(each) for each in hole.split("|")], jnp.int8)
    return _deal(rules, Deal(own, jnp.asarray(cards.read(board), jnp.int8)))


def play(rules: Holdem, state: State, betting: str) -> State:
    """The hand after these actions, f, c and r, each of which is legal."""
    for letter in betting.replace("/", ""):
        action = LETTERS.index(letter)
        assert state.legal_action_mask[action], f"{letter} of {betting}"
        state = _step(rules, state, jnp.int32(action))
    return state


def seen(rules: Holdem, state: State, player: int) -> View:
    return jax.tree.map(np.asarray, _observe(rules, state, jnp.int32(player)))
