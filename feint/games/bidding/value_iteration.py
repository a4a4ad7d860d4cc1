"""Agents that plan by value iteration over their own coins and the players left, against a field known or sampled before."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent, Memory, Memoryless
from feint.chance import Key
from feint.errors import NotSmall, UserError
from feint.game import Game, option, pytree
from feint.games.bidding.bidders import Bidder
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import Minima, Plan, best_plan, enumerate_minima, plan, sample_minima, sample_size
from feint.games.bidding.rounds import Rounds
from feint.games.bidding.view import NONE, View
from feint.steps import begun
from feint.ways import Seats

MOST_ANSWERS = 100  # of fictitious play


@pytree
class ValueIteration(Memoryless):
    """The best bids against a field of one agent, by name. Its lowest bids are enumerated where the game is small, else sampled."""

    against: str = option("uniform", "the agent that everybody else is", static=True)
    games: int = option(20_000, "games that are sampled", least=1, most=10**7, static=True)
    seed: int = option(0, "of those games", least=0, most=2**31 - 1, static=True)

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        bids = jnp.asarray(planned(view.players, legal.size - 1, self.against, self.games, self.seed).bids)
        return jnp.where(view.left == 2, view.coins, bids[view.round, view.coins]), memory


@cache
def planned(players: int, coins: int, against: str, games: int, seed: int) -> Plan:
    """The plan of `ValueIteration`."""
    from feint.registry import make_agent

    if games < 1:
        raise UserError(f"value-iteration: games must be a whole number from 1, not {games}.")
    game = Bidding(players, coins)
    with jax.ensure_compile_time_eval():
        opponent: Any = make_agent(against, game)
        try:
            if not isinstance(opponent, Bidder):
                raise NotSmall("only bidders tell their probabilities")
            minima = enumerate_minima(game, opponent)
        except NotSmall:
            minima = sample_minima(game, [opponent], [0] * (players - 1), games, seed)
        return best_plan(minima, coins)


@pytree
class Equilibrium(Memoryless):
    """A convention that is the best answer to itself: the one on which fictitious play from even bids settles."""

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        bid = jnp.asarray(settled(view.players, legal.size - 1))[view.round]
        return jnp.where(view.left == 2, view.coins, jnp.minimum(bid, view.coins)), memory


@pytree
class Population:
    """For each game one of several ways to bid, each as likely as the others: the first any bid at all, the rest by schedules."""

    schedules: Array  # int32[ways, rounds]; the first is not looked at
    ways: Array  # int32: those that are there

    def begin(self, game: Game, seat: Array, key: Key) -> Array:
        return jax.random.randint(key, (), 0, self.ways)

    def act(self, memory: Array, view: View, legal: Array, key: Key) -> tuple[Array, Array]:
        bid = jnp.minimum(self.schedules[memory, view.round], view.coins)
        return jnp.where(memory == 0, chance.choice(key, legal), bid), memory

    def finish(self, memory: Array, view: View, rewards: Array, key: Key) -> Array:
        return jax.random.randint(key, (), 0, self.ways)


@cache
def settled(players: int, coins: int) -> tuple[int, ...]:
    """The convention in which fictitious play ends: time and again the best answer to everything so far joins it."""
    game = Bidding(players, coins)
    past = np.zeros((MOST_ANSWERS, players - 1), np.int32)  # the first stands for any bid at all
    with jax.ensure_compile_time_eval():
        for ways in range(1, MOST_ANSWERS):
            field = Population(jnp.asarray(past), jnp.int32(ways))
            minima = sample_minima(game, [field], [0] * (players - 1), sample_size(players), ways)
            past[ways] = plan(minima.survival(coins)).schedule()
            if ways > 3 and (past[ways - 3 : ways + 1] == past[ways]).all() and is_convention(past[ways], coins):
                return tuple(past[ways].tolist())
    raise UserError(f"Fictitious play of {game} has not settled on a convention after {MOST_ANSWERS - 1} answers.")


def is_convention(schedule: np.ndarray, coins: int) -> bool:
    """Whether no other plan is better against a field in which all others keep to a schedule."""
    players = len(schedule) + 1
    field = Minima(schedule[None], np.arange(players - 1, 0, -1)[None], np.ones(1))
    best = plan(field.survival(coins)).value[0, coins]
    return bool(schedule.sum() == coins and best <= 1 / players + 1e-6)


@pytree
class Choices(Memoryless):
    """Any of the best bids of a table, each as likely as the others."""

    best: Array  # bool[rounds, coins + 1, coins + 1]: by round, purse and bid

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        bid = chance.choice(key, legal & self.best[view.round, view.coins])
        return jnp.where(view.left == 2, view.coins, bid), memory


@pytree
class Transitions:
    """How often a bid was tried with so many coins in each round, and how often it was survived, float32[rounds, coins + 1, coins + 1]."""

    tried: Array
    survived: Array

    @classmethod
    def none(cls, game: Game) -> Transitions:
        blank = jnp.zeros((game.players - 1, game.actions, game.actions))
        return cls(blank, blank)

    def and_of(self, view: View) -> Transitions:
        """With those of a finished game as one player saw it."""
        bids = view.bids.astype(jnp.int32)
        before = view.purse - jnp.cumsum(jnp.maximum(bids, 0)) + jnp.maximum(bids, 0)
        at = (jnp.arange(len(bids)), before, bids)
        made = (bids != NONE).astype(jnp.float32)
        return Transitions(self.tried.at[at].add(made), self.survived.at[at].add(made * (view.out != view.seat)))

    def plan(self) -> tuple[Array, Array]:
        """What value iteration holds best, with the sampled shares as chances: bids, bool[rounds, coins + 1, coins + 1], and the chance
        to win that it expects with each purse, float32[coins + 1]. What was never tried counts as never survived.
        """
        coins = jnp.arange(self.tried.shape[1])
        chances = self.survived / jnp.maximum(self.tried, 1)
        kept = coins[:, None] - coins

        def back(value: Array, chance: Array) -> tuple[Array, Array]:
            worth = jnp.where(kept >= 0, chance * value[kept], -1.0)
            best = worth.max(axis=1)
            return best, worth >= best[:, None] - 1e-7

        value, best = jax.lax.scan(back, jnp.ones(coins.size), chances, reverse=True)
        return best, value


@pytree
class Sampled:
    """What the paper's value iteration knows."""

    transitions: Transitions
    best: Array  # bool[rounds, coins + 1, coins + 1]
    games: Array  # int32


@pytree
class MaximumLikelihood:
    """The paper's value iteration: random bids for so many games, then for ever the best ones by what it saw in those."""

    games: int = option(10_000, "games of random bids", least=1, most=2**31 - 1)

    def begin(self, game: Game, seat: Array, key: Key) -> Sampled:
        none = Transitions.none(game)
        return Sampled(none, jnp.ones(none.tried.shape, bool), jnp.int32(0))

    def act(self, memory: Sampled, view: View, legal: Array, key: Key) -> tuple[Array, Sampled]:
        return Choices(memory.best).act((), view, legal, key)[0], memory

    def finish(self, memory: Sampled, view: View, rewards: Array, key: Key) -> Sampled:
        games = memory.games + 1
        learning = games <= self.games
        seen = jax.tree.map(
            lambda new, old: jnp.where(learning, new, old), memory.transitions.and_of(view), memory.transitions
        )
        return Sampled(seen, jnp.where(games == self.games, seen.plan()[0], memory.best), games)


def maximum_likelihood(game: Bidding, opponent: Agent, games: int, seed: int = 0, lanes: int = 2000) -> Choices:
    """What the paper's value iteration plays after so many games in seat 0, each of them a match of its own."""
    return Choices(jax.jit(Transitions.plan)(explored(game, opponent, games, seed, lanes))[0])


def explored(game: Bidding, opponent: Agent, games: int, seed: int = 0, lanes: int = 2000) -> Transitions:
    """What random bids in seat 0 show in so many games, each of them a match of its own."""
    total = Transitions.none(game)
    for start in range(0, games, lanes):
        numbers = start + jnp.arange(min(lanes, games - start))
        total = jax.tree.map(jnp.add, total, _transitions(game, opponent, seed, numbers))
    return total


@partial(jax.jit, static_argnames="game")
def _transitions(game: Bidding, opponent: Agent, seed: Array, numbers: Array) -> Transitions:
    agents = (MaximumLikelihood(), opponent)
    others = game.players - 1
    seats = Seats.taken(jnp.array([0] + [1] * others, jnp.int32), (1, others))

    def one_game(number: Array) -> View:
        key = chance.game_key(seed, number, 0)
        played, _ = Rounds(game, agents).play(key, seats, begun(game, agents, seats, key))
        return game.observe(played.state, jnp.int32(0))

    views = jax.vmap(one_game)(numbers)
    total, _ = jax.lax.scan(lambda total, view: (total.and_of(view), None), Transitions.none(game), views)
    return total
