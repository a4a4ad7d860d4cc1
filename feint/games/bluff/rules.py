"""The rules of Bluff for one table.

A turn: the player whose turn it is picks cards one by one and lays them face down as so many of the rank due; the others
are asked clockwise whether they call bluff; the first call settles it. The rank due and the player follow from the
number of the turn alone, since nobody may pass.
"""

from dataclasses import dataclass, replace
from itertools import permutations
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance, game
from feint.errors import NotSmall, UserError
from feint.game import SPECTATOR, Game, option, pytree
from feint.games.bluff.view import NOBODY, Log, View, may_pick, ranks_above

MOST_LISTED = 8  # cards whose every order can be listed


def _small(number: Array) -> Array:
    """A seat or rank as it is kept in states: comparing a whole deck with a wider number would widen the deck."""
    return jnp.asarray(number).astype(jnp.int8)


@pytree
class Deal:
    stamp: Array  # int16[cards]: each card's place in the deck, suit by suit


@pytree
class State(game.State):
    # Where each card is, int8[cards], suit by suit (card = suit * ranks + rank): 0 .. n-1 in that hand, n .. 2n-1 in the pile
    # where that player laid it, 2n picked or laid this turn, 2n+1 out of play.
    place: Array
    stamp: Array  # int16[cards]: when each card came, which orders hands and pile; 4000 turns of 8 cards fit
    laid: Array  # int16: cards laid since the deal
    turn: Array  # int16: turns settled
    asked: Array  # int8: 0 while cards are being picked, k while the k-th player after is asked
    # int8[players, cards], per player who knows it: in whose hand a card was when the pile was last empty; the card is
    # still there or among what that hand has laid since. NOBODY where it cannot be told.
    located: Array
    cleared: Array  # bool[players, ranks]: ranks a player has been through since it last took the pile
    answers: Array  # int16[players, most, 2]: how often a player has trusted and called claims of 1, 2, ... cards
    log: Log


@dataclass(frozen=True)
class Rules(Game[State, View]):
    """The rules alone; `feint.games.bluff.game` adds what a game has beside them."""

    name: ClassVar[str] = "bluff"

    players: int = option(4, "seats at the table, at most 8 for each deck", least=2, most=16)
    most: int = option(4, "the most cards laid in one turn", least=1, most=8)
    remainder: str = option("dealt", "cards that cannot be shared evenly", choices=("dealt", "unused"))
    cap: int = option(2000, "turns after which the game is a draw", least=1, most=4000)
    decks: int = option(1, "decks shuffled together", least=1, most=2)
    ranks: int = option(13, "ranks in the deck: the first is the ace", least=2, most=13)
    suits: int = option(4, "cards of each rank in a deck", least=1, most=4)

    def check(self) -> None:
        if self.players > 8 * self.decks:
            raise UserError(f"bluff: {self.players} players need decks=2; one deck serves at most 8.")
        if self.players > self.cards:
            raise UserError(f"bluff: {self.players} players cannot share {self.cards} cards; each needs at least one.")

    @property
    def copies(self) -> int:
        """Cards of one rank in play."""
        return self.suits * self.decks

    @property
    def cards(self) -> int:
        return self.ranks * self.copies

    @property
    def actions(self) -> int:
        """0 .. ranks-1 pick a card that many ranks above the one due (0 is a true card), then `lay`, `trust`, `call`."""
        return self.ranks + 3

    @property
    def lay(self) -> int:
        return self.ranks

    @property
    def trust(self) -> int:
        return self.ranks + 1

    @property
    def call(self) -> int:
        return self.ranks + 2

    @property
    def max_moves(self) -> int:
        return self.cap * (self.most + self.players)

    @property
    def in_claim(self) -> int:
        return 2 * self.players

    @property
    def out_of_play(self) -> int:
        return 2 * self.players + 1

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -1 / (self.players - 1), 1.0

    def draw(self, key: chance.Key) -> Deal:
        return Deal(chance.shuffle(key, self.cards).astype(jnp.int16))

    def deals(self) -> tuple[Deal, Array]:
        """Every order of the deck: which card came first to a hand is part of what its player sees."""
        if self.cards > MOST_LISTED:
            raise NotSmall(
                f"bluff: the orders of {self.cards} cards are too many to list; decks of up to {MOST_LISTED} cards "
                "(ranks times suits) can be solved exactly."
            )
        orders = jnp.asarray(list(permutations(range(self.cards))), jnp.int16)
        return Deal(orders), jnp.full(len(orders), 1 / len(orders))

    def deal(self, deal: Deal) -> State:
        stamp = deal.stamp
        share = self.cards // self.players
        # Each seat has its even share from the top of the deck, then the first seats have one more card each.
        over = stamp - share * self.players
        spare = over if self.remainder == "dealt" else jnp.int16(self.out_of_play)
        place = _small(jnp.where(over < 0, stamp // share, spare))
        seats = jnp.arange(self.players, dtype=jnp.int8)[:, None]
        return self.ready(
            State(
                place=place,
                stamp=stamp,
                laid=jnp.int16(0),
                turn=jnp.int16(0),
                asked=jnp.int8(0),
                located=jnp.where(place == seats, seats, jnp.int8(NOBODY)),
                cleared=jnp.zeros((self.players, self.ranks), bool),
                answers=jnp.zeros((self.players, self.most, 2), jnp.int16),
                log=Log.empty(self.players, self.most),
                current_player=jnp.int32(0),
                legal_action_mask=jnp.zeros(self.actions, bool),
                rewards=jnp.zeros(self.players),
                terminated=jnp.bool_(False),
            )
        )

    def move(self, state: State, action: Array) -> State:
        kind = jnp.where(state.asked > 0, 2, jnp.where(action == self.lay, 1, 0))
        return self.ready(jax.lax.switch(kind, (self._pick, self.lay_down, self._answer), state, action))

    def _pick(self, state: State, action: Array) -> State:
        """One card more for this turn's play: of that rank, the one longest in the hand."""
        rank = (state.turn + action) % self.ranks
        return self.take(state, (jnp.arange(self.ranks) == rank).astype(jnp.int8))

    def take(self, state: State, play: Array) -> State:
        """So many cards of each rank more for this turn's play, int8[ranks], as if picked one by one from the rank due upwards."""
        held = self.by_rank(state.place == _small(state.current_player))
        stamp = self.by_rank(state.stamp)
        earlier = (held[None] & (stamp[None] < stamp[:, None])).sum(axis=1, dtype=jnp.int8)  # int8[copies, ranks]
        above = ranks_above(state.turn % self.ranks, self.ranks)
        before = jnp.where(above[:, None] < above, play[:, None], 0).sum(axis=0, dtype=jnp.int8)  # int8[ranks]
        picked = (held & (earlier < play)).ravel()
        first = self.cards + state.laid + (state.place == self.in_claim).sum(dtype=jnp.int8)
        return replace(
            state,
            place=jnp.where(picked, jnp.int8(self.in_claim), state.place),
            stamp=jnp.where(picked, first + (before + earlier).ravel(), state.stamp),
        )

    def lay_down(self, state: State, action: Array) -> State:
        """The picked cards go down as so many of the rank due, and the next player is asked."""
        count = (state.place == self.in_claim).sum(dtype=jnp.int8)
        player, due = state.turn % self.players, state.turn % self.ranks
        return replace(
            state,
            laid=state.laid + count,
            asked=jnp.int8(1),
            log=state.log.claimed(player, due, count),
        )

    def _answer(self, state: State, action: Array) -> State:
        """One player's answer to the claim on the table; a call or the last trust settles the turn."""
        called = action == self.call
        settled = self.settle(state, called, state.current_player)
        waiting = replace(state, asked=(state.asked + 1).astype(jnp.int8))
        done = called | (state.asked == self.players - 1)
        return jax.tree.map(lambda now, later: jnp.where(done, now, later), settled, waiting)

    def settle(self, state: State, called: Array, caller: Array) -> State:
        """The end of a turn: the caller, if there is one, or a player caught lying takes the pile; an empty hand wins."""
        player = _small(state.turn % self.players)
        claim = state.place == self.in_claim
        honest = self.honest(state)
        loser = jnp.where(honest, _small(caller), player)
        taken = called & (state.place >= self.players) & (state.place <= self.in_claim)
        kept = jnp.where(claim, self.players + player, state.place)
        place = jnp.where(taken, loser, kept)
        turn = state.turn + jnp.int16(1)
        won = ~(place == player).any()
        return replace(
            state,
            place=place,
            turn=turn,
            asked=jnp.int8(0),
            located=jnp.where(called, self._known_after(state, loser), state.located),
            cleared=self._cleared_after(state, called, loser),
            answers=state.answers + self._given(state, called, caller),
            log=state.log.answered(called, caller, honest, self._shown(state, claim)),
            terminated=won | (turn == self.cap),
            rewards=jnp.where(won, self.payoffs(player), 0.0),
        )

    def payoffs(self, winner: Array) -> Array:
        """What a game pays that somebody wins, float32[players]."""
        return jnp.where(jnp.arange(self.players) == winner, 1.0, -1 / (self.players - 1))

    def _cleared_after(self, state: State, called: Array, loser: Array) -> Array:
        """The player has been through the rank due; whoever takes the pile may hold anything again, bool[players, ranks]."""
        seats, ranks = jnp.arange(self.players)[:, None], jnp.arange(self.ranks)
        passed = (seats == state.turn % self.players) & (ranks == state.turn % self.ranks)
        return (state.cleared | passed) & ~(called & (seats == loser))

    def _given(self, state: State, called: Array, caller: Array) -> Array:
        """Who answered the claim on the table and how, int16[players, most, 2]; nobody is asked after a call."""
        asked = self.asked_seat(state.turn % self.players, jnp.arange(1, self.players))
        calls = called & (asked == caller)
        given = jnp.stack([jnp.cumsum(calls) == 0, calls], axis=1)  # bool[asked, 2]
        by_seat = ((jnp.arange(self.players)[:, None] == asked)[..., None] & given).any(axis=1)  # bool[players, 2]
        count = (state.place == self.in_claim).sum(dtype=jnp.int8)
        return (by_seat[:, None] & (jnp.arange(1, self.most + 1) == count)[:, None]).astype(jnp.int16)

    def honest(self, state: State) -> Array:
        """Whether every card of the claim is of the rank due."""
        return ~((state.place == self.in_claim) & (self.card_ranks != _small(state.turn % self.ranks))).any()

    def events(self, state: State, action: Array) -> dict[str, Array]:
        honest = self.honest(state)
        lays, calls = action == self.lay, action == self.call
        named = {"plays": lays, "bluffs": lays & ~honest, "calls right": calls & ~honest, "calls wrong": calls & honest}
        return {name: happens.astype(jnp.int32) for name, happens in named.items()}

    def _known_after(self, state: State, taker: Array) -> Array:
        """What each player knows of where cards are once the taker has the pile, int8[players, cards].

        The taker sees all of it. The others know the cards they laid themselves and those just shown; a card they had located
        with somebody who laid unseen cards into that pile may have changed hands, and is lost to them.
        """
        seats = jnp.arange(self.players, dtype=jnp.int8)
        piled = (state.place >= self.players) & (state.place <= self.in_claim)
        shown = state.place == self.in_claim
        unseen_from = (state.place == self.players + seats[:, None]).any(axis=1)  # bool[players]

        def knows(seat: Array, located: Array) -> Array:
            takes = seat == taker
            seen = shown | (state.place == self.players + seat) | (takes & piled)
            # Compared, not looked up: a CPU takes half as long.
            mixed = ((located == seats[:, None]) & unseen_from[:, None]).any(axis=0)
            sure = takes | (located == taker) | (located == seat) | ~mixed
            return jnp.where(seen, taker, jnp.where(sure, located, NOBODY)).astype(jnp.int8)

        return jax.vmap(knows)(seats, state.located)

    def _shown(self, state: State, claim: Array) -> Array:
        """The cards of the claim in the order they were picked, int8[most], NOBODY where there are fewer."""
        place = jnp.where(claim, state.stamp - (self.cards + state.laid - claim.sum()), self.most)
        card = jnp.arange(self.cards, dtype=jnp.int8)
        return jnp.where(place == jnp.arange(self.most)[:, None], card, NOBODY).max(axis=1)

    def asked_seat(self, player: Array, number: Array) -> Array:
        """The seat that is asked about a player's play, by its number in the order of asking; number 0 is the player."""
        return (player + number) % self.players

    def ready(self, state: State) -> State:
        """Who acts now, and what they may do."""
        current = self.asked_seat(state.turn % self.players, state.asked)
        held = self.by_rank(state.place == _small(current)).sum(axis=0, dtype=jnp.int8)
        picked = self.by_rank(state.place == self.in_claim).sum(axis=0, dtype=jnp.int8)
        pick = may_pick(held, picked, state.turn % self.ranks, self.limit(state))
        picking = state.asked == 0
        others = jnp.stack([picking & picked.any(), ~picking, ~picking])
        return replace(
            state,
            current_player=current.astype(jnp.int32),
            legal_action_mask=jnp.concatenate([pick & picking, others]),
        )

    def limit(self, state: State) -> int | Array:
        """The most cards that may be laid in one turn."""
        return self.most

    def spectate(self, state: State) -> View:
        return self.observe(state, jnp.int32(SPECTATOR))

    def observe(self, state: State, player: Array) -> View:
        seat, laying = _small(player), _small(state.turn % self.players)
        picking = state.asked == 0
        claimed = state.place == self.in_claim
        own_turn = laying == seat
        seats = jnp.arange(self.players, dtype=jnp.int8)[:, None, None]
        # Until they are laid, picked cards are still in the hand for everybody else.
        holder = jnp.where(picking & claimed, laying, state.place)
        layer = jnp.where(claimed, laying, state.place - jnp.int8(self.players))
        piled = (holder >= self.players) & (holder <= self.in_claim)
        slot = jnp.where(piled, state.stamp - (self.cards + state.laid - piled.sum(dtype=jnp.int16)), self.cards)
        hand = state.place == seat
        buried = (piled & (layer == seat)) | (claimed & own_turn)
        return View(
            seat=jnp.int32(player),
            hand=self.by_rank(hand),
            buried=self.by_rank(buried),
            picked=self.by_rank(picking & claimed & own_turn),
            stamp=self.by_rank(jnp.where(hand | buried, state.stamp, 0)),
            located=self.by_rank(jnp.where(player == SPECTATOR, jnp.int8(NOBODY), state.located[player])),
            sizes=(self.by_rank(holder) == seats).sum(axis=(1, 2), dtype=jnp.int8),
            pile=jnp.full(self.cards, NOBODY, jnp.int8).at[slot].set(layer, mode="drop"),
            claim=jnp.where(picking, 0, claimed.sum(dtype=jnp.int8)),
            laid=state.laid,
            turn=state.turn,
            asked=state.asked,
            cleared=state.cleared,
            answers=state.answers,
            log=state.log,
        )

    def is_valid(self, state: State) -> Array:
        """Every card is somewhere, nobody has two hands, and the pile's order has no gaps."""
        piled = (state.place >= self.players) & (state.place <= self.in_claim)
        somewhere = (state.place >= 0) & (state.place <= self.out_of_play)
        out = (state.place == self.out_of_play).sum() == (
            self.cards % self.players if self.remainder == "unused" else 0
        )
        picked = jnp.where(state.asked == 0, (state.place == self.in_claim).sum(), 0)
        top = self.cards + state.laid + picked
        slots = jnp.zeros(self.cards, int).at[jnp.where(piled, top - 1 - state.stamp, self.cards)].add(1, mode="drop")
        return somewhere.all() & out & (slots == (jnp.arange(self.cards) < piled.sum())).all()

    @property
    def card_ranks(self) -> Array:
        return jnp.tile(jnp.arange(self.ranks, dtype=jnp.int8), self.copies)

    def by_rank(self, cards: Array) -> Array:
        """Per-card values by suit and rank, [copies, ranks]. States keep them in one row, along which a CPU works twice as fast."""
        return cards.reshape(self.copies, self.ranks)
