"""Deep Q-learning: a network learns the value of each action from decisions that are kept and drawn from again and again.

One gradient step descends (r + γ Q_target(s', a') − Q(s, a))², where s' is the next decision of the same seat, however many others
have moved in between, and a' the best legal action there, by the network itself where `double_q` is set. Illegal actions are masked.

Mnih et al., Human-level control through deep reinforcement learning (2015), doi:10.1038/nature14236; double: van Hasselt et al.
(2016), arXiv:1509.06461; prioritised replay: Schaul et al. (2016), arXiv:1511.05952.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import Game, pytree
from feint.learn import replay, trajectories
from feint.learn.algorithm import Metrics, Playing, between
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent, masked
from feint.learn.rewards import SPARSE, potential, shaping
from feint.learn.tables import Tables
from feint.options import option


@pytree
class Transition:
    """One decision and what it led to, n decisions of the same seat later or at the end."""

    features: Any  # float32[features], or whatever else was noted of the view
    action: Array  # int32
    reward: Array  # float32: paid until then
    discount: Array  # float32: what the value of the next decision counts for; 0 where the game was over
    next_features: Any
    next_legal: Array  # bool[actions]


@pytree
class Learner:
    network: Network
    target: (
        Network  # the network of a while ago, by which next decisions are valued; it is also the past self at tables
    )
    optimiser: Any
    buffer: replay.Uniform | replay.Prioritised
    envs: trajectories.Env
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class MultiStep(Playing):
    """The settings of all that learn from `transitions_of`."""

    num_steps: int = option(
        8, "steps at each table before an update; in self-play more than a round", least=1, most=2**16
    )
    n_step: int = option(1, "decisions until the next value is looked up: n of n-step returns", least=1, most=100)


@dataclass(frozen=True)
class DQN(Architecture, MultiStep):
    """Deep Q-learning with replay and a target network; double and n-step as options."""

    name: ClassVar[str] = "dqn"

    rewards: str = option(SPARSE, "sparse: what the game pays; else a shaping of the game, whose rise is paid as well")
    epsilon: float = option(0.95, "probability of a random action at the start", least=0, most=1)
    final_epsilon: float = option(0.05, "probability of a random action once exploration is over", least=0, most=1)
    exploration_fraction: float = option(
        0.5, "share of the run over which that chance falls, linearly", least=0, most=1
    )
    buffer_size: int = option(100_000, "decisions kept for replay", least=1, most=10**8)
    learning_starts: int = option(2_000, "decisions to collect before learning starts", least=1, most=10**9)
    batch_size: int = option(256, "decisions in one gradient step", least=1, most=2**20)
    gradient_steps: int = option(8, "gradient steps in an update", least=1, most=100_000)
    target_network_frequency: int = option(
        10, "updates between two copies of the network to the target network", least=1, most=10**9
    )
    learning_rate: float = option(1e-3, "learning rate at the start (Adam)", least=1e-12, most=10)
    final_learning_rate: float = option(
        5e-5, "learning rate at the end; in between it falls geometrically", least=1e-12, most=10
    )
    double_q: bool = option(
        True, "double Q-learning: the network chooses the next action, the target network values it"
    )
    prioritized_replay_alpha: float = option(
        0.0, "prioritised replay: power of the error by which decisions are drawn; 0 draws uniformly", least=0, most=10
    )
    prioritized_replay_beta: float = option(
        0.4, "importance correction of prioritised replay at the start; it grows to 1 at the end", least=0, most=1
    )

    def check(self, game: Game[Any, Any]) -> None:
        super().check(game)
        potential(game, self.rewards)
        replay.check_room(self.buffer_size, self.per_update)

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_network, of_envs, rest = jax.random.split(key, 3)
        layout = Layout.of(tables.game)
        network = Network(self, layout, tables.game.actions, of_network)
        envs = trajectories.begin(self._seated(tables, network), self.num_envs, of_envs, self.max_opponent_moves)
        buffer = self._buffer(layout, tables.game.actions)
        return Learner(network, network, self._optimiser.init(network), buffer, envs, jnp.int32(0), rest)

    def _buffer(self, layout: Layout, actions: int) -> replay.Uniform | replay.Prioritised:
        features, legal = jnp.zeros(layout.size), jnp.zeros(actions, bool)
        row = Transition(features, jnp.int32(0), jnp.float32(0), jnp.float32(0), features, legal)
        if self.prioritized_replay_alpha:
            return replay.Prioritised.empty(row, self.buffer_size, self.prioritized_replay_alpha)
        return replay.Uniform.empty(row, self.buffer_size)

    def _seated(self, tables: Tables, past: Network) -> Tables:
        return tables.with_past(NetworkAgent(past, tables.game, greedy=True))

    @property
    def _optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(10.0), optax.scale_by_adam())

    def agent(self, tables: Tables, learner: Learner) -> NetworkAgent:
        return NetworkAgent.trained(learner.network, tables.game, greedy=True)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        key, of_repeats = jax.random.split(learner.key)
        progress = self.progress(learner.updates)
        epsilon = self._epsilon(progress)
        envs, transitions, known, found = self._play(self._seated(tables, learner.target), learner, epsilon)
        buffer = learner.buffer.add(transitions, known)
        refreshed = learner.updates % self.target_network_frequency == 0
        target = jax.tree.map(lambda new, old: jnp.where(refreshed, new, old), learner.network, learner.target)
        learner = replace(learner, target=target, buffer=buffer, envs=envs, updates=learner.updates + 1, key=key)

        def learn(learner: Learner) -> tuple[Learner, Array]:
            keys = jax.random.split(of_repeats, self.gradient_steps)
            return jax.lax.scan(lambda each, key: self._learn(each, key, progress), learner, keys)

        warm = buffer.count >= min(self.learning_starts, self.buffer_size)
        learner, errors = jax.lax.cond(warm, learn, lambda same: (same, jnp.zeros(self.gradient_steps)), learner)
        return learner, {"error": errors.mean(), "epsilon": epsilon} | found

    def _epsilon(self, progress: Array) -> Array:
        done = jnp.minimum(progress / max(self.exploration_fraction, 1e-9), 1.0)
        return self.epsilon + (self.final_epsilon - self.epsilon) * done

    def _play(
        self, tables: Tables, learner: Learner, epsilon: Array
    ) -> tuple[trajectories.Env, Transition, Array, Metrics]:
        """Play on with some random actions: the envs, transitions, which of them are known, bool[decisions], and metrics."""
        game, layout = tables.game, learner.network.layout

        def decide(turn: trajectories.Turn) -> tuple[Array, Any]:
            seen = self._see(game, layout, turn.view)
            of_coin, of_choice = jax.random.split(turn.key)
            best = jnp.argmax(masked(learner.network(seen[0])[0], turn.legal))
            explores = jax.random.uniform(of_coin) < epsilon
            return jnp.where(explores, chance.choice(of_choice, turn.legal), best), (seen, turn.legal)

        envs, steps = trajectories.collect(tables, learner.envs, decide, self.num_steps, self.max_opponent_moves)
        transitions, known = self._transitions(tables, layout, envs, steps)
        return envs, transitions, known, trajectories.played(steps) | {"learned from": known.mean()}

    def _see(self, game: Game[Any, Any], layout: Layout, view: Any) -> tuple[Array, Array]:
        """A view as network input, float32[features], and its potential, float32."""
        return layout.see(game, view), jnp.float32(potential(game, self.rewards)(view))

    def _transitions(
        self, tables: Tables, layout: Layout, envs: trajectories.Env, steps: trajectories.Steps
    ) -> tuple[Transition, Array]:
        """What decisions led to, of which (`_see`, legal) was noted, with what the shaping pays; and which are known."""
        last = jax.vmap(lambda env: trajectories.turn_at(tables, env))(envs)
        after = jax.vmap(lambda view: self._see(tables.game, layout, view))(last.view), last.legal
        transitions, known = transitions_of(steps, last, after, self.n_step, self.gamma)
        (features, here), (next_features, there) = transitions.features, transitions.next_features
        reward = transitions.reward + shaping(here, transitions.discount, there)
        return replace(transitions, features=features, reward=reward, next_features=next_features), known

    def _learn(self, learner: Learner, key: Key, progress: Array) -> tuple[Learner, Array]:
        """One gradient step, on decisions drawn from the buffer: the mean of (r + γ Q_target(s', a') − Q(s, a))²."""
        beta = self.prioritized_replay_beta + (1 - self.prioritized_replay_beta) * progress
        drawn = learner.buffer.sample(key, self.batch_size, beta)
        targets = jax.lax.stop_gradient(self._targets(learner, drawn.batch))

        def loss(network: Network) -> tuple[Array, Array]:
            q_values = jax.vmap(network)(drawn.batch.features)[0]
            error = targets - jnp.take_along_axis(q_values, drawn.batch.action[:, None], axis=1)[:, 0]
            # Squares, not Huber's loss: payoffs vary by luck, and only squares lead to their mean.
            return (drawn.weight * error**2).mean(), error

        gradient, error = jax.grad(loss, has_aux=True)(learner.network)
        step, optimiser = self._optimiser.update(gradient, learner.optimiser)
        rate = between(self.learning_rate, self.final_learning_rate, progress)
        network = jax.tree.map(lambda old, change: old - rate * change, learner.network, step)
        buffer = learner.buffer.with_errors(drawn.index, error)
        return replace(learner, network=network, optimiser=optimiser, buffer=buffer), jnp.abs(error).mean()

    def _targets(self, learner: Learner, transitions: Transition) -> Array:
        """What Q should have said, float32[decisions]: what was paid, and the value of the next decision."""
        valued = masked(jax.vmap(learner.target)(transitions.next_features)[0], transitions.next_legal)
        chosen = (
            masked(jax.vmap(learner.network)(transitions.next_features)[0], transitions.next_legal)
            if self.double_q
            else valued
        )
        best = jnp.take_along_axis(valued, jnp.argmax(chosen, axis=1)[:, None], axis=1)[:, 0]
        return transitions.reward + jnp.where(transitions.discount > 0, transitions.discount * best, 0.0)


def transitions_of(
    steps: trajectories.Steps, last: trajectories.Turn, after: tuple[Any, Array], n_step: int, gamma: float
) -> tuple[Transition, Array]:
    """Every decision with what came of it up to `n_step` decisions of its own seat later, all in one row, and which are known.

    `steps` has noted (features, legal) at each decision, and `after` has them at the turns after the last step. Where the steps do
    not reach so far, fewer decisions have to do.
    """
    one = trajectories.consequences(steps, last)
    count = len(one.reward)

    def at(values: Array, index: Array) -> Array:
        return jnp.take_along_axis(values, jnp.minimum(index, count - 1), axis=0)

    reward, following, final, factor = one.reward, one.following, one.final, jnp.full(one.reward.shape, gamma)
    for _ in range(min(n_step, count) - 1):
        further = ~final & (following < count) & at(one.known, following)
        reward = reward + jnp.where(further, factor * at(one.reward, following), 0.0)
        factor = jnp.where(further, factor * gamma, factor)
        final = jnp.where(further, at(one.final, following), final)
        following = jnp.where(further, at(one.following, following), following)
    env = jnp.arange(reward.shape[1])
    seen, _ = steps.noted
    everything = jax.tree.map(lambda each, end: jnp.concatenate([each, end[None]]), steps.noted, after)
    next_seen, next_legal = jax.tree.map(lambda each: each[following, env], everything)
    transitions = Transition(seen, steps.action, reward, jnp.where(final, 0.0, factor), next_seen, next_legal)
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), transitions), one.known.ravel()
