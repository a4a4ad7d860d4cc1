"""The thesis' learning agent: two reward tables of rank due by rank played, filled in training and looked up in testing.

python -m feint.games.bluff.reinforcement     trains the reward table that ships, over 2400 games
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import cache
from itertools import permutations
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory
from feint.chance import Key
from feint.game import Game, option, pytree
from feint.games.bluff.agents import CountRule, OneRank, Sight, latest_above, next_pick, true_or
from feint.games.bluff.view import NOBODY, View

SHIPPED = Path(__file__).with_name("reinforcement.csv")
RANKS = 13


@cache
def shipped_rewards() -> np.ndarray:
    """The reward matrix that ships, float32[13, 13]."""
    return np.loadtxt(SHIPPED, delimiter=",", dtype=np.float32)


@pytree
class Tables:
    """What training fills: how often each rank was played when each was due, and how often that went unpunished."""

    played: Array  # float32[13, 13]: the State-Action matrix, by rank due and rank played
    rewards: Array  # float32[13, 13]: the Reward matrix
    due: Array  # int32: the rank due at the play whose outcome is awaited, NOBODY without one
    laid: Array  # int32: the rank played then

    @classmethod
    def blank(cls) -> Tables:
        nothing = jnp.zeros((RANKS, RANKS), jnp.float32)
        return cls(nothing, nothing, jnp.int32(NOBODY), jnp.int32(NOBODY))

    def settled(self, view: View) -> Tables:
        """The awaited play has its reward, unless the log says that it was caught."""
        own = jnp.argmax(view.log.player == view.seat)  # the newest play of one's own
        rewarded = (self.due != NOBODY) & (view.log.honest[own] != 0)
        none = jnp.int32(NOBODY)
        return replace(self, rewards=self.rewards.at[self.due, self.laid].add(rewarded), due=none, laid=none)

    def awaiting(self, due: Array, laid: Array) -> Tables:
        return replace(self, played=self.played.at[due, laid].add(1), due=jnp.int32(due), laid=jnp.int32(laid))


@pytree
class Reinforcement(OneRank):
    """Lays what its reward table says worked best for the rank due; in training lays as smart and fills the reward table."""

    glances: ClassVar[bool] = True

    call_two: float = option(0.25, "chance of a call when holding two of the rank claimed", least=0, most=1)
    call_three: float = option(0.75, "chance of a call when holding three", least=0, most=1)
    sharp: bool = option(False, "call whatever is proven to be a bluff")
    soon: int = option(3, "turns ahead whose ranks training keeps", least=0, most=127)
    training: bool = option(False, "lay as smart and fill the reward table", static=True)
    rewards: Any = field(default_factory=shipped_rewards)  # float32[13, 13], by rank due and rank played

    @property
    def remembers(self) -> bool:
        return self.training

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return Tables.blank() if self.training else ()

    def play(self, view: Sight, key: Key) -> tuple[Array, Array]:
        if self.training:
            return true_or(view, latest_above(view, self.soon))
        held, code = view.held_above, self._preferences(view.ranks)
        best = jnp.int32(0)
        for rank in range(view.ranks):
            best = jnp.maximum(best, jnp.where(held[rank] > 0, code[rank][view.due], 0))
        none, above = best == 0, RANKS - best % (RANKS + 1)
        # One of its cards at random may be a true one, of which it then lays no more.
        true = jnp.where((above == 0) & ~none, jnp.clip(view.true_cards, 1, view.most), 1)
        return jnp.where(none, any_above(view, key), above), true

    def _preferences(self, ranks: int) -> Array:
        """For each rank above the one due, by the rank due: a number that is larger the better the reward is, or the same but nearer;
        its remainder by 14 tells which rank it is; 0 without a reward. int32[ranks, ranks]"""
        due, above = np.arange(ranks), np.arange(ranks)[:, None]
        worth = jnp.asarray(self.rewards)[due, (due + above) % ranks]
        better_than = (worth[:, None] > worth).sum(axis=1)
        return jnp.where(worth > 0, (better_than + 1) * (RANKS + 1) + RANKS - above, 0).astype(jnp.int32)

    def calls(self, view: Sight, key: Key) -> Array:
        return CountRule(self.call_two, self.call_three, self.sharp).calls(view, key)

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        action, _ = super().act((), view, legal, key)
        if not self.training:
            return action, memory
        first_pick = (view.asked == 0) & ~view.picked.any()
        rank = (view.due + next_pick(view, self.cards(view, key))) % view.ranks
        learned = memory.settled(view).awaiting(view.due, rank)
        return action, jax.tree.map(lambda new, old: jnp.where(first_pick, new, old), learned, memory)

    def finish(self, memory: Memory, view: View, rewards: Array, key: Key) -> Memory:
        return memory.settled(view) if self.training else memory


def any_above(view: Sight, key: Key) -> Array:
    """How far above the one due the rank of one of one's own cards is, each card as likely as the others."""
    held = [jnp.asarray(view.held_above[above], jnp.int32) for above in range(view.ranks)]
    nth = jnp.floor(jax.random.uniform(key) * sum(held)).astype(jnp.int32)
    passed, above = jnp.int32(0), jnp.int32(0)
    for count in held:
        passed += count
        above += passed <= nth
    return above


def train(games: int = 2400, seed: int = 0) -> Tables:
    """Both reward tables after training at the thesis' table, the four agents taking all 24 orders of seats in turn."""
    from feint.arena.rollout import play
    from feint.games.bluff.agents import Anxious, NoBluff, Smart
    from feint.games.bluff.game import Bluff

    learner = Reinforcement(training=True, rewards=np.zeros((RANKS, RANKS), np.float32))
    agents = (NoBluff(), Smart(), learner, Anxious())
    orders = list(permutations(range(4)))
    length = games // len(orders)
    total = Tables.blank()
    for number, order in enumerate(orders):
        _, memories = play(Bluff(), agents, order, seed=seed, first=number, matches=1, length=length)
        learned = jax.tree.map(itemgetter((0, order.index(2))), memories[2])
        total = replace(total, played=total.played + learned.played, rewards=total.rewards + learned.rewards)
    return total


if __name__ == "__main__":
    np.savetxt(SHIPPED, np.asarray(train().rewards, int), fmt="%d", delimiter=",")
    print(f"{SHIPPED.name}: the reward matrix after 2400 games")
