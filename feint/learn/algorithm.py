"""What every learning algorithm is: a frozen dataclass of settings with three pure functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Agent
from feint.chance import Key
from feint.game import Game
from feint.learn.tables import Tables
from feint.options import option

Learner = (
    Any  # a pytree of arrays with everything that changes: parameters, optimiser, tables in play, replay, counters, key
)
Metrics = dict[str, Array]  # scalars by name


@dataclass(frozen=True)
class Algorithm(ABC):
    """Settings of a learning algorithm, which is hashable: `begun` and `updated` are compiled once for each."""

    name: ClassVar[str]
    watches: ClassVar[bool] = False  # whether it has no seat, and learns from what others do
    resizes: ClassVar[bool] = False  # whether one network may learn at tables of several sizes

    total_timesteps: int = option(
        1_000_000, "steps to learn from in all; schedules run from the first to the last", least=1, most=10**13
    )
    num_envs: int = option(256, "tables in play at once", least=1, most=2**20)
    num_steps: int = option(64, "steps at each table before an update", least=1, most=2**16)

    @property
    def per_update(self) -> int:
        """Steps an update learns from."""
        return self.num_envs * self.num_steps

    @property
    def updates(self) -> int:
        """Updates in all."""
        return -(-self.total_timesteps // self.per_update)

    def progress(self, updates: Array) -> Array:
        """How much of the run has been made after so many updates, float32: 1 in the last one."""
        return jnp.minimum(updates / max(1, self.updates - 1), 1.0)

    def check(self, game: Game[Any, Any]) -> None:
        """Raise `UserError` where settings do not go together, or not with this game."""

    @abstractmethod
    def begin(self, tables: Tables, key: Key) -> Learner:
        """A learner that knows nothing, at tables that have just been dealt."""

    @abstractmethod
    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        """Play `num_steps` steps at every table and learn from them."""

    def placed(self, learner: Learner) -> Learner:
        """The learner on the devices that make its updates."""
        return learner

    @abstractmethod
    def agent(self, tables: Tables, learner: Learner) -> Agent:
        """The agent that plays what has been learned; it offers `probabilities(view, legal)`, so that it can be solved against exactly."""


@dataclass(frozen=True)
class Playing(Algorithm):
    """The settings of all that have seats at their tables."""

    max_opponent_moves: int = option(8, "moves of others that a table plays in one step at most", least=1, most=10_000)
    gamma: float = option(1.0, "discount factor: what a payoff counts for one decision later", least=0, most=1)


def between(first: float, last: float, progress: Array) -> Array:
    """From the first value to the last, geometrically; where one of them is zero, in a straight line."""
    if first <= 0 or last <= 0:
        return first + (last - first) * progress
    return first * (last / first) ** progress


@partial(jax.jit, static_argnums=0)
def begun(algorithm: Algorithm, tables: Tables, key: Key) -> Learner:
    """`begin`, compiled once for equal settings and tables of the same kind, whoever asks."""
    # Numbers of weak types, as `jnp.full(3, -1)` has, lose them in the first update: the second would be compiled anew.
    return jax.tree.map(lambda leaf: leaf.astype(leaf.dtype) if leaf.weak_type else leaf, algorithm.begin(tables, key))


@partial(jax.jit, static_argnums=0, donate_argnums=2)
def updated(algorithm: Algorithm, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
    """`update`, compiled in the same way. The learner is given up to what it becomes: room for one, not for two."""
    return algorithm.update(tables, learner)
