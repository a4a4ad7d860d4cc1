"""Games of betting for a pot: everybody sees every bet, and what may be bet does not depend on the cards.

So the betting is one tree for all deals, and a player knows its place there and a bucket of hands in which its own lies, one for each
round. Kuhn, Leduc and Limit Hold'em are such games.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import Game, pytree, static

FEW, CHUNK = 2**10, 2**16  # positions stepped at once, at least and at most
NOBODY = -1


@pytree
class Bets:
    """How a game of betting is read: by the round of a state, what hands are worth, and in which bucket they lie.

    A game names its class as `Game.betting`.
    """

    game: Game[Any, Any]

    @classmethod
    @abstractmethod
    def of(cls, game: Game[Any, Any], buckets: int | None) -> Bets:
        """With so many buckets a round where that can be chosen; as usual where None."""

    @classmethod
    @abstractmethod
    def blank(cls, game: Game[Any, Any], sizes: Sequence[int]) -> Bets:
        """With so many buckets of each round and any numbers, for those of a file to take their place."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """Buckets of each round."""

    @abstractmethod
    def round(self, state: Any) -> Array:
        """The round of a state, int32."""

    @abstractmethod
    def strengths(self, deal: Any) -> Array:
        """What everybody's cards are worth at the end, int32[players]: of those still in, the highest take the pot."""

    @abstractmethod
    def buckets(self, deal: Any) -> Array:
        """In which bucket everybody's hand lies, int32[rounds, players]."""

    @abstractmethod
    def bucket(self, view: Any) -> Array:
        """In which bucket the hand of the player that acts lies, int32."""

    @abstractmethod
    def moves(self, view: Any) -> Array:
        """All bets so far in order, int[moves], and NOBODY for those that were not made, wherever they stand."""

    @property
    @abstractmethod
    def situations(self) -> int:
        """How many kinds of betting `situation` tells apart."""

    @abstractmethod
    def situation(self, view: Any) -> Array:
        """Of which kind the betting so far is, int32: all that is known of lines too rare to be kept one by one. Of one kind is one round."""


@pytree
class BettingTree:
    """All that can be bet. Decisions are numbered by level; ends come after them, and then one that stands for what is not legal."""

    children: Array  # int32[decisions, actions]: what an action leads to
    parent: Array  # int32[decisions], of the first itself
    action: Array  # int32[decisions]: the action that led there
    player: Array  # int32[decisions]: who acts
    round: Array  # int32[decisions]
    situation: Array  # int32[decisions]
    legal: Array  # bool[decisions, actions]
    paid: Array  # int32[ends, players]: into the pot
    folded: Array  # bool[ends, players]
    levels: tuple[int, ...] = static()  # the first decision of each level, and how many there are in all
    ends: tuple[int, ...] = (
        static()
    )  # the first end that the decisions of each level lead to, and how many there are in all

    @property
    def decisions(self) -> int:
        return self.levels[-1]


def betting_tree(bets: Bets, most: int = 40_000_000, told: Callable[[int], None] = lambda _: None) -> BettingTree:
    """The tree of a game, found by its own rules; refused where it has more decisions than `most`. `told` hears how many there are so far."""
    start = bets.game.init(chance.key(0))
    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], (start, *_read(bets, start)))
    before = action = np.zeros(1, np.int32)  # the decision that led to each state, and the action
    levels, last, decisions, ends = [0], [0], list[Any](), list[Any]()
    while True:
        over = np.asarray(states[0].terminated)
        ends.append((states[0].paid[over], states[0].folded[over], before[over], action[over]))
        states, before, action = (_rows(each, ~over) for each in (states, before, action))
        last.append(last[-1] + int(over.sum()))
        if not len(before):
            break
        state, rounds, situations = states
        legal = state.legal_action_mask
        decisions.append((before, action, state.current_player, rounds, situations, legal))
        levels.append(levels[-1] + len(before))
        told(levels[-1])
        if levels[-1] > most:
            raise UserError(f"{bets.game} has more than {most:,} decisions of betting: choose smaller options.")
        row, taken = np.nonzero(legal)
        states = _after(bets, state, row, taken)
        before, action = (levels[-2] + row).astype(np.int32), taken.astype(np.int32)
    parent, by, player, rounds, situations, legal = (np.concatenate(parts) for parts in zip(*decisions, strict=True))
    paid, folded, led, end_by = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    children = np.full(legal.shape, len(legal) + len(paid), np.int32)
    children[parent[1:], by[1:]] = np.arange(1, len(legal))
    children[led, end_by] = len(legal) + np.arange(len(paid))
    return BettingTree(
        children=jnp.asarray(children),
        parent=jnp.asarray(parent),
        action=jnp.asarray(by),
        player=jnp.asarray(player),
        round=jnp.asarray(rounds),
        situation=jnp.asarray(situations),
        legal=jnp.asarray(legal),
        paid=jnp.asarray(paid, jnp.int32),
        folded=jnp.asarray(folded),
        levels=tuple(levels),
        ends=tuple(last[1:]),
    )


def _read(bets: Bets, state: Any) -> tuple[Array, Array]:
    """The round of a state and of which kind its betting is."""
    return bets.round(state), bets.situation(bets.game.observe(state, state.current_player))


@jax.jit
def _stepped(bets: Bets, states: Any, actions: Array) -> tuple[Any, Array, Array]:
    """States after an action each, and what is read off them."""

    def one(state: Any, action: Array) -> tuple[Any, Array, Array]:
        after = bets.game.step(state, action)
        return after, *_read(bets, after)

    return jax.vmap(one)(states, actions)


def _rows(tree: Any, which: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[which], tree)


def _after(bets: Bets, states: Any, row: np.ndarray, action: np.ndarray) -> Any:
    """What the actions lead to, so many at once that the number of programs stays small."""
    parts = []
    for start in range(0, len(row), CHUNK):
        at, chosen = row[start : start + CHUNK], action[start : start + CHUNK]
        fill = 0, max(1 << (len(at) - 1).bit_length(), FEW) - len(at)
        after = _stepped(bets, _rows(states, np.pad(at, fill)), np.pad(chosen, fill).astype(np.int32))
        parts.append(_rows(after, np.arange(len(at))))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def payoffs(tree: BettingTree, strengths: Array) -> Array:
    """What every end pays, float32[ends, players], when hands are worth so much, int32[players]."""
    worth = jnp.where(tree.folded, NOBODY, strengths)
    takes = worth == worth.max(axis=1, keepdims=True)
    pot = tree.paid.sum(axis=1, keepdims=True)
    return jnp.where(takes, pot / takes.sum(axis=1, keepdims=True), 0.0) - tree.paid
