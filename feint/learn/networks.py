"""Networks with a policy and a value head, written for one input and mapped over many."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree, static
from feint.hashing import digest
from feint.learn.inputs import Layout
from feint.learn.recall import Recall
from feint.learn.renamed import todays
from feint.options import chosen, make, option
from feint.words import listed

NEVER = -1e9  # the logit of an action that is not legal
JUDGING = 256  # units that judge an action
# Of a recipe: the pieces that the network reads; its critic, if it is kept; how many actions it tells of, if games have fewer.
INPUTS, CRITIC, OUTPUTS = "inputs", "critic", "outputs"
GRAIN = 2**12  # of what a table tells apart
WIDENS = ("mlp", "residual")  # kinds whose first layer reads all there is
SEES = ("all", "own")  # what a critic sees: the views of all players, or only the player's own


@dataclass(frozen=True)
class Architecture:
    """What a network looks like."""

    network: str = option(
        "mlp",
        "mlp: layers in a row; residual: layers that add to what they get; attention: an mlp that reads sequences row by row; "
        "actions: an mlp that judges every action by what the game tells of it; table: numbers for each view by itself, for small games",
        choices=("mlp", "residual", "attention", "actions", "table"),
    )
    width: int = option(128, "units in a layer", least=1, most=8192)
    depth: int = option(2, "hidden layers, or residual blocks", least=0, most=64)
    hidden_sizes: str = option("", "units of each layer of an mlp, such as 128-256, in place of width and depth")
    table_size: int = option(16_384, "rows of a table, in which each view finds two by its hash", least=1, most=2**24)
    bfloat16: bool = option(
        False, "learn in bfloat16, which a GPU does at twice the speed; the agent that comes of it computes in float32"
    )

    def reads(self, game: Game[Any, Any]) -> Layout:
        """What it reads of a game."""
        return Layout.of(game)

    def check(self, game: Game[Any, Any]) -> None:
        """Raise `UserError` where there is no such network, or it cannot read a game's views."""
        _ = self.layers  # refuses widths that are none, before anything is begun
        if self.network not in ("attention", "actions"):
            return
        pieces = self.reads(game).pieces
        if self.network == "attention" and not any(piece.rows for piece in pieces):
            raise UserError(f"{game.name} has no log to read: take network=mlp or network=residual.")
        if self.network == "actions" and not any(piece.by_action for piece in pieces):
            raise UserError(f"{game.name} tells nothing of single actions: take network=mlp or network=residual.")

    @property
    def layers(self) -> list[int]:
        """Units of each layer of an mlp."""
        if self.network == "table":
            return []
        if not self.hidden_sizes:
            return [self.width] * self.depth
        if self.network != "mlp" or not re.fullmatch(r"[1-9]\d{0,3}(-[1-9]\d{0,3}){0,63}", self.hidden_sizes):
            raise UserError(
                f"hidden_sizes must be the units of each layer of an mlp, such as 128-256, not {self.hidden_sizes!r}."
            )
        return [int(width) for width in self.hidden_sizes.split("-")]


class Reader(eqx.Module):
    """Attention over the rows of a sequence: all rows look at each other, once."""

    embed: eqx.nn.Linear
    qkv: eqx.nn.Linear  # queries, keys and values
    positions: Array  # float32[rows, width]

    def __init__(self, shape: tuple[int, ...], width: int, key: Key) -> None:
        of_embed, of_qkv, of_positions = jax.random.split(key, 3)
        self.embed = _linear((shape[1], width), 1.0, of_embed)
        self.qkv = _linear((width, 3 * width), 1.0, of_qkv)
        self.positions = 0.1 * jax.random.normal(of_positions, (shape[0], width))

    def __call__(self, rows: Array) -> Array:
        """What was read, float[width]."""
        known = jax.nn.relu(jax.vmap(self.embed)(rows) + self.positions)
        query, key, value = jnp.split(jax.vmap(self.qkv)(known), 3, axis=1)
        weights = jax.nn.softmax(query @ key.T / known.shape[1] ** 0.5)
        return (known + weights @ value).mean(axis=0)


class Judge(eqx.Module):
    """One judgement for all actions: what is told of an action, and what was read of everything else, to a logit."""

    told: eqx.nn.Linear
    rest: eqx.nn.Linear
    second: eqx.nn.Linear
    logit: eqx.nn.Linear

    def __init__(self, told: int, rest: int, key: Key) -> None:
        keys = jax.random.split(key, 4)
        self.told = _linear((told, JUDGING), 1.0, keys[0])
        self.rest = _linear((rest, JUDGING), 1.0, keys[1])
        self.second = _linear((JUDGING, JUDGING // 4), 2**0.5, keys[2])
        self.logit = _linear((JUDGING // 4, 1), 0.01, keys[3])

    def __call__(self, told: Array, rest: Array) -> Array:
        """Logits of actions, float[actions], of which is told float[actions, width]."""
        hidden = jax.nn.relu(jax.vmap(self.told)(told) + self.rest(rest))
        return jax.vmap(self.logit)(jax.nn.relu(jax.vmap(self.second)(hidden)))[:, 0]


class Network(eqx.Module):
    """From a view as it is laid out, float[features], to `outputs` numbers for the policy (or action values) and one value.

    A critic may read several views, one after another, or at a smaller table the first of them; it has no readers."""

    trunk: list[eqx.nn.Linear]
    norms: list[eqx.nn.LayerNorm]
    policy: eqx.nn.Linear
    value: eqx.nn.Linear
    readers: list[Reader]  # of each sequence
    judges: list[Judge]  # one, or none
    shape: Architecture = eqx.field(static=True)
    layout: Layout = eqx.field(static=True)
    views: int = eqx.field(static=True)  # that it reads

    def __init__(self, shape: Architecture, layout: Layout, outputs: int, key: Key, views: int = 1) -> None:
        self.layout, self.views, self.readers, self.judges = layout, views, [], []
        features = layout.size * views
        told = 0
        if shape.network == "actions" and views == 1 and outputs:
            like = jax.ShapeDtypeStruct((features,), jnp.float32)
            plain, by_action = jax.eval_shape(layout.actions, like)
            features, told = plain.size, by_action.shape[1]
        if shape.network == "attention" and views == 1:
            like = jax.ShapeDtypeStruct((features,), jnp.float32)
            plain, sequences = jax.eval_shape(layout.sequences, like)
            self.readers = [
                Reader(rows.shape, shape.width, jax.random.fold_in(key, nth)) for nth, rows in enumerate(sequences)
            ]
            features = plain.size + shape.width * len(sequences)
        residual = shape.network == "residual" and shape.depth > 0
        widths = [features, *([shape.width] * (2 * shape.depth + 1) if residual else shape.layers)]
        keys = list(jax.random.split(key, max(2 * shape.depth + 3, len(widths) + 1)))
        self.trunk = [_linear(size, 2**0.5, keys.pop()) for size in pairwise(widths)]
        self.norms = [eqx.nn.LayerNorm(shape.width) for _ in range(shape.depth)] if residual else []
        last = shape.table_size if shape.network == "table" else widths[-1]
        # Small first logits: the first policy is near to even.
        self.policy = _linear((last, outputs), 0.01, keys.pop())
        self.value = _linear((last, 1), 1.0, keys.pop())
        if told:
            self.judges = [Judge(told, last, jax.random.fold_in(key, outputs))]
        if shape.network == "table":  # where nobody has been, all is even
            self.policy, self.value = jax.tree.map(jnp.zeros_like, (self.policy, self.value))
        # Settings that hold more than an architecture are no part of the network.
        self.shape = Architecture(**{each.name: getattr(shape, each.name) for each in fields(Architecture)})

    @property
    def outputs(self) -> int:
        return int(self.policy.out_features)

    def computing_in(self, bfloat16: bool) -> Network:
        """The same network, which computes in bfloat16 or in float32; its weights are float32 in either case."""
        if bfloat16 == self.shape.bfloat16:
            return self
        shape = replace(self.shape, bfloat16=bfloat16)
        like = jax.eval_shape(lambda: Network(shape, self.layout, self.outputs, chance.key(0), self.views))
        found: Network = jax.tree.unflatten(jax.tree.structure(like), jax.tree.leaves(self))
        return found

    def widened(self, layout: Layout, outputs: int, views: int) -> Network:
        """The same network for larger tables: all that a wider layout adds counts for nothing yet, and actions that are new have a logit of 0."""
        if (layout, outputs, views) == (self.layout, self.outputs, self.views):
            return self
        check_widens(self.shape)
        like: Network = jax.eval_shape(lambda: Network(self.shape, layout, outputs, chance.key(0), views))
        wide: Network = jax.tree.unflatten(jax.tree.structure(like), jax.tree.leaves(self))
        own = (np.arange(self.views)[:, None] * layout.size + self.layout.columns(layout)).ravel()
        first = jnp.zeros(like.trunk[0].weight.shape).at[:, own].set(self.trunk[0].weight)
        more = outputs - self.outputs
        grown = [jnp.pad(leaf, ((0, more), (0, 0))[: leaf.ndim]) for leaf in jax.tree.leaves(self.policy)]
        policy = jax.tree.unflatten(jax.tree.structure(like.policy), grown)
        found: Network = eqx.tree_at(lambda network: (network.trunk[0].weight, network.policy), wide, (first, policy))
        return found

    def __call__(self, features: Array) -> tuple[Array, Array]:
        """Logits, float32[outputs], and the value, float32."""
        if self.shape.bfloat16:
            network = jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), self)
            logits, value = network._forward(features.astype(jnp.bfloat16))
            return logits.astype(jnp.float32), value.astype(jnp.float32)
        return self._forward(features)

    def _forward(self, features: Array) -> tuple[Array, Array]:
        if self.shape.network == "table":
            return self._looked_up(features)
        trunk = [_narrowed(self.trunk[0], features.size), *self.trunk[1:]] if self.views > 1 else self.trunk
        if self.judges:
            features, told = self.layout.actions(features)
        hidden = self._read(features) if self.readers else features
        if self.norms:
            hidden = trunk[0](hidden)
            for block, norm in enumerate(self.norms):
                first, second = trunk[1 + 2 * block : 3 + 2 * block]
                hidden += second(jax.nn.relu(first(norm(hidden))))
            hidden = jax.nn.relu(hidden)
        else:
            for layer in trunk:
                hidden = jax.nn.relu(layer(hidden))
        logits = self.policy(hidden)
        for judge in self.judges:
            logits += judge(told, hidden)
        return logits, self.value(hidden)[0]

    def _looked_up(self, features: Array) -> tuple[Array, Array]:
        """The sum of two rows: two views may share one of them, but hardly both."""
        features = jnp.pad(features, (0, self.layout.size * self.views - features.size))  # at smaller tables as ever
        exact = jnp.round(features * GRAIN).astype(jnp.int32)  # the same in every program, however it rounds
        rows = (digest(exact) % self.shape.table_size).astype(jnp.int32)
        logits, value = (layer.weight[:, rows].sum(axis=1) for layer in (self.policy, self.value))
        return logits, value[0]

    def _read(self, features: Array) -> Array:
        """What is in no sequence, and what was read of each."""
        plain, sequences = self.layout.sequences(features)
        return jnp.concatenate([plain, *(reader(rows) for reader, rows in zip(self.readers, sequences, strict=True))])


def check_widens(shape: Architecture) -> None:
    """Refuse a kind of network that cannot be widened."""
    if shape.network not in WIDENS:
        raise UserError(
            f"A network={shape.network} plays at tables of the sizes it began with: only {listed(WIDENS)} go on at others besides."
        )


def _linear(size: tuple[int, int], scale: float, key: Key) -> eqx.nn.Linear:
    """A layer with orthogonal weights and no bias yet."""
    layer = eqx.nn.Linear(*size, key=key)
    weight = jax.nn.initializers.orthogonal(scale)(key, (size[1], size[0]), jnp.float32)
    return eqx.tree_at(lambda layer: (layer.weight, layer.bias), layer, (weight, jnp.zeros(size[1])))


def _narrowed(layer: eqx.nn.Linear, features: int) -> eqx.nn.Linear:
    """The layer as it is where all features but the first so many are zero."""
    return eqx.tree_at(lambda layer: layer.weight, layer, layer.weight[:, :features])


def masked(logits: Array, legal: Array) -> Array:
    """Logits of legal actions; the others never happen."""
    return jnp.where(legal, logits, NEVER)


def seen(
    game: Game[Any, Any], layout: Layout, state: Any, seat: Array, views: int, recalls: Recall | None = None
) -> Array:
    """What a player sees and, where more views are asked for, what the others see, float32[views, features]; as many as there are seats at
    the most. `recalls`, [players], is what everybody remembers of the match, by position."""

    def one(seat: Array) -> Array:
        recall = jax.tree.map(lambda leaf: leaf[seat], recalls) if recalls else None
        return layout.see(game, game.observe(state, seat), recall)

    if views == 1:
        return one(seat)[None]
    return jax.vmap(one)((seat + jnp.arange(min(views, game.players))) % game.players)


@pytree
class Critic:
    """What a player is paid from a decision on, as its learner came to expect it."""

    network: Network

    @classmethod
    def blank(cls, recipe: Any, layout: Layout, game: Game[Any, Any]) -> Critic:
        """One with any weights, of what `recipe` gave."""
        shape = dict(recipe)
        sees, outputs = shape.pop("sees"), shape.pop("outputs")
        views = shape.pop("views", game.players if sees == "all" else 1)
        if sees not in SEES or type(outputs) is not int or type(views) is not int:
            raise ValueError(recipe)
        return cls(Network(make(Architecture, shape), layout, outputs, chance.key(0), views))

    def recipe(self) -> dict[str, Any]:
        """All but the weights and what is read."""
        views = self.network.views
        told = {"sees": "own" if views == 1 else "all", "views": views, "outputs": self.network.outputs}
        return chosen(self.network.shape) | told

    def value(self, game: Game[Any, Any], state: Any, seat: Array) -> Array:
        """What a seat may expect to be paid from here on, where it has to decide, float32."""
        network = self.network
        return network(seen(game, network.layout, state, seat, network.views).ravel())[1]


@pytree
class NetworkAgent(Memoryless):
    """Plays a network's policy: each legal action with its probability, or always the likeliest."""

    heavy: ClassVar[bool] = True

    network: Network
    game: Game[Any, Any]
    greedy: bool = static(default=False)
    critic: Critic | None = None  # of no use for playing, but for whoever plays on in thought

    @staticmethod
    def trained(
        network: Network, game: Game[Any, Any], greedy: bool = False, critic: Network | None = None
    ) -> NetworkAgent:
        """The agent that comes of a training: it computes in float32, whatever it learned in."""
        kept = None if critic is None else Critic(critic.computing_in(False))
        return agent_of(network.computing_in(False), game, greedy, kept)

    def recipe(self) -> dict[str, Any]:
        """All but the weights, for a policy file."""
        layout = self.network.layout
        more: dict[str, Any] = {CRITIC: self.critic.recipe()} if self.critic else {}
        if layout.varied:
            more |= {OUTPUTS: self.network.outputs}
        return chosen(self.network.shape) | {"greedy": self.greedy, INPUTS: layout.as_json()} | more

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> NetworkAgent:
        """An agent of this recipe with any weights, refused where the game does not give what it reads."""
        layout = Layout.read(recipe.get(INPUTS, ()))
        layout.check(game)
        given = {name: value for name, value in recipe.items() if name not in ("greedy", INPUTS, CRITIC, OUTPUTS)}
        shape = make(Architecture, todays(given, Architecture))
        outputs = recipe.get(OUTPUTS, game.actions)
        if type(outputs) is not int or outputs < game.actions:
            raise ValueError(OUTPUTS)
        network = Network(shape, layout, outputs, chance.key(0))
        critic = Critic.blank(recipe[CRITIC], layout, game) if CRITIC in recipe else None
        return cls(network, game, bool(recipe["greedy"]), critic)

    def logits(self, view: Any, legal: Array, recall: Recall | None = None) -> Array:
        return masked(self.network(self.network.layout.see(self.game, view, recall))[0][: len(legal)], legal)

    def preferences(self, view: Any, legal: Array) -> Array:
        """How much it likes each action, float32[actions], also where it always takes the likeliest."""
        return self.logits(view, legal)

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""
        logits = self.logits(view, legal)
        return jax.nn.one_hot(jnp.argmax(logits), len(logits)) if self.greedy else jax.nn.softmax(logits)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return self._drawn(self.logits(view, legal), key), memory

    def _drawn(self, logits: Array, key: Key) -> Array:
        return jnp.argmax(logits) if self.greedy else jax.random.categorical(key, logits)


@pytree
class RecallingAgent(NetworkAgent):
    """The same by a network that also reads what the games of the match so far told of everybody. Asked for its preferences or probabilities, it
    says what they are in the first game."""

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Recall:
        return Recall.blank(game)

    def act(self, memory: Recall, view: Any, legal: Array, key: Key) -> tuple[Array, Recall]:
        return self._drawn(self.logits(view, legal, memory), key), memory

    def finish(self, memory: Recall, view: Any, rewards: Array, key: Key) -> Recall:
        return memory.after(self.game, view)


def agent_of(
    network: Network, game: Game[Any, Any], greedy: bool = False, critic: Critic | None = None
) -> NetworkAgent:
    """Who plays a network's policy, and remembers the match where the network reads of it."""
    kind = RecallingAgent if network.layout.recalls else NetworkAgent
    return kind(network, game, greedy, critic)
