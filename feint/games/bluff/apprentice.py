"""The thesis' learning agent taught by the whole table: its reward table is filled from every player's plays, not only its own.

python -m feint.games.bluff.apprentice     trains the reward table that ships, over 2400 games
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cache
from itertools import permutations
from operator import itemgetter
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Agent, Memory
from feint.chance import Key
from feint.game import Game, pytree
from feint.games.bluff.reinforcement import Reinforcement, Tables
from feint.games.bluff.view import View

SHIPPED = Path(__file__).with_name("apprentice.csv")


@cache
def shipped_rewards() -> np.ndarray:
    """The reward matrix that ships, float32[13, 13]."""
    return np.loadtxt(SHIPPED, delimiter=",", dtype=np.float32)


@pytree
class Apprentice(Reinforcement):
    """Plays as reinforcement does, by a reward table that four players filled: no-bluff, smart, anxious and one that trains."""

    rewards: Any = field(default_factory=shipped_rewards)  # float32[13, 13], by rank due and rank played


@pytree
class Watched:
    """Plays as another agent does, while reward tables are kept of its plays and of what came of them."""

    agent: Agent

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return self.agent.begin(game, seat, key), Tables.blank()

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        own, filled = memory
        action, own = self.agent.act(own, view, legal, key)
        first_pick = (view.asked == 0) & ~view.picked.any()
        learned = filled.settled(view).awaiting(view.due, (view.due + action) % view.ranks)
        return action, (own, jax.tree.map(lambda new, old: jnp.where(first_pick, new, old), learned, filled))

    def finish(self, memory: Memory, view: View, rewards: Array, key: Key) -> Memory:
        own, filled = memory
        return self.agent.finish(own, view, rewards, key), filled.settled(view)


def watch(agents: Sequence[Agent], games: int = 2400, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each of four agents, who take all orders of seats in turn: how often it played each rank when each was due, and how often
    that went unpunished, float32[13, 13] each."""
    from feint.arena.rollout import play
    from feint.games.bluff.game import Bluff

    watched = [Watched(agent) for agent in agents]
    orders = list(permutations(range(4)))
    each = games // len(orders)
    totals = [(np.zeros((13, 13), np.float32), np.zeros((13, 13), np.float32)) for _ in agents]
    for number, order in enumerate(orders):
        _, memories = play(Bluff(), watched, order, seed=seed, first=number, matches=1, length=each)
        for agent, (played, rewards) in enumerate(totals):
            _, filled = jax.tree.map(itemgetter((0, order.index(agent))), memories[agent])
            played += np.asarray(filled.played)
            rewards += np.asarray(filled.rewards)
    return totals


def train(games: int = 2400, seed: int = 0) -> np.ndarray:
    """The reward matrix of the whole table together, float32[13, 13]."""
    from feint.games.bluff.agents import Anxious, NoBluff, Smart

    learner = Reinforcement(training=True, rewards=np.zeros((13, 13), np.float32))
    return np.sum([rewards for _, rewards in watch([NoBluff(), Smart(), learner, Anxious()], games, seed)], axis=0)


if __name__ == "__main__":
    np.savetxt(SHIPPED, np.asarray(train(), int), fmt="%d", delimiter=",")
    print(f"{SHIPPED.name}: the reward matrix of four players after 2400 games")
