"""Whole games of compiled agents on the device, many tables at once.

A match is a sequence of games of the same people, who keep their chairs and their memory through it. Tables take the next match as soon
as they are through with one, so none idles; every match that is started is played out and counted, so that short games are
not favoured; and what happens in a match depends on the seed and its own number alone, so the batch does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh, PartitionSpec
from jax.tree_util import Partial
from numpy.typing import NDArray

from feint.arena.driver import Agents, Driver, Lane
from feint.arena.live import live_parts
from feint.chance import key as key_of
from feint.game import Game
from feint.program_cache import CachedProgram
from feint.pytrees import pytree
from feint.ways import Memories, Outcome, where

AnyGame = Game[Any, Any]
STRETCH = 8  # moves or turns between two looks for finished games
LOOKS = 8  # stretches between two looks at whether all is played, where looking costs more than playing


@pytree
class Outcomes:
    """What came of games, each array by match and game in the match, and by chair."""

    rewards: Array  # float32[matches, length, players]
    winners: Array  # bool[matches, length, players]
    moves: Array  # int32[matches, length]
    events: dict[str, Array]  # int16 or int32[matches, length, players] each
    seen: Any = ()  # what was watched, [matches, length, ...] each


Watch = Callable[[Memories], Any]  # what to keep of everybody's memories after each game


def play(
    game: AnyGame,
    agents: Agents,
    seating: Sequence[int] | NDArray[Any],  # [players] or [matches, players]
    *,
    seed: int,
    first: int | NDArray[Any],  # or [matches]
    matches: int,
    length: int = 1,
    lanes: int = 1024,
    capacity: int | None = None,
    counts: tuple[int, ...] | None = None,
    watch: Watch | None = None,
) -> tuple[Outcomes, Memories]:
    """Play matches number `first` to `first + matches - 1` with agent `seating[c]` in chair c; or matches that each have a `seating` and a number,
    `first`, of their own.

    At most `capacity` matches (rounded up) fit one call; calls of the same capacity share one compilation. Returns what came of
    every game, and each agent's memories, stacked by table and by its chairs, at the end of the last match that a table played.
    `counts` are the chairs each agent has at the most: by default those of this seating, else one compilation serves others too; matches
    of several seatings need them.
    """
    devices = jax.local_devices()
    per_device = -(-(capacity or matches) // len(devices))
    given = Partial(agents) if callable(agents) else tuple(agents)
    seated, numbers = _integers(seating), _integers(first)
    if seated.ndim > 1:  # rows beyond the last match, which nobody plays
        more = per_device * len(devices) - matches
        seated, numbers = np.pad(seated, ((0, more), (0, 0))), np.pad(numbers, (0, more))
    outcomes, memories = _cached_play(
        game,
        given,
        seated,
        _integers(seed),
        numbers,
        _integers(matches),
        counts=counts or _counts(seated, max(seated) + 1 if callable(agents) else len(agents)),
        watch=watch,
        length=length,
        lanes=min(-(-lanes // len(devices)), per_device),
        capacity=per_device,
        mesh=Mesh(devices, ("tables",)),
    )
    return jax.tree.map(lambda leaf: _in_order(leaf, len(devices), matches), outcomes), memories


def _counts(seating: Any, agents: int) -> tuple[int, ...]:
    """How many chairs each agent has."""
    often = Counter(map(int, seating))
    return tuple(often[number] for number in range(agents))


def _integers(value: Any) -> Any:
    """int32 by NumPy, for which JAX compiles nothing; arrays, traced ones among them, stay as they are."""
    return value if isinstance(value, jax.Array) else np.asarray(value, np.int32)


def _in_order(leaf: Array, devices: int, matches: int) -> Any:
    """Device d plays matches d, d + devices, ...: back to one sequence, less the room that was not needed."""
    if devices == 1 and len(leaf) == matches:
        return leaf
    host = np.asarray(leaf)  # each single operation of JAX would have to be compiled
    return host.reshape(devices, -1, *host.shape[1:]).swapaxes(0, 1).reshape(host.shape)[:matches]


@partial(jax.jit, static_argnames=("counts", "watch", "length", "lanes", "capacity", "mesh"))
def _play_all(
    game: AnyGame,
    agents: Agents,
    seating: Array,
    seed: Array,
    first: Array,
    matches: Array,
    *,
    counts: tuple[int, ...],
    watch: Watch | None,
    length: int,
    lanes: int,
    capacity: int,
    mesh: Mesh,
) -> tuple[Outcomes, Memories]:
    def on_each_device(
        game: AnyGame, agents: Agents, seating: Array, seed: Array, first: Array, matches: Array
    ) -> tuple[Outcomes, Memories]:
        device = jax.lax.axis_index("tables")
        count = (matches - device + mesh.size - 1) // mesh.size
        if first.ndim:
            seating, first = (each.reshape(-1, mesh.size, *each.shape[1:])[:, device] for each in (seating, first))
        else:
            first += device
        driver = Driver(game, agents, seating, counts, key_of(seed), first, mesh.size, length)
        if driver.way.whole:
            return _play_whole(driver, watch, count, lanes, capacity)
        return Renewing(driver, watch, count, lanes, capacity).run()

    here = PartitionSpec("tables")
    mapped = jax.shard_map(on_each_device, mesh=mesh, in_specs=PartitionSpec(), out_specs=here, check_vma=False)
    return mapped(game, agents, seating, seed, first, matches)


_cached_play = CachedProgram(_play_all)


def _play_whole(
    driver: Driver, watch: Watch | None, count: Array, lanes: int, capacity: int
) -> tuple[Outcomes, Memories]:
    """Every table plays whole games before anybody looks, and nothing is kept of them but what came of them."""
    # Unrolled, a GPU keeps a short game in registers; a CPU gains nothing by it, and compiles several times as long.
    unroll = 1 if jax.default_backend() == "cpu" else min(driver.way.max_advances, STRETCH)

    def one_game(lane: Lane, _: None) -> tuple[Lane, Outcomes]:
        lane, _ = jax.lax.scan(
            lambda lane, index: (driver.advance(lane, index), None),
            lane,
            jnp.arange(driver.way.max_advances),
            unroll=unroll,
        )
        after = driver.next_game(lane)
        return after, _outcomes(driver.outcome(lane), after.memories, watch)

    def one_match(match: Array) -> tuple[Memories, Outcomes]:
        lane = driver.begin_match(match)
        if driver.length == 1:
            lane, outcome = one_game(lane, None)
            return lane.memories, jax.tree.map(lambda leaf: leaf[None], outcome)
        lane, outcomes = jax.lax.scan(one_game, lane, None, length=driver.length)
        return lane.memories, outcomes

    def one_round(number: Array, so_far: tuple[Memories, Outcomes]) -> tuple[Memories, Outcomes]:
        memories, outcomes = so_far
        matches = number * lanes + jnp.arange(lanes)
        after, new = jax.vmap(one_match)(matches)
        put = partial(jax.lax.dynamic_update_index_in_dim, index=number, axis=0)
        # A match beyond the last is played in vain.
        return _rows_where(matches < count, after, memories), jax.tree.map(put, outcomes, new)

    blank = jax.vmap(lambda match: driver.begin_match(match).memories)(jnp.arange(lanes))
    like = jax.eval_shape(jax.vmap(one_match), jnp.arange(lanes))[1]
    room = jax.tree.map(lambda leaf: jnp.zeros((-(-capacity // lanes), *leaf.shape), leaf.dtype), like)
    memories, outcomes = jax.lax.fori_loop(0, -(-count // lanes), one_round, (blank, room))
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:])[:capacity], outcomes), memories


def _outcomes(found: Outcome, memories: Memories, watch: Watch | None) -> Outcomes:
    """What is kept of one game."""
    return Outcomes(found.rewards, found.winners, found.moves, found.events, watch(memories) if watch else ())


def _rows_where(condition: Array, ones: Any, others: Any) -> Any:
    """Rows of one of two trees, by a condition, bool[rows]."""
    return jax.tree.map(
        lambda one, other: jnp.where(condition.reshape(-1, *[1] * (one.ndim - 1)), one, other), ones, others
    )


class Renewing:
    """Tables that begin the next game when they are through with one, each at its own time."""

    def __init__(self, driver: Driver, watch: Watch | None, count: Array, lanes: int, capacity: int) -> None:
        self.driver, self.watch = driver, watch
        self.count, self.lanes, self.capacity = count, lanes, capacity
        game = driver.game
        # Where tables have to move alike, a game may only begin when the rotation does.
        cycle = driver.way.cycle
        self.stretch = -(-min(STRETCH, driver.way.max_advances) // cycle) * cycle
        # Nothing is counted more often than there are moves: short numbers do where those are few.
        self.counting = jnp.int16 if game.max_moves < 2**15 else jnp.int32
        # Traced once, though they are looked at several times: here for what they need, and in the loop.
        self.step = jax.jit(driver.advance)
        self.begin = jax.jit(self.begin_match)
        self.blank = jax.eval_shape(self.begin, jnp.int32(0))
        self.live = live_parts(self.one_step, self.blank)
        # A CPU begins a few games at a time, and none in vain; for a GPU all at once is faster, and looking up is what costs.
        self.cpu = jax.default_backend() == "cpu"
        self.few = min(lanes, max(32, lanes // 8)) if self.cpu else lanes

    def begin_match(self, match: Array) -> Lane:
        """A table at the start of a match; beyond the last one, nothing is played there."""
        return self.driver.stop(self.driver.begin_match(match), match >= self.count)

    def one_step(self, lane: Lane) -> tuple[Lane, Any]:
        """What decides which parts of a table have a say in what is reported."""
        return self.step(lane, jnp.int32(0)), (self.driver.learned(lane), self.reported(lane))

    def reported(self, lane: Lane) -> Outcomes:
        """What is kept of a game that is over."""
        found = _outcomes(self.driver.outcome(lane), self.driver.learned(lane), self.watch)
        return replace(found, events={name: each.astype(self.counting) for name, each in found.events.items()})

    def pack(self, lane: Lane) -> Lane:
        """A lane without its dead parts."""
        return jax.tree.map(lambda leaf, live: leaf if live else None, lane, self.live)

    def unpack(self, packed: Lane) -> Lane:
        """A lane with anything at all in its dead parts."""
        blank = jax.tree.map(
            lambda leaf, live: None if live else jnp.zeros(leaf.shape, leaf.dtype), self.blank, self.live
        )
        return jax.tree.map(lambda a, b: b if a is None else a, packed, blank, is_leaf=lambda leaf: leaf is None)

    def run(self) -> tuple[Outcomes, Memories]:
        length, games = self.driver.length, self.capacity * self.driver.length
        like = jax.eval_shape(self.reported, self.blank)
        blank = jax.tree.map(lambda leaf: jnp.zeros((games, *leaf.shape), leaf.dtype), like)
        tables = jax.vmap(lambda match: self.pack(self.begin(match)))(jnp.arange(self.lanes))
        carry = (tables, blank, jnp.int32(self.lanes))
        looks = 1 if self.cpu else LOOKS

        def play_on(carry: Carry) -> Carry:
            return jax.lax.fori_loop(0, looks, lambda _, carry: self.play_a_stretch(carry), carry)

        tables, outcomes, _ = jax.lax.while_loop(lambda carry: (carry[0].match < self.count).any(), play_on, carry)
        return jax.tree.map(lambda leaf: leaf.reshape(-1, length, *leaf.shape[1:]), outcomes), tables.memories

    def play_a_stretch(self, carry: Carry) -> Carry:
        tables, outcomes, taken = carry
        for_all = jax.vmap(lambda lane, index: self.pack(self.step(self.unpack(lane), index)), (0, None))
        tables, _ = jax.lax.scan(lambda t, i: (for_all(t, i), None), tables, jnp.arange(self.stretch))
        carry = tables, outcomes, taken
        if self.few == self.lanes:
            return self.renew_some(carry)
        return jax.lax.while_loop(lambda carry: self.through(carry[0]).any(), self.renew_some, carry)

    def through(self, tables: Lane) -> Array:
        return tables.over & (tables.match < self.count)

    def renew_some(self, carry: Carry) -> Carry:
        """Tables that are through report and begin anew, a few at a time."""
        tables, outcomes, taken = carry
        length, games = self.driver.length, self.capacity * self.driver.length
        done = self.through(tables)
        at = jnp.arange(self.lanes)
        some = tables
        if self.few < self.lanes:
            at = jnp.nonzero(done, size=self.few, fill_value=self.lanes)[0]
            some = jax.tree.map(lambda leaf: leaf.at[at].get(mode="clip"), tables)
            done = done[at] & (at < self.lanes)
        reported = jax.vmap(lambda lane: self.reported(self.unpack(lane)))(some)
        index = jnp.where(done, some.match * length + some.number, games)
        outcomes = jax.tree.map(lambda all, new: all.at[index].set(new, mode="drop"), outcomes, reported)
        next_match = done & (some.number == length - 1)
        queue = taken + jnp.cumsum(next_match) - 1
        renewed = jax.vmap(self.renew)(some, done, next_match, queue, queue < self.count)
        if self.few < self.lanes:
            renewed = jax.tree.map(lambda leaf, new: leaf.at[at].set(new, mode="drop"), tables, renewed)
        return renewed, outcomes, taken + next_match.sum()

    def renew(self, lane: Lane, through: Array, next_match: Array, queue: Array, left: Array) -> Lane:
        """A table that is through with its game goes on to the next one, or to the next match if any are left."""
        lane = self.unpack(lane)
        following = self.driver.next_game(lane) if self.driver.length > 1 else None
        learned = following.memories if following else self.driver.learned(lane)
        anew = self.begin(queue)
        anew = anew.with_memories(where(left, anew.memories, learned))
        if following:
            anew = where(next_match, anew, following)
        return self.pack(where(through, anew, lane))


Carry = tuple[Lane, Outcomes, Array]  # tables, what came of games so far, matches taken
