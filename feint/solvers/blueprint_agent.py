"""What plays a blueprint: the average policy of those decisions that are most likely met, and for all others one of fewer distinctions.

A tree of betting for three has ten million decisions, most of which nobody ever meets. Those kept are a tree again, as are the likeliest of any
tree, and small enough for a file: of every decision it says only which actions lead to another, since decisions are numbered in that order.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import Game, pytree
from feint.solvers.betting import NOBODY, Bets
from feint.solvers.blueprint import Blueprint
from feint.solvers.cfr import matched

BLOCK = 16  # decisions between two of which it is known how many are led to before
PARTS = 20  # probabilities are kept as multiples of one by this: what is rarer than half of it is not done
STRAYING = 0.3  # of what others do, the share that is taken to be any action, for lines to be kept in which they play otherwise


@pytree
class BlueprintAgent(Memoryless):
    """Plays an average policy: finds its place in the betting tree by what was bet, and its bucket by its cards."""

    heavy: ClassVar[bool] = True

    bets: Bets
    leads: Array  # bool[decisions, actions]: whether an action leads to another decision that is kept
    round: Array  # uint8[decisions]
    before: (
        Array  # int32[blocks, 2]: how many decisions are led to from before each block, and how many rows these have
    )
    chances: Array  # uint8[rows, actions]: in proportion to the probabilities, a row for each decision and bucket
    rest: Array  # uint8[situations, buckets, actions]: the same where the decision is not kept

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.drawn(key, self.probabilities(view, legal)), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""

        def follow(decision: Array, action: Array) -> tuple[Array, None]:
            return jnp.where(action == NOBODY, decision, self._led_to(decision, action)), None

        decision = jax.lax.scan(follow, jnp.int32(0), self.bets.moves(view).astype(jnp.int32))[0]
        bucket = self.bets.bucket(view)
        kept = self.chances[self._first_row(decision) + bucket]
        chances = jnp.where(decision == NOBODY, self.rest[self.bets.situation(view), bucket], kept)
        return matched(legal, chances.astype(jnp.float32))

    def _led_to(self, decision: Array, action: Array) -> Array:
        """The decision after an action, int32, NOBODY where it is not kept."""
        leads = self._block(decision, self.leads)
        earlier = jnp.where(jnp.arange(leads.shape[1]) < action, self.leads[decision], False).sum(dtype=jnp.int32)
        number = 1 + self.before[decision // BLOCK, 0] + leads.sum(dtype=jnp.int32) + earlier
        return jnp.where((decision != NOBODY) & self.leads[decision, action], number, NOBODY)

    def _first_row(self, decision: Array) -> Array:
        sizes = jnp.asarray((*self.bets.sizes, 0), jnp.int32)
        rounds = self._block(decision, self.round, len(self.bets.sizes))
        return self.before[decision // BLOCK, 1] + sizes[rounds].sum()

    def _block(self, decision: Array, of_each: Array, nothing: int = 0) -> Array:
        """What there is of each decision in the block up to this one, and nothing from it on."""
        places = decision // BLOCK * BLOCK + jnp.arange(BLOCK)
        there = (places < decision).reshape(-1, *[1] * (of_each.ndim - 1))
        return jnp.where(there, of_each.at[places].get(mode="clip"), nothing)

    def recipe(self) -> dict[str, Any]:
        """All but the numbers, for a policy file."""
        return {"sizes": list(self.bets.sizes), "decisions": len(self.leads), "rows": len(self.chances)}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> BlueprintAgent:
        """An agent of this recipe that knows nothing."""
        bets = game.betting.blank(game, recipe["sizes"])
        decisions = int(recipe["decisions"])
        return cls(
            bets,
            jnp.zeros((decisions, game.actions), bool),
            jnp.zeros(decisions, jnp.uint8),
            jnp.zeros((-(-decisions // BLOCK), 2), jnp.int32),
            jnp.zeros((int(recipe["rows"]), game.actions), jnp.uint8),
            jnp.zeros((bets.situations, max(bets.sizes), game.actions), jnp.uint8),
        )


def agent_of(found: Blueprint, keep: int) -> BlueprintAgent:
    """The agent of a blueprint that keeps at most so many decisions, those most likely met."""
    bets, tree = found.bets, jax.tree.map(np.asarray, found.tree)
    first, totals = np.asarray(found.first), np.asarray(found.known.totals)
    likely, others = _likelihoods(tree, np.add.reduceat(totals, first[:-1], axis=0))
    kept = np.zeros(tree.decisions, bool)
    kept[np.argsort(-likely, kind="stable")[:keep]] = True  # a decision comes before those that it leads to
    leads = (np.append(kept, False)[np.minimum(tree.children, tree.decisions)])[kept]
    rows = np.repeat(kept, np.diff(first))
    decision = np.repeat(np.arange(tree.decisions, dtype=np.int32), np.diff(first))
    counts = np.stack([leads.sum(axis=1), np.diff(first)[kept]], axis=1)
    return BlueprintAgent(
        bets=bets,
        leads=jnp.asarray(leads),
        round=jnp.asarray(tree.round[kept], jnp.uint8),
        before=jnp.asarray((counts.cumsum(axis=0) - counts)[::BLOCK], jnp.int32),
        chances=_parts(tree.legal[decision[rows]], totals[rows]),
        rest=_rest(
            bets,
            tree.situation[decision],
            np.arange(len(rows)) - first[decision],
            totals.T * np.where(kept, 0, others)[decision],
        ),
    )


def _rest(bets: Bets, situation: np.ndarray, bucket: np.ndarray, weights: np.ndarray) -> Array:
    """What is done in each situation with each bucket, uint8[situations, buckets, actions], by rows' weights, [actions, rows]."""
    shape = bets.situations, max(bets.sizes)
    place = situation * shape[1] + bucket
    found = np.stack([np.bincount(place, each, np.prod(shape)) for each in weights], axis=1)
    return _parts(np.ones_like(found, bool), found).reshape(*shape, -1)


def _likelihoods(tree: Any, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How likely each decision is met when one player plays by the blueprint and the others stray from it, for whichever player it is likelier,
    and how likely the others of whoever acts there then play to it; float32[decisions] each. Cards are left out of account."""
    chosen = np.asarray(matched(tree.legal, jnp.asarray(totals)))
    strayed = (1 - STRAYING) * chosen + STRAYING * tree.legal / tree.legal.sum(axis=1, keepdims=True)
    players = tree.paid.shape[1]
    own, straying = (np.ones((tree.decisions, players), np.float32) for _ in range(2))
    for start, end in pairwise(tree.levels[1:]):
        before, action = tree.parent[start:end], tree.action[start:end]
        by = np.arange(players) == tree.player[before, None]
        for reach, policy in ((own, chosen), (straying, strayed)):
            reach[start:end] = reach[before] * np.where(by, policy[before, action, None], 1.0)
    others = np.stack([np.delete(straying, player, axis=1).prod(axis=1) for player in range(players)], axis=1)
    return (own * others).max(axis=1), np.take_along_axis(others, tree.player[:, None], axis=1)[:, 0]


def _parts(legal: np.ndarray, weights: np.ndarray) -> Array:
    """Weights as numbers of parts, uint8."""
    return jnp.round(PARTS * matched(jnp.asarray(legal), jnp.asarray(weights, jnp.float32))).astype(jnp.uint8)
