"""Worlds dealt anew: whatever the draws, every card has one place, and what is known stays."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.games.bluff.game import Bluff
from feint.games.bluff.rules import Deal

GAME = Bluff(players=2)
TIED = chance.game_key(7, 0, 14667)  # whose second half draws the same number for two cards, by `jax.random.uniform`


def test_cards_that_draw_the_same_have_places_of_their_own():
    # The second player has the first half of the deck, and the first player has seen all of it.
    state = GAME.deal(Deal(((jnp.arange(GAME.cards) + GAME.cards // 2) % GAME.cards).astype(jnp.int16)))
    view = replace(GAME.observe(state, jnp.int32(0)), located=GAME.by_rank(state.place))
    redeal = jax.jit(jax.vmap(GAME.redeal, (None, 0)))
    coarse = jax.vmap(lambda table: chance.coarse(chance.game_key(1, table, 0)))(jnp.arange(64))
    for keys in (TIED[None], coarse):
        worlds = redeal(view, keys)
        assert (np.asarray(worlds.place) == np.asarray(state.place)).all()
        assert (np.sort(worlds.stamp, axis=1) == np.arange(GAME.cards)).all()
