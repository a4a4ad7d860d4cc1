"""What plays: compiled agents for the arena, plain Python ones for a table."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import Game, pytree

Memory = Any  # a pytree the agent owns; it lasts a match, which is a sequence of games


@runtime_checkable
class Agent(Protocol):
    """What the arena can compile. Agents are pytrees: their numbers are leaves, so other settings need no new compilation."""

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        """The memory at the start of a match."""
        ...

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        """The action to take at this view, and the memory after it."""
        ...

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        """The memory after a game; adaptive agents learn here."""
        ...


@runtime_checkable
class PlainAgent(Protocol):
    """An agent in plain Python: it can sit at a `table`, but the arena cannot compile it."""

    def act(self, view: Any, legal: Array) -> int:
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
    """Whether the arena can compile this agent."""
    return isinstance(agent, Agent)
