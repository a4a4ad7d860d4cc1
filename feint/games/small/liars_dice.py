"""Liar's Dice, one round: bid on what lies under all the cups, or call the last bidder a liar."""

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.errors import NotSmall
from feint.game import SPECTATOR, Game, Rows, option, pytree
from feint.games.small.dice_words import LiarsDiceKeyboard, LiarsDiceNarration

MOST_DEALS = 100_000  # that may be listed
HIDDEN = -1


@pytree
class Deal:
    hands: Array  # int32[players, sides]: how many dice of each player show each face


@pytree
class State(game.State):
    hands: Array  # int32[players, sides]: how many dice of each player show each face
    bids: Array  # bool[bids]: those made; each was higher than the one before, so this is their order too
    moves: Array  # int32: moves made


@pytree
class View(game.View):
    hand: Array  # int32[sides]: one's own dice by face, HIDDEN from spectators
    bids: Array  # bool[bids]
    moves: Array  # int32: moves made; players bid in turn, so who bid what is known
    shown: Array  # int32[players, sides]: everybody's dice once somebody has called, HIDDEN before


@dataclass(frozen=True)
class LiarsDice(Game[State, View]):
    """Each bid says that at least so many dice show a face, and tops the one before; the highest face counts as any."""

    name: ClassVar[str] = "liars-dice"
    speech = LiarsDiceNarration
    keyboard = LiarsDiceKeyboard
    gallery = ("random", "zoo:dice-1")

    players: int = option(2, "seats at the table", least=2, most=6)
    dice: int = option(1, "dice under each cup", least=1, most=6)
    sides: int = option(6, "faces of a die; the highest is wild", least=2, most=6)

    @property
    def bids(self) -> int:
        """Bid b says: at least 1 + b // sides dice show face b % sides."""
        return self.players * self.dice * self.sides

    @property
    def actions(self) -> int:
        return self.bids + 1

    @property
    def liar(self) -> int:
        return self.bids

    @property
    def max_moves(self) -> int:
        return self.bids + 1

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -1.0, 1 / (self.players - 1)

    def draw(self, key: chance.Key) -> Deal:
        dice = jax.random.randint(key, (self.players, self.dice), 0, self.sides)
        return Deal((dice[:, :, None] == jnp.arange(self.sides)).sum(axis=1))

    def deal(self, deal: Deal) -> State:
        return State(
            hands=deal.hands,
            bids=jnp.zeros(self.bids, bool),
            moves=jnp.int32(0),
            current_player=jnp.int32(0),
            legal_action_mask=jnp.arange(self.actions) != self.liar,
            rewards=jnp.zeros(self.players),
            terminated=jnp.bool_(False),
        )

    def deals(self) -> tuple[Deal, np.ndarray]:
        count = comb(self.dice + self.sides - 1, self.dice) ** self.players
        if count > MOST_DEALS:
            raise NotSmall(f"{self} has {count:,} deals, more than the {MOST_DEALS:,} that can be listed.")
        thrown = list(combinations_with_replacement(range(self.sides), self.dice))
        hands = [[faces.count(face) for face in range(self.sides)] for faces in thrown]
        ways = [factorial(self.dice) / prod(map(factorial, hand)) for hand in hands]
        every = np.array(list(product(hands, repeat=self.players)), np.int32)
        weights = np.prod(list(product(ways, repeat=self.players)), axis=1)
        return Deal(jnp.asarray(every, jnp.int32)), weights / weights.sum()

    def move(self, state: State, action: Array) -> State:
        called = action == self.liar
        bids = state.bids | (jnp.arange(self.bids) == action)
        return replace(
            state,
            bids=bids,
            moves=state.moves + 1,
            current_player=((state.moves + 1) % self.players).astype(jnp.int32),
            legal_action_mask=jnp.append(jnp.arange(self.bids) > self._last(bids), True),
            terminated=called,
            rewards=jnp.where(called, self._payoffs(state.hands, state.bids, state.current_player), 0.0),
        )

    def _payoffs(self, hands: Array, bids: Array, caller: Array) -> Array:
        """What a call of the last bid pays."""
        last = self._last(bids)
        face, wild = last % self.sides, self.sides - 1
        shown = hands.sum(axis=0)
        holds = shown[face] + jnp.where(face == wild, 0, shown[wild]) >= 1 + last // self.sides
        loser = jnp.where(holds, caller, (caller - 1) % self.players)
        return jnp.where(jnp.arange(self.players) == loser, -1.0, 1 / (self.players - 1))

    def observe(self, state: State, player: Array) -> View:
        return replace(self.spectate(state), seat=jnp.int32(player), hand=state.hands[player])

    def spectate(self, state: State) -> View:
        return View(
            seat=jnp.int32(SPECTATOR),
            hand=jnp.full(self.sides, HIDDEN),
            bids=state.bids,
            moves=state.moves,
            shown=jnp.where(state.terminated, state.hands, HIDDEN),
        )

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return {
            "seat": jax.nn.one_hot(view.seat, self.players),
            "hand": view.hand[:, None] > jnp.arange(self.dice),  # bool[sides, dice]: at least so many
            "bids": view.bids,
        }

    def describe(self, view: View, action: int) -> str:
        if action == self.liar:
            return "call liar"
        count, face = 1 + action // self.sides, 1 + action % self.sides
        return f"bid {count} × {face}"

    def deal_of(self, state: State) -> Deal:
        return Deal(state.hands)

    def moves_seen(self, view: View) -> Array:
        """Every bid is higher than those before it; after a call nobody moves."""
        bids = jnp.nonzero(view.bids, size=self.max_moves, fill_value=-1)[0]
        return jnp.where(
            jnp.arange(self.max_moves) == view.bids.sum(), jnp.where(self._called(view), self.liar, -1), bids
        )

    def redeal(self, view: View, key: chance.Key) -> State:
        over = self._called(view)
        rolled = self.draw(key).hands.at[view.seat].set(view.hand)
        start = self.deal(Deal(jnp.where(over, view.shown, rolled)))
        caller = (view.moves - 1) % self.players
        return replace(
            start,
            bids=view.bids,
            moves=view.moves,
            current_player=(view.moves % self.players).astype(jnp.int32),
            legal_action_mask=jnp.append(jnp.arange(self.bids) > self._last(view.bids), view.bids.any()),
            terminated=over,
            rewards=jnp.where(over, self._payoffs(start.hands, view.bids, caller), 0.0),
        )

    def is_valid(self, state: State) -> Array:
        dice = (state.hands >= 0).all() & (state.hands.sum(axis=1) == self.dice).all()
        return dice & (state.bids.sum() == state.moves - state.terminated)

    def _called(self, view: View) -> Array:
        """Whether somebody has called, bool."""
        return view.bids.sum() < view.moves

    def _last(self, bids: Array) -> Array:
        """The highest bid, -1 before the first."""
        return jnp.max(jnp.where(bids, jnp.arange(self.bids), -1))
