"""Kuhn poker for any number of players."""

from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.game import SPECTATOR, Game, Rows, Unit, option, pytree
from feint.games.small.poker_words import KuhnNarration

HIDDEN = -1
PASS, BET = 0, 1  # check or fold, bet or call


@pytree
class Deal:
    cards: Array  # int32[players]


@pytree
class State(game.State):
    cards: Array  # int32[players]
    bets: Array  # bool[players]: who has bet or called
    opened: Array  # the move that made the first bet, -1 before
    moves: Array  # int32: moves made
    history: Array  # int32[max_moves]: every move, -1 for those to come


@pytree
class View(game.View):
    card: Array  # int32: one's own, HIDDEN from spectators
    moves: Array  # int32: moves made
    history: Array  # int32[max_moves]
    shown: Array  # int32[players]: the cards shown at the end, HIDDEN where none are


@dataclass(frozen=True)
class Kuhn(Game[State, View]):
    """One card each from a deck of players + 1, one bet; the highest card still in takes the pot."""

    name: ClassVar[str] = "kuhn"
    measure: ClassVar = "payoff"
    speech = KuhnNarration
    varies = ("players",)
    gallery = ("random", "zoo:kuhn-1")

    players: int = option(2, "seats at the table", least=2, most=6)

    @property
    def actions(self) -> int:
        return 2

    @property
    def max_moves(self) -> int:
        return 2 * self.players - 1

    @property
    def unit(self) -> Unit:
        return Unit("antes")

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -2.0, 2.0 * (self.players - 1)

    def draw(self, key: chance.Key) -> Deal:
        return Deal(chance.shuffle(key, self.players + 1)[: self.players])

    def deals(self) -> tuple[Deal, Array]:
        every = np.array(list(permutations(range(self.players + 1), self.players)), np.int32)
        return Deal(jnp.asarray(every, jnp.int32)), jnp.full(len(every), 1 / len(every))

    def deal(self, deal: Deal) -> State:
        return State(
            cards=deal.cards,
            bets=jnp.zeros(self.players, bool),
            opened=jnp.int32(-1),
            moves=jnp.int32(0),
            history=jnp.full(self.max_moves, -1, jnp.int32),
            current_player=jnp.int32(0),
            legal_action_mask=jnp.ones(self.actions, bool),
            rewards=jnp.zeros(self.players),
            terminated=jnp.bool_(False),
        )

    def move(self, state: State, action: Array) -> State:
        bets = jnp.where(jnp.arange(self.players) == state.current_player, action == BET, state.bets)
        opened = jnp.where((state.opened < 0) & (action == BET), state.moves, state.opened)
        moves = state.moves + 1
        # Without a bet everyone speaks once; after one, everyone else answers it once.
        over = moves == self.players + jnp.maximum(opened, 0)
        return replace(
            state,
            bets=bets,
            opened=opened,
            moves=moves,
            history=jnp.where(jnp.arange(self.max_moves) == state.moves, action, state.history),
            current_player=moves % self.players,
            terminated=over,
            rewards=jnp.where(over, self._payoffs(state.cards, bets), 0.0),
        )

    def observe(self, state: State, player: Array) -> View:
        return replace(self.spectate(state), seat=jnp.int32(player), card=state.cards[player])

    def spectate(self, state: State) -> View:
        return View(
            seat=jnp.int32(SPECTATOR),
            card=jnp.int32(HIDDEN),
            moves=state.moves,
            history=state.history,
            shown=jnp.where(self._shows(state), state.cards, HIDDEN),
        )

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return {
            "seat": jax.nn.one_hot(view.seat, self.players),
            "card": jax.nn.one_hot(view.card, self.players + 1),
            "history": Rows(jax.nn.one_hot(view.history, self.actions)),
        }

    def tells(self, view: View) -> dict[str, Array]:
        """How often everybody did what, without and with a bet before it, and which cards were shown."""
        bets = view.history == BET
        who = jax.nn.one_hot(jnp.arange(self.max_moves) % self.players, self.players)
        facing = jax.nn.one_hot((jnp.cumsum(bets) > bets).astype(int), 2)
        did = jax.nn.one_hot(view.history, self.actions)
        return {
            "acts": jnp.einsum("mp,mf,ma->pfa", who, facing, did),
            "shown": jax.nn.one_hot(view.shown, self.players + 1),
        }

    def describe(self, view: View, action: int) -> str:
        facing_a_bet = bool((view.history == BET).any())
        return (("check", "bet"), ("fold", "call"))[facing_a_bet][action]

    def deal_of(self, state: State) -> Deal:
        return Deal(state.cards)

    def moves_seen(self, view: View) -> Array:
        return view.history

    def redeal(self, view: View, key: chance.Key) -> State:
        # What is said does not depend on the cards: any will do to say it again.
        start = self.deal(self.draw(key))
        said = jax.lax.fori_loop(0, view.moves, lambda move, state: self.move(state, view.history[move]), start)
        shown = jnp.where(self._shows(said), view.shown, HIDDEN)
        known = jnp.where(jnp.arange(self.players) == view.seat, view.card, shown)
        others = chance.shuffle(key, self.players + 1)
        others = others[jnp.argsort((others[:, None] == known).any(axis=1), stable=True)]  # known cards last
        cards = jnp.where(known == HIDDEN, others[jnp.cumsum(known == HIDDEN) - 1], known)
        return replace(said, cards=cards, rewards=jnp.where(said.terminated, self._payoffs(cards, said.bets), 0.0))

    def is_valid(self, state: State) -> Array:
        held = (state.cards[:, None] == jnp.arange(self.players + 1)).sum(axis=0)
        return (held.max() == 1) & (held.sum() == self.players)

    def _still_in(self, bets: Array) -> Array:
        return bets | ~bets.any()

    def _shows(self, state: State) -> Array:
        """Who shows a card, bool[players]: at the end, where several are still in, they do."""
        still_in = self._still_in(state.bets)
        return state.terminated & still_in & (still_in.sum() > 1)

    def _payoffs(self, cards: Array, bets: Array) -> Array:
        paid = 1.0 + bets
        held = jnp.where(self._still_in(bets), cards, -1)
        return jnp.where(held == held.max(), paid.sum(), 0.0) - paid
