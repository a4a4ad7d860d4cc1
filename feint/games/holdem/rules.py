"""The rules of Limit Hold'em for one table, as the Annual Computer Poker Competition (ACPC) plays it.

A position is where one sits counted from the left of the button, which is where turns of later rounds begin: with three players and more
the small blind has position 0, with two the big blind. Every hand starts from a fresh bankroll, so that nobody is ever all-in.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import SPECTATOR, Game, Unit, option
from feint.games.holdem.cards import CARDS, HIDDEN, masks
from feint.games.holdem.evaluator import strength
from feint.games.holdem.state import CALL, FOLD, RAISE, Deal, State
from feint.games.holdem.view import NONE, View

MOST_BOARD, MOST_ROUNDS = 5, 4  # as in the ACPC


@dataclass(frozen=True)
class Rules(Game[State, View]):
    """The rules alone; `feint.games.holdem.game` adds what a game has beside them."""

    name: ClassVar[str] = "holdem"
    measure: ClassVar = "payoff"
    rotates: ClassVar[bool] = True

    players: int = option(2, "seats at the table", least=2, most=10)
    blinds: tuple[int, ...] = option(
        (5, 10),
        "what the seats after the button pay before the deal; with two players, the button and then the other",
        least=0,
        most=10_000,
    )
    bets: tuple[int, ...] = option((10, 10, 20, 20), "what a bet or a raise is, by round", least=1, most=10_000)
    raises: tuple[int, ...] = option((3, 4, 4, 4), "most bets and raises, by round", least=0, most=20)
    first: tuple[int, ...] = option(
        (0, 1, 1, 1),
        "the position, from 1, that acts first, by round; 0: the one after the highest blind",
        least=0,
        most=10,
    )
    board: tuple[int, ...] = option((0, 3, 1, 1), "cards turned up, by round", least=0, most=MOST_BOARD)

    def check(self) -> None:
        if len(self.blinds) > self.players:
            raise UserError(
                f"holdem: blinds has {len(self.blinds)} entries, which is more than {self.players} players."
            )
        if not any(self.blinds):
            raise UserError("holdem: blinds must be more than 0 for somebody, such as 5,10.")
        if self.rounds > MOST_ROUNDS:
            raise UserError(f"holdem: board must have at most {MOST_ROUNDS} rounds, not {self.rounds}.")
        for name in ("bets", "raises", "first"):
            if len(getattr(self, name)) != self.rounds:
                raise UserError(
                    f"holdem: bets, raises, first and board must have an entry for each round; board has {self.rounds}, "
                    f"{name} {len(getattr(self, name))}."
                )
        if max(self.first) > self.players:
            raise UserError(f"holdem: first must be positions from 1 to {self.players}, or 0, not {max(self.first)}.")
        if not 1 <= sum(self.board) <= MOST_BOARD:
            raise UserError(f"holdem: board must be 1 to {MOST_BOARD} cards in all, not {sum(self.board)}.")

    # ---- what follows from the options

    @property
    def rounds(self) -> int:
        return len(self.board)

    @property
    def posted(self) -> tuple[int, ...]:
        """What each position pays before cards are dealt."""
        by_position = (self.blinds + (0,) * self.players)[: self.players]
        return by_position[::-1] if self.players == 2 else by_position

    @property
    def openers(self) -> tuple[int, ...]:
        """The position, from 0, at which each round begins; whoever is the first from there and still in acts."""
        highest = max(range(self.players), key=lambda position: (self.posted[position], position))
        return tuple((highest + 1 if not each else each - 1) % self.players for each in self.first)

    @property
    def actions(self) -> int:
        return 3

    @property
    def round_moves(self) -> int:
        """No round has more actions than this: all act, and all but one again after every raise."""
        return self.players + max(self.raises) * (self.players - 1)

    @property
    def max_moves(self) -> int:
        return self.rounds * self.players + sum(self.raises) * (self.players - 1)

    @property
    def unit(self) -> Unit:
        return Unit("mbb/h", scale=1000 / max(self.blinds), places=0, total="chips")

    @property
    def payoff_range(self) -> tuple[float, float]:
        most = max(self.blinds) + sum(bet * raises for bet, raises in zip(self.bets, self.raises, strict=True))
        return float(-most), float(most * (self.players - 1))

    # ---- dealing

    def draw(self, key: chance.Key) -> Deal:
        return self.dealt(chance.sample(key, 2 * self.players + sum(self.board), CARDS).astype(jnp.int8))

    def dealt(self, cards: Array) -> Deal:
        """Cards in order, int8[2 players + board]: everybody's own, then those of the board."""
        return Deal(cards[: 2 * self.players].reshape(self.players, 2), cards[2 * self.players :])

    def deal(self, deal: Deal) -> State:
        nothing = jnp.full((self.rounds, self.round_moves), NONE, jnp.int8)
        state = State(
            hole=deal.hole,
            board=deal.board,
            strength=self.strengths(deal),
            paid=jnp.asarray(self.posted, jnp.int32),
            folded=jnp.zeros(self.players, bool),
            round=jnp.int32(0),
            raises=jnp.int32(0),
            waiting=jnp.int32(self.players),
            moves=jnp.int32(0),
            history=nothing,
            actors=nothing,
            current_player=jnp.int32(self.openers[0]),
            legal_action_mask=jnp.zeros(self.actions, bool),
            rewards=jnp.zeros(self.players),
            terminated=jnp.bool_(False),
        )
        return replace(state, legal_action_mask=self.legal(state))

    def strengths(self, deal: Deal) -> Array:
        """What everybody's cards are worth with the board, int32[players]."""
        return strength(masks(deal.board)[:, None] | masks(deal.hole.T))

    # ---- betting

    def move(self, state: State, action: Array) -> State:
        mine = jnp.arange(self.players) == state.current_player
        raised = action == RAISE
        stake = state.paid.max() + jnp.where(raised, self.of_round(self.bets, state.round), 0)
        folded = state.folded | (mine & (action == FOLD))
        left = (~folded).sum(dtype=jnp.int32)
        waiting = jnp.where(raised, left, state.waiting) - 1
        ended = waiting == 0  # the round
        over = (left == 1) | (ended & (state.round == self.rounds - 1))
        onward = ended & ~over
        at = state.round + onward
        before = jnp.where(onward, self.of_round(self.openers, at) - 1, state.current_player)
        now = (jnp.arange(self.rounds)[:, None] == state.round) & (jnp.arange(self.round_moves) == state.moves)
        after = replace(
            state,
            paid=jnp.where(mine & (action != FOLD), stake, state.paid),
            folded=folded,
            round=at,
            raises=jnp.where(onward, 0, state.raises + raised),
            waiting=jnp.where(onward, left, waiting),
            moves=jnp.where(onward, 0, state.moves + 1),
            history=jnp.where(now, action.astype(jnp.int8), state.history),
            actors=jnp.where(now, state.current_player.astype(jnp.int8), state.actors),
            current_player=self._next(folded, before),
            terminated=over,
        )
        return replace(after, legal_action_mask=self.legal(after), rewards=jnp.where(over, self.payoffs(after), 0.0))

    def of_round(self, values: tuple[int, ...], at: Array) -> Array:
        """What an option is in a round, int32: by as many comparisons as it changes, which is faster than to look it up."""
        found = jnp.int32(values[-1])
        for number in reversed(range(self.rounds - 1)):
            if values[number] != values[number + 1]:
                found = jnp.where(at <= number, values[number], found)
        return found

    def _next(self, folded: Array, before: Array) -> Array:
        """The first position after another that is still in, int32."""
        seats = jnp.arange(self.players)
        turn = jnp.where(seats > before, seats, seats + self.players)  # round the table; no remainder, which is slow
        first = jnp.where(folded, 2 * self.players, turn).min()
        return jnp.where(first < self.players, first, first - self.players)

    def legal(self, state: State) -> Array:
        """Folding is legal only where there is something to pay, raising up to the cap; bool[3]."""
        owes = jnp.where(jnp.arange(self.players) == state.current_player, state.paid, 0).sum() < state.paid.max()
        return jnp.stack([owes, jnp.bool_(True), state.raises < self.of_round(self.raises, state.round)])

    def payoffs(self, state: State) -> Array:
        """What everybody would be paid if the hand ended now, float32[players]: the best of those still in share the pot evenly."""
        worth = jnp.where(state.folded, NONE, state.strength)
        takes = worth == worth.max()
        return jnp.where(takes, state.paid.sum() / takes.sum(), 0) - state.paid

    def events(self, state: State, action: Array) -> dict[str, Array]:
        named = {"folds": action == FOLD, "calls": action == CALL, "raises": action == RAISE}
        return {name: happens.astype(jnp.int32) for name, happens in named.items()}

    # ---- what is seen

    def observe(self, state: State, player: Array) -> View:
        own = jnp.where(jnp.arange(self.players)[:, None] == player, state.hole, 0).sum(axis=0, dtype=jnp.int8)
        return replace(self.spectate(state), seat=jnp.int32(player), cards=own)

    def spectate(self, state: State) -> View:
        return View(
            seat=jnp.int32(SPECTATOR),
            cards=jnp.full(2, HIDDEN, jnp.int8),
            board=jnp.where(self.turned_up(state.round), state.board, HIDDEN),
            player=state.current_player,
            round=state.round,
            bet=self.of_round(self.bets, state.round),
            paid=state.paid,
            folded=state.folded,
            raises=state.raises,
            waiting=state.waiting,
            moves=state.moves,
            history=state.history,
            actors=state.actors,
            over=state.terminated,
            shown=jnp.where(self._shows(state)[:, None], state.hole, HIDDEN),
        )

    def turned_up(self, at: Array) -> Array:
        """Which cards of the board lie open in a round, bool[board]."""
        round_of_card = [number for number, cards in enumerate(self.board) for _ in range(cards)]
        return jnp.asarray(round_of_card) <= at

    def _shows(self, state: State) -> Array:
        """Who shows cards, bool[players]: at the end, where several are still in, they do."""
        return state.terminated & ~state.folded & ((~state.folded).sum() > 1)

    def is_valid(self, state: State) -> Array:
        cards = jnp.concatenate([state.hole.ravel(), state.board])
        each = (cards[:, None] == jnp.arange(CARDS)).sum(axis=0)
        live = jnp.where(state.folded, 0, state.paid)
        return (each.max() <= 1) & (each.sum() == len(cards)) & (live.max() == state.paid.max())
