"""The whole tree of a game with few enough deals: built level by level on the device, kept as flat arrays.

All chance is in the deal, so the tree of every deal is walked at once. A node is a history that somebody at the table can
tell from others: where no player has yet seen in what two deals differ, they share their nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import NotSmall
from feint.game import Game
from feint.solvers.infosets import NONE, InformationSets, SetIndex, renumbered
from feint.solvers.packed_views import as_bytes, distinct, pack

CHUNK = 4096  # positions stepped at once
LARGE = 10_000  # bytes of a position from which on fewer are
MOST = 5_000_000  # positions a tree may have unless more are allowed
USUAL = 800  # bytes that a position may take, all that is made of it included
SUSPECT = 100_000  # positions from which on the size of the whole is estimated first
ERRORS = 5  # standard errors that an estimate is trusted to be within
OVER = -1


@dataclass(frozen=True)
class Tree:
    """Nodes by level: those of one level follow each other, `levels` holds where each begins, and the end."""

    game: Game[Any, Any]
    positions: int  # nodes of every deal's own tree, before those that nobody can tell apart are merged
    levels: np.ndarray  # int64[levels + 1]
    parent: np.ndarray  # int64[nodes]: NONE in the first level
    action: np.ndarray  # int32[nodes]: that led here from the parent
    player: np.ndarray  # int32[nodes]: who acts, OVER at the end
    infoset: np.ndarray  # int64[nodes]: NONE at the end
    chance: np.ndarray  # float64[nodes]: how likely the deal allows this node
    terminal: np.ndarray  # int64[terminals]: the nodes where the game is over
    payoffs: np.ndarray  # float64[terminals, players]
    ends: np.ndarray  # int64[terminals, players]: each player's last action, as set * actions + action, or NONE
    infosets: InformationSets

    @property
    def decisions(self) -> int:
        return len(self.parent) - len(self.terminal)

    @cached_property
    def views(self) -> Any:
        """The view of every information set, stacked."""
        return self.infosets.views(self.game)

    def __str__(self) -> str:
        return f"{self.game}: {self.decisions:,} decision nodes, {len(self.terminal):,} ends, {len(self.infosets):,} information sets"


def build(game: Game[Any, Any], most: int = MOST, told: Callable[[int], None] | None = None) -> Tree:
    """The tree of a game, refused with an estimate of its size where it would have more than `most` positions, or take more room
    than so many of the usual size.

    Before every step it is known how many positions come next and what they take, so nothing is spent that is refused.
    `told` is called with the number of positions after each level.
    """
    deals, chances = game.deals()
    weights = np.asarray(chances, float)
    builder = _Builder(game, weights / weights.sum())
    size = Size(0.0, 0.0)  # of the whole, as estimated once there is reason to
    while builder.ahead:
        reached, taken = builder.positions + builder.ahead, builder.bytes_taken()
        if not size.about and (reached > min(SUSPECT, most) or taken > most * USUAL):
            size = estimate(game)
        if reached > most or size.surely > most or size.about > 10 * most:  # ten times too much is as rare
            raise _too_large(game, max(size.about, reached), f"the {most:,} that may be listed")
        if taken > most * USUAL:
            least, room = f"{taken / 1e9:,.1f} GB at least", f"the {most * USUAL / 1e9:,.1f} GB that may be taken"
            raise _too_large(game, max(size.about, reached), f"fit: they take {least}, of {room}")
        builder.next_level(deals)
        if told:
            told(builder.positions)
    return builder.tree()


def _too_large(game: Game[Any, Any], positions: float, room: str) -> NotSmall:
    size = f"about {positions:.2g}" if positions < 1e300 else "more than 1e300"
    return NotSmall(
        f"{game} has {size} positions, more than {room}: choose smaller options, "
        "allow more positions (--most), or solve it by sampling (mccfr)."
    )


class Size(NamedTuple):
    """How many positions a tree has, as estimated: about so many, and less than `surely` only by a rare accident."""

    about: float
    surely: float


def estimate(game: Game[Any, Any], samples: int = 2048, seed: int = 0) -> Size:
    """About how many positions the trees of all deals have together, by Knuth's random descents: unbiased, roughly right."""
    deals = len(np.asarray(game.deals()[1]))
    logs = np.asarray(_descend(game, np.int32(seed), np.arange(samples, dtype=np.int32)), float)
    sizes = np.exp(logs - logs.max())
    about = sizes.mean()
    surely = max(0.0, about - ERRORS * sizes.std() / samples**0.5)
    largest = logs.max() + np.log(deals)
    return Size(*(float(np.exp(min(largest + np.log(max(each, 1e-300)), 700))) for each in (about, surely)))


# What is compiled has the game for an argument, for the sake of its tables, and is compiled once however many trees are built of it.
@jax.jit
@partial(jax.vmap, in_axes=(None, None, 0))
def _descend(game: Game[Any, Any], seed: Array, table: Array) -> Array:
    """The log of how many positions a game has, by one random descent."""
    key = chance.game_key(seed, table, 0)

    def down(carry: tuple[Any, Array, Array, Array]) -> tuple[Any, Array, Array, Array]:
        state, move, width, size = carry  # width: the log of how many positions this one stands for
        legal = state.legal_action_mask
        width = width + jnp.log(legal.sum())
        after = game.step(state, chance.choice(chance.move_key(key, move), legal))
        return after, move + 1, width, jnp.logaddexp(size, width)

    start = (game.init(chance.deal_key(key)), jnp.int32(0), jnp.float32(0), jnp.float32(0))
    return jax.lax.while_loop(lambda c: ~c[0].terminated, down, start)[3]


@jax.jit
@partial(jax.vmap, in_axes=(None, 0))
def _dealt(game: Game[Any, Any], deal: Any) -> Any:
    return game.deal(deal)


@jax.jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def stepped(game: Game[Any, Any], state: Any, action: Array) -> Any:
    """Positions after an action each."""
    return game.step(state, action)


@dataclass
class _Seen:
    """What is read off a stack of positions."""

    views: np.ndarray  # uint8[count, players, width]
    player: np.ndarray  # int32[count]
    legal: np.ndarray  # bool[count, actions]
    over: np.ndarray  # bool[count]
    payoffs: np.ndarray  # float32[count, players]

    @classmethod
    def of(cls, game: Game[Any, Any], state: Any) -> tuple[Array, ...]:
        """The fields for one position."""
        views = jax.vmap(lambda player: pack(game.observe(state, player)))(jnp.arange(game.players))
        return views, state.current_player, state.legal_action_mask, state.terminated, state.rewards

    def take(self, rows: np.ndarray) -> _Seen:
        return _Seen(*(leaf[rows] for leaf in vars(self).values()))


_look = jax.jit(jax.vmap(_Seen.of, (None, 0)))


class _Builder:
    """Walks the positions of all deals, a level at a time, and merges them into nodes."""

    def __init__(self, game: Game[Any, Any], weights: np.ndarray) -> None:
        self.game, self.actions = game, game.actions
        self.positions = self.nodes = 0
        self.ahead = len(weights)  # positions that come next
        # Of the level last reached: the positions, what may be done at each, its node, who acts, its information set, its weight, the
        # node it came from and by which action, and the players' last actions.
        self.states: Any = None
        self.legal = np.zeros((0, game.actions), bool)
        self.node = self.player = self.infoset = np.zeros(0, int)
        self.weight = weights
        self.parent = self.action = np.full(len(weights), NONE)
        self.last = np.full((len(weights), game.players), NONE)
        self.levels: list[dict[str, np.ndarray]] = []
        self.sets = SetIndex(game)

    def bytes_taken(self) -> int:
        """About how many bytes are taken once the next positions are reached: by them, and by all nodes and information sets with
        what solvers make of them."""
        players, width = self.game.players, self._width
        of_node = 2 * (40 + 16 * players) + players * (4 * players + 16)
        of_set = 600 + width + 65 * self.actions
        return self.ahead * (self._position_size + of_node) + self.nodes * of_node + len(self.sets) * of_set

    @cached_property
    def _position_size(self) -> int:
        leaves = jax.tree.leaves(jax.eval_shape(lambda: self.game.init(chance.key(0))))
        state = sum(leaf.size * leaf.dtype.itemsize for leaf in leaves)
        return 2 * state + 3 * self.game.players * self._width + 2 * self.actions + 100

    @cached_property
    def _width(self) -> int:
        return jax.eval_shape(lambda: pack(self.game.observe(self.game.init(chance.key(0)), jnp.int32(0)))).size

    def next_level(self, deals: Any) -> None:
        """Step to the positions that come next, the deals at first, and merge them into nodes."""
        if self.states is None:
            self.states = jax.tree.map(np.asarray, _dealt(self.game, deals))
        else:
            self._advance()
        seen = self._seen()
        self.positions += self.ahead
        parent, action = self.parent, self.action
        told_apart = np.column_stack(
            [as_bytes(parent), as_bytes(action), seen.views.reshape(len(parent), -1), seen.over]
        )
        first, node = distinct(told_apart)
        weight = np.bincount(node, self.weight)
        payoffs = np.stack(
            [np.bincount(node, self.weight * own, len(first)) / weight for own in seen.payoffs.T.astype(float)], axis=1
        )
        at_first = seen.take(first)
        infoset = self._infosets(at_first, self.last[first])
        self.levels.append(
            {
                "parent": parent[first],
                "action": action[first],
                "player": np.where(at_first.over, OVER, at_first.player),
                "infoset": infoset,
                "chance": weight,
                "payoffs": payoffs,
                "last": self.last[first],
            }
        )
        self.legal = seen.legal & ~seen.over[:, None]
        self.ahead = int(self.legal.sum())
        self.node, self.player, self.infoset = self.nodes + node, seen.player, infoset[node]
        self.nodes += len(first)

    def _seen(self) -> _Seen:
        parts = [_look(self.game, chunk) for chunk, _ in self._chunks(self.states, np.arange(len(self.weight)))]
        return _Seen(*(np.concatenate(leaves)[: len(self.weight)] for leaves in zip(*parts, strict=True)))

    def _infosets(self, seen: _Seen, last: np.ndarray) -> np.ndarray:
        """The information set of each node, int64[nodes], NONE at the end."""
        out = np.full(len(last), NONE)
        on = np.flatnonzero(~seen.over)
        player = seen.player[on]
        out[on] = self.sets.enter(player, last[on, player], seen.views[on, player], seen.legal[on])
        return out

    def _advance(self) -> None:
        """Step to what comes next."""
        row, self.action = np.nonzero(self.legal)
        parts = [
            jax.tree.map(np.asarray, stepped(self.game, states, actions))
            for states, actions in self._chunks(self.states, row, self.action)
        ]
        self.states = jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(row)], *parts)
        self.weight, self.parent, self.last = self.weight[row], self.node[row], self.last[row]
        self.last[np.arange(len(row)), self.player[row]] = self.infoset[row] * self.actions + self.action

    def _chunks(self, states: Any, rows: np.ndarray, actions: np.ndarray | None = None) -> Any:
        """Those rows of a stack of states, and an action for each, in chunks of one size so that one compilation serves all."""
        size = min(CHUNK, max(1, CHUNK * LARGE // self._position_size))
        for start in range(0, len(rows), size):
            here = rows[start : start + size]
            padded = np.pad(here, (0, size - len(here)), mode="edge")
            chosen = None
            if actions is not None:
                chosen = np.pad(actions[start : start + size], (0, size - len(here)), mode="edge").astype(np.int32)
            yield jax.tree.map(lambda leaf, at=padded: leaf[at], states), chosen

    def tree(self) -> Tree:
        whole = {name: np.concatenate([level[name] for level in self.levels]) for name in self.levels[0]}
        sizes = [len(level["parent"]) for level in self.levels]
        infosets, new_number = self.sets.ordered()
        terminal = np.flatnonzero(whole["player"] == OVER)
        return Tree(
            game=self.game,
            positions=self.positions,
            levels=np.cumsum([0, *sizes]),
            parent=whole["parent"],
            action=whole["action"].astype(np.int32),
            player=whole["player"].astype(np.int32),
            infoset=np.append(new_number, NONE)[whole["infoset"]],
            chance=whole["chance"],
            terminal=terminal,
            payoffs=whole["payoffs"][terminal],
            ends=renumbered(whole["last"][terminal], new_number, self.actions),
            infosets=infosets,
        )
