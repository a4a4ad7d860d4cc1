"""What a network reads of a view of Bluff."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import Rows
from feint.games.bluff.rules import Rules
from feint.games.bluff.view import NOBODY, View

LONG = 2000  # turns, of a long game


def encode(rules: Rules, view: View) -> dict[str, Array | Rows]:
    """A view as network input: seats counted clockwise from one's own, ranks upwards from the one due."""

    def ranked(by_rank: Array) -> Array:
        return jnp.roll(by_rank, -view.due, axis=-1)

    def seated(by_seat: Array) -> Array:
        return jnp.roll(by_seat, -view.seat, axis=0)

    def clockwise(seat: Array) -> Array:
        return jnp.where(seat == NOBODY, NOBODY, (seat - view.seat) % rules.players)

    # The ranks that each player, clockwise from oneself, has to lay at its next turns: what matters of them is the same at tables of any size.
    until = (jnp.arange(rules.players) + view.seat - view.player) % rules.players  # turns of others before its next
    coming = (view.due + until[:, None] + rules.players * jnp.arange(rules.ranks)) % rules.ranks  # int[players, turns]

    deck = rules.cards
    suits = jnp.arange(rules.copies)
    held = view.hand.sum(axis=0) > suits[:, None]  # bool[copies, ranks]: at least so many
    seats = jnp.arange(rules.players)
    located = seated((view.located == seats[:, None, None]).sum(axis=1))[1:]  # int[players - 1, ranks]
    in_pile = seated((view.pile == seats[:, None]).sum(axis=1))
    cleared, answers = seated(view.cleared), seated(view.answers)[1:]
    log = view.log
    shown_rank = jnp.where(log.shown == NOBODY, NOBODY, (log.shown % rules.ranks - view.due) % rules.ranks)
    return {
        "held": ranked(held),
        "picked": ranked(view.picked.sum(axis=0)) / rules.copies,
        "buried": ranked(view.buried.sum(axis=0)) / rules.copies,
        "located": ranked(located) / rules.copies,
        "cleared": ranked(cleared),
        "own_turns": held[:, coming[0]],
        "located_turns": jnp.take_along_axis(located, coming[1:], axis=1) / rules.copies,
        "cleared_turns": jnp.take_along_axis(cleared, coming, axis=1),
        "answers": answers / (answers + 1),  # the first answers tell most about who somebody is
        "sizes": seated(view.sizes) / deck,
        "nearly_out": seated(view.sizes) <= view.most,
        "in_pile": in_pile / deck,
        "pile_size": view.pile_size / deck,
        "claim": jax.nn.one_hot(view.claim, rules.most + 1),
        "asked": jax.nn.one_hot(view.asked, rules.players),
        "player": jax.nn.one_hot(clockwise(view.player), rules.players),
        "turn": view.turn / LONG,
        # The log, newest play first.
        "log_player": Rows(jax.nn.one_hot(clockwise(log.player), rules.players)),
        "log_caller": Rows(jax.nn.one_hot(clockwise(log.caller), rules.players)),
        "log_honest": Rows(jax.nn.one_hot(log.honest, 2)),
        "log_count": Rows(log.count[:, None].clip(0) / view.most),
        "log_shown": Rows(jax.nn.one_hot(shown_rank, rules.ranks).sum(axis=1) / view.most),
    }


def tells(view: View) -> dict[str, Array]:
    """Of each number of cards claimed, whether a player was asked and which share it called, float32[players, most] each."""
    asked = view.answers.sum(axis=-1)
    return {"asked": (asked > 0).astype(jnp.float32), "called": view.answers[..., 1] / jnp.maximum(asked, 1)}
