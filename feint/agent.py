"""What plays: compiled agents, and plain Python ones that are asked one by one."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from typing import Any, Protocol

import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game
from feint.pytrees import is_pytree, pytree

Memory = Any  # a pytree the agent owns; it lasts a match, which is a sequence of games


class Agent(Protocol):
    """What can be compiled. Such agents are pytrees: their numbers are leaves, so other settings need no new compilation.

    An agent that takes long to answer, as a network does, says so by `heavy = True`: where many tables are played at once it is then
    asked only at those where the turn is its own, which for quick agents would take longer than asking them everywhere. One that keeps a
    machine busy by fewer tables than a network says by how many: `tables = 1`.
    """

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        """The memory at the start of a match."""
        ...

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        """The action to take at this view, and the memory after it. Opponents, counted clockwise from one's own seat, stay the same
        people through a match, whatever position one has in a game."""
        ...

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        """The memory after a game, of which `rewards`, float32[players], is all that was paid by position; adaptive agents learn here."""
        ...


class PlainAgent(Protocol):
    """An agent in plain Python, asked one question at a time; arrays are NumPy's.

    It may also have `begin(game, seat)`, called when a match begins, and `finish(view, rewards)`, called after every game. One that has
    `begin` is copied for every place it sits in, so that each copy remembers its own match.
    """

    def act(self, view: Any, legal: np.ndarray) -> int:
        """The number of a legal action."""
        ...


class Memoryless:
    """A base for agents that carry nothing from move to move."""

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return ()

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        return memory


@pytree
class Random(Memoryless):
    """Any legal action, each as likely as the others."""

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.choice(key, legal), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]: what exact solvers ask of an agent, where it can tell."""
        return legal / legal.sum()


def is_compiled(agent: object) -> bool:
    """Whether an agent is compiled: it is if it is a pytree, whatever methods it has; all others are plain Python."""
    return is_pytree(agent)


def tells_chances(agent: object) -> bool:
    """Whether an agent says how likely it takes each action, by `probabilities`."""
    return hasattr(agent, "probabilities")


def is_heavy(agent: object) -> bool:
    """Whether an agent is better asked only where the turn is its own."""
    return bool(getattr(agent, "heavy", False))


def fewest_tables(agent: object) -> int:
    """At how many tables a heavy agent is asked at once, at the least: fewer would take it as long."""
    return int(getattr(agent, "tables", 64))


def thinks_long(agent: object) -> bool:
    """Whether an agent keeps a machine busy by a single table: thousands of games are not played with it unasked."""
    return fewest_tables(agent) == 1


def at_game(agent: Any, game: Game[Any, Any]) -> Any:
    """The agent as it sits down at a game: one that looks things up in the game's tables has a field `game`, None until then."""
    return replace(agent, game=game) if is_compiled(agent) and getattr(agent, "game", game) is None else agent


def check_playable(agent: object, name: str) -> None:
    """Raise `UserError` for what is not an agent: it cannot act, or is written to be compiled and cannot be."""
    act = getattr(agent, "act", None)
    if not callable(act):
        raise UserError(f"{name} is not an agent: it has no act(view, legal) that gives the number of an action.")
    if not is_compiled(agent) and list(signature(act).parameters)[:1] == ["memory"]:
        raise UserError(f"{name} is not a pytree: write @feint.game.pytree above its class, so that it compiles.")
