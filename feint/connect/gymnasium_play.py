"""One learner among named agents, compiled: what environments of Gymnasium play, at one table or at many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, registry
from feint.connect.written_out import WrittenOut
from feint.errors import UserError
from feint.game import Game, pytree
from feint.learn.inputs import Layout
from feint.learn.tables import compiled_agent
from feint.pytrees import compiling_with
from feint.steps import SHORT, begun, choose
from feint.ways import Memories, Seats, where

Rules = Any  # what a table is played by: a game, or a game written out
LEARNER = -1  # in the place of an agent's number
SMALLEST = 16  # tables, of a part; where none would have so many, no part is looked for
SHARES = (64, 16, 4)  # a part is one table in so many: a program each, and every one takes seconds to compile
CHANGES = ("state", "memories", "moves", "paid")  # of a position, by a move


@pytree
class Position:
    """A game in play."""

    number: Array  # int32: of the game, at its table
    key: Array  # uint32[2]: the bits of the game's; JAX calls compiled code more slowly with a typed key
    seat: Array  # int32: the learner's
    state: Any
    memories: Memories
    moves: Array  # int32
    paid: Array  # float32: to the learner since its last action

    @property
    def over(self) -> Array:
        return self.state.terminated

    @property
    def waits(self) -> Array:
        """Whether others move before the learner does."""
        return ~self.over & (self.state.current_player != self.seat)


@pytree
class Shown:
    """What a learner is told."""

    observation: Array  # float32[numbers]
    mask: Array  # int8[actions]
    reward: Array  # float32: paid since its last action
    over: Array  # bool


class Play:
    """One learner among named agents. Seats rotate from game to game, unless the learner keeps one. A game with few positions may be written out:
    that takes a moment, and many tables at once are played in half the time."""

    def __init__(
        self,
        game: str | Game[Any, Any],
        opponents: Sequence[str] | None,
        seat: int | None,
        options: dict[str, Any],
        written_out: bool = False,
    ) -> None:
        self.game = registry.make(game, **options) if isinstance(game, str) else game
        others = list(opponents if opponents is not None else registry.rivals(self.game.name))
        seats = self.game.players - 1
        if opponents is None or len(others) == 1:
            others = [others[nth % len(others)] for nth in range(seats)]
        if len(others) != seats:
            raise UserError(
                f"{self.game} has {seats} seats beside the learner's, not {len(others)}: name as many opponents, or one for all."
            )
        if seat is not None and not 0 <= seat <= seats:
            raise UserError(f"seat must be from 0 to {seats}, not {seat}.")
        self.seat, self.names = seat, others
        counts = Counter(others)  # an agent that sits several times is asked once for all of its seats
        self.agents = tuple(compiled_agent(name, self.game) for name in counts)
        self.counts = tuple(counts.values())
        numbers = [LEARNER, *(list(counts).index(name) for name in others)]
        self.around = np.array(numbers, np.int32)  # clockwise from the learner
        self.layout = Layout.of(self.game)
        self.compiled = compiling_with((written_out and WrittenOut.of(self.game, self.layout)) or self.game)

    # ---- one table, one thing at a time

    def deal(self, game: Rules, seed: Array, table: Array, number: Array) -> Position:
        """The number-th game at a table of a seed."""
        key = chance.game_key(seed, table, number)
        seat = jnp.int32(number % game.players if self.seat is None else self.seat)
        rules = game.game if isinstance(game, WrittenOut) else game
        memories = begun(rules, self.agents, self._seats(seat), key)
        state, bits = game.init(chance.deal_key(key)), jax.random.key_data(key)
        return Position(number, bits, seat, state, memories, jnp.int32(0), jnp.float32(0))

    def act(self, game: Rules, position: Position, action: Array) -> Position:
        """After the learner's action; a game that is over stays so."""
        state = game.step(position.state, action)
        return replace(position, state=state, moves=position.moves + 1, paid=state.rewards[position.seat])

    def another(self, game: Rules, position: Position) -> Position:
        """After a move of whoever's turn it is, of the others."""
        key = chance.move_key(chance.from_bits(position.key), position.moves)
        seats = self._seats(position.seat)
        action, memories = choose(game, self.agents, seats, position.memories, position.state, key)
        state = game.step(position.state, action)
        paid = position.paid + state.rewards[position.seat]
        return replace(position, state=state, memories=memories, moves=position.moves + 1, paid=paid)

    def see(self, game: Rules, state: Any, seat: Array) -> Array:
        """A state as the learner in this seat sees it, float32[numbers]."""
        if isinstance(game, WrittenOut):
            return game.shown[state.number, seat]
        return self.layout.see(game, game.observe(state, seat))

    def show(self, game: Rules, position: Position) -> Shown:
        mask = (position.state.legal_action_mask & ~position.over).astype(jnp.int8)
        return Shown(self.see(game, position.state, position.seat), mask, position.paid, position.over)

    def _seats(self, seat: Array) -> Seats:
        """The learner in its seat, the others clockwise from there."""
        return Seats.taken(jnp.roll(jnp.asarray(self.around), seat), self.counts)

    # ---- one table, from one turn of the learner to the next

    def dealt(self, game: Rules, seed: Array, table: Array, number: Array) -> tuple[Position, Shown]:
        """The number-th game at a table, played to the learner's first turn; a game that is over before it is left out."""

        def deal(number: Array) -> Position:
            return self._played_on(game, self.deal(game, seed, table, number))

        position = jax.lax.while_loop(lambda found: found.over, lambda found: deal(found.number + 1), deal(number))
        return position, self.show(game, position)

    def moved(self, game: Rules, position: Position, action: Array) -> tuple[Position, Shown]:
        """The learner's action, and what others do until its next turn."""
        after = self._played_on(game, self.act(game, position, action))
        return after, self.show(game, after)

    def _played_on(self, game: Rules, position: Position) -> Position:
        return jax.lax.while_loop(lambda now: now.waits, partial(self.another, game), position)

    # ---- many tables, from one turn of the learner to the next

    def blank(self, game: Rules, tables: int) -> Position:
        """Tables before their first game: at all of them the game before it, so to speak, is over."""
        zero = jnp.int32(0)
        some = self.deal(game, zero, zero, zero)
        before = replace(some, number=jnp.int32(-1), state=replace(some.state, terminated=jnp.bool_(True)))
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (tables, *leaf.shape)), before)

    def step(self, game: Rules, seed: Array, positions: Position, actions: Array) -> tuple[Position, Position]:
        """The learner's actions at all tables, and what others do until it is its turn again, where need be in the next game: what
        was paid, with what stood where a game was over before the next was dealt, and what stands now."""
        # The barrier: without it moves are computed anew for every number that depends on them.
        acted = jax.lax.optimization_barrier(jax.vmap(partial(self.act, game))(positions, actions))

        def on(tables: tuple[Position, Position]) -> tuple[Position, Position]:
            last, now = tables
            return self._all_dealt(game, seed, last, self._all_played_on(game, now))

        last, now = jax.lax.while_loop(lambda tables: (tables[1].waits | tables[1].over).any(), on, (acted, acted))
        return replace(last, paid=jnp.where(last.over, last.paid, now.paid)), now

    def _all_dealt(self, game: Rules, seed: Array, last: Position, now: Position) -> tuple[Position, Position]:
        """The next game at each table whose game is over; of the first that was, what stood there is kept."""
        deal = jax.vmap(partial(self.deal, game, seed))
        if _all_at_once(game, now):
            every = jnp.arange(len(now.number), dtype=jnp.int32)
            kept = jax.vmap(where)(now.over & ~last.over, now, last)
            return kept, jax.vmap(where)(now.over, deal(every, now.number + 1), now)

        def some(tables: tuple[Position, Position]) -> tuple[Position, Position]:
            last, now = tables
            at = _first(now.over, _sizes(len(now.number))[0])
            through = _rows(now, at)
            ended = jnp.where(_rows(last.over, at), len(now.number), at)
            return _put(last, ended, through), _put(now, at, deal(at, through.number + 1))

        return jax.lax.while_loop(lambda tables: tables[1].over.any(), some, (last, now))

    def _all_played_on(self, game: Rules, positions: Position) -> Position:
        """All tables at the learner's turn, or over. Only at those that wait is anything played, a part of them at a time. When half of a part
        is through, others take their places; when nobody else waits and a smaller part would do, those who are left go on in that."""
        if _all_at_once(game, positions):
            return jax.lax.while_loop(lambda now: now.waits.any(), partial(self._all_moved, game), positions)
        sizes = _sizes(len(positions.number))

        def some(fewer: int, size: int, positions: Position) -> Position:
            at = _first(positions.waits, size)
            enough = jnp.where(at[-1] < len(positions.number), size // 2, fewer)
            part = _rows(positions, at)
            after = jax.lax.while_loop(lambda part: part.waits.sum() > enough, partial(self._all_moved, game), part)
            changed = {name: getattr(after, name) for name in CHANGES}
            before = {name: getattr(positions, name) for name in CHANGES}
            return replace(positions, **_put(before, at, changed))

        def on(positions: Position) -> Position:
            fitting = (positions.waits.sum() > jnp.array(sizes[:-1])).sum()
            return jax.lax.switch(fitting, [partial(some, *each) for each in pairwise([0, *sizes])], positions)

        return jax.lax.while_loop(lambda positions: positions.waits.any(), on, positions)

    def _all_moved(self, game: Rules, positions: Position) -> Position:
        """A move of others at each table that waits for one."""
        return jax.vmap(lambda each: where(each.waits, self.another(game, each), each))(positions)


def _all_at_once(game: Rules, positions: Position) -> bool:
    """Whether looking for the tables that need something would cost more than doing it at all of them."""
    return not _sizes(len(positions.number)) or game.max_moves <= SHORT or jax.default_backend() != "cpu"


def _sizes(tables: int) -> list[int]:
    """How many tables a part may have, the fewest first."""
    return [-(-tables // share) for share in SHARES if tables // share >= SMALLEST]


def _first(which: Array, size: int) -> Array:
    """The numbers of the first tables of a kind, int32[size]; where there are no more, one beyond the last table."""
    return jnp.nonzero(which, size=size, fill_value=len(which))[0].astype(jnp.int32)


def _rows(whole: Any, at: Array) -> Any:
    """What stands at some of the tables, or beyond them at the last."""
    return jax.tree.map(lambda leaf: leaf.at[at].get(mode="clip"), whole)


def _put(whole: Any, at: Array, part: Any) -> Any:
    """What a part of the tables have become, among all."""
    return jax.tree.map(lambda all, some: all.at[at].set(some, mode="drop"), whole, part)
