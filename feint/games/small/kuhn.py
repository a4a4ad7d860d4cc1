"""Kuhn poker for any number of players."""

from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.game import Game, Measure, Unit, option, pytree
from feint.words import Words

PASS, BET = 0, 1  # check or fold, bet or call


@pytree
class State(game.State):
    cards: Array  # int32[players]
    bets: Array  # bool[players]: who has bet or called
    opened: Array  # the move that made the first bet, -1 before
    moves: Array  # int32: moves made
    history: Array  # int32[longest]: every move, -1 for those to come


@pytree
class View(game.View):
    card: Array  # int32: one's own
    moves: Array  # int32: moves made
    history: Array  # int32[longest]


@dataclass(frozen=True)
class Kuhn(Game[State, View]):
    """One card each from a deck of players + 1, one bet; the highest card still in takes the pot."""

    name: ClassVar[str] = "kuhn"
    measure: ClassVar[Measure] = "payoff"

    players: int = option(2, "seats at the table", least=2, most=6)

    @property
    def unit(self) -> Unit:
        return Unit("antes")

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -2.0, 2.0 * (self.players - 1)

    @property
    def actions(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return 2 * self.players - 1

    def init(self, key: chance.Key) -> State:
        return self._deal(chance.shuffle(key, self.players + 1)[: self.players])

    def deals(self) -> tuple[State, Array]:
        every = np.array(list(permutations(range(self.players + 1), self.players)), np.int32)
        return jax.vmap(self._deal)(jnp.asarray(every)), jnp.full(len(every), 1 / len(every))

    def move(self, state: State, action: Array) -> State:
        bets = state.bets.at[state.current_player].set(action == BET)
        opened = jnp.where((state.opened < 0) & (action == BET), state.moves, state.opened)
        moves = state.moves + 1
        # Without a bet everyone speaks once; after one, everyone else answers it once.
        over = moves == self.players + jnp.maximum(opened, 0)
        return replace(
            state,
            bets=bets,
            opened=opened,
            moves=moves,
            history=state.history.at[state.moves].set(action),
            current_player=moves % self.players,
            terminated=over,
            rewards=jnp.where(over, self._payoffs(state.cards, bets), 0.0),
        )

    def observe(self, state: State, player: Array) -> View:
        return View(seat=jnp.int32(player), card=state.cards[player], moves=state.moves, history=state.history)

    def encode(self, view: View) -> Array:
        seat = jax.nn.one_hot(view.seat, self.players)
        card = jax.nn.one_hot(view.card, self.players + 1)
        history = jax.nn.one_hot(view.history, self.actions)  # float32[longest, actions]
        return jnp.concatenate([seat, card, history.ravel()])

    @property
    def log(self) -> tuple[int, tuple[int, ...]]:
        return self.longest, (self.actions,)

    def describe(self, view: View, action: int) -> str:
        facing_a_bet = bool((view.history == BET).any())
        return (("check", "bet"), ("fold", "call"))[facing_a_bet][action]

    def words(self) -> type[Words]:
        from feint.games.small.words import KuhnWords

        return KuhnWords

    def redeal(self, view: View, key: chance.Key) -> State:
        others = chance.shuffle(key, self.players + 1)
        others = others[jnp.argsort(others == view.card, stable=True)]  # one's own card last, the rest at random
        seats = jnp.arange(self.players)
        cards = jnp.where(seats == view.seat, view.card, others[seats - (seats > view.seat)])
        start = self._deal(cards)

        def replay(move: Array, state: State) -> State:
            return self.move(state, view.history[move])

        return jax.lax.fori_loop(0, view.moves, replay, start)

    def sound(self, state: State) -> Array:
        held = jnp.zeros(self.players + 1, int).at[state.cards].add(1)
        return held.max() == 1

    def _deal(self, cards: Array) -> State:
        return State(
            cards=cards,
            bets=jnp.zeros(self.players, bool),
            opened=jnp.int32(-1),
            moves=jnp.int32(0),
            history=jnp.full(self.longest, -1),
            current_player=jnp.int32(0),
            legal_action_mask=jnp.ones(self.actions, bool),
            rewards=jnp.zeros(self.players),
            terminated=jnp.bool_(False),
        )

    def _payoffs(self, cards: Array, bets: Array) -> Array:
        paid = 1.0 + bets
        still_in = bets | ~bets.any()
        winner = jnp.argmax(jnp.where(still_in, cards, -1))
        return jnp.zeros(self.players).at[winner].set(paid.sum()) - paid
