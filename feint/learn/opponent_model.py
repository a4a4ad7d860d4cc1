"""Models of players, learned by watching them: what one will do next, and how strong what it hides is.

Three small networks read what the game tells of a decision (`Game.decision_reader`) and how often the player did this or that in such situations
of the match so far. One foretells the action from all of it, what only the player knows included; one from what is public; and one guesses what is hidden from
what is public. At Hold'em these are the networks 14-12-3 and 13-12-1 of Zhang et al. (2014), and a 13-12-3 that makes do without hidden cards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import Decision, Game, pytree
from feint.learn import trajectories
from feint.learn.algorithm import Algorithm, Metrics, between
from feint.learn.networks import masked
from feint.learn.tables import Tables
from feint.learn.trajectories import Env
from feint.learn.watching import Move, chair_of, watched
from feint.options import option


class Layered(eqx.Module):
    """One hidden layer of tanh units."""

    hidden: eqx.nn.Linear
    out: eqx.nn.Linear

    def __init__(self, inputs: int, units: int, outputs: int, key: Key) -> None:
        of_hidden, of_out = jax.random.split(key)
        self.hidden = eqx.nn.Linear(inputs, units, key=of_hidden)
        self.out = eqx.nn.Linear(units, outputs, key=of_out)

    def __call__(self, inputs: Array) -> Array:
        return self.out(jnp.tanh(self.hidden(inputs)))


class Networks(eqx.Module):
    """The three of them."""

    seen: Layered  # logits of the action, from everything
    unseen: Layered  # the same, from what is public
    strength: Layered  # what is hidden, from what is public

    def __init__(self, game: Game[Any, Any], units: int, key: Key) -> None:
        keys = jax.random.split(key, 3)
        like, habits = _like(game)
        public, hidden = like.public.size + habits, like.hidden.size
        self.seen = Layered(public + hidden, units, game.actions, keys[0])
        self.unseen = Layered(public, units, game.actions, keys[1])
        self.strength = Layered(public, units, hidden, keys[2])

    @property
    def units(self) -> int:
        return len(self.seen.hidden.weight)


@pytree
class Example:
    """A decision as the networks read it, and what came of it."""

    public: Array  # float32[public + habits]
    hidden: Array  # float32[hidden]
    legal: Array  # bool[actions]
    action: Array  # int32

    @property
    def everything(self) -> Array:
        return jnp.concatenate([self.public, self.hidden], axis=-1)


@pytree
class Foretold:
    """What the networks make of a decision."""

    seen: Array  # float32[actions]: how likely each action is, from everything
    unseen: Array  # float32[actions]: and from what is public
    strength: Array  # float32[hidden]: what is hidden


def foretold(networks: Networks, example: Example) -> Foretold:
    return Foretold(
        jax.nn.softmax(masked(networks.seen(example.everything), example.legal)),
        jax.nn.softmax(masked(networks.unseen(example.public), example.legal)),
        networks.strength(example.public),
    )


@pytree
class OpponentModel:
    """Plays as those whom it has watched would with its cards: each action as likely as theirs."""

    heavy: ClassVar[bool] = True

    networks: Networks
    reader: Any  # of the game
    game: Game[Any, Any]

    def recipe(self) -> dict[str, Any]:
        """All but the weights, for a policy file."""
        return {"hidden_units": self.networks.units}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> OpponentModel:
        """A model of this recipe with any weights."""
        return cls(Networks(game, int(recipe["hidden_units"]), chance.key(0)), reader_of(game), game)

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Array:
        """How often each action was taken in each situation, float32[situations, actions]."""
        return unknown_habits(game)

    def act(self, memory: Array, view: Any, legal: Array, key: Key) -> tuple[Array, Array]:
        read, example = self.example(memory, view, legal)
        action = jax.random.categorical(key, masked(self.networks.seen(example.everything), legal))
        return action, memory.at[read.situation, action].add(1.0)

    def finish(self, memory: Array, view: Any, rewards: Array, key: Key) -> Array:
        return memory

    def example(self, habits: Array, view: Any, legal: Array) -> tuple[Decision, Example]:
        """The decision at a view, of somebody with such habits."""
        read: Decision = self.reader.read(view)
        return read, example_of(self.reader, read, habits, legal, jnp.int32(0))

    def logits(self, view: Any, legal: Array) -> Array:
        """Of actions in the first decision of a match, float32[actions]."""
        example = self.example(unknown_habits(self.game), view, legal)[1]
        return masked(self.networks.seen(example.everything), legal)

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is then, float32[actions]."""
        return jax.nn.softmax(self.logits(view, legal))


def reader_of(game: Game[Any, Any]) -> Any:
    """What tells of decisions, refused where the game has none."""
    reader = game.decision_reader()
    if reader is None:
        raise UserError(f"{game.name} tells nothing of decisions that a model of players could read.")
    return reader


def unknown_habits(game: Game[Any, Any]) -> Array:
    """How often somebody of whom nothing is known took each action, float32[situations, actions]."""
    return jnp.zeros((reader_of(game).situations, game.actions))


def example_of(reader: Any, read: Decision, habits: Array, legal: Array, action: Array) -> Example:
    """A decision with the habits of whoever decides, as shares: as if every action had been taken once before."""
    here = habits[read.situation]
    shares = (here[jnp.asarray(reader.habits)] + 1) / (here.sum() + len(here))
    return Example(jnp.concatenate([read.public, shares]), read.hidden, legal, action)


def _like(game: Game[Any, Any]) -> tuple[Decision, int]:
    """The shapes of what a game tells of a decision, and of how many actions habits are read."""
    reader = reader_of(game)
    state = jax.eval_shape(lambda: game.init(chance.key(0)))
    read = jax.eval_shape(lambda reader, state: reader.read(game.observe(state, jnp.int32(0))), reader, state)
    return read, len(reader.habits)


@pytree
class Learner:
    networks: Networks
    optimiser: Any
    envs: Env
    habits: Array  # float32[num_envs, players, situations, actions]: of everybody, by chair
    updates: Array  # int32: made
    key: Key


@dataclass(frozen=True)
class OpponentModelling(Algorithm):
    """Watches others play, and learns to foretell what they do."""

    name: ClassVar[str] = "opponent-model"
    watches: ClassVar[bool] = True

    hidden_units: int = option(12, "units of each network's hidden layer", least=1, most=8192)
    learning_rate: float = option(0.01, "learning rate at the start (Adam)", least=1e-12, most=10)
    final_learning_rate: float = option(
        0.001, "learning rate at the end; in between it falls geometrically", least=1e-12, most=10
    )
    batch_size: int = option(512, "decisions of a step of learning", least=1, most=2**20)
    update_epochs: int = option(2, "passes of an update over its decisions", least=1, most=1000)

    def check(self, game: Game[Any, Any]) -> None:
        reader_of(game)
        if self.batch_size > self.per_update:
            raise UserError(
                f"opponent-model: batch_size must be at most num_envs times num_steps, {self.per_update}, not {self.batch_size}."
            )

    def begin(self, tables: Tables, key: Key) -> Learner:
        of_networks, of_envs, rest = jax.random.split(key, 3)
        networks = Networks(tables.game, self.hidden_units, of_networks)
        habits = jnp.broadcast_to(habits_of_all(tables), (self.num_envs, *habits_of_all(tables).shape))
        envs = trajectories.dealt(tables, self.num_envs, of_envs)
        return Learner(networks, optax.scale_by_adam().init(networks), envs, habits, jnp.int32(0), rest)

    def agent(self, tables: Tables, learner: Learner) -> OpponentModel:
        return OpponentModel(learner.networks, tables.reader, tables.game)

    def update(self, tables: Tables, learner: Learner) -> tuple[Learner, Metrics]:
        key, of_order = jax.random.split(learner.key)
        envs, habits, examples = examples_of(tables, learner.envs, learner.habits, self.num_steps)
        progress = self.progress(learner.updates)
        rate = between(self.learning_rate, self.final_learning_rate, progress)
        rows = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), examples)
        batches = self.per_update // self.batch_size

        def learn(carry: tuple[Networks, Any], at: Array) -> tuple[tuple[Networks, Any], Metrics]:
            networks, optimiser = carry
            batch = jax.tree.map(lambda leaf: leaf[at], rows)
            (_, found), gradient = jax.value_and_grad(_loss, has_aux=True)(networks, batch)
            step, optimiser = optax.scale_by_adam().update(gradient, optimiser)
            return (jax.tree.map(lambda old, change: old - rate * change, networks, step), optimiser), found

        orders = jax.vmap(lambda key: jax.random.permutation(key, self.per_update))(
            jax.random.split(of_order, self.update_epochs)
        )
        steps = orders[:, : batches * self.batch_size].reshape(-1, self.batch_size)
        (networks, optimiser), found = jax.lax.scan(learn, (learner.networks, learner.optimiser), steps)
        learner = replace(
            learner,
            networks=networks,
            optimiser=optimiser,
            envs=envs,
            habits=habits,
            updates=learner.updates + 1,
            key=key,
        )
        return learner, {name: each.mean() for name, each in found.items()}


def habits_of_all(tables: Tables) -> Array:
    """Of everybody at the start of a match, float32[players, situations, actions]."""
    return jnp.zeros((tables.game.players, *unknown_habits(tables.game).shape))


def examples_of(tables: Tables, envs: Env, habits: Array, num_steps: int) -> tuple[Env, Array, Example]:
    """Watch so many moves at every table: the tables and everybody's habits afterwards, and the decisions, [num_steps, num_envs, ...]."""

    def note(move: Move) -> tuple[Array, Example]:
        state, chair = move.env.state, chair_of(tables, move.env)
        read = tables.reader.read(tables.game.observe(state, state.current_player))
        example = example_of(tables.reader, read, move.noted[chair], state.legal_action_mask, move.action)
        return move.noted.at[chair, read.situation, move.action].add(1.0), example

    return watched(tables, envs, note, habits, habits_of_all(tables), num_steps)


def _loss(networks: Networks, batch: Example) -> tuple[Array, Metrics]:
    """What is to be made small: the surprise at actions, and the squared error of what is hidden."""
    guess: Foretold = jax.vmap(foretold, (None, 0))(networks, batch)

    def surprise(chances: Array) -> Array:
        return -jnp.log(jnp.take_along_axis(chances, batch.action[:, None], axis=1) + 1e-9).mean()

    def hits(chances: Array) -> Array:
        return (chances.argmax(axis=1) == batch.action).mean()

    error = ((guess.strength - batch.hidden) ** 2).mean()
    found = {
        "loss": surprise(guess.seen),
        "accuracy": hits(guess.seen),
        "public loss": surprise(guess.unseen),
        "public accuracy": hits(guess.unseen),
        "strength error": jnp.sqrt(error),
    }
    return found["loss"] + found["public loss"] + error, found
