"""Proximal policy optimisation, from top to bottom. Each update

1. plays `num_steps` decisions at each of `num_envs` tables by the policy as it stands, π_old;
2. estimates how much better than expected each came out, where t + 1 is the next decision of the same seat:
       δ_t = r_t + γ V(s_{t+1}) − V(s_t),   A_t = δ_t + γ λ A_{t+1};
3. goes over them `update_epochs` times in `num_minibatches`, descending, with ρ = π(a|s) / π_old(a|s),
       −min(ρ A, clip(ρ, 1 − ε, 1 + ε) A) − α H(π) + β KL(π ‖ magnet) + κ KL(π ‖ π_old) + (V − A − V_old)²;
4. moves the magnet, a running average of the policy, after it.

Where all players learn at once, a plain policy gradient circles around the equilibrium. A strong entropy bonus α and the pull β
towards the magnet turn the circle into a spiral; in the end the magnet stands where the policy does, and it is the magnet that plays.

With several `devices`, each plays at its own tables and learns from its part of every minibatch; `shards` has what they tell each other,
which on one device is nothing.

PPO: Schulman et al. (2017), arXiv:1707.06347. Advantages: Schulman et al. (2016), arXiv:1506.02438. The magnet: Sokota et al.,
magnetic mirror descent (2023), arXiv:2206.05825.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree
from feint.learn import shards, trajectories
from feint.learn.advantages import advantages, centred
from feint.learn.algorithm import Metrics, Playing, between
from feint.learn.inputs import Layout
from feint.learn.lazy_adam import lazy_adam
from feint.learn.networks import SEES, Architecture, Network, NetworkAgent, agent_of, masked, seen
from feint.learn.recall import has_tells
from feint.learn.several import Several, envs_at, in_turn, sizes_of
from feint.learn.tables import Tables, compiled_agent
from feint.learn.trajectories import Env, Turn
from feint.options import option


@pytree
class Learner:
    network: Network  # the policy
    critic: Network
    magnet: Network
    league: Network  # past selves, stacked; the oldest gives way
    optimiser: Any
    envs: Any  # Env, or where tables have several sizes a tuple of them
    updates: Array  # int32: made
    key: Key


@pytree
class Decision:
    """A decision to learn from; many have arrays [decisions, ...]."""

    features: Array  # float32[views, features]: the player's view, and those that the critic sees besides
    legal: Array  # bool[actions]
    action: Array  # int32
    old_log_probs: Array  # float32[actions], when it was taken
    advantage: Array  # float32
    baseline: Array  # float32[actions]: the advantages that the critic expected; float32[0] where it tells none
    returns: Array  # float32: what the value ought to be
    teacher_action: Array  # int32: what the teacher would have done
    weight: Array  # float32: 1, or 0 where it is not known what came of it


@dataclass(frozen=True)
class PolicyGradient(Architecture, Playing):
    """The loop that `ppo` and `mmd` share; each has a `policy_loss` of its own."""

    resizes: ClassVar[bool] = True

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
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", least=0, most=1)
    norm_adv: bool = option(
        True, "divide advantages by the root mean square of the returns, so that settings fit games of any stakes"
    )
    critic: str = option(
        "all", "what the critic sees: the views of all players, or only the player's own", choices=SEES
    )
    critic_warmup: float = option(
        0.0,
        "share of the run in which only the critic learns: useful with start, where its critic knows other company or none is kept",
        least=0,
        most=1,
    )
    max_grad_norm: float = option(0.5, "longest gradient; longer ones are scaled down", least=1e-6, most=1e6)
    start: str = option("", "a trained agent whose network goes on learning, such as zoo:bluff-10 or policy:FILE")
    fresh_critic: bool = option(
        False,
        "with start, begin with an untrained critic, where the one that is kept knows quite other games or company",
    )
    teacher: str = option("", "a named agent that is imitated at first, where playing at random never wins")
    teacher_fraction: float = option(
        0.2, "share of the run over which the weight of the teacher falls from 1 to 0", least=0, most=1
    )
    unread: str = option(
        "", "pieces of what a game tells that network and critic do not read, between commas: betting,bettors"
    )
    match_memory: bool = option(
        False,
        "also read what the games of a match so far told of everybody, where matches have several (--length)",
    )
    greedy: bool = option(False, "let the agent that comes of it always take the likeliest action")
    league_size: int = option(8, "past selves kept for tables with past", least=1, most=1000)
    league_frequency: int = option(50, "updates between two past selves", least=1, most=10**9)
    devices: int = option(1, "devices of this machine that the tables are divided among", least=1, most=2**20)

    def update(self, tables: Tables | Several, learner: Learner) -> tuple[Learner, Metrics]:
        if isinstance(tables, Several):
            return in_turn(self.update, tables, learner)
        return shards.divided(self._update, self.devices)(tables, learner)

    def _update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        """An update, as each device makes it: all have the same learner, but for the tables in play."""
        key, of_league, of_epochs = jax.random.split(learner.key, 3)
        progress = self.progress(learner.updates)
        learning_rate = between(self.learning_rate, self.final_learning_rate, progress)
        rates = jnp.where(progress < self.critic_warmup, 0.0, learning_rate), learning_rate

        drawn = jax.random.randint(of_league, (), 0, self.league_size)
        past_self = jax.tree.map(lambda leaf: leaf[drawn], learner.league)
        envs, decisions, played = self._play(_seated(tables, past_self), learner)

        def epoch(carry: Any, key: Key) -> tuple[Any, Metrics]:
            order = jax.random.permutation(key, self.per_update).reshape(self.num_minibatches, -1)
            return jax.lax.scan(minibatch, carry, order)

        def minibatch(carry: Any, indices: Array) -> tuple[Any, Metrics]:
            networks, optimisers = carry
            own = shards.own_part(indices, self.devices)
            batch = jax.tree.map(lambda leaf: leaf[own], decisions)
            parts = jax.grad(self._loss, has_aux=True)(networks, learner.magnet, batch, progress)
            gradients, metrics = shards.summed(parts, self.devices)
            stepped = [self._step(*each) for each in zip(networks, gradients, optimisers, rates, strict=True)]
            networks, optimisers = zip(*stepped, strict=True)
            return (networks, optimisers), metrics

        carry = (learner.network, learner.critic), learner.optimiser
        carry, metrics = jax.lax.scan(epoch, carry, jax.random.split(of_epochs, self.update_epochs))
        (network, critic), optimisers = carry
        updates = learner.updates + 1
        share = 1 / jnp.maximum(1.0, self.magnet_window * updates)
        magnet = jax.tree.map(lambda old, new: old + share * (new - old), learner.magnet, network)
        after = Learner(network, critic, magnet, self._league(learner, updates), optimisers, envs, updates, key)
        return after, {name: value.mean() for name, value in metrics.items()} | played

    def _play(self, tables: Tables, learner: Learner) -> tuple[Env, Decision, Metrics]:
        """The device's tables after `num_steps` decisions at each, and the decisions at all tables in one row."""
        game, layout, views = tables.game, learner.network.layout, learner.critic.views
        more_actions = (
            learner.network.outputs - game.actions
        )  # than the game has: at tables of another size there are some
        teacher = compiled_agent(self.teacher, game) if self.teacher else None

        def seen_at(turn: Turn) -> Array:
            return seen(game, layout, turn.state, turn.seat, views, turn.recalls)

        def decide(turn: Turn) -> tuple[Array, Any]:
            features, legal = seen_at(turn), jnp.pad(turn.legal, (0, more_actions))
            log_probs = jax.nn.log_softmax(masked(learner.network(features[0])[0], legal))
            action = jax.random.categorical(turn.key, log_probs)
            teacher_action = action
            if teacher:
                memory = teacher.begin(game, turn.seat, turn.key)
                teacher_action = teacher.act(memory, turn.view, turn.legal, turn.key)[0]
            noted = features.astype(jnp.bfloat16) if self.bfloat16 else features  # most of what an update reads
            return action, (noted, legal, log_probs, teacher_action)

        def valued(features: Array) -> tuple[Array, Array]:
            return learner.critic(features.ravel())

        envs, steps = trajectories.collect(tables, learner.envs, decide, self.num_steps, self.max_opponent_moves)
        features, legal, log_probs, teacher_action = steps.noted
        told, values = jax.vmap(jax.vmap(valued))(features)
        last = jax.vmap(lambda env: trajectories.turn_at(tables, env))(envs)
        last_values = jax.vmap(lambda turn: valued(seen_at(turn))[1])(last)
        advantage, known = advantages(steps, values, last, last_values, self.gamma, self.gae_lambda)
        decisions = Decision(
            features,
            legal,
            steps.action,
            log_probs,
            advantage,
            centred(told, log_probs),
            advantage + values,
            teacher_action,
            known.astype(jnp.float32),
        )
        decisions, steps, known = shards.gathered((decisions, replace(steps, noted=None), known), self.devices)
        in_one_row = jax.tree.map(lambda leaf: leaf.reshape(self.per_update, *leaf.shape[2:]), decisions)
        return envs, in_one_row, trajectories.played(steps) | {"learned from": known.mean()}

    def _loss(
        self, networks: tuple[Network, Network], magnet: Network, batch: Decision, progress: Array
    ) -> tuple[Array, Metrics]:
        """The loss of a minibatch, and what is told of it: the device's part of either, in a sum over all devices."""
        network, critic = networks
        views = batch.features[:, 0]
        log_probs = jax.nn.log_softmax(masked(jax.vmap(network)(views)[0], batch.legal))
        magnet_log_probs = jax.nn.log_softmax(masked(jax.vmap(magnet)(views)[0], batch.legal))
        told, values = jax.vmap(lambda features: critic(features.ravel()))(batch.features)
        if told.shape[1]:
            expected = centred(told, batch.old_log_probs)
            values += jnp.take_along_axis(expected, batch.action[:, None], axis=1)[:, 0]
        total = jnp.maximum(shards.summed(batch.weight.sum(), self.devices), 1.0)

        def mean(each: Array) -> Array:
            return (each * batch.weight).sum() / total

        scale = jnp.sqrt(shards.summed(mean(batch.returns**2), self.devices)) + 1e-8 if self.norm_adv else 1.0
        scaled = replace(batch, advantage=batch.advantage / scale, baseline=batch.baseline / scale)
        ent_coef = between(self.ent_coef, self.last_ent_coef, progress)
        losses, metrics = jax.vmap(self.policy_loss, (0, 0, 0, None))(log_probs, magnet_log_probs, scaled, ent_coef)
        value_loss = mean(((values - batch.returns) / scale) ** 2)
        loss = mean(losses) + value_loss
        if self.teacher:
            imitated = mean(jnp.take_along_axis(log_probs, batch.teacher_action[:, None], axis=1)[:, 0])
            loss -= jnp.maximum(0.0, 1 - progress / max(self.teacher_fraction, 1e-9)) * imitated
        return loss, {name: mean(each) for name, each in metrics.items()} | {"value loss": value_loss}

    @property
    def last_ent_coef(self) -> float:
        """The weight of the entropy bonus at the end."""
        return self.final_ent_coef

    def critic_outputs(self, game: Game[Any, Any]) -> int:
        """Of how many actions the critic tells the advantage."""
        return 0

    @abstractmethod
    def policy_loss(
        self, log_probs: Array, magnet_log_probs: Array, decision: Decision, ent_coef: Array
    ) -> tuple[Array, Metrics]:
        """The loss of one decision and what is told of it; log-probabilities are float32[actions]."""

    def _step(self, network: Network, gradient: Network, optimiser: Any, rate: Array) -> tuple[Network, Any]:
        change, optimiser = self._optimiser.update(gradient, optimiser)
        return jax.tree.map(lambda old, step: old - rate * step, network, change), optimiser

    @property
    def _optimiser(self) -> optax.GradientTransformation:
        adam = lazy_adam() if self.network == "table" else optax.scale_by_adam(eps=1e-5)
        return optax.chain(optax.clip_by_global_norm(self.max_grad_norm), adam)

    def _league(self, learner: Learner, updates: Array) -> Network:
        """The past selves, with the magnet among them where one is due."""
        slot = updates // self.league_frequency % self.league_size
        due = updates % self.league_frequency == 0
        return jax.tree.map(
            lambda kept, now: kept.at[slot].set(jnp.where(due, now, kept[slot])), learner.league, learner.magnet
        )

    def joined(self, learner: Learner, network: Network) -> Learner:
        """The learner with another network in the place of its latest past self, where it stays as long as any."""
        slot = learner.updates // self.league_frequency % self.league_size
        network = network.computing_in(self.bfloat16)
        return replace(learner, league=jax.tree.map(lambda kept, new: kept.at[slot].set(new), learner.league, network))

    # ---- before the first update, and after the last

    def check(self, game: Game[Any, Any]) -> None:
        super().check(game)
        if self.unread or self.match_memory:
            self.reads(game)
        if self.per_update % self.num_minibatches:
            raise UserError(
                f"{self.per_update} steps an update cannot be divided into {self.num_minibatches} minibatches."
            )
        shards.check(self.devices, self.num_envs, self.per_update // self.num_minibatches)
        if self.teacher:
            compiled_agent(self.teacher, game)

    def check_start(self, games: Sequence[Game[Any, Any]]) -> None:
        """Refuse an agent to start from that has no network, or none that can go on at tables of these sizes."""
        if self.start:
            self._first(games, chance.key(0), chance.key(0))

    def begin(self, tables: Tables | Several, key: Key) -> Learner:
        of_network, of_critic, *_ = jax.random.split(key, 4)
        games = [each.game for each in sizes_of(tables)]
        return self.begin_as(tables, key, *self._first(games, of_network, of_critic))

    def begin_as(self, tables: Tables | Several, key: Key, network: Network, critic: Network | None = None) -> Learner:
        """A learner that plays as this network does, and knows nothing else but what its critic does, if it has one."""
        _, of_critic, of_envs, rest = jax.random.split(key, 4)
        if critic is None:
            critic = self._first_critic([tables.game], network.layout, of_critic)
        network, critic = network.computing_in(self.bfloat16), critic.computing_in(self.bfloat16)
        league = jax.tree.map(lambda leaf: jnp.stack([leaf] * self.league_size), network)
        envs = envs_at(tables, partial(self._envs, network), of_envs)
        optimisers = self._optimiser.init(network), self._optimiser.init(critic)
        return Learner(network, critic, network, league, optimisers, envs, jnp.int32(0), rest)

    def _envs(self, network: Network, tables: Tables, key: Key) -> Env:
        """Tables in play, where the learner has to decide for the first time."""
        return trajectories.begin(_seated(tables, network), self.num_envs, key, self.max_opponent_moves)

    def _first(self, games: Sequence[Game[Any, Any]], key: Key, of_critic: Key) -> tuple[Network, Network]:
        """An untrained network and critic, or those of the agent to start from, whatever their size, widened where tables have larger sizes now; a
        critic that is not kept with it, is not wanted, or reads and tells other things, is untrained."""
        if not self.start:
            layout = self._layout(games)
            network = Network(self, layout, max(game.actions for game in games), key)
            return network, self._first_critic(games, layout, of_critic)
        agent = compiled_agent(self.start, games[0])
        if not isinstance(agent, NetworkAgent):
            raise UserError(
                f"{self.start} has no network to start from: name a trained agent, zoo:NAME or policy:FILE."
            )
        layout = agent.network.layout.widened(games)
        network = agent.network.widened(layout, max(agent.network.outputs, *(game.actions for game in games)), 1)
        if self.match_memory and not network.layout.recalls:
            raise UserError(f"{self.start} reads nothing of the match: leave match_memory or start out.")
        if read := {piece.name for piece in network.layout.pieces} & {*self._unread}:
            raise UserError(f"{self.start} reads {', '.join(sorted(read))}: leave unread or start out.")
        critic = self._first_critic(games, layout, of_critic)
        if agent.critic and not self.fresh_critic and _as_much(agent.critic.network, critic):
            critic = agent.critic.network.widened(layout, critic.outputs, critic.views)
        return network, critic

    def reads(self, game: Game[Any, Any]) -> Layout:
        return self._layout([game])

    def _layout(self, games: Sequence[Game[Any, Any]]) -> Layout:
        """What a network reads that is not made yet, at tables of these sizes; refused where that cannot be."""
        match = self.match_memory
        if match and not has_tells(games[0]):
            raise UserError(f"A game of {games[0].name} tells nothing of how people play: leave match_memory out.")
        whole = Layout.of(games[0], match) if len(games) == 1 else Layout.shared(games, match)
        layout = whole.without(self._unread)
        if match and not layout.recalls:
            raise UserError("All that match_memory reads is left unread: leave one of them out.")
        return layout

    @property
    def _unread(self) -> list[str]:
        return [name for text in self.unread.split(",") if (name := text.strip())]

    def _first_critic(self, games: Sequence[Game[Any, Any]], layout: Layout, key: Key) -> Network:
        views = max(game.players for game in games) if self.critic == "all" else 1
        return Network(self, layout, max(map(self.critic_outputs, games)), key, views)

    def placed(self, learner: Learner) -> Learner:
        return shards.placed(learner, self.devices)

    def agent(self, tables: Tables | Several, learner: Learner) -> NetworkAgent:
        magnet, critic = shards.at_home((learner.magnet, learner.critic), self.devices)
        return NetworkAgent.trained(magnet, tables.game, self.greedy, critic)


def _as_much(kept: Network, critic: Network) -> bool:
    """Whether a critic that was kept sees and tells what is asked of one, but perhaps of smaller tables."""
    alike = (kept.views == 1) == (critic.views == 1) and bool(kept.outputs) == bool(critic.outputs)
    return alike and kept.views <= critic.views and kept.outputs <= critic.outputs


def _seated(tables: Tables, network: Network) -> Tables:
    """The tables with a past self of this network, and with what it reads of matches kept."""
    seated = tables.with_past(agent_of(network, tables.game))
    return replace(seated, recalls=network.layout.recalls)


@dataclass(frozen=True)
class PPO(PolicyGradient):
    """PPO with entropy and a magnet: for any table, whoever sits there."""

    name: ClassVar[str] = "ppo"

    kl_coef: float = option(0.0, "weight of the KL divergence from the policy before the update", least=0, most=1000)
    clip_coef: float = option(
        0.2, "clipping: how far the probability ratio may move from 1 in an update", least=0, most=100
    )

    def policy_loss(
        self, log_probs: Array, magnet_log_probs: Array, decision: Decision, ent_coef: Array
    ) -> tuple[Array, Metrics]:
        def expected(values: Array) -> Array:
            return (jnp.exp(log_probs) * jnp.where(decision.legal, values, 0.0)).sum()

        ratio = jnp.exp((log_probs - decision.old_log_probs)[decision.action])
        clipped = jnp.clip(ratio, 1 - self.clip_coef, 1 + self.clip_coef)
        surrogate = jnp.minimum(ratio * decision.advantage, clipped * decision.advantage)
        entropy = -expected(log_probs)
        magnet_kl, kl = expected(log_probs - magnet_log_probs), expected(log_probs - decision.old_log_probs)
        loss = -surrogate - ent_coef * entropy + self.magnet_coef * magnet_kl + self.kl_coef * kl
        return loss, {
            "entropy": entropy,
            "magnet KL": magnet_kl,
            "KL": kl,
            "clipped": jnp.abs(ratio - 1) > self.clip_coef,
        }
