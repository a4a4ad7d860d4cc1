"""Actor and critic: one network plays, another values views, and the temporal-difference error teaches both:

    δ = r + γ V(s') − V(s),   the critic descends δ²,   the actor descends −δ log π(a|s) − α H(π).

Sutton and Barto, Reinforcement Learning (2018), section 13.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint.chance import Key
from feint.game import Game, pytree
from feint.learn import replay, trajectories
from feint.learn.algorithm import Metrics
from feint.learn.dqn import MultiStep, Transition, transitions_of
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent, masked
from feint.learn.rewards import SPARSE, potential, shaping
from feint.learn.tables import Tables
from feint.options import option


@pytree
class Seen:
    """What is noted of a decision."""

    features: Array  # float32[features]
    legal: Array  # bool[actions]
    potential: Array  # float32: by the shaping chosen
    prob: Array  # float32: of the action that was taken


@pytree
class Learner:
    actor: Network
    critic: Network
    optimisers: tuple[Any, Any]
    buffer: replay.Uniform | None
    envs: trajectories.Env
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class ActorCritic(Architecture, MultiStep):
    """Actor-critic by the temporal-difference error, on what was just played or on what is remembered."""

    name: ClassVar[str] = "actor-critic"

    rewards: str = option(SPARSE, "sparse: what the game pays; else a shaping of the game, whose rise is paid as well")
    selection: str = option("stochastic", "how actions are chosen", choices=("stochastic", "greedy"))
    epsilon: float = option(0.1, "selection=greedy: probability of a random action while training", least=0, most=1)
    actor_learning_rate: float = option(1e-3, "learning rate of the actor at the start (Adam)", least=1e-12, most=10)
    critic_learning_rate: float = option(3e-3, "learning rate of the critic at the start (Adam)", least=1e-12, most=10)
    final_learning_rate_fraction: float = option(
        0.1, "share of both learning rates that is left at the end", least=0, most=1
    )
    ent_coef: float = option(
        0.2, "weight of the entropy bonus at the start, in standard deviations of the error", least=0, most=1000
    )
    final_ent_coef: float = option(
        0.01, "weight of the entropy bonus at the end; in between it falls linearly", least=0, most=1000
    )
    buffer_size: int = option(0, "decisions kept for replay; 0 learns from each decision once", least=0, most=10**8)
    batch_size: int = option(512, "with replay: decisions in one gradient step", least=1, most=2**20)
    gradient_steps: int = option(4, "with replay: gradient steps in an update", least=1, most=100_000)

    def check(self, game: Game[Any, Any]) -> None:
        super().check(game)
        potential(game, self.rewards)
        if self.buffer_size:
            replay.check_room(self.buffer_size, self.per_update)

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_actor, of_critic, of_envs, rest = jax.random.split(key, 4)
        layout, actions = Layout.of(tables.game), tables.game.actions
        actor = Network(self, layout, actions, of_actor)
        critic = Network(self, layout, 1, of_critic)
        envs = trajectories.begin(self._seated(tables, actor), self.num_envs, of_envs, self.max_opponent_moves)
        optimisers = self._optimiser.init(actor), self._optimiser.init(critic)
        buffer = replay.Uniform.empty(_blank(layout.size, actions), self.buffer_size) if self.buffer_size else None
        return Learner(actor, critic, optimisers, buffer, envs, jnp.int32(0), rest)

    @property
    def _optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam())

    def _seated(self, tables: Tables, past: Network) -> Tables:
        return tables.with_past(self._agent(tables, past))

    def _agent(self, tables: Tables, actor: Network) -> NetworkAgent:
        return NetworkAgent(actor, tables.game, greedy=self.selection == "greedy")

    def agent(self, tables: Tables, learner: Learner) -> NetworkAgent:
        return self._agent(tables, learner.actor.computing_in(False))

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        key, of_draws = jax.random.split(learner.key)
        envs, transitions, known, found = self._play(self._seated(tables, learner.actor), learner)
        learner = replace(learner, envs=envs, updates=learner.updates + 1, key=key)
        if learner.buffer is None:
            learner, learned = self._learn(learner, transitions, known.astype(jnp.float32))
            return learner, learned | found
        learner = replace(learner, buffer=learner.buffer.add(transitions, known))

        def again(learner: Learner, key: Key) -> tuple[Learner, Metrics]:
            assert learner.buffer is not None
            drawn = learner.buffer.sample(key, self.batch_size)
            return self._learn(learner, drawn.batch, drawn.weight * (learner.buffer.count > 0))

        learner, learned = jax.lax.scan(again, learner, jax.random.split(of_draws, self.gradient_steps))
        return learner, {name: values.mean() for name, values in learned.items()} | found

    def _play(self, tables: Tables, learner: Learner) -> tuple[trajectories.Env, Transition, Array, Metrics]:
        of_view, layout = potential(tables.game, self.rewards), learner.actor.layout

        def see(view: Any, legal: Array, prob: Array) -> Seen:
            return Seen(layout.see(tables.game, view), legal, jnp.float32(of_view(view)), prob)

        def decide(turn: trajectories.Turn) -> tuple[Array, Any]:
            logits = masked(learner.actor(layout.see(tables.game, turn.view))[0], turn.legal)
            probs = self._probs(logits, turn.legal)
            action = jax.random.categorical(turn.key, jnp.log(probs))
            return action, (see(turn.view, turn.legal, probs[action]), turn.legal)

        envs, steps = trajectories.collect(tables, learner.envs, decide, self.num_steps, self.max_opponent_moves)
        last = jax.vmap(lambda env: trajectories.turn_at(tables, env))(envs)
        after = jax.vmap(lambda view, legal: see(view, legal, jnp.float32(0)))(last.view, last.legal)
        transitions, known = transitions_of(steps, last, (after, last.legal), self.n_step, self.gamma)
        shaped = shaping(transitions.features.potential, transitions.discount, transitions.next_features.potential)
        found = trajectories.played(steps) | {"learned from": known.mean()}
        return envs, replace(transitions, reward=transitions.reward + shaped), known, found

    def _probs(self, logits: Array, legal: Array) -> Array:
        """How likely each action is while training, float32[actions]."""
        if self.selection == "stochastic":
            return jax.nn.softmax(logits)
        return (1 - self.epsilon) * jax.nn.one_hot(jnp.argmax(logits), len(logits)) + self.epsilon * legal / legal.sum()

    def _learn(self, learner: Learner, transitions: Transition, weight: Array) -> tuple[Learner, Metrics]:
        """One step of both optimisers; weights, float32[decisions], say what each decision counts for."""
        seen, total = transitions.features, jnp.maximum(weight.sum(), 1.0)
        following = jax.vmap(learner.critic)(transitions.next_features.features)[1]
        targets = transitions.reward + jnp.where(transitions.discount > 0, transitions.discount * following, 0.0)

        def critic_loss(critic: Network) -> tuple[Array, Array]:
            error = jax.lax.stop_gradient(targets) - jax.vmap(critic)(seen.features)[1]
            return (weight * error**2).sum() / total, error

        def actor_loss(actor: Network, error: Array) -> tuple[Array, Array]:
            policy = jax.nn.log_softmax(masked(jax.vmap(actor)(seen.features)[0], seen.legal))
            taken = jnp.take_along_axis(policy, transitions.action[:, None], axis=1)[:, 0]
            # What is remembered was done by an older policy: it counts as far as it would be done now.
            importance = (
                jnp.minimum(jax.lax.stop_gradient(jnp.exp(taken)) / seen.prob, 1.0) if self.buffer_size else 1.0
            )
            entropy = -(jnp.exp(policy) * jnp.where(seen.legal, policy, 0.0)).sum(axis=1)
            scaled = error / (jnp.sqrt((weight * error**2).sum() / total) + 1e-8)  # stakes of any size
            gain = importance * scaled * taken + ent_coef * entropy
            return -(weight * gain).sum() / total, (weight * entropy).sum() / total

        progress = jnp.minimum(learner.updates / self.updates, 1.0)
        ent_coef = self.ent_coef + (self.final_ent_coef - self.ent_coef) * progress
        critic_gradient, error = jax.grad(critic_loss, has_aux=True)(learner.critic)
        actor_gradient, entropy = jax.grad(actor_loss, has_aux=True)(learner.actor, jax.lax.stop_gradient(error))
        decay = self.final_learning_rate_fraction**progress
        actor, of_actor = self._stepped(
            learner.actor, actor_gradient, learner.optimisers[0], self.actor_learning_rate * decay
        )
        critic, of_critic = self._stepped(
            learner.critic, critic_gradient, learner.optimisers[1], self.critic_learning_rate * decay
        )
        metrics = {"error": (weight * jnp.abs(error)).sum() / total, "entropy": entropy}
        return replace(learner, actor=actor, critic=critic, optimisers=(of_actor, of_critic)), metrics

    def _stepped(self, network: Network, gradient: Network, optimiser: Any, rate: Array) -> tuple[Network, Any]:
        step, optimiser = self._optimiser.update(gradient, optimiser)
        return jax.tree.map(lambda old, change: old - rate * change, network, step), optimiser


def _blank(features: int, actions: int) -> Transition:
    zero, legal = jnp.float32(0), jnp.zeros(actions, bool)
    seen = Seen(jnp.zeros(features), legal, zero, zero)
    return Transition(seen, jnp.int32(0), zero, zero, seen, legal)
