"""A blueprint of a game of betting: counterfactual regret minimisation over its whole betting tree, on deals drawn at random.

An iteration deals a batch of hands and, for each of them, goes through all betting at once, level by level: down with how likely everybody
plays to each decision, and up with what it is worth there. Nothing of the betting is sampled, so lines that are hardly ever played are
learned as well as the others; of hands only their buckets are told apart. Regrets never fall below zero, and iteration t counts t-fold in
the average policy. (Chance sampling: Zinkevich et al., 2007; CFR+: Tammelin, 2014.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import gcd

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import pytree
from feint.solvers.betting import Bets, BettingTree, payoffs
from feint.solvers.cfr import matched
from feint.solvers.company import Company

ROOM = 2**27  # numbers that copies of a table may have


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


@partial(jax.jit, static_argnums=5, donate_argnums=4)
def iterate(
    bets: Bets,
    tree: BettingTree,
    first: Array,
    key: Key,
    known: Regrets,
    batch: int,
    iterations: Array | int,
    others: Company | None = None,
) -> Regrets:
    """So many iterations more, each on a batch of so many deals."""
    step = lambda _, known: _iteration(bets, tree, first, key, known, batch, others)  # noqa: E731
    return jax.lax.fori_loop(0, iterations, step, known)


def _iteration(
    bets: Bets, tree: BettingTree, first: Array, key: Key, known: Regrets, batch: int, others: Company | None
) -> Regrets:
    here = jax.random.fold_in(key, known.iterations)
    deals = jax.vmap(lambda number: bets.game.draw(jax.random.fold_in(here, number)))(jnp.arange(batch))
    buckets = jax.vmap(bets.buckets)(deals)
    rows = first[:-1, None] + buckets.transpose(1, 2, 0)[tree.round, tree.player]  # int32[decisions, batch]
    policy, own = matched(tree.legal[:, :, None], known.regrets[rows].swapaxes(1, 2), axis=1), jnp.bool_(True)
    if others is not None:
        which, seats = others.sits(jax.random.fold_in(here, batch), batch, bets.game.players)
        own = ~seats[tree.player][:, None]  # bool[decisions, 1, batch]
        policy = jnp.where(own, policy, others.policies[which, rows].swapaxes(1, 2))
    regrets, totals = _learned(tree, policy, jax.vmap(bets.strengths)(deals))
    return Regrets(
        regrets=jnp.maximum(_added(known.regrets, rows, jnp.where(own, regrets, 0.0)), 0.0),
        totals=_added(known.totals, rows, jnp.where(own, (known.iterations + 1.0) * totals, 0.0)),
        iterations=known.iterations + 1,
    )


def _added(table: Array, rows: Array, more: Array) -> Array:
    """A table, [rows, actions], with what deals add to some of its rows, [decisions, batch] and [decisions, actions, batch].

    One deal after another: added up all at once, in no certain order, sums would differ from run to run. Where it is quicker to
    do much at once than little often, several deals are added to as many copies, where there is room for these.
    """

    batch = rows.shape[1]
    copies = 1 if jax.default_backend() == "cpu" else gcd(batch, 1 << (ROOM // table.size | 1).bit_length() - 1)
    rows = rows.T.reshape(-1, copies, len(rows))
    more = more.transpose(2, 0, 1).reshape(*rows.shape, -1)

    def add(number: Array, sums: Array) -> Array:
        return sums.at[jnp.arange(copies)[:, None], rows[number]].add(more[number], unique_indices=True)

    if copies == 1:
        return jax.lax.fori_loop(0, batch, add, table[None])[0]
    return table + jax.lax.fori_loop(0, len(rows), add, jnp.zeros((copies, *table.shape))).sum(axis=0)


def _learned(tree: BettingTree, policy: Array, strengths: Array) -> tuple[Array, Array]:
    """What deals add to regrets and to the average policy where this one is played, float32[decisions, actions, batch] each.

    Deals are the last axis throughout, so that whatever is looked up of a decision is looked up for all of them at once.
    """
    legal = tree.legal[:, :, None]
    ends = jax.vmap(partial(payoffs, tree), out_axes=2)(strengths)
    mine = (jnp.arange(strengths.shape[1]) == tree.player[:, None])[:, :, None]
    own, others = _reach(tree, policy, mine)
    next_round, found = ends[:0], list[Array]()  # what the places are worth with which it begins, and the gains so far
    for begin, end in reversed(list(pairwise(tree.rounds))):
        worth = ends[:0]  # of the decisions of the level below
        for level in reversed(range(begin, end)):
            here, last = slice(*tree.levels[level : level + 2]), slice(*tree.ends[level : level + 2])
            below = jnp.concatenate([worth, next_round, ends[last]])
            led = _places_below(tree, here, last, (len(worth), tree.levels[end], len(next_round)))
            # Action by action, which on a CPU is ten times faster than all at once; where one is not legal, anything will do.
            then = [below.at[led[:, action]].get(mode="clip") for action in range(led.shape[1])]
            worth = sum((policy[here, action, None] * each for action, each in enumerate(then)), jnp.zeros(()))
            found.append(jnp.stack([jnp.where(mine[here], each - worth, 0.0).sum(axis=1) for each in then], axis=1))
        next_round = worth
    gains = jnp.where(legal, jnp.concatenate(found[::-1]), 0.0)
    of_actor = lambda reach: jnp.where(mine, reach, 0.0).sum(axis=1, keepdims=True)  # noqa: E731
    return of_actor(others) * gains, of_actor(own) * policy


def _places_below(tree: BettingTree, here: slice, last: slice, sizes: tuple[int, int, int]) -> Array:
    """Where among the decisions of the level below, those with which the next round begins, and the ends of this level each action leads."""
    below, opening, openings = sizes
    led = tree.children[here]
    decision = jnp.where(led < here.stop + below, led - here.stop, led - opening + below)
    return jnp.where(led < tree.decisions, decision, led - tree.decisions - last.start + below + openings)


def _reach(tree: BettingTree, policy: Array, mine: Array) -> tuple[Array, Array]:
    """How likely each player plays to each decision, and how likely all others do, float32[decisions, players, batch] each; in all ways that
    lead there, where what tells them apart is forgotten."""

    def onward(reach: Array, begins: int, parent: Array, action: Array) -> Array:
        """Both reaches, [2, decisions, players, batch], of where decisions, counted from the first in them, lead to."""
        chosen, by = policy[parent, action][:, None], mine[parent]
        return reach[:, parent - begins] * jnp.stack([jnp.where(by, chosen, 1.0), jnp.where(by, 1.0, chosen)])

    reach = jnp.ones((2, 1, mine.shape[1], policy.shape[2]))
    rounds = list[Array]()
    for number, (begin, end) in enumerate(pairwise(tree.rounds)):
        levels = [reach]
        for level in range(begin + 1, end):
            here = slice(*tree.levels[level : level + 2])
            levels.append(onward(levels[-1], tree.levels[level - 1], tree.parent[here], tree.action[here]))
        rounds.append(jnp.concatenate(levels, axis=1))
        if number < len(tree.entries):
            into = tree.entries[number]
            entering = onward(rounds[-1], tree.levels[begin], into.parent, into.action)
            places = tree.levels[end + 1] - tree.levels[end]
            reach = jnp.zeros((2, places, *entering.shape[2:])).at[:, into.to].add(entering, indices_are_sorted=True)
    whole = jnp.concatenate(rounds, axis=1)
    return whole[0], whole[1]


@dataclass
class Blueprint:
    """Iterates on one game of betting: `run`, then read `known`."""

    bets: Bets
    tree: BettingTree
    batch: int
    seed: int
    others: Company | None = None  # who else sits at its tables

    def __post_init__(self) -> None:
        self.first = first_rows(self.bets, self.tree)
        self.known = begin(int(self.first[-1]), self.bets.game.actions)

    @property
    def iterations(self) -> int:
        return int(self.known.iterations)

    def run(self, iterations: int) -> None:
        """So many iterations more."""
        key = chance.key(self.seed)
        self.known = iterate(self.bets, self.tree, self.first, key, self.known, self.batch, iterations, self.others)
        jax.block_until_ready(self.known)

    def average(self) -> Array:
        """The average policy, float32[rows, actions]."""
        sizes, rows = jnp.diff(self.first), len(self.known.totals)
        decision = jnp.repeat(jnp.arange(self.tree.decisions), sizes, total_repeat_length=rows)
        return matched(self.tree.legal[decision], self.known.totals)
