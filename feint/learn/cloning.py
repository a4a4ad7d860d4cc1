"""Behaviour cloning: a network learns to do what was done in a data set, and is kept like any other policy.

One game in ten is held out: by it is measured how much of what was done is foretold. Stopped, a run goes on after the last epoch that it kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from feint import chance, plain
from feint.dataset import Dataset
from feint.dataset.columns import views_of
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.learn import checkpoint, settings
from feint.learn.algorithm import between
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent, masked
from feint.learn.policy_file import PolicyFile
from feint.options import chosen, option
from feint.pytrees import pytree
from feint.reading import content, parsed, refused

RUN, METRICS, CHECKPOINT, POLICY = "cloning.toml", "metrics.jsonl", "checkpoint.npz", "policy.npz"
HELD_OUT = 10  # one game in so many


@dataclass(frozen=True)
class Cloning(Architecture):
    """Settings of behaviour cloning."""

    epochs: int = option(4, "times that every decision is learned from", least=1, most=10_000)
    batch_size: int = option(1024, "decisions that a step learns from", least=1, most=2**20)
    learning_rate: float = option(1e-3, "learning rate at the start (Adam)", least=1e-12, most=10)
    final_learning_rate: float = option(
        1e-4, "the same at the end; in between it falls geometrically", least=1e-12, most=10
    )
    agent: str = option("", "whose decisions are learned, as the data set names it; everybody's unless given")
    winners: bool = option(False, "learn only from those who won the game")


@pytree
class Batch:
    """Decisions, every array [decisions, ...]."""

    view: Any
    legal: Any  # bool[actions]
    action: Any  # int32
    weight: Any  # float32: 1, or 0 where it only fills up


@pytree
class Learner:
    network: Network
    optimiser: Any
    epochs: Array  # int32: that are over


@dataclass(frozen=True)
class Epoch:
    """What is known after an epoch."""

    epoch: int
    decisions: int  # learned from in it
    loss: float  # of the decisions learned from, in nats
    held_out_loss: float
    accuracy: float  # of decisions held out, the share in which what was done is what the network holds likeliest
    even: float  # the loss there of somebody who takes every legal action as often


class Run:
    """Cloning in a folder."""

    def __init__(self, dataset: Dataset, how: Cloning, seed: int, folder: Path) -> None:
        chance.check_seed(seed)
        dataset.check_whole()
        self.dataset, self.how, self.seed, self.folder, self.game = dataset, how, seed, folder, dataset.game
        how.check(self.game)
        if how.agent and how.agent not in dataset.about.agents:
            raise UserError(
                f"Nobody in {dataset.folder} is called {how.agent!r}; there are: {', '.join(dict.fromkeys(dataset.about.agents))}."
            )
        told = {"data": dataset.about.seal, "seed": seed, "settings": chosen(how)}
        if (folder / RUN).exists():
            if settings.read_sealed(folder / RUN) != told:
                raise UserError(
                    f"{folder} already holds a run with another data set or other settings: --out names another."
                )
        else:
            write_whole(folder / RUN, settings.write_sealed(told), "The run")
        self.learner = _begun(how, self.game, chance.key(seed))
        self.epochs: list[Epoch] = []
        if (folder / CHECKPOINT).exists():
            self.learner = checkpoint.load(folder / CHECKPOINT, self.learner)
            with refused(f"{folder / METRICS} is damaged: it is not what the run wrote."):
                lines = content(folder / METRICS).splitlines()[: int(self.learner.epochs)]
                self.epochs = [plain.read(Epoch, parsed(line)) for line in lines]

    def train(self, tell: Callable[[Epoch], None], stop: Callable[[], bool] = lambda: False) -> bool:
        """Learn to the end and save the policy; whether it came to the end."""
        while len(self.epochs) < self.how.epochs:
            epoch = self._epoch(len(self.epochs), stop)
            if epoch is None:
                return False
            self.epochs.append(epoch)
            lines = "".join(f"{json.dumps(vars(each))}\n" for each in self.epochs)
            write_whole(self.folder / METRICS, lines, "The run")
            checkpoint.save(self.folder / CHECKPOINT, self.learner)
            tell(epoch)
        self.policy.save(self.folder / POLICY)
        return True

    @property
    def policy(self) -> PolicyFile:
        """What was learned, as a file keeps it."""
        made = {"algorithm": "cloning", "seed": self.seed, "epochs": len(self.epochs), "data": self.dataset.about.seal}
        return PolicyFile.of(NetworkAgent.trained(self.learner.network, self.game), self.game, made)

    def _epoch(self, number: int, stop: Callable[[], bool]) -> Epoch | None:
        loss = np.zeros(2)  # the sum, and of how many decisions
        held = np.zeros(4)  # the loss, hits, the loss of even odds, and of how many
        chaos = np.random.default_rng((self.seed, number))
        for part, file in enumerate(chaos.permutation(self.dataset.files)):
            columns = self._chosen(self.dataset.read(int(file)))
            aside = columns["game"] % HELD_OUT == HELD_OUT - 1
            progress = np.float32((number + part / self.dataset.files) / self.how.epochs)
            for batch in self._batches(columns, chaos.permutation(np.flatnonzero(~aside))):
                if stop():
                    return None
                self.learner, found = _learned(self.how, self.game, self.learner, batch, progress)
                loss += np.asarray(found)
            for batch in self._batches(columns, np.flatnonzero(aside)):
                held += np.asarray(_measured(self.game, self.learner.network, batch))
        if not loss[1]:
            raise UserError(f"{self.dataset.folder} has no decisions to learn from: what was asked for is not in it.")
        self.learner = replace(self.learner, epochs=self.learner.epochs + 1)
        few = max(held[3], 1.0)
        return Epoch(number + 1, int(loss[1]), loss[0] / loss[1], held[0] / few, held[1] / few, held[2] / few)

    def _chosen(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        wanted = np.ones(len(columns["action"]), bool)
        if self.how.agent:
            called = [number for number, spec in enumerate(self.dataset.about.agents) if spec == self.how.agent]
            wanted &= np.isin(columns["agent"], called)
        if self.how.winners:
            wanted &= columns["won"]
        return {name: column[wanted] for name, column in columns.items()}

    def _batches(self, columns: dict[str, np.ndarray], rows: np.ndarray) -> Iterator[Batch]:
        """Rows in batches of one size, the last filled up."""
        size = self.how.batch_size
        views = views_of(self.game, columns)
        for begins in range(0, len(rows), size):
            some = rows[begins : begins + size]
            at = np.concatenate([some, np.repeat(some[:1], size - len(some))])
            yield Batch(
                jax.tree.map(lambda leaf, at=at: leaf[at], views),
                columns["legal"][at],
                columns["action"][at],
                (np.arange(size) < len(some)).astype(np.float32),
            )


@partial(jax.jit, static_argnums=0)
def _begun(how: Cloning, game: Game[Any, Any], key: chance.Key) -> Learner:
    network = Network(how, Layout.of(game), game.actions, key)
    return Learner(network, optax.scale_by_adam().init(network), jnp.int32(0))


def _log_policy(game: Game[Any, Any], network: Network, batch: Batch) -> Array:
    """The logarithm of how likely each action is, float32[decisions, actions]."""
    features = jax.vmap(lambda view: network.layout.see(game, view))(batch.view)
    return jax.nn.log_softmax(masked(jax.vmap(network)(features)[0], batch.legal))


def _chosen(numbers: Array, action: Array) -> Array:
    return jnp.take_along_axis(numbers, action[:, None], axis=1)[:, 0]


@partial(jax.jit, static_argnums=0, donate_argnums=2)
def _learned(how: Cloning, game: Game[Any, Any], learner: Learner, batch: Batch, progress: Array) -> Any:
    """The learner after a step, and its loss before: the sum, and of how many."""

    def loss(network: Network) -> Array:
        return -(_chosen(_log_policy(game, network, batch), batch.action) * batch.weight).sum()

    count = batch.weight.sum()
    found, gradient = jax.value_and_grad(loss)(learner.network)
    gradient = jax.tree.map(lambda each: each / count, gradient)
    step, optimiser = optax.scale_by_adam().update(gradient, learner.optimiser)
    rate = between(how.learning_rate, how.final_learning_rate, progress)
    network = jax.tree.map(lambda old, change: old - rate * change, learner.network, step)
    return replace(learner, network=network, optimiser=optimiser), jnp.stack([found, count])


@jax.jit
def _measured(game: Game[Any, Any], network: Network, batch: Batch) -> Array:
    """The loss, hits, the loss of even odds, and how many decisions there were."""
    policy = _log_policy(game, network, batch)
    losses = -_chosen(policy, batch.action)
    hits = policy.argmax(axis=1) == batch.action
    even = jnp.log(batch.legal.sum(axis=1))
    return jnp.stack([(each * batch.weight).sum() for each in (losses, hits, even, jnp.ones_like(even))])
