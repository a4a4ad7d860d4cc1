"""Matches of Bidding Elimination played a whole round at a time: the games that single moves would give, many times sooner.

All bids of a round are decided without knowing the others, so every seat can be asked at once. Seats of one agent are asked in one
call; keys are those of the single moves, so the arena plays the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from feint import chance
from feint.agent import Agent, Memory
from feint.game import pytree
from feint.games.bidding.rules import Bidding, State

Seats = tuple[int, ...]  # of one agent
# The same for all matches, or a function of a match's number. As a `jax.tree_util.Partial` the function may have arguments of its own,
# and whoever calls it with others compiles nothing anew.
Agents = Sequence[Agent] | Callable[[Array], Sequence[Agent]]
Watch = Callable[[tuple[Memory, ...]], Any]  # what to keep of everybody's memories after each game

LANES = 128  # matches at once


@pytree
class Played:
    """What came of matches."""

    winner: Array  # int16[matches, length]: a seat
    seen: Any  # what was watched, [matches, length, ...] each


def play(
    game: Bidding,
    agents: Agents,
    seating: Sequence[int],
    *,
    seed: int = 0,
    matches: int = 1,
    length: int = 1,
    first: int = 0,
    lanes: int = LANES,
    watch: Watch | None = None,
    progress: Callable[[int], None] | None = None,
) -> Played:
    """Play matches number `first` to `first + matches - 1` of `length` games with agent `seating[s]` in seat s."""
    lanes = min(lanes, matches)
    given = Partial(agents) if callable(agents) else tuple(agents)
    parts = []
    for start in range(0, matches, lanes):
        numbers = first + start + np.arange(lanes)
        part = _play(
            game,
            given,
            seed,
            numbers,
            seating=tuple(seating),
            length=length,
            watch=watch,
        )
        parts.append(jax.tree.map(lambda leaf: np.asarray(leaf)[: matches - start], part))  # noqa: B023
        if progress:
            progress(min(lanes, matches - start) * length)
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


@partial(jax.jit, static_argnames=("game", "seating", "length", "watch"))
def _play(
    game: Bidding,
    agents: tuple[Agent, ...] | Callable[[Array], Sequence[Agent]],
    seed: Array,
    numbers: Array,
    *,
    seating: tuple[int, ...],
    length: int,
    watch: Watch | None,
) -> Played:
    def one_match(number: Array) -> Played:
        table = Table(game, agents(number) if callable(agents) else agents, seating)

        def one_game(memories: tuple[Memory, ...], index: Array) -> tuple[tuple[Memory, ...], tuple[Array, Any]]:
            key = chance.game_key(seed, number, index)
            state, memories = table.game_of(key, memories)
            winner = jnp.argmax(state.rewards).astype(jnp.int16)
            return memories, (winner, watch(memories) if watch else ())

        begun = table.begin(chance.game_key(seed, number, 0))
        _, (winner, seen) = jax.lax.scan(one_game, begun, jnp.arange(length))
        return Played(winner, seen)

    return jax.vmap(one_match)(numbers)


class Table:
    """Agents in their seats. Memories are stacked by the seats of each agent, in the order of the seats."""

    def __init__(self, game: Bidding, agents: Sequence[Agent], seating: Sequence[int]) -> None:
        self.game, self.agents = game, agents
        self.seats = [np.flatnonzero(np.asarray(seating) == number) for number in range(len(agents))]

    def begin(self, key: chance.Key) -> tuple[Memory, ...]:
        """Memories at the start of a match, from the key of its first game."""

        def begin(agent: Agent, seats: np.ndarray) -> Memory:
            return jax.vmap(lambda seat: agent.begin(self.game, seat, chance.begin_key(key, seat)))(jnp.asarray(seats))

        return tuple(begin(agent, seats) for agent, seats in zip(self.agents, self.seats, strict=True))

    def game_of(self, key: chance.Key, memories: tuple[Memory, ...]) -> tuple[State, tuple[Memory, ...]]:
        """The finished game of a key, and memories after it."""

        def one_round(carry: tuple[State, tuple[Memory, ...], Array], _: None) -> tuple[Any, None]:
            state, memories, move = carry
            bids, memories = self.bids(state, memories, key, move)
            return (self.game.bid_all(state, bids), memories, move + state.alive.sum()), None

        carry = (self.game.init(chance.deal_key(key)), memories, jnp.int32(0))
        (state, memories, _), _ = jax.lax.scan(one_round, carry, None, length=self.game.rounds)
        return state, self.finish(state, memories, key)

    def bids(
        self, state: State, memories: tuple[Memory, ...], key: chance.Key, move: Array
    ) -> tuple[Array, tuple[Memory, ...]]:
        """What everybody bids, int32[players], and memories after it; `move` is the number of moves made before this round."""
        left = self.game.players - state.round
        turn = move + jnp.cumsum(state.alive) - 1  # int32[players]: the move that each one's bid is

        def ask(agent: Agent, seat: Array, memory: Memory) -> tuple[Array, Memory]:
            view = self.game.observe(_at_turn(state, seat), seat)
            legal = self.game.affordable(state.coins[seat], left)
            action, after = agent.act(memory, view, legal, chance.move_key(key, turn[seat]))
            bid = jnp.where(legal[action], action, jnp.argmax(legal))  # as Game.step does
            return bid.astype(jnp.int32), jax.tree.map(
                lambda new, old: jnp.where(state.alive[seat], new, old), after, memory
            )

        bids, after = jnp.zeros(self.game.players, jnp.int32), []
        for agent, seats, memory in zip(self.agents, self.seats, memories, strict=True):
            made, learned = jax.vmap(partial(ask, agent))(jnp.asarray(seats), memory)
            bids = bids.at[seats].set(made)
            after.append(learned)
        return bids, tuple(after)

    def finish(self, state: State, memories: tuple[Memory, ...], key: chance.Key) -> tuple[Memory, ...]:
        """Memories after a finished game."""

        def learn(agent: Agent, seat: Array, memory: Memory) -> Memory:
            return agent.finish(memory, self.game.observe(state, seat), state.rewards, chance.finish_key(key, seat))

        return tuple(
            jax.vmap(partial(learn, agent))(jnp.asarray(seats), memory)
            for agent, seats, memory in zip(self.agents, self.seats, memories, strict=True)
        )


def _at_turn(state: State, seat: Array) -> State:
    return replace(state, current_player=jnp.asarray(seat, jnp.int32))
