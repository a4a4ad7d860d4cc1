"""Agents that pick card by card as agents that decide on whole plays, whose turns the arena plays at once.

There a network is asked only where the decision is its own, and games are played several times faster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Agent
from feint.chance import Key, move_key
from feint.game import pytree
from feint.games.bluff.agents import Laying
from feint.games.bluff.view import View, may_pick


@pytree
class WholePlays(Laying):
    """Plays as an agent without memory does, a whole play at a time."""

    agent: Agent

    def cards(self, view: View, key: Key) -> Array:
        return self._picked(view, lambda number: jax.random.fold_in(key, number))

    def plays(self, view: View, key: Key, moves: Array) -> Array:
        return self._picked(view, lambda number: move_key(key, moves + number))  # as it would be asked pick by pick

    def _picked(self, view: View, key_of: Callable[[Array], Key]) -> Array:
        def pick(so_far: tuple[View, Array], number: Array) -> tuple[tuple[View, Array], None]:
            view, done = so_far
            action, _ = self.agent.act((), view, picks(view), key_of(number))
            done |= action == view.ranks
            after = jax.tree.map(lambda old, new: jnp.where(done, old, new), view, with_pick(view, action))
            return (after, done), None

        # In a row on a GPU, which then makes several steps of it at once; a CPU gains nothing by it, and compiles longer.
        unroll = 1 if jax.default_backend() == "cpu" else view.room
        (seen, _), _ = jax.lax.scan(pick, (view, jnp.bool_(False)), jnp.arange(view.room), unroll=unroll)
        return seen.picked.sum(axis=0, dtype=jnp.int8)

    def calls(self, view: View, key: Key) -> Array:
        answers = jnp.arange(view.ranks + 3) > view.ranks
        return self.agent.act((), view, answers, key)[0] == view.ranks + 2


def picks(view: View) -> Array:
    """What may be done next while cards are picked, bool[actions]."""
    pick = may_pick(view.hand.sum(axis=0), view.picked.sum(axis=0), view.due, view.most)
    return jnp.concatenate([pick, jnp.stack([view.picked.any(), False, False])])


def with_pick(view: View, action: Array) -> View:
    """The view after one card more was picked: of that rank, the one longest in the hand."""
    rank = (view.due + action) % view.ranks
    held = view.hand & (jnp.arange(view.ranks) == rank)
    arrival = jnp.where(held, view.stamp, jnp.iinfo(view.stamp.dtype).max)
    card = held & (arrival == arrival.min())
    latest = view.hand.size + view.laid + view.picked.sum()
    return replace(
        view,
        hand=view.hand & ~card,
        buried=view.buried | card,
        picked=view.picked | card,
        stamp=jnp.where(card, latest, view.stamp).astype(view.stamp.dtype),
    )
