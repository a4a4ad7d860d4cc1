"""Regret matching from games with itself: counterfactual regret minimisation in which the tree is never walked, only played, with a critic.

In each game one seat, drawn anew, explores: it takes every legal action with the same odds. All others play the policy σ as it stands.
Backwards from the end of a game, with r paid and h' reached after action a was taken at h with the odds ξ, the payoffs of all players under σ are

    q(a') = b(h, a') + [a' = a] / ξ(a) · (r + v(h') − b(h, a)),    v(h) = Σ σ(a') q(a'),

right on average whatever the critic b thinks, and the less up to chance the more it knows; it sees the views of all players, and b(h, a) is a
running mean of r + v(h'). Where a game goes on in the next update, v(h') is what the critic thinks. After each update the explorer's view s has,
for all of its actions, taken or not,

    R(s, a) ← max(0, R(s, a) + Σ q(a) − v(h)),    σ(s, a) ∝ R(s, a).

An explorer's odds never change. So it comes to a view as often as chance and the others lead there, times a constant of that view: such a sum
is the counterfactual regret up to that constant, which regret matching does not mind, and nothing is divided by the odds of a whole game. All others
come to their views as often as σ leads there, so the sum of σ over their visits is the average policy, each σ weighted by how often it
comes there. Later ones count more, by the number of the update. In games of two with opposed interests that average approaches an
equilibrium, and it is the average that plays.

Regrets of an explorer with constant odds: McAleer et al., ESCHER (2023), arXiv:2206.04122. The critic as a control variate: Schmid et al.,
VR-MCCFR (2019), arXiv:1809.03057. Regrets that never fall below 0, and weights of the average: Tammelin, CFR+ (2014), arXiv:1407.5042.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import Game, pytree
from feint.learn import trajectories
from feint.learn.algorithm import Metrics, Playing
from feint.learn.cells import EMPTY, Cells, Place, gathered, times
from feint.learn.tables import Tables
from feint.learn.trajectories import Env, Steps, Turn
from feint.options import option

EXPLORER = 0x6E57  # folded into the key of a game: who explores


def matched(weights: Array, legal: Array) -> Array:
    """Odds in proportion to weights of at least 0, float32[..., actions]; even where there are none."""
    weights = jnp.where(legal, weights, 0.0)
    total = weights.sum(axis=-1, keepdims=True)
    even = legal / jnp.maximum(legal.sum(axis=-1, keepdims=True), 1)
    return jnp.where(total > 0, weights / jnp.where(total > 0, total, 1.0), even)


@pytree
class AverageAgent(Memoryless):
    """Plays an average of policies by what is kept for each view; every legal action as likely where nothing is."""

    cells: Cells
    average: Array  # float32[cells, actions]: mean odds
    game: Game[Any, Any]

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return jax.random.categorical(key, jnp.log(self.probabilities(view, legal))), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""
        return matched(gathered(self.average, self.cells.owned(self.cells.place(view))), legal)

    def recipe(self) -> dict[str, Any]:
        """All but the numbers, for a policy file."""
        return {"table_size": self.cells.owner.size}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> AverageAgent:
        """An agent of this recipe that knows nothing."""
        size = int(recipe["table_size"])
        return cls(Cells.blank(size), jnp.zeros((size, game.actions)), game)


@pytree
class Critic:
    """What all players are paid from a position on, by the cells of what all of them see."""

    cells: Cells
    value: Array  # float32[cells, actions, players]
    tries: Array  # float32[cells, actions]

    def learned(self, place: Place, action: Array, targets: Array, keep: Array, min_learning_rate: float) -> Critic:
        """With targets, float32[decisions, players], mixed in: at first as a plain mean over all tries, and never by less than one step of
        `min_learning_rate` for each."""
        cells = self.cells.claimed(place, keep)
        at = jnp.where(keep, cells.owned(place), cells.owner.size), action
        new = jnp.maximum(times(self.tries, at), 1.0)
        share = jnp.maximum(new / (gathered(self.tries, at) + new), 1 - (1 - min_learning_rate) ** new)
        steps = (share / new)[:, None] * (targets - gathered(self.value, at))
        return Critic(cells, self.value.at[at].add(steps, mode="drop"), self.tries.at[at].add(1.0, mode="drop"))


@pytree
class Average:
    """The mean of policies, weighted, at each view."""

    odds: Array  # float32[cells, actions]
    weight: Array  # float32[cells]: of all that are in it

    def joined(self, cell: Array, policy: Array, weight: Array) -> Average:
        """With the policy at these views in it, as often as they are among them. Sums of odds would in the end be too large to add to."""
        new = weight * times(self.weight, cell)
        total = gathered(self.weight, cell) + new
        share = jnp.where(total > 0, new / jnp.where(total > 0, total, 1.0), 0.0)[:, None]
        mixed = gathered(self.odds, cell) + share * (policy - gathered(self.odds, cell))
        # A view has one policy in an update, so all its visits set the same numbers.
        return Average(self.odds.at[cell].set(mixed, mode="drop"), self.weight.at[cell].set(total, mode="drop"))


@pytree
class Learner:
    cells: Cells  # of views
    regret: Array  # float32[cells, actions]
    average: Average
    critic: Critic
    envs: Env
    updates: Array  # int32: made
    key: Key


@pytree
class Noted:
    """What is kept of a decision until it is known what came of it."""

    view: Place
    position: Place
    legal: Array  # bool[actions]
    policy: Array  # float32[actions]: odds by regrets
    explores: Array  # bool
    odds: Array  # float32[actions]: with which the action was drawn


@dataclass(frozen=True)
class RegretMatching(Playing):
    """Regret matching in cells of views, with a critic: for equilibria of small games in which all seats learn."""

    name: ClassVar[str] = "regret-matching"

    num_envs: int = option(256, "tables in play at once", least=1, most=2**20)
    num_steps: int = option(16, "steps at each table before an update", least=1, most=2**16)
    table_size: int = option(
        2**14, "cells for the views that are met: twice as many as there are views, or more", least=1, most=2**26
    )
    critic_table_size: int = option(
        2**16, "cells for the positions that are met, which are the views of all players together", least=1, most=2**26
    )
    min_learning_rate: float = option(
        0.005,
        "least step of the critic towards a new return; at first it is larger: the mean of all tries",
        least=0,
        most=1,
    )

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_envs, rest = jax.random.split(key)
        actions, players = tables.game.actions, tables.game.players
        cells, blank = Cells.blank(self.table_size), jnp.zeros((self.table_size, actions))
        critic = Critic(
            Cells.blank(self.critic_table_size),
            jnp.zeros((self.critic_table_size, actions, players)),
            jnp.zeros((self.critic_table_size, actions)),
        )
        seated = tables.with_past(AverageAgent(cells, blank, tables.game))
        envs = trajectories.begin(seated, self.num_envs, of_envs, self.max_opponent_moves)
        return Learner(cells, blank, Average(blank, jnp.zeros(self.table_size)), critic, envs, jnp.int32(0), rest)

    def agent(self, tables: Tables, learner: Learner) -> AverageAgent:
        return AverageAgent(learner.cells, learner.average.odds, tables.game)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        tables = tables.with_past(self.agent(tables, learner))
        envs, steps = trajectories.collect(
            tables, learner.envs, lambda turn: _decide(tables, learner, turn), self.num_steps, self.max_opponent_moves
        )
        last = jax.vmap(lambda env: trajectories.turn_at(tables, env))(envs)
        ahead = jax.vmap(lambda turn: _decide(tables, learner, turn)[1])(last)
        gains, returns, known = _advantages(learner.critic, steps, ahead, last.ready, self.gamma)

        steps, gains, returns, known = jax.tree.map(
            lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), (steps, gains, returns, known)
        )
        noted: Noted = steps.noted
        cells = learner.cells.claimed(noted.view, steps.acted)
        own = cells.owned(noted.view)
        regretted = jnp.where(known & noted.explores, own, self.table_size)
        averaged = jnp.where(steps.acted & ~noted.explores, own, self.table_size)
        after = replace(
            learner,
            cells=cells,
            regret=jnp.maximum(learner.regret.at[regretted].add(gains, mode="drop"), 0.0),
            average=learner.average.joined(averaged, noted.policy, (learner.updates + 1) / self.updates),
            critic=learner.critic.learned(noted.position, steps.action, returns, known, self.min_learning_rate),
            envs=envs,
            updates=learner.updates + 1,
        )
        metrics = {
            "views": (cells.owner != EMPTY).sum().astype(jnp.float32),
            "positions": (after.critic.cells.owner != EMPTY).sum().astype(jnp.float32),
            "without a cell": (steps.acted & (own == self.table_size)).mean(),
            "learned from": known.mean(),
        }
        return after, metrics | trajectories.played(steps)


def _decide(tables: Tables, learner: Learner, turn: Turn) -> tuple[Array, Noted]:
    game = tables.game
    view = learner.cells.place(turn.view)
    seen = jax.vmap(lambda seat: game.observe(turn.state, seat))(jnp.arange(game.players))
    policy = matched(gathered(learner.regret, learner.cells.owned(view)), turn.legal)
    explores = jax.random.randint(jax.random.fold_in(turn.game, EXPLORER), (), 0, game.players) == turn.seat
    odds = jnp.where(explores, matched(jnp.zeros_like(policy), turn.legal), policy)
    action = jax.random.categorical(turn.key, jnp.log(odds))
    return action, Noted(view, learner.critic.cells.place(seen), turn.legal, policy, explores, odds)


def _advantages(critic: Critic, steps: Steps, ahead: Noted, ready: Array, gamma: float) -> tuple[Array, Array, Array]:
    """How much better each action is than the policy for whoever decided, float32[num_steps, num_envs, actions]; what came of the action that was taken for all,
    float32[num_steps, num_envs, players]; and where this is known. Games that are not over yet are worth what the critic thinks of `ahead`."""

    def expected(noted: Noted) -> tuple[Array, Array]:
        """What the critic thinks of all actions, and of the policy."""
        told = gathered(critic.value, critic.cells.owned(noted.position))
        return told, (noted.policy[..., None] * told).sum(axis=-2)

    def taken(each: Array) -> Array:
        return jnp.take_along_axis(each, steps.action[(..., *(None,) * (each.ndim - 2))], axis=2)[:, :, 0]

    told, value = expected(steps.noted)
    ratio = taken(steps.noted.policy) / taken(steps.noted.odds)

    def before(carry: Any, row: Any) -> tuple[Any, Any]:
        value, known = carry
        step, ratio, expected, told = row
        known = known | step.ended
        returns = step.rewards + jnp.where(step.ended[:, None], 0.0, gamma * value)
        value = jnp.where(step.acted[:, None], expected + ratio[:, None] * (returns - told), returns)
        return (value, known), (returns, value, step.acted & known)

    rows = replace(steps, noted=None), ratio, value, taken(told)
    _, (returns, value, known) = jax.lax.scan(before, (expected(ahead)[1], ready), rows, reverse=True)

    def own(each: Array) -> Array:
        """Of payoffs of all players, those of whoever decided."""
        return jnp.take_along_axis(each, steps.seat[(..., *(None,) * (each.ndim - 2))], axis=-1)[..., 0]

    surprise = own(returns - taken(told)) / taken(steps.noted.odds)
    happened = jax.nn.one_hot(steps.action, told.shape[2])
    gains = own(told) + happened * surprise[..., None] - own(value)[..., None]
    return jnp.where(steps.noted.legal, gains, 0.0), returns, known
