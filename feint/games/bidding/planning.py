"""Value iteration for one player of Bidding Elimination against a field that does not know it.

While one survives, the others' lowest bids do not depend on one's own: whoever goes out is the lowest of the others, and that is what
is announced. So a round is fully described by the chance to survive it with each bid, and those chances can be
learned from the others' play alone, for all purses at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import permutations
from math import comb
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.errors import NotSmall
from feint.game import pytree
from feint.games.bidding.bidders import Bidder, chances
from feint.games.bidding.game import Bidding
from feint.games.bidding.rounds import Rounds
from feint.games.bidding.rules import State
from feint.steps import begun
from feint.ways import Memories, Seats

MOST_ROUNDS = 20  # of which a schedule is improved coin by coin
MOST_OUTCOMES = 2_000_000  # of bids in one round, that are enumerated


@pytree
class Plan:
    """What to bid with so many coins in each round, and the chance to win from there."""

    bids: Array  # int32[rounds, coins + 1]
    value: Array  # float[rounds, coins + 1]

    def schedule(self) -> list[int]:
        """The bids of a whole game."""
        coins, made = self.bids.shape[-1] - 1, []
        for row in np.asarray(self.bids):
            made.append(int(row[coins]))
            coins -= made[-1]
        return made


@jax.jit
def plan(survival: Array) -> Plan:
    """The best bids for the chances to survive, float[rounds, coins + 1], of each bid in each round; the last round is all-in."""
    coins = jnp.arange(survival.shape[1])
    kept = coins[:, None] - coins  # by purse, by bid

    def back(value: Array, row: Array) -> tuple[Array, tuple[Array, Array]]:
        worth = jnp.where(kept >= 0, row * value[kept], -1.0)
        best = worth.max(axis=1)
        return best, (jnp.argmax(worth, axis=1).astype(jnp.int32), best)

    _, (bids, value) = jax.lax.scan(back, survival[-1], survival[:-1], reverse=True)
    return Plan(jnp.concatenate([bids, coins[None].astype(jnp.int32)]), jnp.concatenate([value, survival[-1:]]))


@dataclass(frozen=True)
class Minima:
    """What a field's lowest bids can be while one survives: several courses of play, each with its weight."""

    lowest: np.ndarray  # int16[courses, rounds]
    tied: np.ndarray  # int16[courses, rounds]: how many made the lowest bid
    weight: np.ndarray  # float64[courses], in all 1

    def survives(self, bids: Sequence[int] | np.ndarray) -> np.ndarray:
        """The chance to survive each round of each course with these bids, float64[courses, rounds]; ties are drawn by lot."""
        made = np.asarray(bids)
        return np.where(made == self.lowest, self.tied / (self.tied + 1.0), made > self.lowest)

    def survival(self, coins: int) -> np.ndarray:
        """The chance to survive each round with each bid, float64[rounds, coins + 1]; the field may bid more than that."""
        table = np.zeros((self.lowest.shape[1], max(coins, self.lowest.max()) + 2))
        for row, lowest, tied in zip(table, self.lowest.T, self.tied.T, strict=True):
            np.add.at(row, lowest, self.weight * tied / (tied + 1.0))
            np.add.at(row, lowest + 1, self.weight / (tied + 1.0))
        return table.cumsum(axis=1)[:, : coins + 1]

    def value(self, schedule: Sequence[int]) -> float:
        """The chance that a schedule of bids wins."""
        return float(self.survives(schedule).prod(axis=1) @ self.weight)


def best_plan(minima: Minima, coins: int) -> Plan:
    """The plan that wins most against a field.

    Value iteration takes the rounds to be independent, which they nearly are; from there, coins are moved between two rounds of the
    schedule as long as that wins more. With many rounds that would take long and gain nothing.
    """
    first = jax.tree.map(np.array, plan(minima.survival(coins)))
    if len(first.bids) > MOST_ROUNDS:
        return first
    purse, schedule = coins, _improved(minima, first.schedule())
    for round, bid in enumerate(schedule):
        first.bids[round, purse] = bid
        purse -= bid
    first.value[0, coins] = minima.value(schedule)
    return first


def _improved(minima: Minima, start: list[int]) -> list[int]:
    """The schedule after every move of one to three coins from one round to another that wins more, the best first."""
    schedule, best = np.array(start), minima.value(start)
    while True:
        now = minima.survives(schedule)
        move = None
        for step in (1, 2, 3):
            more, less = minima.survives(schedule + step), minima.survives(schedule - step)
            for up, down in permutations(range(len(schedule)), 2):
                if schedule[down] >= step:
                    others = np.delete(now, (up, down), axis=1).prod(axis=1)
                    value = float((others * more[:, up] * less[:, down]) @ minima.weight)
                    if value > best + 1e-12:
                        best, move = value, (up, down, step)
        if move is None:
            return schedule.tolist()
        up, down, step = move
        schedule[up] += step
        schedule[down] -= step


def sample_size(players: int) -> int:
    """Games that show a field well enough in a few seconds: fewer where there are many players and rounds."""
    return max(100, min(8192, 10**7 // players**2))


def sample_minima(
    game: Bidding,
    agents: Sequence[Agent],
    seating: Sequence[int],
    games: int,
    seed: int = 0,
    *,
    size: tuple[int, int] | None = None,
    lanes: int = 4096,
) -> Minima:
    """The minima of a field by play: agent `seating[s - 1]` sits in seat s, and seat 0 is whoever survives. Every game is a match.

    With a size, so many players with so many coins play, at most those of the game.
    """
    players, coins = size or (game.players, game.coins)
    lanes = min(lanes, games)
    parts = [
        jax.device_get(
            _sampled(
                game,
                tuple(agents),
                seed,
                start + np.arange(lanes, dtype=np.int32),
                players,
                coins,
                seating=tuple(seating),
            )
        )
        for start in range(0, games, lanes)
    ]
    lowest, tied = (np.concatenate(each)[:games, : players - 1] for each in zip(*parts, strict=True))
    return Minima(lowest, tied, np.full(games, 1 / games))


@partial(jax.jit, static_argnames=("game", "seating"))
def _sampled(
    game: Bidding,
    agents: tuple[Agent, ...],
    seed: Array,
    numbers: Array,
    players: Array,
    coins: Array,
    *,
    seating: tuple[int, ...],
) -> tuple[Array, Array]:
    rounds = Rounds(game, agents)
    counts = tuple(seating.count(number) for number in range(len(agents)))
    seats = Seats.taken(jnp.array([-1, *seating], jnp.int32), counts)  # nobody in seat 0

    def one_game(number: Array) -> tuple[Array, Array]:
        key = chance.game_key(seed, number, 0)

        def one_round(carry: tuple[State, Memories, Array], _: None) -> tuple[Any, tuple[Array, Array]]:
            state, memories, move = carry
            bids, memories = rounds.bids(state, seats, memories, key, move)
            # Whoever survives: a bid above all others, for nothing.
            after = game.bid_all(state, bids.at[0].set(game.coins + 1))
            tied = (jnp.where(state.alive, bids, -1)[1:] == after.lowest[state.round]).sum()
            after = replace(after, coins=after.coins.at[0].set(game.coins))
            return (after, memories, move + state.alive.sum()), (after.lowest[state.round], tied.astype(jnp.int16))

        deal = game.smaller(game.init(chance.deal_key(key)), players, coins)
        carry = (deal, begun(game, agents, seats, key), jnp.int32(0))
        return jax.lax.scan(one_round, carry, None, length=game.rounds)[1]

    return jax.vmap(one_game)(numbers)


def enumerate_minima(game: Bidding, bidder: Bidder) -> Minima:
    """The minima of bidders of one kind, every course with its probability."""
    others = game.players - 1
    outcomes = (game.coins + 1) ** others
    if outcomes * comb(game.coins + others, others) > MOST_OUTCOMES:
        raise NotSmall(
            f"{game} is too large to enumerate: its {others} opponents can bid in {outcomes:.3g} ways in a round; sample their play instead."
        )
    table = chances(bidder, game.players, game.coins)
    ahead: Courses = {((), (game.coins,) * others): 1.0}
    for left in range(game.players, 1, -1):
        after: Courses = {}
        for (past, held), weight in ahead.items():
            joint = reduce(np.multiply.outer, [table[left, coins, : coins + 1] for coins in held])
            _bid(past, held, weight * joint, after)
        ahead = after
    courses = np.array([past for past, _ in ahead], np.int16)  # [courses, rounds, 2]
    return Minima(courses[..., 0], courses[..., 1], np.array(list(ahead.values())))


# The lowest bids so far with the number tied, and the purses of those still in, in order: their probability.
Courses = dict[tuple[tuple[tuple[int, int], ...], tuple[int, ...]], float]


def _bid(past: tuple[tuple[int, int], ...], held: tuple[int, ...], joint: np.ndarray, after: Courses) -> None:
    """Add what players with these purses can bid, each outcome with its probability `joint`, to the courses after this round."""
    where = np.flatnonzero(joint)
    bids = np.stack(np.unravel_index(where, joint.shape), axis=1)
    weight = joint.ravel()[where]
    lowest = bids.min(axis=1)
    tied = (bids == lowest[:, None]).sum(axis=1)
    kept = np.asarray(held) - bids
    for out in range(len(held)):
        goes = bids[:, out] == lowest
        rest = np.sort(np.delete(kept[goes], out, axis=1), axis=1)
        shown = zip(lowest[goes].tolist(), tied[goes].tolist(), strict=True)
        for seen, purses, likely in zip(shown, map(tuple, rest.tolist()), weight[goes] / tied[goes], strict=True):
            course = ((*past, seen), purses)
            after[course] = after.get(course, 0.0) + likely
