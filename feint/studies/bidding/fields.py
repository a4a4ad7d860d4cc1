"""Fields of nine opponents at a table of ten with fifty coins: who is in them, the best plan against each, and what agents win there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from feint.agent import Agent, Memory
from feint.arena import rollout
from feint.chance import Key
from feint.game import Game, pytree
from feint.games.bidding.bidders import (
    Bidder,
    Composition,
    Drifting,
    Share,
    Split,
    Uniform,
    chances,
    convention,
    draw_bid,
)
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import Minima, best_plan, sample_minima
from feint.games.bidding.value_iteration import Transitions, explored, planned
from feint.games.bidding.view import View
from feint.studies.bidding.published import LENGTH

GAME = Bidding(players=10, coins=50)
E = (15, 4, 4, 4, 3, 3, 4, 4, 9)  # a convention, found by fictitious play
COURSES = 16_384  # games that a plan is made from
LEARNED = 0.3  # of a match: from there on the adaptive agent's games count


@pytree
class Ways:
    """In each game one of several ways to bid, each as likely as the others; a way goes by one's own coins and the players left."""

    logs: Array  # float32[ways, players + 1, coins + 1, coins + 1]: of probabilities, by players left, coins and bid

    def begin(self, game: Game, seat: Array, key: Key) -> Array:
        return jax.random.randint(key, (), 0, len(self.logs))

    def act(self, memory: Array, view: View, legal: Array, key: Key) -> tuple[Array, Array]:
        return draw_bid(key, self.logs[memory, view.left, view.coins], view, legal), memory

    def finish(self, memory: Memory, view: View, rewards: Array, key: Key) -> Array:
        return jax.random.randint(key, (), 0, len(self.logs))


def ways(*tables: np.ndarray) -> Ways:
    """From probabilities by players left, coins and bid. One way counts as two alike, so that all fields are of one shape."""
    both = np.stack(tables if len(tables) == 2 else tables * 2)
    return Ways(jnp.log(jnp.maximum(jnp.asarray(both, jnp.float32), 1e-30)))


def table_of(bids: np.ndarray) -> np.ndarray:
    """As such probabilities: the bids chosen among, bool[rounds, coins + 1, coins + 1]."""
    table = np.zeros((GAME.players + 1, GAME.actions, GAME.actions))
    table[GAME.players : 1 : -1] = bids / np.maximum(bids.sum(axis=2, keepdims=True), 1)
    return table


@cache
def transitions(games: int, seed: int) -> Transitions:
    """What the paper's value iteration sees in so many games of random bids among random bidders."""
    return explored(GAME, Uniform(), games, seed)


@cache
def sampled(games: int, seed: int) -> tuple[np.ndarray, float]:
    """What the paper's value iteration holds best after so many games, bool[rounds, coins + 1, coins + 1], and the share it expects to win."""
    best, value = jax.jit(Transitions.plan)(transitions(games, seed))
    return np.asarray(best), float(value[GAME.coins])


def least(best: np.ndarray) -> np.ndarray:
    """Of equally good bids only the least: what a plain argmax takes."""
    return best & (best.cumsum(axis=2) == 1)


@cache
def best_reply_to_uniform() -> np.ndarray:
    bids = np.asarray(planned(GAME.players, GAME.coins, "uniform", 20_000, 0).bids)
    return table_of(np.arange(GAME.actions) == bids[..., None])


def of_bidder(bidder: Bidder) -> np.ndarray:
    return chances(bidder, GAME.players, GAME.coins)


# Nine who all bid by one of these tables; or, half and half, by two.
FIELDS: dict[str, Callable[[], Ways]] = {
    "any bid": lambda: ways(of_bidder(Uniform())),
    "random split of all coins": lambda: ways(of_bidder(Composition())),
    "up to twice an even share": lambda: ways(of_bidder(Share())),
    "Dirichlet(5) split": lambda: ways(of_bidder(Split())),
    "value iteration, 10⁴ games": lambda: ways(table_of(sampled(10_000, 0)[0])),
    "value iteration, 10⁵ games": lambda: ways(table_of(sampled(100_000, 0)[0])),
    "convention E": lambda: ways(of_bidder(convention(E))),
    "half any bid, half its best reply": lambda: ways(of_bidder(Uniform()), best_reply_to_uniform()),
}
# Players that do not learn, by their tables. A learned player joins the tables of the report by a line here.
PLAYERS: dict[str, Callable[[], np.ndarray]] = {
    "best reply to any bid": best_reply_to_uniform,
    "value iteration, 10⁴ games": lambda: table_of(sampled(10_000, 1)[0]),
    "convention E": lambda: of_bidder(convention(E)),
}


@dataclass(frozen=True)
class Bound:
    """What can be won against a field."""

    schedule: list[int]  # the best plan found
    value: float  # the share it wins, in games it was not made from
    error: float  # of that share
    all_knowing: float  # the share won by whoever knows every bid to come


def bound(field: Agent, courses: int, seed: int, tried: int = 2) -> Bound:
    """The best plan found against a field, by value iteration and moves of single coins, tried on so many times as many games."""
    seating = [0] * (GAME.players - 1)
    schedule = best_plan(sample_minima(GAME, [field], seating, courses, seed), GAME.coins).schedule()
    test = sample_minima(GAME, [field], seating, tried * courses, seed ^ 1)
    won = test.survives(schedule).prod(axis=1)
    return Bound(schedule, float(won.mean()), float(won.std() / len(won) ** 0.5), all_knowing(test, GAME.coins))


def all_knowing(minima: Minima, coins: int) -> float:
    """What nobody can exceed: the share won by whoever knows all lowest bids and ties, and has a coin to spare where a tie is worst."""
    spare = coins - minima.lowest.sum(axis=1, dtype=np.int64)
    odds = np.sort(minima.tied / (minima.tied + 1.0), axis=1)
    safe = np.arange(odds.shape[1]) < spare[:, None]
    return float((np.where(safe, 1.0, odds).prod(axis=1) * (spare >= 0)) @ minima.weight)


def won(player: Agent, fields: Sequence[Ways], matches: int, length: int, seed: int) -> np.ndarray:
    """Whether a player won each game, bool[fields, matches, length]: all fields in one go."""
    stacked = jnp.stack([field.logs for field in fields])
    agents = Partial(_agents, player, stacked)
    return _play(agents, len(fields) * matches, length, seed).reshape(matches, len(fields), length).swapaxes(0, 1)


def _play(agents: Partial, matches: int, length: int, seed: int) -> np.ndarray:
    """Whether seat 0 won each game, bool[matches, length]."""
    seating = [0] + [1] * (GAME.players - 1)
    played, _ = rollout.play(GAME, agents, seating, seed=seed, first=0, matches=matches, length=length, lanes=matches)
    return np.asarray(played.winners)[..., 0]


def _agents(player: Agent, fields: Array, match: Array) -> list[Agent]:
    return [player, Ways(fields[match % len(fields)])]


def drifting(
    player: Agent, settings: Sequence[tuple[float, float]], matches: int, length: int, seed: int
) -> np.ndarray:
    """The same against drifting bidders of several concentrations and chances of change, bool[settings, matches, length]."""
    agents = Partial(_among_drifting, player, jnp.asarray(settings), jnp.int32(world(seed)))
    return _play(agents, len(settings) * matches, length, seed).reshape(matches, len(settings), length).swapaxes(0, 1)


def _among_drifting(player: Agent, settings: Array, first: Array, match: Array) -> list[Agent]:
    field: Any = (*settings[match % len(settings)], first + match)
    return [player, Drifting(*field)]


def world(seed: int) -> int:
    """The first of the worlds of drifting bidders that a seed has."""
    return seed * 100_003 % 2**30


def matches(games: int) -> tuple[int, int]:
    """How many matches a learner plays against a field, and of how many games, where a cell has so many games."""
    return max(2, games // (2 * LENGTH)), min(LENGTH, games)
