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
    from feint.games.bluff.view import View


def whole_turns(rules: Bluff, agents: Sequence[Any]) -> Turn | None:
    """One turn in which the player's play, every answer and the settlement are made once; None unless all agents lay whole
    plays and carry no memory. The player's seat must be the same at every table that is played along, so that
    each decision is made by one agent only."""
    from feint.games.bluff.agents import Laying

    if not all(isinstance(agent, Laying) and not agent.remembers for agent in agents):
        return None

    def turn(state: State, seat: Array, seating: Array, key: Key, move: Array) -> tuple[State, Array, dict[str, Array]]:
        def ask(seat: Array, state: State, what: Callable[[Any, View], Array]) -> Array:
            """What the agent in a seat answers to a question about its view."""

            def answer(agent: Any) -> Array:
                # Looked at by the one who is asked: views handed over ready made would all have to be stored.
                return what(agent, rules.observe(state, seat))

            return jax.lax.switch(seating[seat], [partial(answer, agent) for agent in agents])

        play_key = move_key(key, move)
        play = ask(seat, state, lambda agent, view: agent.cards(view, play_key).astype(jnp.int8))
        laid = rules._lay(rules._take(state, play), jnp.int32(rules.lay))
        move = move + play.sum(dtype=jnp.int32) + 1  # every card picked is a move, and so is laying them down

        def ask_next(told: tuple[Array, Array, Array], after: Array) -> tuple[tuple[Array, Array, Array], None]:
            called, caller, move = told
            asker = rules._asked(seat, after)
            asked = replace(laid, asked=after.astype(jnp.int8), current_player=asker)
            calls = ask(asker, asked, lambda agent, view: agent.calls(view, move_key(key, move)))
            return (called | calls, jnp.where(calls & ~called, asker, caller), move + ~called), None

        nobody = (jnp.bool_(False), seat, move)
        (called, caller, move), _ = jax.lax.scan(ask_next, nobody, jnp.arange(1, rules.players))

        seats = jnp.arange(rules.players)
        honest = rules._honest(laid)
        laying, calling = seats == seat, called & (seats == caller)
        counted = {
            "plays": laying,
            "bluffs": laying & ~honest,
            "calls right": calling & ~honest,
            "calls wrong": calling & honest,
        }
        after = replace(rules._settle(laid, called, caller), current_player=(seat + 1) % rules.players)
        return after, move, {name: happened.astype(jnp.int32) for name, happened in counted.items()}

    return turn
