"""Whole turns of Bluff at once, by the pieces of the same rules, for agents that decide on whole plays.

The seat to play must be the same at every table that is played along: each decision is then made by the one agent whose it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Memoryless, is_heavy
from feint.chance import Key, move_key
from feint.game import pytree
from feint.games.bluff.agents import Laying
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.view import View
from feint.games.bluff.whole_plays import WholePlays
from feint.ways import Memories, Outcome, Seats


def whole_turns(rules: Rules, agents: Sequence[Any]) -> Whole | None:
    """By the pieces of the rules; None where somebody carries a memory, or picks card by card and is quick at it."""
    laying = [each for agent in agents if (each := _laying(agent))]
    pays = all(isinstance(agent, Laying) for agent in agents) or any(map(is_heavy, agents))
    return Whole(rules, tuple(laying)) if pays and len(laying) == len(agents) else None


def _laying(agent: Any) -> Laying | None:
    """An agent as one that decides on whole plays, if it carries no memory."""
    if isinstance(agent, Laying):
        return None if agent.remembers else agent
    kind = type(agent)
    forgets = isinstance(agent, Memoryless) and kind.begin is Memoryless.begin and kind.finish is Memoryless.finish
    return WholePlays(agent) if forgets else None


@pytree
class Calls:
    """What came of asking everybody about a play."""

    called: Array  # bool
    number: Array  # int32: which of those asked called first, counted from 1; 0 without a call
    move: Array  # int32: moves made

    def then(self, calls: Array, number: int | Array) -> Calls:
        """After one more was asked, unless somebody had called before."""
        return Calls(
            self.called | calls, jnp.where(calls & ~self.called, number, self.number), self.move + ~self.called
        )


@pytree
class InPlay:
    state: State
    outcome: Outcome
    over: Array  # bool


@dataclass(frozen=True, eq=False)
class Turns(ABC):
    """Turns of agents without a memory, all tables at the same seat: games only begin when the rotation of seats does."""

    rules: Rules
    agents: tuple[Any, ...]

    @property
    def cycle(self) -> int:
        return self.rules.players  # the seat to play is the same at every table

    @property
    def max_advances(self) -> int:
        return self.rules.cap

    @property
    def whole(self) -> bool:
        return False

    def joins(self, state: State) -> Array:
        begins = (state.asked == 0) & ~(state.place == self.rules.in_claim).any()
        return state.terminated | (begins & (state.turn % self.rules.players == 0))

    @abstractmethod
    def turn(self, table: Any, seat: Array, seating: Array, key: Key) -> Any:
        """The table after the turn of a seat."""

    def advance(self, table: Any, seats: Seats, memories: Memories, key: Key, index: Array) -> tuple[Any, Memories]:
        return self.turn(table, index % self.rules.players, seats.agent, key), memories

    def finish(self, table: Any, seats: Seats, memories: Memories, key: Key) -> Memories:
        return memories  # nobody has any


class Whole(Turns):
    """One turn in which the play, every answer and the settlement are made once."""

    agents: tuple[Laying, ...]

    def deal(self, key: Key) -> InPlay:
        state = self.rules.init(key)
        return self.resume(state, state.rewards, jnp.int32(0))

    def resume(self, state: State, rewards: Array, moves: Array) -> InPlay:
        nothing = jnp.zeros(self.rules.players, jnp.int32)
        events = dict.fromkeys(("plays", "bluffs", "calls right", "calls wrong"), nothing)
        return InPlay(state, Outcome(rewards, rewards > 0, moves, events), state.terminated)

    def over(self, table: InPlay) -> Array:
        return table.over

    def outcome(self, table: InPlay) -> Outcome:
        return table.outcome

    def turn(self, table: InPlay, seat: Array, seating: Array, key: Key) -> InPlay:
        rules, state = self.rules, table.state

        def ask(seat: Array, state: State, what: Callable[[Any, View], Array]) -> Array:
            """What the agent in a seat answers to a question about its view."""

            def answer(agent: Any) -> Array:
                # Looked at by the one who is asked: views handed over ready made would all have to be stored.
                return what(agent, rules.observe(state, seat))

            return jax.lax.switch(seating[seat], [partial(answer, agent) for agent in self.agents])

        moves = table.outcome.moves
        play = ask(seat, state, lambda agent, view: agent.plays(view, key, moves).astype(jnp.int8))
        laid = rules.lay_down(rules.take(state, play), jnp.int32(rules.lay))

        def ask_next(told: Calls, number: Array) -> tuple[Calls, None]:
            asker = rules.asked_seat(seat, number)
            asked = replace(laid, asked=number.astype(jnp.int8), current_player=asker)
            calls = ask(asker, asked, lambda agent, view: agent.calls(view, move_key(key, told.move)))
            return told.then(calls, number), None

        # Every card picked is a move, and so is laying them down.
        nobody = Calls(jnp.bool_(False), jnp.int32(0), moves + play.sum(dtype=jnp.int32) + 1)
        # In a row, a GPU does several answers at once; a CPU gains nothing by it, and compiles longer.
        unroll = 1 if jax.default_backend() == "cpu" else rules.players - 1
        told, _ = jax.lax.scan(ask_next, nobody, jnp.arange(1, rules.players), unroll=unroll)
        caller = rules.asked_seat(seat, told.number)

        seats = jnp.arange(rules.players)
        honest = rules.honest(laid)
        laying, calling = seats == seat, told.called & (seats == caller)
        counted = {
            "plays": laying,
            "bluffs": laying & ~honest,
            "calls right": calling & ~honest,
            "calls wrong": calling & honest,
        }
        after = replace(rules.settle(laid, told.called, caller), current_player=(seat + 1) % rules.players)
        events = {name: table.outcome.events[name] + happened for name, happened in counted.items()}
        outcome = Outcome(after.rewards, after.rewards > 0, told.move, events)
        # A table that is over plays on, but nothing of it counts.
        outcome = jax.tree.map(lambda old, new: jnp.where(table.over, old, new), table.outcome, outcome)
        return InPlay(after, outcome, table.over | after.terminated)
