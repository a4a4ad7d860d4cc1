"""A small game with everything that large ones will need: positions that rotate, losers who pay, a tuple among its options, a table of 25 MB; and an agent of Kuhn poker to search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, game
from feint.agent import Memoryless
from feint.game import SPECTATOR, Game, Unit, option, pytree

HIDDEN = -1
LEAVE, STAY = 0, 1
HANDS = 6_553_600  # 25 MB of int32


def strength_of(hands: np.ndarray) -> np.ndarray:
    """What the table of strengths says: another order of the hands, in which no two are equal."""
    return (hands.astype(np.int64) * 2_654_437 + 1) % HANDS


@pytree
class Deal:
    hands: Array  # int32[players]


@pytree
class State(game.State):
    hands: Array  # int32[players]
    stayed: Array  # int32[players]: rounds that each has stayed in
    out: Array  # bool[players]: who has left
    moves: Array  # int32


@pytree
class View(game.View):
    hand: Array  # int32: one's own
    stayed: Array  # int32[players]
    out: Array  # bool[players]
    moves: Array  # int32
    shown: Array  # int32[players]: at the end, the hands of those who stayed if they are several


@dataclass(frozen=True)
class Stay(Game[State, View]):
    """In each round everybody in turn stays or leaves for good. The best hand of those who stayed pays nothing; everybody else pays 1, and
    what the rounds it stayed in cost."""

    name: ClassVar[str] = "stay"
    payoff_sum: ClassVar[float | None] = None
    rotates: ClassVar[bool] = True
    measure: ClassVar = "payoff"

    players: int = option(3, "seats at the table", least=2, most=6)
    stakes: tuple[int, ...] = option((1, 2), "what it costs to stay, round by round", least=1, most=100)
    hands: int = option(HANDS, "hands that may be dealt", least=2, most=HANDS)

    built: ClassVar[list[str]] = []  # what was made, not read from the cache, in this process

    def build(self, progress: Any) -> dict[str, Any]:
        self.built.append(self.tables_name)
        progress(0.5)
        return {"strength": strength_of(np.arange(HANDS)).astype(np.int32)}

    @property
    def tables_name(self) -> str:
        return "stay"

    @property
    def actions(self) -> int:
        return 2

    @property
    def max_moves(self) -> int:
        return self.players * len(self.stakes)

    @property
    def unit(self) -> Unit:
        return Unit("cents", 100, 0)

    @property
    def payoff_range(self) -> tuple[float, float]:
        return -1.0 - sum(self.stakes), 0.0

    def draw(self, key: chance.Key) -> Deal:
        return Deal(jax.random.randint(key, (self.players,), 0, self.hands))

    def deals(self) -> tuple[Deal, np.ndarray]:
        if self.hands > 4:
            return super().deals()
        every = np.array(list(product(range(self.hands), repeat=self.players)), np.int32)
        return Deal(jnp.asarray(every)), np.full(len(every), 1 / len(every))

    def deal(self, deal: Deal) -> State:
        nobody = jnp.zeros(self.players, jnp.int32)
        return self._at(deal.hands, nobody, nobody > 0, jnp.int32(0))

    def move(self, state: State, action: Array) -> State:
        mine = jnp.arange(self.players) == state.current_player
        stayed = state.stayed + (mine & (action == STAY))
        return self._at(state.hands, stayed, state.out | (mine & (action == LEAVE)), state.moves + 1)

    def _at(self, hands: Array, stayed: Array, out: Array, moves: Array) -> State:
        over = (moves == self.max_moves) | out.all()
        player = moves % self.players
        paid = 1.0 + jnp.cumsum(jnp.array([0, *self.stakes]))[stayed]
        return State(
            current_player=player,
            legal_action_mask=jnp.stack([jnp.bool_(True), ~out[player]]),
            rewards=jnp.where(over & ~self._best(hands, out), -paid, 0.0),
            terminated=over,
            hands=hands,
            stayed=stayed,
            out=out,
            moves=moves,
        )

    def _best(self, hands: Array, out: Array) -> Array:
        """Who has the best hand of those who are in, bool[players]."""
        strength = jnp.where(out, -1, self.tables["strength"][hands])
        return ~out & (strength == strength.max())

    def winners(self, state: State, payoffs: Array) -> Array:
        return payoffs == 0

    def observe(self, state: State, player: Array) -> View:
        return replace(self.spectate(state), seat=jnp.int32(player), hand=state.hands[player])

    def spectate(self, state: State) -> View:
        shown = state.terminated & ~state.out & ((~state.out).sum() > 1)
        return View(
            seat=jnp.int32(SPECTATOR),
            hand=jnp.int32(HIDDEN),
            stayed=state.stayed,
            out=state.out,
            moves=state.moves,
            shown=jnp.where(shown, state.hands, HIDDEN),
        )

    def encode(self, view: View) -> dict[str, Any]:
        strength = self.tables["strength"][view.hand] / HANDS
        clockwise = (view.seat + jnp.arange(self.players)) % self.players
        return {"strength": strength, "stayed": view.stayed[clockwise], "out": view.out[clockwise]}

    def tells(self, view: View) -> dict[str, Array]:
        return {"stayed": view.stayed.astype(jnp.float32)}

    def describe(self, view: View, action: int) -> str:
        return "stay" if action == STAY else "look on" if view.out[view.seat] else "leave"

    def redeal(self, view: View, key: chance.Key) -> State:
        known = jnp.where(jnp.arange(self.players) == view.seat, view.hand, view.shown)
        hands = jnp.where(known == HIDDEN, self.draw(key).hands, known)
        return self._at(hands, view.stayed, view.out, view.moves)

    def is_valid(self, state: State) -> Array:
        return ((state.hands >= 0) & (state.hands < self.hands)).all() & (state.stayed <= len(self.stakes)).all()


@pytree
class Until(Memoryless):
    """Stays for so many rounds."""

    rounds: Any = 0

    def act(self, memory: Any, view: View, legal: Array, key: chance.Key) -> tuple[Array, Any]:
        return jnp.where(view.stayed[view.seat] < self.rounds, STAY, LEAVE), memory


@pytree
class Suspicious:
    """Stays for so many rounds, as long as everybody, counted clockwise, does what that player did in the first game of the match, which
    it remembers; then leaves at once and for ever."""

    rounds: Any = 2

    def begin(self, game: Stay, seat: Array, key: chance.Key) -> dict[str, Array]:
        return {"known": jnp.full(game.players, HIDDEN), "deceived": jnp.bool_(False), "seat": jnp.int32(seat)}

    def act(self, memory: Any, view: View, legal: Array, key: chance.Key) -> tuple[Array, Any]:
        stay = (view.stayed[view.seat] < self.rounds) & ~memory["deceived"]
        return jnp.where(stay, STAY, LEAVE), memory

    def finish(self, memory: Any, view: View, rewards: Array, key: chance.Key) -> dict[str, Array]:
        did = jnp.roll(view.stayed, -view.seat)  # clockwise from oneself
        first = (memory["known"] == HIDDEN).all()
        known = jnp.where(first, did, memory["known"])
        return {"known": known, "deceived": memory["deceived"] | (did != known).any(), "seat": jnp.int32(view.seat)}


class PlainUntil:
    """The same as `Until`, in plain Python."""

    def __init__(self, rounds: int = 0) -> None:
        self.rounds = rounds

    def act(self, view: View, legal: np.ndarray) -> int:
        return STAY if view.stayed[view.seat] < self.rounds else LEAVE


class PlainSuspicious(PlainUntil):
    """The same as `Suspicious`, in plain Python."""

    def begin(self, game: Stay, seat: int) -> None:
        self.known: list[int] | None = None
        self.deceived = False

    def act(self, view: View, legal: np.ndarray) -> int:
        return LEAVE if self.deceived else super().act(view, legal)

    def finish(self, view: View, rewards: np.ndarray) -> None:
        did = np.roll(view.stayed, -int(view.seat)).tolist()
        self.known = self.known or did
        self.deceived |= did != self.known


@pytree
class Bettor(Memoryless):
    """Bets or calls in Kuhn poker with a chance for each card."""

    jack: float = 0.5
    queen: float = 0.5
    king: float = 0.5

    def act(self, memory, view, legal, key):
        chances = jnp.stack([jnp.asarray(each, jnp.float32) for each in (self.jack, self.queen, self.king)])
        return (jax.random.uniform(key) < chances[view.card]).astype(jnp.int32), memory
