"""A world of Bluff before the claim on the table was made: which cards were laid is hidden, but not that somebody would lay as many."""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp

from feint import chance
from feint.games.bluff.rules import Rules, State
from feint.ways import where


def rewound(rules: Rules, state: State, key: chance.Key) -> State:
    """The world before the first card of this claim was picked. While nothing is claimed, nothing is taken back.

    In which order the cards of that hand came is drawn anew: whoever is asked cannot know it.
    """
    claimed = state.place == rules.in_claim
    player = (state.turn % rules.players).astype(jnp.int8)
    order = chance.shuffle(key, rules.cards).astype(state.stamp.dtype)
    before = replace(
        state,
        place=jnp.where(claimed, player, state.place),
        stamp=jnp.where(claimed | (state.place == player), order, state.stamp),
        laid=state.laid - claimed.sum(dtype=state.laid.dtype),
        asked=jnp.int8(0),
        log=state.log.unclaimed(),
    )
    return where(state.asked > 0, rules.ready(before), state)
