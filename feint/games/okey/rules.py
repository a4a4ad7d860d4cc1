"""The rules of Okey for one table.

A position is where one sits counted from whoever starts the first hand, and turns go 0, 1, 2, ... A turn is two decisions: to draw a tile
from the centre or take the discard of the player before, and to discard one or finish; the starter has a tile more and begins with the
second. Turns are counted by discards, so whose turn it is follows from their number.

Which ordinary tile is laid face down in finishing matters to nobody, so it is one action. It is legal exactly when it is true: a rack of 15
that is finished without a joker of its own is finished without any of its other tiles too, the joker standing in.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import SPECTATOR, Game, Unit, option
from feint.games.okey.hand import Solver, pairs_away
from feint.games.okey.runs import build
from feint.games.okey.state import (
    DECLARE,
    DISCARD,
    DRAW,
    FINISH,
    FINISH_WITH_JOKER,
    SHOW,
    TAKE,
    Deal,
    LongDeal,
    State,
)
from feint.games.okey.tiles import (
    FACES,
    FALSE_JOKER,
    HAND,
    KIND_OF_TILE,
    KINDS,
    TILES,
    counts,
    listed,
    okey_of,
    one,
    shuffled,
    split,
)
from feint.games.okey.view import NONE, Past, View, available, sizes
from feint.ways import where

PLAIN, DOUBLE = 2, 4  # what a loser pays


@dataclass(frozen=True)
class Rules(Game[State, View]):
    """The rules alone; `feint.games.okey.game` adds what a game has beside them."""

    name: ClassVar[str] = "okey"
    rotates: ClassVar[bool] = True
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "thesis": {"players": 2, "pairs": "none", "joker_finish": False, "longest_run": 4},
    }

    players: int = option(4, "seats at the table", least=2, most=4)
    partners: bool = option(False, "opposite seats of four play together")
    pairs: str = option(
        "open",
        "seven pairs finish for everybody, for those who declared them before their first discard, or not at all",
        choices=("open", "declared", "none"),
    )
    joker_finish: bool = option(True, "finishing by discarding a joker counts double")
    both: int = option(4, "what a loser pays for seven pairs finished with a joker: 4 or 8", least=4, most=8)
    longest_run: int = option(
        5, "4: runs of three or four tiles; 5: of any length, since six in a row are two runs", least=4, most=5
    )
    exhausted: str = option(
        "draw",
        "once the centre is empty the hand is a draw, or is one when a discard is declined too, or the discards become a new centre",
        choices=("draw", "last-discard", "reshuffle"),
    )
    show_indicator: bool = option(False, "whoever shows the indicator's twin before its first turn is paid 1 by each")
    doubled: str = option("none", "hands that count double, by their indicator", choices=("none", "red-and-black"))
    cap: int = option(200, "turns after which a hand is a draw", least=1, most=1000)
    countdown: int = option(
        0,
        "a match in which losers are deducted from so many points, such as 20; 0: a game is one hand",
        least=0,
        most=1000,
    )
    hands: int = option(40, "hands after which a match is over anyway", least=1, most=100)

    def check(self) -> None:
        if self.partners and self.players != 4:
            raise UserError(f"okey: partners need players=4, not {self.players}.")
        if self.both not in (4, 8):
            raise UserError(f"okey: both must be 4 or 8, not {self.both}.")

    @property
    def actions(self) -> int:
        """Draw, take the discard, finish, finish with the joker, show the indicator's twin, declare pairs, and a discard of each kind."""
        return DISCARD + KINDS

    @property
    def max_moves(self) -> int:
        return self.dealt * (2 * self.cap + 2 * self.players)

    @property
    def dealt(self) -> int:
        """Hands in the deal of a game."""
        return self.hands if self.countdown else 1

    @property
    def centre(self) -> int:
        """Tiles in a new centre: what is left of 106 by the indicator, the racks and the discard that may be taken."""
        return TILES - 2 - HAND * self.players

    @property
    def unit(self) -> Unit:
        return Unit("points", places=2)

    @property
    def payoff_range(self) -> tuple[float, float]:
        dearest = DOUBLE if self.pairs != "none" or self.joker_finish else PLAIN
        dearest = self.both if self.pairs != "none" and self.joker_finish else dearest
        lost = (dearest + self.show_indicator) * (1 if self.doubled == "none" else 2)
        if not self.countdown:
            return float(-lost), float(lost if self.partners else lost * (self.players - 1))
        # Whoever is deducted last had a point left.
        apart = min(lost * self.hands, self.countdown - 1 + lost) * (1 - 1 / self.players)
        return -apart, apart

    # ---- dealing

    def draw(self, key: chance.Key) -> Deal:
        order_key, again_key = jax.random.split(key)
        order = jax.vmap(shuffled)(jax.random.split(order_key, self.dealt))
        if self.exhausted != "reshuffle":
            return Deal(order)
        return LongDeal(order, self.draw_again(again_key))

    def draw_again(self, key: chance.Key) -> Array:
        """Orders for discards that become a new centre, int8[hands, shuffles, centre]: each centre lasts for as many turns at least."""
        shape = self.dealt, max(1, (self.cap - 1) // self.centre)
        mixed = jax.vmap(jax.vmap(lambda key: chance.shuffle(key, self.centre)))
        return mixed(jax.random.split(key, shape)).astype(jnp.int8)

    def deal(self, deal: Deal) -> State:
        return self.ready(
            State(
                **self._dealt(deal.order[0], jnp.int8(0)),
                hand=jnp.int8(0),
                points=jnp.full(self.players, self.countdown, jnp.int16),
                past=self.no_past,
                orders=deal.order[1:],
                again=deal.again if isinstance(deal, LongDeal) else None,
                current_player=jnp.int32(0),
                legal_action_mask=jnp.zeros(self.actions, bool),
                rewards=jnp.zeros(self.players),
                terminated=jnp.bool_(False),
            )
        )

    def _dealt(self, order: Array, starter: Array) -> dict[str, Any]:
        """All of a state that is new in a new hand."""
        of_all = 2 + HAND * self.players
        racks = counts(order[2:of_all].reshape(self.players, HAND)).at[0].add(one(order[1]))
        return {
            "rack": jnp.roll(racks, starter, axis=0),
            "centre": order[of_all:],
            "drawn": jnp.int8(0),
            "indicator": order[0],
            "log": jnp.full(self.cap, NONE, jnp.int8),
            "took": jnp.zeros(self.cap, bool),
            "lying": jnp.zeros(KINDS, jnp.int8),
            "known": jnp.zeros((self.players, KINDS), jnp.int8),
            "shuffles": jnp.int8(0),
            "recycled": jnp.full(KINDS, 2, jnp.int8),
            "turn": jnp.int16(0),
            "drawing": jnp.bool_(False),
            "drew": jnp.int8(NONE),
            "declared": jnp.zeros(self.players, bool),
            "shown": jnp.int8(NONE),
        }

    @property
    def no_past(self) -> Past:
        """What came of the hand before the first."""
        nobody, no = jnp.int8(NONE), jnp.zeros(self.players, bool)
        nothing = jnp.full(self.players, NONE, jnp.int8)
        return Past(nobody, jnp.bool_(False), jnp.bool_(False), jnp.zeros(KINDS, jnp.int8), nobody, nothing, no, no)

    # ---- moving

    def move(self, state: State, action: Array) -> State:
        draws, takes, discards = action == DRAW, action == TAKE, action >= DISCARD
        finishes = (action == FINISH) | (action == FINISH_WITH_JOKER)
        declined = draws & (state.drawn == self.centre)
        gets = takes | (draws & ~declined)
        top = jnp.where(jnp.arange(self.centre) == state.drawn, state.centre, 0).sum(dtype=jnp.int8)
        got = jnp.where(takes, available(state.log, state.turn), top)
        arrives = one(got) * gets
        leaves = one((action - DISCARD).astype(jnp.int8)) * discards
        shows = one(state.indicator) * (action == SHOW)
        mover = jnp.arange(self.players) == state.current_player
        known = jnp.maximum(state.known + (arrives * takes + shows - leaves) * mover[:, None], 0)
        now = jnp.arange(self.cap) == state.turn
        moved = replace(
            state,
            rack=state.rack + (arrives - leaves) * mover[:, None].astype(jnp.int8),
            drawn=state.drawn + (draws & ~declined),
            log=jnp.where(now & discards, (action - DISCARD).astype(jnp.int8), state.log),
            took=state.took | (now & takes),
            lying=state.lying + leaves - arrives * takes,
            known=known.astype(jnp.int8),
            turn=state.turn + discards,
            drawing=discards | (state.drawing & ~gets),
            drew=jnp.where(gets, got, jnp.where(discards, NONE, state.drew)).astype(jnp.int8),
            declared=state.declared | (mover & (action == DECLARE)),
            shown=jnp.where(action == SHOW, state.current_player, state.shown).astype(jnp.int8),
            points=self._paid(state, action, mover),
        )
        empty = discards & (moved.drawn == self.centre)
        no_more = discards & (moved.turn == self.cap)
        if self.exhausted == "draw":
            no_more |= empty
        if self.exhausted == "reshuffle":
            moved = where(empty & ~no_more, self._reshuffled(moved), moved)
        return self.ready(self._ended(moved, finishes | declined | no_more, action))

    def _paid(self, state: State, action: Array, mover: Array) -> Array:
        """Everybody's points after an action, int16[players]. In a match losers are deducted; in a single hand the winner has what they pay."""
        shows, finishes = action == SHOW, (action == FINISH) | (action == FINISH_WITH_JOKER)
        by_pairs, joker = self.by_pairs(state, action), action == FINISH_WITH_JOKER
        cost = jnp.where(by_pairs & joker, self.both, jnp.where(by_pairs | joker, DOUBLE, PLAIN))
        cost = jnp.where(finishes, cost, jnp.where(shows, 1, 0))
        if self.doubled == "red-and-black":
            cost = jnp.where(state.indicator >= FACES // 2, 2 * cost, cost)
        side = self.side(mover)
        won = 0 if self.countdown else cost * (~side).sum() // side.sum()
        return (state.points + jnp.where(side, won, -cost)).astype(jnp.int16)

    def side(self, player: Array) -> Array:
        """A player, true among bool[players], and its partner."""
        return player | jnp.roll(player, 2) if self.partners else player

    def by_pairs(self, state: State, action: Array) -> Array:
        """Whether to finish now is to finish by seven pairs, bool: whoever could do both is paid the better way."""
        _, pairs, jokers = self._missing(state, melds=False)
        return pairs <= jokers - (action == FINISH_WITH_JOKER)

    def _reshuffled(self, state: State) -> State:
        """All discards but the last become a new centre."""
        gathered = state.lying - one(available(state.log, state.turn))
        there = listed(gathered)
        nth = jnp.where(there, jnp.cumsum(there) - 1, self.centre)
        assert state.again is not None
        place = jnp.append(state.again[state.hand, state.shuffles], self.centre)[nth]
        return replace(
            state,
            centre=jnp.zeros(self.centre, jnp.int8).at[place].set(jnp.asarray(KIND_OF_TILE), mode="drop"),
            drawn=jnp.int8(0),
            lying=state.lying - gathered,
            shuffles=state.shuffles + jnp.int8(1),
            recycled=gathered,
        )

    def _ended(self, state: State, ended: Array, action: Array) -> State:
        """The state once a hand may have ended: with it the game, or the next hand is dealt."""
        finished = ended & ((action == FINISH) | (action == FINISH_WITH_JOKER))
        past = Past(
            winner=jnp.where(finished, state.current_player, NONE).astype(jnp.int8),
            by_pairs=finished & self.by_pairs(state, action),
            with_joker=action == FINISH_WITH_JOKER,
            rack=jnp.where(finished, self._own(state), 0).astype(jnp.int8),
            indicator=state.indicator,
            log=self._latest(state.log, state.turn, NONE),
            took=self._latest(state.took, state.turn, False),
            declared=state.declared,
        )
        over = ended
        if self.countdown:
            over = ended & ((state.points <= 0).any() | (state.hand == self.hands - 1))
        settled = replace(
            state,
            past=where(ended, past, state.past),
            terminated=over,
            rewards=jnp.where(over, self.payoffs(state.points), 0.0),
        )
        if self.dealt == 1:
            return settled
        hand = state.hand + jnp.int8(1)
        next_hand = replace(settled, **self._dealt(state.orders[state.hand], hand % self.players), hand=hand)
        return where(ended & ~over, next_hand, settled)

    def _latest(self, rows: Array, turn: Array, nothing: Any) -> Array:
        """The last turns, this one first, [players]."""
        back = turn - jnp.arange(self.players)
        return jnp.where(back >= 0, rows.at[back].get(mode="fill", fill_value=nothing), nothing)

    def payoffs(self, points: Array) -> Array:
        """What a game pays that ends with so many points, float32[players]; those of a single hand add up to nothing anyway."""
        return points - points.astype(jnp.float32).mean()

    def winners(self, state: State, payoffs: Array) -> Array:
        """Whoever finished, and its partner; of a match, those with most points."""
        if self.countdown:
            return super().winners(state, payoffs)
        return self.side(jnp.arange(self.players) == state.past.winner)

    def events(self, state: State, action: Array) -> dict[str, Array]:
        finishes = (action == FINISH) | (action == FINISH_WITH_JOKER)
        named = {
            "finishes": finishes,
            "pairs": finishes & self.by_pairs(state, action),
            "joker finishes": action == FINISH_WITH_JOKER,
            "draws from the discards": action == TAKE,
        }
        return {name: happens.astype(jnp.int32) for name, happens in named.items()}

    # ---- what may be done

    def ready(self, state: State) -> State:
        """Who acts now, and what they may do."""
        player = (state.hand + state.turn) % self.players
        state = replace(state, current_player=player.astype(jnp.int32))
        rack, discarding = self._own(state), ~state.drawing
        melds, pairs, jokers = self._missing(state)
        missing = jnp.minimum(melds, pairs)
        first = (state.turn < self.players) & (state.drawing | (state.turn == 0))
        twin = (rack * one(state.indicator)).any()
        special = [
            state.drawing,
            state.drawing,
            discarding & (missing <= jokers),
            discarding & (missing < jokers) & self.joker_finish,
            first & twin & (state.shown == NONE) & self.show_indicator,
            first & ~self._declared(state) & (self.pairs == "declared"),
        ]
        mask = jnp.concatenate([jnp.stack(special), discarding & (rack > 0)])
        return replace(state, legal_action_mask=mask)

    def _missing(self, state: State, melds: bool = True) -> tuple[Array, Array, Array]:
        """Tiles that the player to move is short of melds and of pairs before jokers are laid, and how many of these it has, int8 each; what
        may not be finished by is out of reach."""
        faces, jokers = split(self._own(state), okey_of(state.indicator))
        none, beyond = jnp.int8(0), jnp.int8(HAND + 1)
        of_melds, of_pairs = beyond, beyond
        # A joker saves one missing tile, whichever: short of melds by m without jokers is short by m - j with j of them.
        if melds:
            of_melds = self.solver.melds_away(faces, none)
        if self.pairs != "none":
            of_pairs = pairs_away(faces, none)
        if self.pairs == "declared":
            declared = self._declared(state)
            of_melds, of_pairs = jnp.where(declared, beyond, of_melds), jnp.where(declared, of_pairs, beyond)
        return of_melds, of_pairs, jokers

    def _own(self, state: State) -> Array:
        """The rack of the player to move, int8[53]."""
        mover = jnp.arange(self.players) == state.current_player
        return jnp.where(mover[:, None], state.rack, 0).sum(axis=0, dtype=jnp.int8)

    def _declared(self, state: State) -> Array:
        """Whether the player to move has declared pairs."""
        return (state.declared & (jnp.arange(self.players) == state.current_player)).any()

    # ---- what is seen

    def observe(self, state: State, player: Array) -> View:
        own = jnp.arange(self.players)[:, None] == player
        return View(
            seat=jnp.int32(player),
            rack=jnp.where(own, state.rack, 0).sum(axis=0, dtype=jnp.int8),
            indicator=state.indicator,
            log=state.log,
            took=state.took,
            lying=state.lying,
            known=state.known,
            centre=self.centre - state.drawn,
            shuffles=state.shuffles,
            recycled=state.recycled,
            turn=state.turn,
            drawing=state.drawing,
            drew=jnp.where(player == state.current_player, state.drew, NONE).astype(jnp.int8),
            hand=state.hand,
            points=state.points,
            declared=state.declared,
            shown=state.shown,
            over=state.terminated,
            past=state.past,
        )

    def spectate(self, state: State) -> View:
        return self.observe(state, jnp.int32(SPECTATOR))

    def is_valid(self, state: State) -> Array:
        """Two tiles of each kind are somewhere, racks are full, what is known is so, and later hands can be dealt."""
        left = jnp.arange(self.centre) >= state.drawn
        centre = (one(state.centre) * left[:, None]).sum(axis=0)
        everywhere = state.rack.sum(axis=0) + centre + state.lying + one(state.indicator)
        orders = (counts(state.orders) == 2).all() & (state.orders[:, :1] != FALSE_JOKER).all()
        whole = (state.rack.sum(axis=1) == sizes(self.players, state.current_player, state.drawing)).all()
        parts = (state.rack >= 0).all() & (state.lying >= 0).all() & (everywhere == 2).all() & whole
        known = (state.known >= 0).all() & (state.known <= state.rack).all()
        drew = (state.drew == NONE) | (self._own(state) * one(state.drew)).any()
        again = state.again is None or (jnp.sort(state.again, axis=-1) == jnp.arange(self.centre)).all()
        return parts & known & drew & orders & again & (state.indicator != FALSE_JOKER)

    # ---- the tables of the hand solver

    def build(self, progress: Callable[[float], None]) -> dict[str, Any]:
        return build(self.longest_run, progress)

    @property
    def solver(self) -> Solver:
        """What tells how far a rack is from finished by melds of these rules."""
        return Solver(self.tables["most"], self.longest_run)

    @property
    def tables_name(self) -> str:
        return f"okey runs of {self.longest_run}, packed, and their points"
