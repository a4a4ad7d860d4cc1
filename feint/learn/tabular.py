"""Q-learning with a table: the worth of every action at every view met, for games with few enough of them.

A view finds its cell by 64 bits hashed from it: 32 say where, 32 whose the cell is. A view whose cell belongs to another
is not learned; `crowded out` says how often that happens, and more cells make it rare.
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
from feint.learn.algorithm import Algorithm, Metrics
from feint.learn.dqn import Transition, transitions_of
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
class Worth:
    """What actions are worth, by the cells of views."""

    owner: Array  # uint32[cells]
    value: Array  # float32[cells, actions]
    tries: Array  # float32[cells, actions]

    @classmethod
    def blank(cls, cells: int, actions: int) -> Worth:
        return cls(jnp.zeros(cells, jnp.uint32), jnp.zeros((cells, actions)), jnp.zeros((cells, actions)))

    def place(self, view: Any) -> Place:
        where, whose = digest(view)
        return Place((where % self.owner.size).astype(jnp.int32), jnp.maximum(whose, EMPTY + 1))

    def at(self, place: Place) -> Array:
        """The worth of each action there, float32[..., actions]; 0 where nothing is known."""
        own = self.owner[place.cell] == place.owner
        return jnp.where(own[..., None], self.value[place.cell], 0.0)

    def claimed(self, place: Place, keep: Array) -> Worth:
        """With empty cells given to these views; of several, one has it."""
        empty = self.owner[place.cell] == EMPTY
        return replace(self, owner=self.owner.at[place.cell].max(jnp.where(keep & empty, place.owner, EMPTY)))

    def learned(self, place: Place, action: Array, wanted: Array, keep: Array, rate: float) -> Worth:
        """With the mean of what was wanted at each cell and action mixed in: at first as a plain mean over all tries, and never by
        less than one step of `rate` for each."""
        keep = keep & (self.owner[place.cell] == place.owner)
        at = (jnp.where(keep, place.cell, self.owner.size), action)
        times = jnp.zeros_like(self.tries).at[at].add(1.0, mode="drop")
        total = jnp.zeros_like(self.value).at[at].add(wanted, mode="drop")
        tries = self.tries + times
        share = jnp.maximum(times / jnp.maximum(tries, 1.0), 1 - (1 - rate) ** times)
        value = self.value + share * (total / jnp.maximum(times, 1.0) - self.value)
        return replace(self, value=value, tries=tries)


@pytree
class WorthAgent(Memoryless):
    """Takes the action worth most; one of them at random where nothing is known."""

    worth: Worth
    game: Game[Any, Any]

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.choice(key, self.probabilities(view, legal) > 0), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""
        worth = masked(self.worth.at(self.worth.place(view)), legal)
        best = (worth == worth.max()) & legal
        return best / best.sum()

    def recipe(self) -> dict[str, Any]:
        """All but the numbers, for a policy file."""
        return {"table_size": self.worth.owner.size}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> WorthAgent:
        """An agent of this recipe that knows nothing."""
        return cls(Worth.blank(int(todays(recipe, QLearning)["table_size"]), game.actions), game)


@pytree
class Learner:
    worth: Worth
    lanes: trajectories.Lane
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class QLearning(Algorithm):
    """Tabular Q-learning; every seat of the learner fills the same table."""

    name: ClassVar[str] = "q-learning"

    num_envs: int = option(64, "tables in play at once", least=1, most=2**20)
    num_steps: int = option(
        8, "steps at each table before an update; in self-play more than a round", least=1, most=2**16
    )
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
    gamma: float = option(1.0, "discount factor: what a payoff counts for one decision later", least=0, most=1)
    n_step: int = option(1, "decisions until the next value is looked up: n of n-step returns", least=1, most=100)

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_lanes, rest = jax.random.split(key)
        worth = Worth.blank(self.table_size, tables.game.actions)
        seated = tables.with_past(WorthAgent(worth, tables.game))
        return Learner(
            worth, trajectories.begin(seated, self.num_envs, of_lanes, self.max_opponent_moves), jnp.int32(0), rest
        )

    def agent(self, tables: Tables, learner: Learner) -> WorthAgent:
        return WorthAgent(learner.worth, tables.game)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        progress = jnp.minimum(learner.updates / max(1, self.updates - 1), 1.0)
        done = jnp.minimum(progress / max(self.exploration_fraction, 1e-9), 1.0)
        epsilon = self.epsilon + (self.final_epsilon - self.epsilon) * done
        worth = learner.worth
        mine = WorthAgent(worth, tables.game)

        def act(view: Any, legal: Array, key: Key) -> tuple[Array, Any]:
            of_coin, of_choice = jax.random.split(key)
            explores = jax.random.uniform(of_coin) < epsilon
            allowed = jnp.where(explores, legal, mine.probabilities(view, legal) > 0)
            return chance.choice(of_choice, allowed), (worth.place(view), legal)

        seated = tables.with_past(mine)
        lanes, steps = trajectories.collect(seated, learner.lanes, act, self.num_steps, self.max_opponent_moves)
        last = jax.vmap(lambda lane: trajectories.turn_at(seated, lane))(lanes)
        after = jax.vmap(worth.place)(last.view), last.legal
        rows, known = transitions_of(steps, last, after, self.n_step, self.gamma)
        worth = worth.claimed(rows.features, known)
        own = worth.owner[rows.features.cell] == rows.features.owner
        worth = worth.learned(rows.features, rows.action, self._wanted(worth, rows), known, self.min_learning_rate)
        metrics = {
            "epsilon": epsilon,
            "views": (worth.owner != EMPTY).sum().astype(jnp.float32),
            "crowded out": 1 - own.mean(),
            "learned from": known.mean(),
        }
        return Learner(worth, lanes, learner.updates + 1, learner.key), metrics | trajectories.played(steps)

    def _wanted(self, worth: Worth, rows: Transition) -> Array:
        """What the decisions turned out to be worth, float32[decisions]."""
        best = masked(worth.at(rows.next_features), rows.next_legal).max(axis=1)
        return rows.reward + jnp.where(rows.discount > 0, rows.discount * best, 0.0)
