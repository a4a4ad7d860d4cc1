"""Policy gradients with strong entropy and a magnet, a moving reference policy that pulls the policy towards it.

Where all players learn at once, a plain policy gradient circles around the equilibrium. Entropy and the pull towards the
magnet (magnetic mirror descent) turn the circle into a spiral; the magnet follows the policy slowly, so that in the end
it stands where the policy does, and it is the magnet that plays.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree
from feint.learn import trajectories
from feint.learn.algorithm import Algorithm, Metrics
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent, masked
from feint.learn.tables import Tables, compiled_agent
from feint.options import option


@pytree
class Learner:
    network: Network
    critic: Network
    magnet: Network
    past: Network  # past selves, stacked; the oldest gives way
    optimiser: Any
    lanes: trajectories.Lane
    updates: Array  # int32: made
    key: Key


@pytree
class Decision:
    """A decision to learn from; many have arrays [decisions, ...]."""

    features: Array  # of the player's view, and those that the critic sees beside it
    legal: Array
    action: Array
    before: Array  # float32[actions]: log-probabilities when it was taken
    advantage: Array
    target: Array  # float32: what the value ought to be
    taught: Array  # int32: what the teacher would have done
    weight: Array  # float32: 1, or 0 where nothing is known


@dataclass(frozen=True)
class PolicyGradient(Architecture, Algorithm):
    """Players who all learn at once or share tables with others; what a step of the policy is, subclasses say."""

    learning_rate: float = option(1e-3, "learning rate at the start (Adam)", least=1e-12, most=10)
    final_learning_rate: float = option(
        1e-4, "learning rate at the end; in between it falls geometrically", least=1e-12, most=10
    )
    ent_coef: float = option(
        0.1, "weight of the entropy bonus at the start, in units of the payoff", least=0, most=1000
    )
    final_ent_coef: float = option(
        0.01, "weight of the entropy bonus at the end; in between it falls geometrically", least=0, most=1000
    )
    magnet_coef: float = option(
        0.1, "weight of the KL divergence from the magnet, in units of the payoff", least=0, most=1000
    )
    magnet_window: float = option(0.1, "share of the run so far that the magnet averages over", least=0, most=1)
    update_epochs: int = option(2, "passes of an update over its steps", least=1, most=1000)
    num_minibatches: int = option(4, "minibatches into which each pass is divided", least=1, most=2**20)
    gamma: float = option(1.0, "discount factor: what a payoff counts for one decision later", least=0, most=1)
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", least=0, most=1)
    norm_adv: bool = option(
        True, "divide advantages by the root mean square of the returns, so that settings fit games of any stakes"
    )
    critic: str = option(
        "all", "what the critic sees: the views of all players, or only the player's own", choices=("all", "own")
    )
    critic_warmup: float = option(
        0.0,
        "share of the run in which only the critic learns: useful with start, whose critic is not kept",
        least=0,
        most=1,
    )
    max_grad_norm: float = option(0.5, "longest gradient; longer ones are scaled down", least=1e-6, most=1e6)
    start: str = option("", "a trained agent whose network goes on learning, such as zoo:bluff-1 or policy:FILE")
    teacher: str = option("", "a named agent that is imitated at first, where playing at random never wins")
    teacher_fraction: float = option(
        0.2, "share of the run over which the weight of the teacher falls from 1 to 0", least=0, most=1
    )
    greedy: bool = option(False, "let the agent that comes of it always take the likeliest action")
    league_size: int = option(8, "past selves kept for tables with past", least=1, most=1000)
    league_frequency: int = option(50, "updates between two past selves", least=1, most=10**9)

    def check(self, game: Game[Any, Any]) -> None:
        super().check(game)
        if self.per_update % self.num_minibatches:
            raise UserError(
                f"{self.per_update} steps an update cannot be divided into {self.num_minibatches} minibatches."
            )
        if self.teacher:
            compiled_agent(self.teacher, game)
        if self.start:
            self._first(game, chance.key(0))

    def _first(self, game: Game[Any, Any], key: Key) -> Network:
        """The network to begin with: an untrained one, or that of the agent to start from, whatever its size."""
        if not self.start:
            return Network(self, Layout.of(game), game.actions, key)
        agent = compiled_agent(self.start, game)
        if not isinstance(agent, NetworkAgent):
            raise UserError(
                f"{self.start} has no network to start from: name a trained agent, zoo:NAME or policy:FILE."
            )
        return agent.network

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_network, of_critic, of_lanes, rest = jax.random.split(key, 4)
        game = tables.game
        network = self._first(game, of_network)
        critic = Network(self, network.layout, 0, of_critic, views=game.players if self.critic == "all" else 1)
        past = jax.tree.map(lambda leaf: jnp.stack([leaf] * self.league_size), network)
        lanes = trajectories.begin(
            tables.with_past(NetworkAgent(network, game)), self.num_envs, of_lanes, self.max_opponent_moves
        )
        optimiser = self._optimiser.init(network), self._optimiser.init(critic)
        return Learner(network, critic, network, past, optimiser, lanes, jnp.int32(0), rest)

    def agent(self, tables: Tables, learner: Learner) -> NetworkAgent:
        return NetworkAgent(learner.magnet, tables.game, self.greedy)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        key, of_past, of_epochs = jax.random.split(learner.key, 3)
        drawn = jax.random.randint(of_past, (), 0, self.league_size)
        past = NetworkAgent(jax.tree.map(lambda leaf: leaf[drawn], learner.past), tables.game)
        lanes, decisions, played = self._play(tables.with_past(past), learner)
        progress = jnp.minimum(learner.updates / max(1, self.updates - 1), 1.0)

        def epoch(carry: Any, key: Key) -> tuple[Any, Metrics]:
            order = jax.random.permutation(key, self.per_update).reshape(self.num_minibatches, -1)
            return jax.lax.scan(minibatch, carry, order)

        def minibatch(carry: Any, rows: Array) -> tuple[Any, Metrics]:
            networks, optimiser = carry
            batch = jax.tree.map(lambda leaf: leaf[rows], decisions)
            gradient, found = jax.grad(self._loss, has_aux=True)(networks, learner.magnet, batch, progress)
            both = [self._optimiser.update(*each) for each in zip(gradient, optimiser, strict=True)]
            steps, optimiser = zip(*both, strict=True)
            rate = between(self.learning_rate, self.final_learning_rate, progress)
            rates = jnp.where(progress < self.critic_warmup, 0.0, rate), rate
            moved = [
                jax.tree.map(lambda old, change, rate=rate: old - rate * change, *each)
                for *each, rate in zip(networks, steps, rates, strict=True)
            ]
            return (tuple(moved), optimiser), found

        carry = (learner.network, learner.critic), learner.optimiser
        carry, found = jax.lax.scan(epoch, carry, jax.random.split(of_epochs, self.update_epochs))
        (network, critic), optimiser = carry
        updates = learner.updates + 1
        share = 1 / jnp.maximum(1.0, self.magnet_window * updates)
        magnet = jax.tree.map(lambda old, new: old + share * (new - old), learner.magnet, network)
        after = Learner(network, critic, magnet, self._remember(learner, updates), optimiser, lanes, updates, key)
        return after, {name: value.mean() for name, value in found.items()} | played

    @property
    def _optimiser(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(self.max_grad_norm), optax.scale_by_adam(eps=1e-5))

    def _remember(self, learner: Learner, updates: Array) -> Network:
        slot = updates // self.league_frequency % self.league_size
        due = updates % self.league_frequency == 0
        return jax.tree.map(
            lambda kept, now: kept.at[slot].set(jnp.where(due, now, kept[slot])), learner.past, learner.magnet
        )

    def _play(self, tables: Tables, learner: Learner) -> tuple[trajectories.Lane, Decision, Metrics]:
        """Play with the policy as it stands."""
        game, layout = tables.game, learner.network.layout
        teacher = compiled_agent(self.teacher, game) if self.teacher else None

        def decide(turn: trajectories.Turn) -> tuple[Array, Any]:
            features = self._features(game, layout, turn)
            chances = jax.nn.log_softmax(masked(learner.network(features[0])[0], turn.legal))
            action = jax.random.categorical(turn.key, chances)
            taught = action
            if teacher:
                memory = teacher.begin(game, turn.seat, turn.key)
                taught = teacher.act(memory, turn.view, turn.legal, turn.key)[0]
            return action, (features, turn.legal, chances, taught)

        lanes, steps = trajectories.collect_at(tables, learner.lanes, decide, self.num_steps, self.max_opponent_moves)
        last = jax.vmap(lambda lane: trajectories.turn_at(tables, lane))(lanes)
        features, legal, before, taught = steps.noted
        values = jax.vmap(jax.vmap(lambda seen: learner.critic(seen.ravel())[1]))(features)
        last_values = jax.vmap(lambda turn: learner.critic(self._features(game, layout, turn).ravel())[1])(last)
        gains, known = trajectories.advantages(steps, values, last, last_values, self.gamma, self.gae_lambda)
        rows = Decision(features, legal, steps.action, before, gains, gains + values, taught, known.astype(jnp.float32))
        rows = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
        return lanes, rows, trajectories.played(steps) | {"learned from": known.mean()}

    def _features(self, game: Game[Any, Any], layout: Layout, turn: trajectories.Turn) -> Array:
        """What the player sees, then, where the critic may know it, what the others see, float32[views, features]."""
        if self.critic == "own":
            return layout.see(game, turn.view)[None]
        seats = (turn.seat + jnp.arange(game.players)) % game.players
        return jax.vmap(lambda seat: layout.see(game, game.observe(turn.state, seat)))(seats)

    def _loss(
        self, networks: tuple[Network, Network], magnet: Network, batch: Decision, progress: Array
    ) -> tuple[Array, Metrics]:
        network, critic = networks
        seen = batch.features[:, 0]
        policy = jax.nn.log_softmax(masked(jax.vmap(network)(seen)[0], batch.legal))
        reference = jax.nn.log_softmax(masked(jax.vmap(magnet)(seen)[0], batch.legal))
        value = jax.vmap(lambda features: critic(features.ravel())[1])(batch.features)
        total = jnp.maximum(batch.weight.sum(), 1.0)

        def mean(values: Array) -> Array:
            return (values * batch.weight).sum() / total

        scale = jnp.sqrt(mean(batch.target**2)) + 1e-8 if self.norm_adv else 1.0
        entropy = between(self.ent_coef, self.final_ent_coef, progress)
        judged = jax.vmap(self.judge, (0, 0, 0, 0, None))
        losses, found = judged(policy, reference, batch.advantage / scale, batch, entropy)
        error = mean(((value - batch.target) / scale) ** 2)
        loss = mean(losses) + error
        if self.teacher:
            likely = mean(jnp.take_along_axis(policy, batch.taught[:, None], axis=1)[:, 0])
            loss -= jnp.maximum(0.0, 1 - progress / max(self.teacher_fraction, 1e-9)) * likely
        return loss, {name: mean(each) for name, each in found.items()} | {"value error": error}

    @abstractmethod
    def judge(
        self, policy: Array, reference: Array, gain: Array, made: Decision, entropy: Array
    ) -> tuple[Array, Metrics]:
        """The loss of one decision and what is told of it; policy and reference, the magnet's, are log-probabilities, float32[actions]."""


def between(first: float, last: float, progress: Array) -> Array:
    """From the first value to the last, geometrically; where one of them is zero, in a straight line."""
    if first <= 0 or last <= 0:
        return first + (last - first) * progress
    return first * (last / first) ** progress
