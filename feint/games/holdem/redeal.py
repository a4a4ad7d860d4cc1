"""A hidden world of Hold'em consistent with what one player knows."""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.games.holdem.cards import CARDS, HIDDEN
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import State
from feint.games.holdem.view import View


def redeal(rules: Rules, view: View, key: chance.Key) -> State:
    """Every card that is not seen goes anywhere, every way as likely as the others: betting depends on nobody's cards by the rules."""
    state = replace(
        rules.deal(rules.dealt(_cards(rules, view, key))),
        paid=view.paid,
        folded=view.folded,
        round=view.round,
        raises=view.raises,
        waiting=view.waiting,
        moves=view.moves,
        history=view.history,
        actors=view.actors,
        current_player=view.player,
        terminated=view.over,
    )
    rewards = jnp.where(view.over, rules.payoffs(state), 0.0)
    return replace(state, legal_action_mask=rules.legal(state), rewards=rewards)


def _cards(rules: Rules, view: View, key: chance.Key) -> Array:
    """All cards in order, int8[2 players + board]: those that are seen, and others drawn from what is left."""
    own = jnp.arange(rules.players)[:, None] == view.seat
    seen = jnp.concatenate([jnp.where(own, view.cards, view.shown).ravel(), view.board])
    left = ~(seen[:, None] == jnp.arange(CARDS)).any(axis=0)
    drawn = chance.sample(key, len(seen), left.sum())  # more than are needed: as many as places
    nth = (jnp.cumsum(left) <= drawn[:, None]).sum(axis=1)  # the cards of these numbers among those left
    return jnp.where(seen == HIDDEN, nth, seen).astype(jnp.int8)
