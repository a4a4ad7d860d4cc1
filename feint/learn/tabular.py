"""Q-learning with a Q-table: Q(s, a) of every action at every view met, moved towards r + γ max Q(s', a'), for games with few enough views.

Watkins and Dayan, Q-learning (1992), doi:10.1007/BF00992698.

A view finds its cell by 64 bits hashed from it: 32 say where, 32 whose the cell is. A view whose cell belongs to another
is not learned; `collisions` says how often that happens, and a larger `table_size` makes it rare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import Game, pytree
from feint.hashing import digest
from feint.learn import trajectories
from feint.learn.algorithm import Metrics
from feint.learn.dqn import MultiStep, Transition, transitions_of
from feint.learn.networks import masked
from feint.learn.renamed import todays
from feint.learn.tables import Tables
from feint.options import option

EMPTY = 0  # whose a cell is that belongs to no view yet


@pytree
class Place:
    """Where a view's cell is, and the sign that it is its own."""

    cell: Array  # int32
    owner: Array  # uint32


@pytree
class QTable:
    """The values of actions, by the cells of views."""

    owner: Array  # uint32[cells]
    value: Array  # float32[cells, actions]
    tries: Array  # float32[cells, actions]

    @classmethod
    def blank(cls, cells: int, actions: int) -> QTable:
        return cls(jnp.zeros(cells, jnp.uint32), jnp.zeros((cells, actions)), jnp.zeros((cells, actions)))

    def place(self, view: Any) -> Place:
        where, whose = digest(view)
        return Place((where % self.owner.size).astype(jnp.int32), jnp.maximum(whose, EMPTY + 1))

    def at(self, place: Place) -> Array:
        """The value of each action there, float32[..., actions]; 0 where nothing is known."""
        own = self.owner[place.cell] == place.owner
        return jnp.where(own[..., None], self.value[place.cell], 0.0)

    def claimed(self, place: Place, keep: Array) -> QTable:
        """With empty cells given to these views; of several, one has it."""
        empty = self.owner[place.cell] == EMPTY
        return replace(self, owner=self.owner.at[place.cell].max(jnp.where(keep & empty, place.owner, EMPTY)))

    def learned(self, place: Place, action: Array, targets: Array, keep: Array, min_learning_rate: float) -> QTable:
        """With the mean of the targets of each cell and action mixed in: at first as a plain mean over all tries, and never by less than
        one step of `min_learning_rate` for each."""
        keep = keep & (self.owner[place.cell] == place.owner)
        at = (jnp.where(keep, place.cell, self.owner.size), action)
        times = jnp.zeros_like(self.tries).at[at].add(1.0, mode="drop")
        total = jnp.zeros_like(self.value).at[at].add(targets, mode="drop")
        tries = self.tries + times
        share = jnp.maximum(times / jnp.maximum(tries, 1.0), 1 - (1 - min_learning_rate) ** times)
        value = self.value + share * (total / jnp.maximum(times, 1.0) - self.value)
        return replace(self, value=value, tries=tries)


@pytree
class QTableAgent(Memoryless):
    """Takes the action of the highest value; one of them at random where nothing is known."""

    q_table: QTable
    game: Game[Any, Any]

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.choice(key, self.probabilities(view, legal) > 0), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""
        values = masked(self.q_table.at(self.q_table.place(view)), legal)
        best = (values == values.max()) & legal
        return best / best.sum()

    def recipe(self) -> dict[str, Any]:
        """All but the numbers, for a policy file."""
        return {"table_size": self.q_table.owner.size}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> QTableAgent:
        """An agent of this recipe that knows nothing."""
        return cls(QTable.blank(int(todays(recipe, QLearning)["table_size"]), game.actions), game)


@pytree
class Learner:
    q_table: QTable
    envs: trajectories.Env
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class QLearning(MultiStep):
    """Tabular Q-learning; every seat of the learner fills the same Q-table."""

    name: ClassVar[str] = "q-learning"

    num_envs: int = option(64, "tables in play at once", least=1, most=2**20)
    table_size: int = option(
        2**16, "cells for the views that are met: several times as many as there are views", least=1, most=2**26
    )
    epsilon: float = option(0.95, "probability of a random action at the start", least=0, most=1)
    final_epsilon: float = option(0.05, "probability of a random action once exploration is over", least=0, most=1)
    exploration_fraction: float = option(
        0.5, "share of the run over which that chance falls, linearly", least=0, most=1
    )
    min_learning_rate: float = option(
        0.002, "least step towards a new return; at first it is larger: the mean of all tries", least=0, most=1
    )

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_envs, rest = jax.random.split(key)
        q_table = QTable.blank(self.table_size, tables.game.actions)
        seated = tables.with_past(QTableAgent(q_table, tables.game))
        return Learner(
            q_table, trajectories.begin(seated, self.num_envs, of_envs, self.max_opponent_moves), jnp.int32(0), rest
        )

    def agent(self, tables: Tables, learner: Learner) -> QTableAgent:
        return QTableAgent(learner.q_table, tables.game)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        progress = self.progress(learner.updates)
        done = jnp.minimum(progress / max(self.exploration_fraction, 1e-9), 1.0)
        epsilon = self.epsilon + (self.final_epsilon - self.epsilon) * done
        q_table = learner.q_table
        mine = QTableAgent(q_table, tables.game)

        def decide(turn: trajectories.Turn) -> tuple[Array, Any]:
            of_coin, of_choice = jax.random.split(turn.key)
            explores = jax.random.uniform(of_coin) < epsilon
            allowed = jnp.where(explores, turn.legal, mine.probabilities(turn.view, turn.legal) > 0)
            return chance.choice(of_choice, allowed), (q_table.place(turn.view), turn.legal)

        seated = tables.with_past(mine)
        envs, steps = trajectories.collect(seated, learner.envs, decide, self.num_steps, self.max_opponent_moves)
        last = jax.vmap(lambda env: trajectories.turn_at(seated, env))(envs)
        after = jax.vmap(q_table.place)(last.view), last.legal
        transitions, known = transitions_of(steps, last, after, self.n_step, self.gamma)
        q_table = q_table.claimed(transitions.features, known)
        own = q_table.owner[transitions.features.cell] == transitions.features.owner
        q_table = q_table.learned(
            transitions.features, transitions.action, self._targets(q_table, transitions), known, self.min_learning_rate
        )
        metrics = {
            "epsilon": epsilon,
            "views": (q_table.owner != EMPTY).sum().astype(jnp.float32),
            "collisions": 1 - own.mean(),
            "learned from": known.mean(),
        }
        return Learner(q_table, envs, learner.updates + 1, learner.key), metrics | trajectories.played(steps)

    def _targets(self, q_table: QTable, transitions: Transition) -> Array:
        """What the Q-table should have said, r + γ max Q(s', a'), float32[decisions]."""
        best = masked(q_table.at(transitions.next_features), transitions.next_legal).max(axis=1)
        return transitions.reward + jnp.where(transitions.discount > 0, transitions.discount * best, 0.0)
