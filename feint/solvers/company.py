"""Agents that a blueprint learns to play with besides itself.

With three players and more an equilibrium promises nothing to whoever plays it: two who raise whatever they have can take more from it than
it could lose alone. So at some tables some of the seats are theirs, and what is learned is an answer to them as well as to itself (a restricted
Nash response: Johanson, Zinkevich and Bowling, 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import pytree
from feint.solvers.betting import NOBODY, Bets, BettingTree
from feint.solvers.local_best_response import likely

DEALS = 2**13  # among which hands of every bucket are looked for
HANDS = 4  # of a bucket, by which it is known what an agent does with it
BATCH_SIZE = 2**10  # decisions and buckets


@pytree
class Company:
    """At every deal one of several agents is drawn, and each seat is its with a chance of `share`."""

    policies: Array  # float32[agents, rows, actions]
    share: Array  # float32

    def sits(self, key: Key, batch: int, players: int) -> tuple[Array, Array]:
        """Which agent is at the table of each deal, int32[batch], and in which seats, bool[players, batch]."""
        which, where = jax.random.split(key)
        drawn = jax.random.randint(which, (batch,), 0, len(self.policies))
        return drawn, jax.random.uniform(where, (players, batch)) < self.share


def company(bets: Bets, tree: BettingTree, first: Array, agents: Sequence[Any], share: float) -> Company:
    """What agents do at every decision with the hands of every bucket, as if a match began with it."""
    hands = _hands(bets, chance.key(0))
    return Company(jnp.stack([_policy(bets, tree, first, hands, agent) for agent in agents]), jnp.float32(share))


def _hands(bets: Bets, key: Key) -> tuple[Any, np.ndarray]:
    """Deals, and the numbers of some in which a seat's hand lies in a bucket, int[rounds, players, buckets, hands]."""
    deals = jax.jit(lambda: jax.vmap(lambda at: bets.game.draw(jax.random.fold_in(key, at)))(jnp.arange(DEALS)))()
    buckets = np.asarray(jax.jit(lambda: jax.lax.map(bets.buckets, deals, batch_size=64))())
    found = np.zeros((*buckets.shape[1:], max(bets.sizes), HANDS), np.int32)
    for at in np.ndindex(buckets.shape[1:]):
        for bucket in range(max(bets.sizes)):
            here = np.flatnonzero(buckets[(slice(None), *at)] == bucket)
            found[(*at, bucket)] = (
                np.resize(here, HANDS) if len(here) else 0
            )  # where nobody is dealt it, anything will do
    return deals, found


def _policy(bets: Bets, tree: BettingTree, first: Array, hands: tuple[Any, np.ndarray], agent: Any) -> Array:
    """An agent's policy, float32[rows, actions]."""
    deals, found = hands
    sizes = np.diff(np.asarray(first))
    decision = np.repeat(np.arange(tree.decisions), sizes)
    bucket = np.arange(len(decision)) - np.asarray(first)[decision]
    held = found[np.asarray(tree.round)[decision], np.asarray(tree.player)[decision], bucket]  # int[rows, hands]
    return _asked(bets, agent, deals, _paths(tree), jnp.asarray(decision, jnp.int32), jnp.asarray(held))


@jax.jit
def _asked(bets: Bets, agent: Any, deals: Any, paths: Array, decision: Array, held: Array) -> Array:
    def one(asked: tuple[Array, Array]) -> Array:
        at, hands = asked
        return jax.vmap(lambda hand: _answer(bets, agent, jax.tree.map(lambda leaf: leaf[hand], deals), paths[at]))(
            hands
        ).mean(axis=0)

    return jax.lax.map(one, (decision, held), batch_size=BATCH_SIZE)


def _answer(bets: Bets, agent: Any, deal: Any, path: Array) -> Array:
    """How likely an agent takes each action after such bets, float32[actions]."""
    step = lambda state, action: jax.lax.cond(action == NOBODY, lambda: state, lambda: bets.game.step(state, action))  # noqa: E731
    state = jax.lax.scan(lambda state, action: (step(state, action), None), bets.game.deal(deal), path)[0]
    player, key = state.current_player, chance.key(0)
    memory = agent.begin(bets.game, player, key)
    return likely(agent, memory, bets.game.observe(state, player), state.legal_action_mask, key)


def _paths(tree: BettingTree) -> Array:
    """Bets that lead to every decision, int32[decisions, moves], and NOBODY where there are fewer; one way where there are several."""
    parent, action = np.array(tree.parent), np.array(tree.action)
    for begin, into in zip(tree.rounds[1:], tree.entries, strict=False):
        starts = tree.levels[begin] + np.asarray(into.to)
        parent[starts], action[starts] = into.parent, into.action
    paths = [np.empty(0, np.int32)]
    for decision in range(1, tree.decisions):  # those before it come first
        paths.append(np.append(paths[parent[decision]], action[decision]))
    longest = max(map(len, paths))
    return jnp.asarray([np.pad(each, (0, longest - len(each)), constant_values=NOBODY) for each in paths], jnp.int32)
