"""Whole turns of Bluff at once, by the pieces of the same rules, for agents that decide on whole plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key, move_key
from feint.game import Turn

if TYPE_CHECKING:
    from feint.games.bluff.rules import Bluff, State


Question = Callable[[Any, Any], Array]  # put to an agent about its view


def whole_turns(rules: Bluff, agents: Sequence[Any]) -> Turn | None:
    """One turn in which the player's play, every answer and the settlement are made once; None unless all agents lay whole
    plays and carry no memory. The player's seat must be the same at every table that is played along, so that
    each decision is made by one agent only."""
    from feint.games.bluff.agents import Laying

    if not all(isinstance(agent, Laying) and not agent.remembers for agent in agents):
        return None

    def answer(agent: Any, seat: Array, state: State, what: Question) -> Array:
        return what(agent, rules.observe(state, seat))

    def turn(state: State, seat: Array, seating: Array, key: Key, move: Array) -> tuple[State, Array, dict[str, Array]]:
        def ask(seat: Array, state: State, what: Question) -> Array:
            """What the agent in a seat answers to a question about its view."""
            return jax.lax.switch(seating[seat], [partial(answer, agent, seat, state, what) for agent in agents])

        first_key = move_key(key, move)
        play = ask(seat, state, lambda agent, view: agent.cards(view, first_key).astype(jnp.int8))
        laid = rules._lay(rules._take(state, play), jnp.int32(rules.lay))
        move = move + play.sum() + 1  # every card picked is a move, and so is laying them down

        called, caller = jnp.bool_(False), seat
        for k in range(1, rules.players):
            asker = (seat + k) % rules.players
            asked = replace(laid, asked=jnp.int8(k), current_player=asker)
            answer_key = move_key(key, move)
            calls = ask(asker, asked, partial(_calls, answer_key))
            move = move + ~called
            caller = jnp.where(calls & ~called, asker, caller)
            called = called | calls

        seats = jnp.arange(rules.players)
        honest = rules._honest(laid)
        laying, calling = seats == seat, called & (seats == caller)
        counted = {
            "plays": laying,
            "bluffs": laying & ~honest,
            "calls right": calling & ~honest,
            "calls wrong": calling & honest,
        }
        after = rules._settle(laid, called, caller)
        after = replace(after, current_player=(seat + 1) % rules.players)
        return after, move, {name: happened.astype(jnp.int32) for name, happened in counted.items()}

    return turn


def _calls(key: Key, agent: Any, view: Any) -> Array:
    return agent.calls(view, key)
