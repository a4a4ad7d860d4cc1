"""Ways of playing: single steps of any game, or whatever a game offers that plays the same games sooner.

A way plays one game at one table, with memories of those who sit there; the arena and the learners map it over many tables and see to
the rest: matches, chairs, keys, what is kept.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key
from feint.pytrees import pytree, static

Table = Any  # a game in play, in whatever form a way likes
Memories = tuple[Any, ...]  # of each agent, stacked by its slots


@pytree
class Outcome:
    """What came of one game, by position."""

    rewards: Array  # float32[players]: all that was paid
    winners: Array  # bool[players]
    moves: Array  # int32
    events: dict[str, Array]  # int32[players] each


@pytree
class Seats:
    """Who sits where in one game, by position. An agent that sits several times has a slot, and a memory, for each time."""

    agent: Array  # int32[players]: the number of the agent
    slot: Array  # int32[players]: which of that agent's slots
    counts: tuple[int, ...] = static()  # slots of each agent

    @classmethod
    def taken(cls, seating: Array, counts: tuple[int, ...]) -> Seats:
        """The agents of a seating, int32[players], in its order; slots are numbered in that order too."""
        earlier = jnp.tril(seating[:, None] == seating, -1).sum(axis=1)
        return cls(seating, earlier.astype(jnp.int32), counts)

    def rotated(self, games: Array) -> Seats:
        """The same people after so many games, each of which moved positions one chair on."""
        return Seats(jnp.roll(self.agent, -games), jnp.roll(self.slot, -games), self.counts)

    def positions(self, number: int) -> Array:
        """Where an agent sits, int32[its slots]; the number of players for a slot it does not need."""
        slots = jnp.arange(self.counts[number])[:, None]
        here = (self.agent == number) & (self.slot == slots)
        places = jnp.arange(len(self.agent))
        return jnp.where(here, places, 0).sum(axis=1) + jnp.where(here.any(axis=1), 0, len(self.agent))


class Way(Protocol):
    """One way of playing a game. What it plays must be exactly what single steps would."""

    @property
    def cycle(self) -> int:
        """A game may only begin at a multiple of so many advances: 1, or how long a rotation in which all tables move alike is."""

    @property
    def max_advances(self) -> int:
        """No game takes more advances than this."""

    @property
    def whole(self) -> bool:
        """Whether tables had better play whole games before anybody looks: because all take as long, or none takes long."""

    def deal(self, key: Key) -> Table:
        """The table at the start of the game that `Game.init` deals."""

    def advance(self, table: Table, seats: Seats, memories: Memories, key: Key, index: Array) -> tuple[Table, Memories]:
        """A move, or as many at once as this way makes, more; `key` is the game's, `index` counts advances.

        May do anything to a table whose game is over, but for its outcome.
        """

    def over(self, table: Table) -> Array:
        """Whether the game is over, bool."""

    def outcome(self, table: Table) -> Outcome:
        """What came of a game that is over."""

    def finish(self, table: Table, seats: Seats, memories: Memories, key: Key) -> Memories:
        """Everybody's memory after a game that is over."""


@runtime_checkable
class Resuming(Way, Protocol):
    """A way by which a game can be gone on with that single steps have begun."""

    def joins(self, state: Any) -> Array:
        """Whether it can go on from a state, bool; from one that is over it can."""

    def resume(self, state: Any, rewards: Array, moves: Array) -> Table:
        """The table of a game that came to such a state, in so many moves, and has paid so much, float32[players]."""


def where(condition: Array, one: Any, other: Any) -> Any:
    """One of two trees; what is the same object in both is not copied."""
    return jax.tree.map(lambda a, b: a if a is b else jnp.where(condition, a, b), one, other)


def same(one: Any, other: Any) -> Array:
    """Whether two trees of one shape hold the same, bool."""
    alike = jax.tree.map(lambda mine, theirs: (mine == theirs).all(), one, other)
    return jax.tree.reduce(jnp.logical_and, alike)
