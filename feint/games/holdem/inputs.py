"""What a network reads of a view of Hold'em."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.holdem.cards import CARDS
from feint.games.holdem.evaluator import STRAIGHT_FLUSH, evaluate, kind
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import RAISE
from feint.games.holdem.view import View


def encode(rules: Rules, view: View) -> dict[str, Array]:
    """A view as network input: players are counted from oneself in the order of turns, chips in bets of the last round."""

    def seated(by_position: Array) -> Array:
        return jnp.roll(by_position, -view.seat, axis=0)

    most = max(rules.raises)
    who = jnp.where(view.actors >= 0, (view.actors - view.seat) % rules.players, -1)
    made = kind(evaluate(jnp.concatenate([view.cards, view.board])))
    return {
        "cards": _set(view.cards),
        "board": _set(view.board),
        "made": jax.nn.one_hot(made, STRAIGHT_FLUSH + 1),
        "position": jax.nn.one_hot(view.seat, rules.players),
        "round": jax.nn.one_hot(view.round, rules.rounds),
        "raises": jax.nn.one_hot(view.raises, most + 1),
        "player": jax.nn.one_hot((view.player - view.seat) % rules.players, rules.players),
        "waiting": view.waiting / rules.players,
        "folded": seated(view.folded),
        "paid": seated(view.paid) / rules.bets[-1],
        "pot": view.pot / (rules.players * rules.bets[-1]),
        "to call": view.to_call / rules.bets[-1],
        # Every action of each round, and whose it was; nothing of those to come.
        "betting": jax.nn.one_hot(view.history, rules.actions),
        "bettors": jax.nn.one_hot(who, rules.players),
    }


def tells(rules: Rules, view: View) -> dict[str, Array]:
    """How often everybody folded, called and raised in each round, without and with a bet to answer, float32[players, rounds, 2, actions]."""
    raises = view.history == RAISE
    raised = jnp.cumsum(raises, axis=1) > raises
    # Before the flop, whoever has posted less than the highest blind has to answer it.
    posted, opening = jnp.asarray(rules.posted), (jnp.arange(rules.rounds) == 0)[:, None]
    facing = raised | (opening & (posted < posted.max())[view.actors])
    who, did = jax.nn.one_hot(view.actors, rules.players), jax.nn.one_hot(view.history, rules.actions)
    return {"acts": jnp.einsum("rmp,rmf,rma->prfa", who, jax.nn.one_hot(facing.astype(int), 2), did)}


def _set(cards: Array) -> Array:
    """Which cards there are, bool[52]."""
    return (cards[:, None] == jnp.arange(CARDS)).any(axis=0)
