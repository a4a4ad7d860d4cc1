"""Values of after-states, what a player's move leaves before chance goes on, for games that one may play as if alone (`Game.solitaire`).

Sutton and Barto, Reinforcement Learning (2018), section 6.8. The value of what was left is moved towards what the best moves of the next turn would leave, over all
that may be drawn: fitted value iteration, with a slow copy of the network as the judge. Whoever plays looks one turn ahead in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax import Array
from jax.tree_util import Partial

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, Solitaire, Worth, pytree, static
from feint.learn.algorithm import Algorithm, Metrics, between
from feint.learn.replay import Uniform, check_room
from feint.learn.several import Several, envs_at, in_turn, served, sizes_of
from feint.learn.tables import Tables
from feint.options import option

Sizes = tuple[tuple[str, int], ...]  # options in which tables differ that one network plays at, and the most of each


@dataclass(frozen=True)
class Sized:
    """A game for one, and what tells its table from those of other sizes."""

    game: Solitaire
    size: Array | None  # float32[numbers]: as many ones as each option says in which tables differ, then zeros

    @classmethod
    def of(cls, game: Game[Any, Any], sizes: Sizes) -> Sized:
        told = [number < getattr(game, name) for name, most in sizes for number in range(most)]
        return cls(solitaire_of(game), jnp.array(told, jnp.float32) if told else None)

    def read(self, left: Any) -> tuple[Array, Array]:
        """What a network reads of what was left."""
        rows, rest = self.game.read(left)
        return rows, _with(rest, self.size)

    def worth(self, valuer: Valuer) -> Worth:
        """How likely one is to win, by a network that reads the size too; a pytree, so that agents may carry it."""
        return Partial(_worth, valuer, self.size)


def _with(rest: Array, size: Array | None) -> Array:
    return rest if size is None else jnp.append(rest, size)


def _worth(valuer: Valuer, size: Array | None, rows: Array, rest: Array) -> Array:
    return valuer.worth(rows, _with(rest, size))


class Valuer(eqx.Module):
    """From rows that are read alike and added up, and the rest, to the logit of winning."""

    rows: list[eqx.nn.Linear]
    trunk: list[eqx.nn.Linear]
    logit: eqx.nn.Linear

    def __init__(self, sized: Sized, width: int, key: Key) -> None:
        row, rest = jax.eval_shape(lambda: sized.read(sized.game.begin(chance.key(0))))
        keys = iter(jax.random.split(key, 5))
        self.rows = [eqx.nn.Linear(*size, key=next(keys)) for size in pairwise((row.shape[1], width, width))]
        trunk = (width + rest.shape[0], width, -(-width // 2))
        self.trunk = [eqx.nn.Linear(*size, key=next(keys)) for size in pairwise(trunk)]
        self.logit = eqx.nn.Linear(trunk[-1], 1, key=next(keys))

    @property
    def width(self) -> int:
        return len(self.rows[0].weight)

    def __call__(self, rows: Array, rest: Array) -> Array:
        for layer in self.rows:
            rows = jax.nn.relu(jax.vmap(layer)(rows))
        known = jnp.concatenate([rows.sum(axis=0), rest])
        for layer in self.trunk:
            known = jax.nn.relu(layer(known))
        return self.logit(known)[0]

    def worth(self, rows: Array, rest: Array) -> Array:
        """How likely one is to win, float32."""
        return jax.nn.sigmoid(self(rows, rest))


@pytree
class AfterstateAgent(Memoryless):
    """Looks a turn ahead, and makes the move after which what may come leaves it best off."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 4  # at each of which it values all that may come

    valuer: Valuer
    game: Game[Any, Any]
    sizes: Sizes = static(default=())

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        sized = Sized.of(self.game, self.sizes)
        return sized.game.act(sized.worth(self.valuer), view, legal, key), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]: one of them is certain."""
        return jax.nn.one_hot(self.act((), view, legal, chance.key(0))[0], len(legal))

    def recipe(self) -> dict[str, Any]:
        """All but the weights, for a policy file."""
        return {"width": self.valuer.width} | ({"sizes": dict(self.sizes)} if self.sizes else {})

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> AfterstateAgent:
        """An agent of this recipe with any weights."""
        sizes = tuple((str(name), int(most)) for name, most in recipe.get("sizes", {}).items())
        return cls(Valuer(Sized.of(game, sizes), int(recipe["width"]), chance.key(0)), game, sizes)


def solitaire_of(game: Game[Any, Any]) -> Solitaire:
    """The game as one player meets it, refused where it is none."""
    found = game.solitaire()
    if found is None:
        raise UserError(
            f"{game.name} cannot be played as if alone, so that nothing values what is left: take another algorithm."
        )
    return found


@pytree
class Env:
    """Games in play."""

    left: Any  # [num_envs, ...]: what the last move left in each
    replay: Uniform  # of what was left, and what it was worth


@pytree
class Learner:
    valuer: Valuer
    judge: Valuer  # a slow copy, which says what targets are
    optimiser: Any
    envs: Any  # Env, or where tables have several sizes a tuple of them
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class AfterStates(Algorithm):
    """Plays by itself, others being chance, and learns what moves leave is worth. It has no use for tables."""

    name: ClassVar[str] = "after-states"
    resizes: ClassVar[bool] = True

    num_steps: int = option(1, "turns in each game before an update", least=1, most=2**16)
    width: int = option(256, "units in a layer", least=1, most=8192)
    learning_rate: float = option(0.0015, "learning rate at the start (Adam)", least=1e-12, most=10)
    final_learning_rate: float = option(
        0.00003, "learning rate at the end; in between it falls geometrically", least=1e-12, most=10
    )
    batch_size: int = option(4096, "turns of a step of learning", least=1, most=2**20)
    gradient_steps: int = option(32, "steps of learning in an update", least=1, most=10_000)
    buffer_size: int = option(2**18, "turns that are remembered, the latest", least=1, most=2**24)
    target_rate: float = option(0.01, "by how much the judge follows in a step of learning", least=1e-9, most=1)
    epsilon: float = option(0.05, "probability of a move at random among those weighed", least=0, most=1)

    def check(self, game: Game[Any, Any]) -> None:
        solitaire_of(game)
        check_room(self.buffer_size, self.per_update)

    def begin(self, tables: Tables | Several, key: Key) -> Learner:
        of_valuer, of_games, rest = jax.random.split(key, 3)
        valuer = Valuer(Sized.of(tables.game, _sizes(tables)), self.width, of_valuer)
        envs = envs_at(tables, self._env, of_games)
        return Learner(valuer, valuer, optax.scale_by_adam().init(valuer), envs, jnp.int32(0), rest)

    def _env(self, tables: Tables, key: Key) -> Env:
        left = jax.vmap(solitaire_of(tables.game).begin)(jax.random.split(key, self.num_envs))
        row = jax.tree.map(lambda leaf: leaf[0], left), jnp.float32(0)
        return Env(left, Uniform.empty(row, self.buffer_size))

    def agent(self, tables: Tables | Several, learner: Learner) -> AfterstateAgent:
        return AfterstateAgent(learner.judge, tables.game, _sizes(tables))

    def update(self, tables: Tables | Several, learner: Learner) -> tuple[Learner, Metrics]:
        sizes = _sizes(tables)
        if isinstance(tables, Several):
            return in_turn(lambda each, learner: self._update(each.game, sizes, learner), tables, learner)
        return self._update(tables.game, sizes, learner)

    def _update(self, game: Game[Any, Any], sizes: Sizes, learner: Learner) -> tuple[Learner, Metrics]:
        sized = Sized.of(game, sizes)
        key, of_turns, of_batches = jax.random.split(learner.key, 3)

        def played(left: Any, key: Key) -> tuple[Any, tuple[Any, Array]]:
            def turn(left: Any, key: Key) -> tuple[Array, Any]:
                return sized.game.turn(sized.worth(learner.judge), left, self.epsilon, key)

            worth, then = jax.vmap(turn)(left, jax.random.split(key, self.num_envs))
            return then, (left, worth)

        left, met = jax.lax.scan(played, learner.envs.left, jax.random.split(of_turns, self.num_steps))
        rows = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), met)
        replay = learner.envs.replay.add(rows, jnp.ones(self.per_update, bool))
        progress = self.progress(learner.updates)
        rate = between(self.learning_rate, self.final_learning_rate, progress)

        def learn(carry: tuple[Valuer, Valuer, Any], key: Key) -> tuple[tuple[Valuer, Valuer, Any], Metrics]:
            valuer, judge, optimiser = carry
            batch, worth = replay.sample(key, self.batch_size).batch
            read = jax.vmap(sized.read)(batch)
            (_, found), gradient = jax.value_and_grad(_loss, has_aux=True)(valuer, read, worth)
            step, optimiser = optax.scale_by_adam().update(gradient, optimiser)
            valuer = jax.tree.map(lambda old, change: old - rate * change, valuer, step)
            judge = jax.tree.map(lambda old, new: old + self.target_rate * (new - old), judge, valuer)
            return (valuer, judge, optimiser), found

        (valuer, judge, optimiser), found = jax.lax.scan(
            learn, (learner.valuer, learner.judge, learner.optimiser), jax.random.split(of_batches, self.gradient_steps)
        )
        learner = replace(
            learner,
            valuer=valuer,
            judge=judge,
            optimiser=optimiser,
            envs=Env(left, replay),
            updates=learner.updates + 1,
            key=key,
        )
        return learner, {name: each.mean() for name, each in found.items()}


def _sizes(tables: Tables | Several) -> Sizes:
    """The options in which tables differ, and the most of each."""
    return tuple((name, max(each)) for name, each in served([each.game for each in sizes_of(tables)]).items())


def _loss(valuer: Valuer, read: tuple[Array, Array], worth: Array) -> tuple[Array, Metrics]:
    """The surprise at what was worth so much, in nats; and what share of its variance is not foretold."""
    logits = jax.vmap(valuer)(*read)
    loss = optax.sigmoid_binary_cross_entropy(logits, worth).mean()
    missed = ((jax.nn.sigmoid(logits) - worth) ** 2).mean()
    return loss, {"loss": loss, "unexplained": missed / jnp.maximum(worth.var(), 1e-9), "worth": worth.mean()}
