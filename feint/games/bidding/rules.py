"""The rules of Bidding Elimination for one table.

Everybody still in bids once a round, in the order of the seats, and nobody learns a bid before all are in. Then the lowest is
announced, whoever made it goes out, and all bids are gone for good.
"""

from dataclasses import dataclass, replace
from itertools import product
from math import lcm, prod
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.errors import NotSmall
from feint.game import SPECTATOR, Game, option, pytree
from feint.games.bidding.view import NONE, View
from feint.ways import where

MOST_COINS = 1000
MOST_DEALS = 10_000  # that may be listed
MOST_EXACT = 20  # tied players among whom a draw is exactly fair; beyond, it is off by less than two in a million


@pytree
class Deal:
    ties: Array  # int32[rounds]: of k tied players, in the order of the seats, number ties % k goes out


@pytree
class State(game.State):
    coins: Array  # int16[players]
    bids: Array  # int16[rounds, players]: every bid made, NONE where there is none; this round's are still sealed
    lowest: Array  # int16[rounds], NONE for those to come
    out: Array  # int16[rounds]: who went out
    alive: Array  # bool[players]
    ties: Array  # int32[rounds]: drawn in the deal; of k tied players, in the order of the seats, number ties % k goes out
    round: Array  # int32: rounds settled


@dataclass(frozen=True)
class Rules(Game[State, View]):
    """The rules alone; `feint.games.bidding.game` adds what a game has beside them."""

    name: ClassVar[str] = "bidding"
    payoff_sum: ClassVar[float | None] = 1.0
    simultaneous: ClassVar[bool] = True

    players: int = option(3, "seats at the table", least=2, most=300)
    coins: int = option(10, "coins in each purse", least=1, most=MOST_COINS)
    final: str = option("all-in", "the last two bid all they have, or may choose", choices=("all-in", "played"))

    @property
    def actions(self) -> int:
        """Action a is a bid of a coins."""
        return self.coins + 1

    @property
    def rounds(self) -> int:
        return self.players - 1

    @property
    def max_moves(self) -> int:
        return self.players * (self.players + 1) // 2 - 1

    @property
    def draws(self) -> np.ndarray:
        """How many values the draw for ties has in each round, so that any number of tied players divides it, int32[rounds]."""
        return np.array([lcm(*range(1, min(left, MOST_EXACT) + 1)) for left in range(self.players, 1, -1)], np.int32)

    @property
    def payoff_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def draw(self, key: chance.Key) -> Deal:
        return Deal(jax.random.randint(key, (self.rounds,), 0, self.draws))

    def deals(self) -> tuple[Deal, Array]:
        count = prod(map(int, self.draws))
        if count > MOST_DEALS:
            raise NotSmall(
                f"{self} has {count:.3g} deals, which are the ways ties can be broken; at most {MOST_DEALS:,} are listed, those of 5 players."
            )
        every = np.array(list(product(*map(range, self.draws))), np.int32)
        return Deal(jnp.asarray(every, jnp.int32)), jnp.full(count, 1 / count)

    def deal(self, deal: Deal) -> State:
        blank = jnp.full(self.rounds, NONE, jnp.int16)
        return self.ready(
            State(
                coins=jnp.full(self.players, self.coins, jnp.int16),
                bids=jnp.full((self.rounds, self.players), NONE, jnp.int16),
                lowest=blank,
                out=blank,
                alive=jnp.ones(self.players, bool),
                ties=deal.ties,
                round=jnp.int32(0),
                current_player=jnp.int32(0),
                legal_action_mask=jnp.zeros(self.actions, bool),
                rewards=jnp.zeros(self.players),
                terminated=jnp.bool_(False),
            )
        )

    def smaller(self, state: State, players: int | Array, coins: int | Array) -> State:
        """A deal as that of a game of fewer players and coins, which is the last rounds of this one: compiled once, all are played."""
        return self.ready(
            replace(
                state,
                coins=jnp.full(self.players, coins, jnp.int16),
                alive=jnp.arange(self.players) < players,
                round=jnp.asarray(self.players - players, jnp.int32),
            )
        )

    def move(self, state: State, action: Array) -> State:
        player = state.current_player
        later = state.alive & (jnp.arange(self.players) > player)
        sealed = replace(
            state,
            coins=state.coins.at[player].add(-action.astype(jnp.int16)),
            bids=state.bids.at[state.round, player].set(action.astype(jnp.int16)),
            current_player=jnp.argmax(later).astype(jnp.int32),
        )
        return self.ready(where(later.any(), sealed, self._settle(sealed)))

    def bid_all(self, state: State, bids: Array) -> State:
        """The state after a whole round: as many moves in one. `bids`, int[players], must be legal for those still in."""
        made = jnp.where(state.alive, bids, NONE).astype(jnp.int16)
        sealed = replace(
            state,
            coins=state.coins - jnp.maximum(made, 0),
            bids=jax.lax.dynamic_update_index_in_dim(state.bids, made, state.round, 0),
        )
        return self.ready(self._settle(sealed))

    def _settle(self, state: State) -> State:
        """All bids are in: the lowest is announced and one who made it goes out."""
        bids = jnp.where(state.alive, state.bids[state.round], jnp.int16(self.coins + 1))
        lowest = bids.min()
        tied = bids == lowest
        nth = state.ties[state.round] % tied.sum()
        out = jnp.argmax(jnp.cumsum(tied) > nth)
        alive = state.alive & (jnp.arange(self.players) != out)
        over = alive.sum() == 1
        return replace(
            state,
            lowest=state.lowest.at[state.round].set(lowest),
            out=state.out.at[state.round].set(out.astype(jnp.int16)),
            alive=alive,
            round=state.round + 1,
            current_player=jnp.argmax(alive).astype(jnp.int32),
            terminated=over,
            rewards=jnp.where(over & alive, 1.0, 0.0),
        )

    def ready(self, state: State) -> State:
        return replace(
            state, legal_action_mask=self.affordable(state.coins[state.current_player], self.players - state.round)
        )

    def affordable(self, coins: Array, left: Array) -> Array:
        """The bids that somebody with so many coins may make while so many are left, bool[actions]."""
        bids = jnp.arange(self.actions)
        # With two left nobody is saved by a coin kept back: to bid all is never worse.
        forced = (left <= 2) & (self.final == "all-in")
        return jnp.where(forced, bids == coins, bids <= coins)

    def observe(self, state: State, player: Array) -> View:
        return View(
            seat=jnp.int32(player),
            coins=state.coins[player],
            bids=state.bids[:, player],
            lowest=state.lowest,
            out=state.out,
            alive=state.alive,
            round=state.round,
            turn=state.current_player,
        )

    def spectate(self, state: State) -> View:
        nothing = jnp.full(self.rounds, NONE, jnp.int16)
        return replace(
            self.observe(state, jnp.int32(0)), seat=jnp.int32(SPECTATOR), coins=jnp.int16(NONE), bids=nothing
        )

    def is_valid(self, state: State) -> Array:
        """Every coin is in a purse or was bid, and one player went out in each round, with the lowest bid."""
        held = state.coins + jnp.maximum(state.bids, 0).sum(axis=0)  # at first
        least = self.drawn.get("coins", self.coins)
        settled = jnp.arange(self.rounds) < state.round
        smallest = jnp.where(state.bids == NONE, self.coins + 1, state.bids).min(axis=1)
        announced = jnp.where(
            settled, (state.lowest == smallest) & (state.out >= 0), (state.lowest == NONE) & (state.out == NONE)
        )
        return (
            ((state.coins >= 0) & (held == held[0]) & (held >= least) & (held <= self.coins)).all()
            & ((state.ties >= 0) & (state.ties < self.draws)).all()
            & announced.all()
            & (state.alive.sum() == self.players - state.round)
        )
