"""Leduc hold'em for any number of players: one card each, a community card, two rounds of betting."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.errors import NotSmall
from feint.game import SPECTATOR, Decision, Game, Rows, Unit, option, pytree
from feint.games.small.leduc_betting import SIZES, LeducBets
from feint.games.small.poker_words import LeducNarration

FOLD, CALL, RAISE = 0, 1, 2  # a call with nothing to pay is a check
MOST_RAISES = 2  # in one round
MOST_DEALS = 100_000  # that may be listed
HIDDEN = -1


@pytree
class Deal:
    cards: Array  # int32[players + 1]: one each, the last the community card


@pytree
class State(game.State):
    cards: Array  # int32[players + 1]: one each, the last the community card
    paid: Array  # int32[players]: into the pot
    folded: Array  # bool[players]
    second: Array  # bool: whether the community card has been turned up
    raises: Array  # int32: in this round
    waiting: Array  # int32: how many have yet to act unless somebody raises
    moves: Array  # int32: moves made
    history: Array  # int32[max_moves]: every move, -1 for those to come


@pytree
class View(game.View):
    card: Array  # int32: one's own, HIDDEN from spectators
    public: Array  # int32: the community card, HIDDEN in the first round
    player: Array  # int32: who acts
    paid: Array  # int32[players]
    folded: Array  # bool[players]
    raises: Array  # int32: in this round
    moves: Array  # int32: moves made
    history: Array  # int32[max_moves]
    shown: Array  # int32[players]: the cards shown at the end, HIDDEN where none are


@dataclass(frozen=True)
class Leduc(Game[State, View]):
    """Two cards of each of players + 1 ranks; a pair with the community card beats the highest card."""

    name: ClassVar[str] = "leduc"
    measure: ClassVar = "payoff"
    speech = LeducNarration
    gallery = ("random", "zoo:leduc-1", "zoo:leduc-2")
    betting = LeducBets
    varies = ("players",)

    players: int = option(2, "seats at the table", least=2, most=6)
    suits: bool = option(False, "tell the two cards of a rank apart, though nothing depends on it")

    @property
    def ranks(self) -> int:
        return self.players + 1

    @property
    def kinds(self) -> int:
        """Cards that can be told apart."""
        return 2 * self.ranks if self.suits else self.ranks

    @property
    def actions(self) -> int:
        return 3

    @property
    def max_moves(self) -> int:
        # In each round: all but one check, a raise, all but one call, a raise, all others call.
        return 2 * (3 * self.players - 2)

    @property
    def unit(self) -> Unit:
        return Unit("antes")

    @property
    def payoff_range(self) -> tuple[float, float]:
        most = float(1 + MOST_RAISES * sum(SIZES))
        return -most, most * (self.players - 1)

    def draw(self, key: chance.Key) -> Deal:
        return Deal(self._kind(chance.shuffle(key, 2 * self.ranks)[: self.players + 1]))

    def deals(self) -> tuple[Deal, np.ndarray]:
        if self.kinds ** (self.players + 1) > 10 * MOST_DEALS:
            raise NotSmall(
                f"{self} has too many deals to list; {self.name} lists them for up to 5 players without suits."
            )
        every = np.array(list(product(range(self.kinds), repeat=self.players + 1)), np.int32)
        times = (every[:, :, None] == np.arange(self.kinds)).sum(axis=1)  # how often each kind is dealt
        there = times.max(axis=1) <= (1 if self.suits else 2)
        # Of a rank that is dealt, once or twice, either card can come first.
        ways = np.where(self.suits, 1.0, 2.0 ** (times > 0).sum(axis=1))[there]
        return Deal(jnp.asarray(every[there], jnp.int32)), ways / ways.sum()

    def deal(self, deal: Deal) -> State:
        return State(
            cards=deal.cards,
            paid=jnp.ones(self.players, int),
            folded=jnp.zeros(self.players, bool),
            second=jnp.bool_(False),
            raises=jnp.int32(0),
            waiting=jnp.int32(self.players),
            moves=jnp.int32(0),
            history=jnp.full(self.max_moves, -1, jnp.int32),
            current_player=jnp.int32(0),
            legal_action_mask=jnp.array([False, True, True]),
            rewards=jnp.zeros(self.players),
            terminated=jnp.bool_(False),
        )

    def move(self, state: State, action: Array) -> State:
        player = state.current_player
        raised = action == RAISE
        owed = state.paid.max() + raised * jnp.where(state.second, SIZES[1], SIZES[0])
        mine = jnp.arange(self.players) == player
        folded = state.folded | (mine & (action == FOLD))
        paid = jnp.where(mine & (action != FOLD), owed, state.paid)
        left = (~folded).sum()
        waiting = jnp.where(raised, left - 1, state.waiting - 1)
        ended = waiting == 0  # the round
        over = (left == 1) | (ended & state.second)
        after = replace(
            state,
            paid=paid,
            folded=folded,
            second=state.second | (ended & ~over),
            raises=jnp.where(ended, 0, state.raises + raised),
            waiting=jnp.where(ended, left, waiting),
            moves=state.moves + 1,
            history=jnp.where(jnp.arange(self.max_moves) == state.moves, action, state.history),
            # A round begins with the first seat still in.
            current_player=self._next(folded, jnp.where(ended, self.players - 1, player)),
            terminated=over,
            rewards=jnp.where(over, self._payoffs(state.cards, paid, folded), 0.0),
        )
        return replace(after, legal_action_mask=self._legal(after))

    def observe(self, state: State, player: Array) -> View:
        return replace(self.spectate(state), seat=jnp.int32(player), card=state.cards[player])

    def spectate(self, state: State) -> View:
        return View(
            seat=jnp.int32(SPECTATOR),
            card=jnp.int32(HIDDEN),
            public=jnp.where(state.second, state.cards[-1], HIDDEN),
            player=state.current_player,
            paid=state.paid,
            folded=state.folded,
            raises=state.raises,
            moves=state.moves,
            history=state.history,
            shown=jnp.where(self._shows(state), state.cards[:-1], HIDDEN),
        )

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return {
            "seat": jax.nn.one_hot(view.seat, self.players),
            "card": jax.nn.one_hot(view.card, self.kinds),
            "public": jax.nn.one_hot(view.public, self.kinds),
            "paid": view.paid / (1 + MOST_RAISES * sum(SIZES)),
            "folded": view.folded,
            "history": Rows(jax.nn.one_hot(view.history, self.actions)),
        }

    def tells(self, view: View) -> dict[str, Array]:
        """What everybody paid, who folded and what was shown."""
        return {
            "paid": view.paid / (1 + MOST_RAISES * sum(SIZES)),
            "folded": view.folded.astype(jnp.float32),
            "shown": jax.nn.one_hot(view.shown, self.kinds),
        }

    def abstractions(self) -> dict[str, Callable[[View], View]]:
        """ranks: the two cards of a rank are the same."""

        def ranks(view: View) -> View:
            return replace(view, card=self._rank(view.card), public=self._rank(view.public))

        return {"ranks": ranks} if self.suits else {}

    def decision_reader(self) -> "LeducReader":
        return LeducReader(self)

    def describe(self, view: View, action: int) -> str:
        owes = int(view.paid.max() - view.paid[view.player])
        size = SIZES[int(view.public) != HIDDEN]
        if action == FOLD:
            return "fold"
        if action == CALL:
            return f"call {owes}" if owes else "check"
        return f"raise by {size}" if owes else f"bet {size}"

    def deal_of(self, state: State) -> Deal:
        return Deal(state.cards)

    def moves_seen(self, view: View) -> Array:
        return view.history

    def redeal(self, view: View, key: chance.Key) -> State:
        # What is bet does not depend on the cards: any will do to bet it again.
        start = self.deal(self.draw(key))
        said = jax.lax.fori_loop(0, view.moves, lambda move, state: self.move(state, view.history[move]), start)
        shown = jnp.where(self._shows(said), view.shown, HIDDEN)
        own = jnp.where(jnp.arange(self.players) == view.seat, view.card, shown)
        known = jnp.append(own, jnp.where(said.second, view.public, HIDDEN))
        taken = known
        if not self.suits:  # any two cards of a rank, but not the same one twice
            again = jnp.tril(known[:, None] == known, -1).any(axis=1)
            taken = jnp.where(known == HIDDEN, HIDDEN, 2 * known + again)
        order = chance.shuffle(key, 2 * self.ranks)
        left = self._kind(order[jnp.argsort((order[:, None] == taken).any(axis=1), stable=True)])  # taken cards last
        cards = jnp.where(known == HIDDEN, left[jnp.cumsum(known == HIDDEN) - 1], known)
        payoffs = self._payoffs(cards, said.paid, said.folded)
        return replace(said, cards=cards, rewards=jnp.where(said.terminated, payoffs, 0.0))

    def is_valid(self, state: State) -> Array:
        dealt = (state.cards[:, None] == jnp.arange(self.kinds)).sum(axis=0)
        there = (dealt.max() <= (1 if self.suits else 2)) & (dealt.sum() == self.players + 1)
        live = jnp.where(state.folded, 0, state.paid)
        return there & (live.max() == state.paid.max())

    def _kind(self, card: Array) -> Array:
        """A card of the deck, 0 .. 2 ranks - 1, as players see it."""
        return card if self.suits else card // 2

    def _rank(self, kind: Array) -> Array:
        return kind // 2 if self.suits else kind

    def _next(self, folded: Array, player: Array) -> Array:
        """The first seat after a player's that is still in."""
        seats = jnp.arange(self.players)
        away = jnp.where(folded, self.players, (seats - player - 1) % self.players)
        return ((player + 1 + away.min()) % self.players).astype(jnp.int32)

    def _shows(self, state: State) -> Array:
        """Who shows a card, bool[players]: at the end, where several are still in, they do."""
        return state.terminated & ~state.folded & ((~state.folded).sum() > 1)

    def _legal(self, state: State) -> Array:
        owes = state.paid[state.current_player] < state.paid.max()
        return jnp.stack([owes, jnp.bool_(True), state.raises < MOST_RAISES])

    def strengths(self, cards: Array) -> Array:
        """What everybody's card is worth with the community card, int32[players]."""
        rank = self._rank(cards)
        return rank[:-1] + self.ranks * (rank[:-1] == rank[-1])

    def _payoffs(self, cards: Array, paid: Array, folded: Array) -> Array:
        strength = jnp.where(folded, -1, self.strengths(cards))
        winners = strength == strength.max()
        return winners * paid.sum() / winners.sum() - paid


@pytree
class LeducReader:
    """What a model of players reads of a decision at Leduc hold'em."""

    situations: ClassVar[int] = 2  # with nothing to pay, and with something
    habits: ClassVar[tuple[int, ...]] = (FOLD, RAISE)

    game: Leduc

    def read(self, view: View) -> Decision:
        owes = view.paid[view.player] < view.paid.max()
        turned_up = view.public != HIDDEN
        rank, public = self.game._rank(view.card), self.game._rank(view.public)
        read = (
            owes,
            view.raises / MOST_RAISES,
            turned_up,
            jnp.where(turned_up, public / self.game.players, 0.0),
            view.paid.sum() / (self.game.players * (1 + MOST_RAISES * sum(SIZES))),
            (~view.folded).sum() / self.game.players,
            view.player / (self.game.players - 1),
        )
        return Decision(
            public=jnp.stack([jnp.asarray(each, jnp.float32) for each in read]),
            hidden=jnp.where(turned_up & (rank == public), 1.0, rank / (self.game.players + 1))[None],
            situation=owes.astype(jnp.int32),
        )
