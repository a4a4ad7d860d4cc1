"""Neural fictitious self-play: every player learns a best response to the others' average play, and the average of its own best responses.

In each game a seat follows either its best response, learned by deep Q-learning, or its average policy. What best responses did is kept as an
even sample of all times, from which the average policy is learned; in games of two with opposed interests it is the average that
approaches an equilibrium, and it is the average that plays.
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
from feint.game import pytree
from feint.learn import dqn, replay, trajectories
from feint.learn.algorithm import Metrics
from feint.learn.dqn import DQN, Transition
from feint.learn.inputs import Layout
from feint.learn.networks import Network, NetworkAgent, masked
from feint.learn.tables import Tables
from feint.options import option


@pytree
class Response:
    """A decision of a best response."""

    features: Array  # float32[features]
    legal: Array  # bool[actions]
    action: Array  # int32


@pytree
class Learner:
    best: dqn.Learner  # the best response, and the tables in play
    average: Network
    optimiser: Any
    reservoir: replay.Reservoir
    key: Key

    @property
    def updates(self) -> Array:
        return self.best.updates


@dataclass(frozen=True)
class NFSP(DQN):
    """Neural fictitious self-play (Heinrich and Silver, 2016)."""

    name: ClassVar[str] = "nfsp"

    epsilon: float = option(0.1, "probability of a random action of best responses at the start", least=0, most=1)
    final_epsilon: float = option(0.01, "the same once exploration is over", least=0, most=1)
    final_learning_rate: float = option(1e-3, "learning rate of best responses at the end", least=1e-12, most=10)
    anticipatory_param: float = option(
        0.1, "probability that a seat follows its best response in a game (eta)", least=0, most=1
    )
    reservoir_size: int = option(
        500_000, "actions of best responses kept in the reservoir, a uniform sample of all", least=1, most=10**8
    )
    sl_learning_rate: float = option(
        1e-3, "learning rate of the average policy at the start (Adam)", least=1e-12, most=10
    )
    final_sl_learning_rate: float = option(
        1e-4, "the same at the end; in between it falls geometrically", least=1e-12, most=10
    )

    def begin(self, tables: Tables, key: Key) -> Learner:  # type: ignore[override]
        of_best, of_average, rest = jax.random.split(key, 3)
        layout, actions = Layout.of(tables.game), tables.game.actions
        average = Network(self, layout, actions, of_average)
        reservoir = replay.Reservoir.empty(
            Response(jnp.zeros(layout.size), jnp.zeros(actions, bool), jnp.int32(0)), self.reservoir_size
        )
        optimiser = optax.scale_by_adam().init(average)
        return Learner(super().begin(tables, of_best), average, optimiser, reservoir, rest)  # type: ignore[arg-type]

    def agent(self, tables: Tables, learner: Learner) -> NetworkAgent:  # type: ignore[override]
        return NetworkAgent.trained(learner.average, tables.game)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:  # type: ignore[override]
        key, of_reservoir, of_best, of_average = jax.random.split(learner.key, 4)
        best = learner.best
        progress = self.progress(best.updates)
        seated = tables.with_past(NetworkAgent(learner.average, tables.game))
        envs, transitions, known, responses, responded, found = self._play_both(
            seated, learner, self._epsilon(progress)
        )
        buffer = best.buffer.add(transitions, known)
        reservoir = learner.reservoir.add(responses, responded, of_reservoir)
        refreshed = best.updates % self.target_network_frequency == 0
        target = jax.tree.map(lambda new, old: jnp.where(refreshed, new, old), best.network, best.target)
        best = replace(best, target=target, buffer=buffer, envs=envs, updates=best.updates + 1)
        learner = replace(learner, best=best, reservoir=reservoir, key=key)

        def learn(learner: Learner) -> tuple[Learner, tuple[Array, Array]]:
            def step(learner: Learner, keys: tuple[Key, Key]) -> tuple[Learner, tuple[Array, Array]]:
                best, error = self._learn(learner.best, keys[0], progress)
                learner, sl_loss = self._imitate(replace(learner, best=best), keys[1], progress)
                return learner, (error, sl_loss)

            keys = jax.random.split(of_best, self.gradient_steps), jax.random.split(of_average, self.gradient_steps)
            return jax.lax.scan(step, learner, keys)

        def wait(learner: Learner) -> tuple[Learner, tuple[Array, Array]]:
            return learner, (jnp.zeros(self.gradient_steps), jnp.zeros(self.gradient_steps))

        warm = (buffer.count >= min(self.learning_starts, self.buffer_size)) & (reservoir.count > 0)
        learner, (errors, sl_losses) = jax.lax.cond(warm, learn, wait, learner)
        return learner, {"error": errors.mean(), "average policy loss": sl_losses.mean()} | found

    def _play_both(
        self, tables: Tables, learner: Learner, epsilon: Array
    ) -> tuple[trajectories.Env, Transition, Array, Response, Array, Metrics]:
        """Play on, each seat by its best response or its average policy for a whole game: transitions and which are known, then what
        was done at every decision and where best responses did it."""
        game, network = tables.game, learner.best.network

        def decide(turn: trajectories.Turn) -> tuple[Array, Any]:
            seen = self._see(game, network.layout, turn.view)
            features = seen[0]
            of_coin, of_choice, of_average = jax.random.split(turn.key, 3)
            responds = jax.random.bernoulli(chance.begin_key(turn.game, turn.seat), self.anticipatory_param)
            greedy = jnp.argmax(masked(network(features)[0], turn.legal))
            explores = jax.random.uniform(of_coin) < epsilon
            best = jnp.where(explores, chance.choice(of_choice, turn.legal), greedy)
            average = jax.random.categorical(of_average, masked(learner.average(features)[0], turn.legal))
            return jnp.where(responds, best, average), (seen, turn.legal, responds)

        envs, steps = trajectories.collect(tables, learner.best.envs, decide, self.num_steps, self.max_opponent_moves)
        seen, legal, responds = steps.noted
        transitions, known = self._transitions(tables, network.layout, envs, replace(steps, noted=(seen, legal)))
        responses, responded = jax.tree.map(
            lambda leaf: leaf.reshape(-1, *leaf.shape[2:]),
            (Response(seen[0], legal, steps.action), responds & steps.acted),
        )
        return (
            envs,
            transitions,
            known,
            responses,
            responded,
            trajectories.played(steps) | {"learned from": known.mean()},
        )

    def _imitate(self, learner: Learner, key: Key, progress: Array) -> tuple[Learner, Array]:
        """One step of the average policy towards what best responses did."""
        drawn = learner.reservoir.sample(key, self.batch_size).batch

        def loss(network: Network) -> Array:
            policy = jax.nn.log_softmax(masked(jax.vmap(network)(drawn.features)[0], drawn.legal))
            return -jnp.take_along_axis(policy, drawn.action[:, None], axis=1).mean()

        sl_loss, gradient = jax.value_and_grad(loss)(learner.average)
        step, optimiser = optax.scale_by_adam().update(gradient, learner.optimiser)
        rate = self.sl_learning_rate * (self.final_sl_learning_rate / self.sl_learning_rate) ** progress
        average = jax.tree.map(lambda old, change: old - rate * change, learner.average, step)
        return replace(learner, average=average, optimiser=optimiser), sl_loss
