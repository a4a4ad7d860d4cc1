"""The strong agent of Bidding Elimination: it learns the field while it plays and plans against what it has learned.

Any convention shared by all is an equilibrium, so there is no strategy that is good everywhere; what is good depends on who is there. The
agent counts how the lowest bids of each round fall, weighs that against kinds of opponents it knows, draws one field that fits what it has
seen (Thompson's way to explore), and plans a whole game against it by value iteration.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Agent
from feint.chance import Key
from feint.engine import cpu
from feint.game import Game, option, pytree
from feint.games.bidding.bidders import Composition, Drifting, Share, Split, Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import best_plan, plan, sample_minima, sample_size
from feint.games.bidding.three_players import Beliefs, Estimates, one_purse
from feint.games.bidding.view import View

KINDS = (Uniform(), Composition(), Share(), Split(), Drifting(0.1), Drifting(0.01))
SURE = 1e-6  # the least and the most a chance can be, above 0 and below 1


@pytree
class Counts:
    """How often each bid could have been a round's lowest, and how often it was."""

    could: Array  # float32[rounds, coins + 1]
    was: Array  # float32[rounds, coins + 1]


@pytree
class Field:
    """What is known of the field."""

    within: Counts  # while the agent was in the game
    after: Counts  # when it had gone out, and one opponent more was left
    trust: Array  # float32[kinds + 1]: the log-likelihood of each known kind, and last of what was counted
    games: Array  # int32
    bids: Array  # int32[rounds, coins + 1]: the plan for the next game


@pytree
class Adaptive:
    """Learns the field during a match and plans against it; with three players it estimates both opponents one by one."""

    heavy: ClassVar[bool] = True  # with three players

    prior: float = option(1.0, "games that its first idea of each chance counts for", least=1e-3, most=1e6)
    after: float = option(50.0, "games that what it sees after going out counts for, at most", least=0, most=1e6)
    explore: float = option(100.0, "games after which it begins to rely on what it knows", least=1e-3, most=1e6)

    def begin(self, game: Game, seat: Array, key: Key) -> Field | Beliefs:
        one_purse("adaptive", game)
        if game.players == 3 and getattr(game, "final", "") == "all-in":
            return Estimates().begin(game, seat, key)
        blank = jnp.zeros((game.players - 1, game.actions))
        counts = Counts(blank, blank)
        # What was counted is trusted more at first: a known kind soon shows itself, and nothing is lost until then.
        trust = jnp.append(jnp.full(len(KINDS), -1.0), 0.0)
        return self._plan(Field(counts, counts, trust, jnp.int32(0), jnp.zeros(blank.shape, jnp.int32)), key)

    def act(self, memory: Field | Beliefs, view: View, legal: Array, key: Key) -> tuple[Array, Field | Beliefs]:
        if isinstance(memory, Beliefs):
            return Estimates().act(memory, view, legal, key)
        return jnp.where(view.left == 2, view.coins, memory.bids[view.round, view.coins]), memory

    def finish(self, memory: Field | Beliefs, view: View, rewards: Array, key: Key) -> Field | Beliefs:
        if isinstance(memory, Beliefs):
            return Estimates().finish(memory, view, rewards, key)
        return self._plan(self._learn(memory, view), key)

    def _learn(self, field: Field, view: View) -> Field:
        """The field after a finished game."""
        rounds = jnp.arange(len(view.lowest))
        went = jnp.min(
            jnp.where(view.out == view.seat, rounds, len(rounds))
        )  # the round in which the agent went out, if it did
        bids = jnp.arange(field.bids.shape[1])
        lowest = view.lowest[:, None]
        reached, was = (bids <= lowest).astype(jnp.float32), (bids == lowest).astype(jnp.float32)
        within, going, after = ((rounds[:, None] < went), (rounds[:, None] == went), (rounds[:, None] > went))

        hazards = self._hazards(field)
        # Having gone out with the lowest bid, it cannot tell whether others had made it too: that is counted by its probability.
        alone = 1 - hazards
        tied = 1 - alone / jnp.maximum(_stays(hazards, _opponents(len(rounds))), SURE)
        seen_within = (within | going) * reached
        known = jnp.stack([*kinds(len(rounds) + 1, len(bids) - 1)[0], hazards])
        told = jnp.log1p(-known) * seen_within * (1 - was) + jnp.log(known) * within * was
        return Field(
            within=Counts(field.within.could + seen_within, field.within.was + was * (within + going * tied)),
            after=Counts(field.after.could + after * reached, field.after.was + after * was),
            trust=field.trust + told.sum(axis=(1, 2)),
            games=field.games + 1,
            bids=field.bids,
        )

    def _hazards(self, field: Field, key: Key | None = None) -> Array:
        """The chance that the others' lowest bid is x where it is not less, float32[rounds, coins + 1]: expected, or drawn."""
        others = _opponents(len(field.bids))
        bids = jnp.arange(field.bids.shape[1])
        first = -jnp.expm1(others * jnp.log1p(-1 / (bids.size + 1.0 - bids)))  # as if everybody bid anything
        # With one opponent more the lowest bid is lower: back to what it would have been.
        seen = jnp.clip(field.after.was / jnp.maximum(field.after.could, 1.0), 0, 1 - SURE)
        seen = -jnp.expm1(jnp.log1p(-seen) * others / (others + 1))
        counted = jnp.minimum(field.after.could, self.after)
        was, could = field.within.was + counted * seen, field.within.could + counted
        # The first idea fades faster than counts grow: if all of them always bid x, a small doubt would still hide how many tie there.
        prior = self.prior / (1 + could)
        was, could = was + prior * first, could + prior
        if key is None:
            return jnp.clip(was / could, SURE, 1 - SURE)
        firm = jnp.maximum(1.0, (field.games + 1) / self.explore)
        return jnp.clip(_beta(key, firm * was, firm * (could - was)), SURE, 1 - SURE)

    def _plan(self, field: Field, key: Key) -> Field:
        """The field with the best bids against one that fits what was seen: a known kind, or one drawn by what was counted."""
        rounds, actions = field.bids.shape
        kind_key, drawn_key = jax.random.split(key)
        fits = jax.random.categorical(kind_key, field.trust)
        drawn = plan(survival(self._hazards(field, drawn_key))).bids
        known = jnp.asarray(kinds(rounds + 1, actions - 1)[1])
        return replace(field, bids=jnp.where(fits == len(KINDS), drawn, known[jnp.minimum(fits, len(KINDS) - 1)]))


def _opponents(rounds: int) -> Array:
    """How many opponents are left in each round while one is in, float32[rounds, 1]."""
    return jnp.arange(rounds, 0, -1.0)[:, None]


def survival(hazards: Array) -> Array:
    """The chance to survive each round with each bid, float32[rounds, coins + 1], if all others bid alike."""
    not_below = jnp.exp(jnp.cumsum(jnp.log1p(-hazards), axis=1) - jnp.log1p(-hazards))
    return 1 - not_below * _stays(hazards, _opponents(len(hazards)))


def _stays(hazards: Array, others: Array) -> Array:
    """The chance to go out with bid x where none of the others is lower, float32[rounds, coins + 1]: alone, or by lot among the tied."""
    one = -jnp.expm1(jnp.log1p(-hazards) / others)  # the chance that one of them bids x, where none is lower
    return -jnp.expm1((others + 1) * jnp.log1p(-one)) / ((others + 1) * one)


def _beta(key: Key, a: Array, b: Array) -> Array:
    """Draws from beta distributions, good to a hundredth or so and many times cheaper than exact ones."""
    a_key, b_key = jax.random.split(key)
    return jax.nn.sigmoid(_log_gamma(a_key, a) - _log_gamma(b_key, b))


def _log_gamma(key: Key, shape: Array) -> Array:
    """Logarithms of gamma draws by Wilson and Hilferty's cube; a shape below one is had from the next one up."""
    normal_key, uniform_key = jax.random.split(key)
    up = shape + 1
    root = 1 - 1 / (9 * up) + jax.random.normal(normal_key, shape.shape) / (3 * jnp.sqrt(up))
    down = jnp.log(jax.random.uniform(uniform_key, shape.shape, minval=SURE)) / jnp.maximum(shape, SURE)
    return jnp.log(up) + 3 * jnp.log(jnp.maximum(root, SURE)) + down


@cache
def kinds(players: int, coins: int) -> tuple[np.ndarray, np.ndarray]:
    """For each known kind of opponents, from sampled games: float32 hazards and the best int32 bids, [kinds, rounds, coins + 1] each.

    Most of the time is compiling, a program for each kind and number of players: all kinds at once, each in a thread, which is also no part
    of a program that is just being traced; and on the CPU, which is through with the games before a GPU's programs are compiled.
    """

    def known(kind: Agent) -> tuple[np.ndarray, np.ndarray]:
        with jax.default_device(cpu()):
            minima = sample_minima(Bidding(players, coins), [kind], [0] * (players - 1), sample_size(players))
            bids = best_plan(minima, coins).bids
        counts = np.stack([np.bincount(column, minlength=coins + 1) for column in minima.lowest.T]) + 1e-3
        return counts / counts[:, ::-1].cumsum(axis=1)[:, ::-1], np.asarray(bids)

    with ThreadPoolExecutor(len(KINDS)) as threads:
        hazards, bids = zip(*threads.map(known, KINDS), strict=True)
    return np.clip(hazards, SURE, 1 - SURE).astype(np.float32), np.asarray(bids, np.int32)
