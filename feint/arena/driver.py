"""What every driver of many tables does alike: chairs, keys, memories, the next game and the next match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.game import Game
from feint.pytrees import pytree
from feint.steps import Steps, begun
from feint.ways import Memories, Outcome, Seats, Way


@pytree
class Lane:
    """One table in play."""

    table: Any  # what is played with, in the form of the way of playing
    memories: Memories
    match: Array  # int32: its number, beyond the last for a table with nothing left to do
    number: Array  # int32: the game in the match
    key: chance.Key  # of the game
    over: Array  # bool

    def with_memories(self, memories: Memories) -> Lane:
        return replace(self, memories=memories)


# The same in all matches, or a function of a match's number. As a `jax.tree_util.Partial` the function may have arguments of its own,
# and whoever calls it with others compiles nothing anew.
Agents = Sequence[Agent] | Callable[[Array], Sequence[Agent]]


class Driver:
    """Plays matches first, first + every, first + 2 every, ... with agent `seating[c]` in chair c, `length` games each. Or every match has a
    number and a seating of its own: `first` and `seating` then have a row for each."""

    def __init__(
        self,
        game: Game[Any, Any],
        agents: Agents,
        seating: Array,  # int32[players] or int32[matches, players]
        counts: tuple[int, ...],
        key: chance.Key,
        first: Array,  # int32 or int32[matches]
        every: int,
        length: int,
    ) -> None:
        self.game, self.agents, self.seating, self.counts, self.key = game, agents, seating, counts, key
        self.first, self.every, self.length = first, every, length
        self.way = self._way(jnp.int32(0))  # whose shape is the same in all matches

    def _way(self, match: Array) -> Way:
        """How a match is played."""
        agents = self._agents(match)
        way = self.game.ways(agents)
        # To move alike gains nothing where every table has a seating of its own: another agent's turn it is then at each.
        return way if way and (way.cycle == 1 or self.seating.ndim == 1) else Steps(self.game, agents)

    def _agents(self, match: Array) -> tuple[Agent, ...]:
        return tuple(self.agents(self._number(match)) if callable(self.agents) else self.agents)

    def _number(self, match: Array) -> Array:
        """The number of a match, which it has wherever it is played."""
        return self.first[match] if self.first.ndim else self.first + match * self.every

    def chairs(self, match: Array) -> Seats:
        """Who has which chair in a match."""
        return Seats.taken(self.seating[match] if self.seating.ndim > 1 else self.seating, self.counts)

    def seats(self, lane: Lane) -> Seats:
        """Who has which position in the game at a table."""
        chairs = self.chairs(lane.match)
        return chairs.rotated(lane.number) if self.game.rotates else chairs

    def begin_match(self, match: Array) -> Lane:
        """A table at the start of a match."""
        key = self._key(match, jnp.int32(0))
        return self._deal(begun(self.game, self._agents(match), self.chairs(match), key), match, jnp.int32(0))

    def stop(self, lane: Lane, stops: Array) -> Lane:
        """A table with nothing to do, where it `stops`: by single steps, nobody is asked there any more."""
        if not isinstance(self.way, Steps):
            return lane
        state = lane.table.state
        return replace(lane, table=replace(lane.table, state=replace(state, terminated=state.terminated | stops)))

    def advance(self, lane: Lane, index: Array) -> Lane:
        """A move, or as many as the way of playing makes at once, more. A table whose game is over may play on, but nothing of it counts."""
        way = self._way(lane.match)
        table, memories = way.advance(lane.table, self.seats(lane), lane.memories, lane.key, index)
        return replace(lane, table=table, memories=memories, over=lane.over | way.over(table))

    def learned(self, lane: Lane) -> Memories:
        """Everybody's memory after the game at a table."""
        return self._way(lane.match).finish(lane.table, self.seats(lane), lane.memories, lane.key)

    def next_game(self, lane: Lane) -> Lane:
        """The next game of the match, after a game that is over."""
        return self._deal(self.learned(lane), lane.match, lane.number + 1)

    def outcome(self, lane: Lane) -> Outcome:
        """What came of the game at a table, by chair."""
        found = self.way.outcome(lane.table)
        if not self.game.rotates:
            return found
        by_chair = lambda leaf: jnp.roll(leaf, lane.number, axis=0) if leaf.ndim else leaf  # noqa: E731
        return jax.tree.map(by_chair, found)

    def _deal(self, memories: Memories, match: Array, number: Array) -> Lane:
        key = self._key(match, number)
        return Lane(self.way.deal(chance.deal_key(key)), memories, match, number, key, jnp.bool_(False))

    def _key(self, match: Array, number: Array) -> chance.Key:
        return jax.random.fold_in(jax.random.fold_in(self.key, self._number(match)), number)


class Stepping(Driver):
    """One move at a time, whatever faster ways there are: somebody looks at every move."""

    def _way(self, match: Array) -> Way:
        return Steps(self.game, self._agents(match))
