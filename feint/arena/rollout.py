"""Whole games of compiled agents on the device, many tables at once.

A match is a sequence of games at one table, through which agents keep their memory. Tables take the next match as soon as they
are through with one, so none idles; every match that is started is played out and counted, so that short games are
not favoured; and what happens in a match depends on the seed and its own number alone, so the batch does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.interpreters import partial_eval
from jax.sharding import Mesh, PartitionSpec

from feint import chance
from feint.agent import Agent, Memory
from feint.game import Game, pytree

AnyGame = Game[Any, Any]
STRETCH = 12  # moves or turns between two looks for finished games


@pytree
class Outcomes:
    """What came of games, each array by match and game in the match."""

    rewards: Array  # float32[matches, length, players], by seat
    moves: Array  # int32[matches, length]
    events: dict[str, Array]  # int16 or int32[matches, length, players] each, by seat


@pytree
class Lane:
    """One table in play."""

    state: Any
    memories: tuple[Memory, ...]  # of each agent, stacked by seat
    match: Array  # int32: its number, beyond the last for a table with nothing left to do
    number: Array  # int32: the game in the match
    key: chance.Key  # of the game
    move: Array  # int32: moves made
    rewards: Array  # float32[players]
    events: dict[str, Array]  # int16 or int32[players] each
    over: Array  # bool


def play(
    game: AnyGame,
    agents: Sequence[Agent],
    seating: Sequence[int],
    *,
    seed: int,
    first: int,
    matches: int,
    length: int = 1,
    lanes: int = 1024,
    capacity: int | None = None,
) -> tuple[Outcomes, tuple[Memory, ...]]:
    """Play matches number `first` to `first + matches - 1` with agent `seating[s]` in seat s.

    At most `capacity` matches (rounded up) fit one call; calls of the same capacity share one compilation. Returns what came of
    every game, and each agent's memories, stacked by table and seat, at the end of the last match that a table played.
    """
    devices = jax.local_devices()
    per_device = -(-(capacity or matches) // len(devices))
    mesh = Mesh(devices, ("tables",))
    outcomes, memories = _play(
        game,
        tuple(agents),
        jnp.asarray(seating, jnp.int32),
        jnp.int32(seed),
        jnp.int32(first),
        jnp.int32(matches),
        length=length,
        lanes=min(-(-lanes // len(devices)), per_device),
        capacity=per_device,
        mesh=mesh,
    )
    return jax.tree.map(lambda leaf: _in_order(leaf, len(devices))[:matches], outcomes), memories


def _in_order(leaf: Array, devices: int) -> Array:
    """Device d plays matches d, d + devices, ...: back to one sequence."""
    by_device = leaf.reshape(devices, -1, *leaf.shape[1:])
    return by_device.swapaxes(0, 1).reshape(leaf.shape)


@partial(jax.jit, static_argnames=("game", "length", "lanes", "capacity", "mesh"))
def _play(
    game: AnyGame,
    agents: tuple[Agent, ...],
    seating: Array,
    seed: Array,
    first: Array,
    matches: Array,
    *,
    length: int,
    lanes: int,
    capacity: int,
    mesh: Mesh,
) -> tuple[Outcomes, Any]:
    here = PartitionSpec("tables")

    def on_each_device(
        agents: tuple[Agent, ...], seating: Array, seed: Array, first: Array, matches: Array
    ) -> tuple[Outcomes, Any]:
        device = jax.lax.axis_index("tables")
        count = (matches - device + mesh.size - 1) // mesh.size
        engine = _Engine(game, agents, seating, seed, first + device, mesh.size, length)
        return engine.run(count, lanes, capacity)

    mapped = jax.shard_map(on_each_device, mesh=mesh, in_specs=PartitionSpec(), out_specs=here, check_vma=False)
    return mapped(agents, seating, seed, first, matches)


class _Engine:
    """The loop of one device: it plays matches first, first + every, first + 2 every, ..."""

    def __init__(
        self,
        game: AnyGame,
        agents: tuple[Agent, ...],
        seating: Array,
        seed: Array,
        first: Array,
        every: int,
        length: int,
    ) -> None:
        self.game, self.agents, self.seating = game, agents, seating
        self.seed, self.first, self.every, self.length = seed, first, every, length
        self.turn = game.turns(agents)
        # Whole turns need every table at the same seat: a game may only begin when the rotation does.
        self.stretch = -(-STRETCH // game.players) * game.players if self.turn else STRETCH
        self.named = list(jax.eval_shape(lambda: game.events(game.init(chance.key(0)), jnp.int32(0))))
        # Nothing is counted more often than there are moves: short numbers do where those are few.
        self.counting = jnp.int16 if game.longest < 2**15 else jnp.int32
        # Traced once, though it is looked at twice: here for what it needs, and in the loop.
        self.step = jax.jit(self.advance)
        self.blank = jax.eval_shape(self.begin_match, jax.ShapeDtypeStruct((), jnp.int32))
        self.live = self._live()

    def _live(self) -> Any:
        """Which parts of a table can have a say in what is reported, bool for each leaf.

        The rest (a log that none of these agents reads, say) need not be kept, which XLA does not find out by itself.
        """

        def one_step(table: Lane) -> tuple[Lane, Any]:
            return self.step(table, jnp.int32(0)), self._learn(table)

        traced, (after, _) = jax.make_jaxpr(one_step, return_shape=True)(self.blank)
        reported = replace(jax.tree.map(lambda _: True, after), state=jax.tree.map(lambda _: False, after.state))
        live = jax.tree.leaves(reported)
        learned = len(traced.jaxpr.outvars) - len(live)
        while True:
            _, needed = partial_eval.dce_jaxpr(traced.jaxpr, [*live, *[True] * learned])
            grown = [old or new for old, new in zip(live, needed, strict=True)]
            if grown == live:
                return jax.tree.unflatten(jax.tree.structure(after), live)
            live = grown

    def pack(self, table: Lane) -> Lane:
        """A table without its dead parts."""
        return jax.tree.map(lambda leaf, live: leaf if live else None, table, self.live)

    def unpack(self, packed: Lane) -> Lane:
        """A table with anything at all in its dead parts."""
        blank = jax.tree.map(
            lambda leaf, live: None if live else jnp.zeros(leaf.shape, leaf.dtype), self.blank, self.live
        )
        return jax.tree.map(lambda a, b: b if a is None else a, packed, blank, is_leaf=lambda leaf: leaf is None)

    def run(self, count: Array, lanes: int, capacity: int) -> tuple[Outcomes, Any]:
        """Play `count` matches at `lanes` tables; outcomes have room for `capacity`."""
        shape = (capacity * self.length, self.game.players)
        blank = Outcomes(
            jnp.zeros(shape),
            jnp.zeros(shape[0], jnp.int32),
            {name: jnp.zeros(shape, self.counting) for name in self.named},
        )
        tables = jax.vmap(lambda match: self.pack(self.begin_match(match)))(jnp.arange(lanes))

        def unfinished(carry: tuple[Lane, Outcomes, Array]) -> Array:
            return (carry[0].match < count).any()

        def play_on(carry: tuple[Lane, Outcomes, Array]) -> tuple[Lane, Outcomes, Array]:
            tables, outcomes, taken = carry
            for_all = jax.vmap(lambda table, index: self.pack(self.step(self.unpack(table), index)), (0, None))
            tables, _ = jax.lax.scan(lambda t, i: (for_all(t, i), None), tables, jnp.arange(self.stretch))
            through = tables.over & (tables.match < count)
            index = jnp.where(through, tables.match * self.length + tables.number, shape[0])
            outcomes = Outcomes(
                outcomes.rewards.at[index].set(tables.rewards, mode="drop"),
                outcomes.moves.at[index].set(tables.move, mode="drop"),
                {name: outcomes.events[name].at[index].set(tables.events[name], mode="drop") for name in self.named},
            )
            next_match = through & (tables.number == self.length - 1)
            queue = taken + jnp.cumsum(next_match) - 1
            tables = jax.vmap(self.renew)(tables, through, next_match, queue, queue < count)
            return tables, outcomes, taken + next_match.sum()

        tables, outcomes, _ = jax.lax.while_loop(unfinished, play_on, (tables, blank, jnp.int32(lanes)))
        outcomes = jax.tree.map(lambda leaf: leaf.reshape(capacity, self.length, *leaf.shape[1:]), outcomes)
        return outcomes, tables.memories

    def begin_match(self, match: Array) -> Lane:
        """A table at the start of a match."""
        key = chance.game_key(self.seed, self.first + match * self.every, 0)

        def begin(agent: Agent) -> Memory:
            return jax.vmap(lambda seat: agent.begin(self.game, seat, chance.begin_key(key, seat)))(
                jnp.arange(self.game.players)
            )

        return self._deal(tuple(begin(agent) for agent in self.agents), match, jnp.int32(0))

    def _deal(self, memories: tuple[Memory, ...], match: Array, number: Array) -> Lane:
        key = chance.game_key(self.seed, self.first + match * self.every, number)
        players = self.game.players
        return Lane(
            state=self.game.init(chance.deal_key(key)),
            memories=memories,
            match=match,
            number=number,
            key=key,
            move=jnp.int32(0),
            rewards=jnp.zeros(players),
            events={name: jnp.zeros(players, self.counting) for name in self.named},
            over=jnp.bool_(False),
        )

    def advance(self, table: Lane, index: Array) -> Lane:
        """One turn, or one move, more. A table whose game is over plays on, but nothing of it counts."""
        state, memories, move, events = self._turn(table, index) if self.turn else self._move(table)
        on = ~table.over
        return Lane(
            state=state,
            memories=memories,
            match=table.match,
            number=table.number,
            key=table.key,
            move=jnp.where(on, move, table.move),
            rewards=jnp.where(on, state.rewards, table.rewards),
            events={name: table.events[name] + (on * events[name]).astype(self.counting) for name in self.named},
            over=table.over | state.terminated,
        )

    def _turn(self, table: Lane, index: Array) -> tuple[Any, tuple[Memory, ...], Array, dict[str, Array]]:
        assert self.turn is not None
        seat = index % self.game.players
        state, move, events = self.turn(table.state, seat, self.seating, table.key, table.move)
        return state, table.memories, move, events

    def _move(self, table: Lane) -> tuple[Any, tuple[Memory, ...], Array, dict[str, Array]]:
        state, seat = table.state, table.state.current_player
        key = chance.move_key(table.key, table.move)
        action, memories = choose(self.game, self.agents, self.seating, table.memories, state, key)
        mine = jnp.arange(self.game.players) == seat
        counted = self.game.events(state, action)
        events = {name: jnp.where(mine, counted[name], 0) for name in self.named}
        after = self.game.step(state, action)
        kept = _where(table.over, table.memories, memories)
        return after, kept, table.move + 1, events

    def renew(self, table: Lane, through: Array, next_match: Array, queue: Array, left: Array) -> Lane:
        """A table that is through with its game goes on to the next one, or to the next match if any are left."""
        table = self.unpack(table)
        learned = self._learn(table)
        anew = self.begin_match(queue)
        anew = replace(anew, memories=_where(left, anew.memories, learned))
        if self.length > 1:
            anew = _where(next_match, anew, self._deal(learned, table.match, table.number + 1))
        return self.pack(_where(through, anew, table))

    def _learn(self, table: Lane) -> tuple[Memory, ...]:
        """Memories after `finish`, for each agent in the seats where it sits."""
        seats = jnp.arange(self.game.players)

        def after(number: int, agent: Agent, memory: Memory) -> Memory:
            def finish(seat: Array, memory: Memory) -> Memory:
                view = self.game.observe(table.state, seat)
                learned = agent.finish(memory, view, table.rewards, chance.finish_key(table.key, seat))
                return _where(self.seating[seat] == number, learned, memory)

            return jax.vmap(finish)(seats, memory)

        return tuple(
            after(number, agent, memory)
            for number, (agent, memory) in enumerate(zip(self.agents, table.memories, strict=True))
        )


def _where(condition: Array, one: Any, other: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)


def choose(
    game: AnyGame,
    agents: Sequence[Agent],
    seating: Array,
    memories: tuple[Memory, ...],
    state: Any,
    key: chance.Key,
) -> tuple[Array, tuple[Memory, ...]]:
    """The action of the agent whose turn it is, and everybody's memories after it."""
    seat = state.current_player
    view = game.observe(state, seat)
    action, after = jnp.int32(0), []
    # Not by `lax.switch`: mapped over tables it asks everybody all the same, and copies all their numbers for every table.
    for number, agent in enumerate(agents):
        asked = seating[seat] == number
        own = jax.tree.map(lambda leaf: leaf[seat], memories[number])
        chosen, learned = agent.act(own, view, state.legal_action_mask, key)
        action = jnp.where(asked, jnp.asarray(chosen, jnp.int32), action)
        learned = _where(asked, learned, own)
        after.append(jax.tree.map(lambda all, one: all.at[seat].set(one), memories[number], learned))
    return action, tuple(after)
