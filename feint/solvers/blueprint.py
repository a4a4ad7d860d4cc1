"""A blueprint of a game of betting: counterfactual regret minimisation over its whole betting tree, on deals drawn at random.

An iteration deals a batch of hands and, for each of them, goes through all betting at once, level by level: down with how likely everybody
plays to each decision, and up with what it is worth there. Nothing of the betting is sampled, so lines that are hardly ever played are
learned as well as the others; of hands only their buckets are told apart. Iteration t counts t-fold, in regrets and in the average
policy. (Chance sampling: Zinkevich et al., 2007; linear weights: Brown and Sandholm, 2019.)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import pytree
from feint.solvers.betting import NOBODY, Bets, BettingTree, payoffs
from feint.solvers.cfr import matched


@pytree
class Regrets:
    """Where a run stands; a row for every decision and bucket there."""

    regrets: Array  # float32[rows, actions]
    totals: Array  # float32[rows, actions]: of the average policy
    iterations: Array  # int32


def first_rows(bets: Bets, tree: BettingTree) -> Array:
    """The row of each decision's first bucket, int32[decisions + 1], and how many rows there are."""
    sizes = np.asarray(bets.sizes)[np.asarray(tree.round)]
    return jnp.asarray(np.concatenate([[0], np.cumsum(sizes)]), jnp.int32)


def begin(rows: int, actions: int) -> Regrets:
    nothing = jnp.zeros((rows, actions))
    return Regrets(regrets=nothing, totals=nothing.copy(), iterations=jnp.int32(0))


@partial(jax.jit, static_argnums=(5, 6), donate_argnums=4)
def iterate(
    bets: Bets, tree: BettingTree, first: Array, key: Key, known: Regrets, batch: int, iterations: int
) -> Regrets:
    """So many iterations more, each on a batch of so many deals."""
    return jax.lax.fori_loop(0, iterations, lambda _, known: _iteration(bets, tree, first, key, known, batch), known)


def _iteration(bets: Bets, tree: BettingTree, first: Array, key: Key, known: Regrets, batch: int) -> Regrets:
    here = jax.random.fold_in(key, known.iterations)
    deals = jax.vmap(lambda number: bets.game.draw(jax.random.fold_in(here, number)))(jnp.arange(batch))
    buckets = jax.vmap(bets.buckets)(deals)
    rows = first[:-1] + buckets[:, tree.round, tree.player]  # int32[batch, decisions]
    learn = partial(_learned, tree)
    regrets, totals = jax.vmap(learn)(known.regrets[rows], jax.vmap(bets.strengths)(deals))
    weight = known.iterations + 1.0

    # One deal after another: added up all at once, in no certain order, sums would differ from run to run.
    def add(number: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        def added(table: Array, more: Array) -> Array:
            return table.at[rows[number]].add(weight * more[number], unique_indices=True)

        return added(sums[0], regrets), added(sums[1], totals)

    summed = jax.lax.fori_loop(0, batch, add, (known.regrets, known.totals))
    return Regrets(regrets=summed[0], totals=summed[1], iterations=known.iterations + 1)


def _learned(tree: BettingTree, regrets: Array, strengths: Array) -> tuple[Array, Array]:
    """What one deal adds to regrets and to the average policy, float32[decisions, actions] each."""
    policy = matched(tree.legal, regrets)
    reach = _reach(tree, policy)
    worth = _worth(tree, policy, payoffs(tree, strengths))
    mine = jnp.arange(reach.shape[1]) == tree.player[:, None]
    of_others = jnp.where(mine, 1.0, reach).prod(axis=1, keepdims=True)
    own = jnp.where(mine, reach, 0.0).sum(axis=1, keepdims=True)
    player = jnp.broadcast_to(tree.player[:, None, None], (*tree.children.shape, 1))
    then = jnp.take_along_axis(worth[tree.children], player, axis=2)[..., 0]
    now = (policy * then).sum(axis=1, keepdims=True)
    return jnp.where(tree.legal, of_others * (then - now), 0.0), own * policy


def _reach(tree: BettingTree, policy: Array) -> Array:
    """How likely everybody plays to each decision, float32[decisions, players]."""
    players = tree.paid.shape[1]
    reach = jnp.ones((tree.decisions, players))
    for start, end in zip(tree.levels[1:-1], tree.levels[2:], strict=True):
        before, action = tree.parent[start:end], tree.action[start:end]
        chosen = jnp.take_along_axis(policy[before], action[:, None], axis=1)
        by = jnp.arange(players) == tree.player[before][:, None]
        reach = reach.at[start:end].set(reach[before] * jnp.where(by, chosen, 1.0))
    return reach


def _worth(tree: BettingTree, policy: Array, ends: Array) -> Array:
    """What each decision, then each end, is worth to everybody, float32[decisions + ends + 1, players]."""
    players = ends.shape[1]
    worth = jnp.concatenate([jnp.zeros((tree.decisions, players)), ends, jnp.zeros((1, players))])
    for start, end in reversed(list(zip(tree.levels[:-1], tree.levels[1:], strict=True))):
        below = worth[tree.children[start:end]]
        worth = worth.at[start:end].set((policy[start:end, :, None] * below).sum(axis=1))
    return worth


def average(tree: BettingTree, first: Array, known: Regrets) -> Array:
    """The average policy, float32[rows, actions]."""
    rows = known.totals.shape[0]
    decision = jnp.repeat(jnp.arange(tree.decisions), jnp.diff(first), total_repeat_length=rows)
    return matched(tree.legal[decision], known.totals)


@pytree
class BlueprintAgent(Memoryless):
    """Plays an average policy: finds its place in the betting tree by what was bet, and its bucket by its cards."""

    bets: Bets
    children: Array  # int32[decisions, actions]
    first: Array  # int32[decisions + 1]
    chances: Array  # uint8[rows, actions]: in proportion to the probabilities

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.drawn(key, self.probabilities(view, legal)), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""

        def follow(decision: Array, action: Array) -> tuple[Array, None]:
            return jnp.where(action == NOBODY, decision, self.children[decision, action]), None

        decision = jax.lax.scan(follow, jnp.int32(0), self.bets.moves(view))[0]
        chances = self.chances[self.first[decision] + self.bets.bucket(view)].astype(jnp.float32)
        return matched(legal, chances)
