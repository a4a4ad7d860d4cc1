"""A world of Bluff before the claim on the table was made, and the moves since: which cards were laid is hidden, but not how likely they were."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.view import Log
from feint.ways import where


def rewound(rules: Rules, state: State, key: chance.Key) -> tuple[State, Array, Array]:
    """The world before the first card of this claim was picked, the actions since, and the logarithm of how likely these lay the very cards
    of the claim, and not others of their ranks. While nothing is claimed, nothing is taken back.

    In which order the cards of that hand came is drawn anew: whoever is asked cannot know it.
    """
    claimed = state.place == rules.in_claim
    count = jnp.where(state.asked > 0, claimed.sum(dtype=jnp.int8), 0)
    player = (state.turn % rules.players).astype(jnp.int8)
    theirs = claimed | (state.place == player)
    before = replace(
        state,
        place=jnp.where(claimed, player, state.place),
        stamp=jnp.where(theirs, _order(rules, state, theirs, claimed, key), state.stamp),
        laid=state.laid - count,
        asked=jnp.int8(0),
        log=_without_newest(state.log),
    )
    start = where(state.asked > 0, rules.ready(before), state)
    held, by_rank = rules.by_rank(theirs).sum(axis=0), rules.by_rank(claimed).sum(axis=0)
    log = -jnp.asarray(_log_ways(rules.copies))[held, by_rank].sum()
    return start, _actions(rules, state, by_rank), jnp.where(state.asked > 0, log, 0.0)


def _order(rules: Rules, state: State, theirs: Array, claimed: Array, key: chance.Key) -> Array:
    """An order of a player's cards, int16[cards], any of those in which the cards of the claim would be picked again: of each rank they came first."""
    drawn = rules.by_rank(jnp.where(theirs, chance.shuffle(key, rules.cards), rules.cards))
    held = rules.by_rank(theirs)
    came = rules.by_rank(jnp.where(claimed, state.stamp - (rules.cards + state.laid), state.stamp))
    earlier = held[None] & (came[None] < came[:, None])  # bool[copies, copies, ranks]
    nth = earlier.sum(axis=1)  # int[copies, ranks]: among that player's cards of the rank
    order = jnp.take_along_axis(jnp.sort(drawn, axis=0), nth, axis=0)
    return order.ravel().astype(state.stamp.dtype)


def _without_newest(log: Log) -> Log:
    """The log before its newest play; what then was the oldest is lost."""
    blank = Log.empty(len(log.player) // 2, log.shown.shape[-1])
    return jax.tree.map(lambda rows, empty: jnp.concatenate([rows[1:], empty[:1]]), log, blank)


def _actions(rules: Rules, state: State, claimed: Array) -> Array:
    """The picks of a claim of so many cards of each rank, int[ranks], upwards from the rank due, `lay`, and the answers so far, int32[n]."""
    count, index = claimed.sum(), jnp.arange(rules.most + rules.players - 1)
    above = jnp.cumsum(jnp.roll(claimed, -(state.turn % rules.ranks)))
    picks = (above <= index[:, None]).sum(axis=1)  # behind the last card it is the number of ranks, which is `lay`
    actions = jnp.where(index <= count, picks, rules.trust)
    made = (state.asked > 0) & (index < count + state.asked)
    return jnp.where(made, actions, -1).astype(jnp.int32)


@cache
def _log_ways(copies: int) -> np.ndarray:
    """The logarithm of how many ways there are to choose so many of so many cards, float32[copies + 1, copies + 1]."""
    of = range(copies + 1)
    return np.log([[max(1, comb(many, chosen)) for chosen in of] for many in of]).astype(np.float32)
