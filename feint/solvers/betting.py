"""Games of betting for a pot: everybody sees every bet, and what may be bet does not depend on the cards.

So the betting is one tree for all deals, and a player knows its place there and a bucket of hands in which its own lies, one for each
round. Kuhn, Leduc and Limit Hold'em are such games.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import Game, pytree, static
from feint.solvers.tree import stepped

FEW, CHUNK = 2**10, 2**16  # positions stepped at once, at least and at most
NOBODY = -1


@pytree
class Bets:
    """How a game of betting is read: by the round of a state, what hands are worth, and in which bucket they lie."""

    game: Game[Any, Any]

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


@pytree
class BettingTree:
    """All that can be bet. Decisions are numbered by level; ends come after them, and then one that stands for what is not legal."""

    children: Array  # int32[decisions, actions]: what an action leads to
    parent: Array  # int32[decisions], of the first itself
    action: Array  # int32[decisions]: the action that led there
    player: Array  # int32[decisions]: who acts
    round: Array  # int32[decisions]
    legal: Array  # bool[decisions, actions]
    paid: Array  # int32[ends, players]: into the pot
    folded: Array  # bool[ends, players]
    levels: tuple[int, ...] = static()  # the first decision of each level, and how many there are in all

    @property
    def decisions(self) -> int:
        return self.levels[-1]


def betting_tree(bets: Bets, most: int = 40_000_000, told: Callable[[int], None] = lambda _: None) -> BettingTree:
    """The tree of a game, found by its own rules; refused where it has more decisions than `most`. `told` hears how many there are so far."""
    game = bets.game
    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], game.init(chance.key(0)))
    before = action = np.zeros(1, np.int32)  # the decision that led to each state, and the action
    levels, decisions, ends = [0], list[Any](), list[Any]()
    while len(before):
        over = np.asarray(states.terminated)
        ends.append((states.paid[over], states.folded[over], before[over], action[over]))
        states, before, action = (_rows(each, ~over) for each in (states, before, action))
        rounds, legal = np.asarray(jax.vmap(bets.round)(states)), states.legal_action_mask
        decisions.append((before, action, states.current_player, rounds, legal))
        levels.append(levels[-1] + len(before))
        told(levels[-1])
        if levels[-1] > most:
            raise UserError(f"{game} has more than {most:,} decisions of betting: choose smaller options.")
        row, taken = np.nonzero(legal)
        states = _after(game, states, row, taken) if len(row) else states
        before, action = (levels[-2] + row).astype(np.int32), taken.astype(np.int32)
    parent, by, player, rounds, legal = (np.concatenate(parts) for parts in zip(*decisions, strict=True))
    paid, folded, last, end_by = (np.concatenate(parts) for parts in zip(*ends, strict=True))
    children = np.full(legal.shape, len(legal) + len(paid), np.int32)
    children[parent[1:], by[1:]] = np.arange(1, len(legal))
    children[last, end_by] = len(legal) + np.arange(len(paid))
    return BettingTree(
        children=jnp.asarray(children),
        parent=jnp.asarray(parent),
        action=jnp.asarray(by),
        player=jnp.asarray(player),
        round=jnp.asarray(rounds),
        legal=jnp.asarray(legal),
        paid=jnp.asarray(paid, jnp.int32),
        folded=jnp.asarray(folded),
        levels=tuple(dict.fromkeys(levels)),
    )


def _rows(tree: Any, which: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[which], tree)


def _after(game: Game[Any, Any], states: Any, row: np.ndarray, action: np.ndarray) -> Any:
    """What the actions lead to, so many at once that the number of programs stays small."""
    parts = []
    for start in range(0, len(row), CHUNK):
        at, chosen = row[start : start + CHUNK], action[start : start + CHUNK]
        fill = 0, max(1 << (len(at) - 1).bit_length(), FEW) - len(at)
        after = stepped(game, _rows(states, np.pad(at, fill)), np.pad(chosen, fill).astype(np.int32))
        parts.append(_rows(after, np.arange(len(at))))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def payoffs(tree: BettingTree, strengths: Array) -> Array:
    """What every end pays, float32[ends, players], when hands are worth so much, int32[players]."""
    worth = jnp.where(tree.folded, NOBODY, strengths)
    takes = worth == worth.max(axis=1, keepdims=True)
    pot = tree.paid.sum(axis=1, keepdims=True)
    return jnp.where(takes, pot / takes.sum(axis=1, keepdims=True), 0.0) - tree.paid
