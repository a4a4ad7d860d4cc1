"""Whole games of compiled agents on the device, many tables at once.

A match is a sequence of games at one table, through which agents keep their memory. Tables take the next match as soon as they
are through with one, so none idles; every match that is started is played out and counted, so that short games are
not favoured; and what happens in a match depends on the seed and its own number alone, so the batch does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.interpreters import partial_eval
from jax.sharding import Mesh, PartitionSpec

from feint import chance
from feint.agent import Agent, Memory
from feint.game import Game, Outcome, highest, pytree
from feint.kept import Kept

AnyGame = Game[Any, Any]
STRETCH = 8  # moves or turns between two looks for finished games


@pytree
class Outcomes:
    """What came of games, each array by match and game in the match."""

    rewards: Array  # float32[matches, length, players], by seat
    moves: Array  # int32[matches, length]
    events: dict[str, Array]  # int16 or int32[matches, length, players] each, by seat

    @property
    def winners(self) -> Array:
        """Who won, bool[matches, length, players]."""
        return highest(self.rewards)


@pytree
class Lane:
    """One table in play."""

    table: Any  # what is played with: of single steps or of whole turns
    memories: tuple[Memory, ...]  # of each agent, stacked by seat
    match: Array  # int32: its number, beyond the last for a table with nothing left to do
    number: Array  # int32: the game in the match
    key: chance.Key  # of the game
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
    outcomes, memories = _kept_play(
        tuple(agents),
        _integers(seating),
        _integers(seed),
        _integers(first),
        _integers(matches),
        game=game,
        length=length,
        lanes=min(-(-lanes // len(devices)), per_device),
        capacity=per_device,
        mesh=mesh,
    )
    return jax.tree.map(lambda leaf: _in_order(leaf, len(devices), matches), outcomes), memories


def _integers(value: Any) -> Any:
    """int32 by NumPy, for which JAX compiles nothing; arrays, traced ones among them, stay as they are."""
    return value if isinstance(value, jax.Array) else np.asarray(value, np.int32)


def _in_order(leaf: Array, devices: int, matches: int) -> Any:
    """Device d plays matches d, d + devices, ...: back to one sequence, less the room that was not needed."""
    if devices > 1:  # by NumPy: each single operation of JAX would have to be compiled
        host = np.asarray(leaf)
        return host.reshape(devices, -1, *host.shape[1:]).swapaxes(0, 1).reshape(host.shape)[:matches]
    return leaf if len(leaf) == matches else leaf[:matches]


@partial(jax.jit, static_argnames=("game", "length", "lanes", "capacity", "mesh"))
def _play_all(
    agents: tuple[Agent, ...],
    seating: Array,
    seed: Array,
    first: Array,
    matches: Array,
    *,
    game: AnyGame,
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


_kept_play = Kept(_play_all)


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
        self.turns = game.turns(agents)
        self.steps = _Steps(game, agents, seating)
        self.play = self.turns or self.steps
        stretch = min(STRETCH, game.longest)
        # Whole turns need every table at the same seat: a game may only begin when the rotation does.
        self.stretch = -(-stretch // game.players) * game.players if self.turns else stretch
        # Nothing is counted more often than there are moves: short numbers do where those are few.
        self.counting = jnp.int16 if game.longest < 2**15 else jnp.int32
        # Traced once, though they are looked at several times: here for what they need, and in the loop.
        self.step = jax.jit(self.advance)
        self.begin = jax.jit(self.begin_match)
        self.blank = jax.eval_shape(self.begin, first)
        self.live = self._live()

    def _live(self) -> Any:
        """Which parts of a table can have a say in what is reported, bool for each leaf.

        The rest (a log that none of these agents reads, say) need not be kept, which XLA does not find out by itself.
        """

        def one_step(lane: Lane) -> tuple[Lane, Any]:
            return self.step(lane, jnp.int32(0)), (self._learn(lane), self.play.outcome(lane.table))

        traced, (after, _) = jax.make_jaxpr(one_step, return_shape=True)(self.blank)
        reported = replace(jax.tree.map(lambda _: True, after), table=jax.tree.map(lambda _: False, after.table))
        live = jax.tree.leaves(reported)
        told = len(traced.jaxpr.outvars) - len(live)
        while True:
            _, needed = partial_eval.dce_jaxpr(traced.jaxpr, [*live, *[True] * told])
            grown = [old or new for old, new in zip(live, needed, strict=True)]
            if grown == live:
                return jax.tree.unflatten(jax.tree.structure(after), live)
            live = grown

    def pack(self, lane: Lane) -> Lane:
        """A lane without its dead parts."""
        return jax.tree.map(lambda leaf, live: leaf if live else None, lane, self.live)

    def unpack(self, packed: Lane) -> Lane:
        """A lane with anything at all in its dead parts."""
        blank = jax.tree.map(
            lambda leaf, live: None if live else jnp.zeros(leaf.shape, leaf.dtype), self.blank, self.live
        )
        return jax.tree.map(lambda a, b: b if a is None else a, packed, blank, is_leaf=lambda leaf: leaf is None)

    def run(self, count: Array, lanes: int, capacity: int) -> tuple[Outcomes, Any]:
        """Play `count` matches at `lanes` tables; outcomes have room for `capacity`."""
        games, players = capacity * self.length, self.game.players
        outcome = jax.eval_shape(lambda lane: self.play.outcome(lane.table), self.blank)
        blank = Outcomes(
            jnp.zeros((games, players)),
            jnp.zeros(games, jnp.int32),
            {name: jnp.zeros((games, players), self.counting) for name in outcome.events},
        )
        tables = jax.vmap(lambda match: self.pack(self.begin(match)))(jnp.arange(lanes))
        # A CPU begins a few games at a time, and none in vain; for a GPU all at once is faster.
        few = lanes if jax.default_backend() != "cpu" or self.stretch < STRETCH else min(lanes, max(32, lanes // 8))

        def unfinished(carry: tuple[Lane, Outcomes, Array]) -> Array:
            return (carry[0].match < count).any()

        def through(tables: Lane) -> Array:
            return tables.over & (tables.match < count)

        def play_on(carry: tuple[Lane, Outcomes, Array]) -> tuple[Lane, Outcomes, Array]:
            tables, outcomes, taken = carry
            for_all = jax.vmap(lambda lane, index: self.pack(self.step(self.unpack(lane), index)), (0, None))
            tables, _ = jax.lax.scan(lambda t, i: (for_all(t, i), None), tables, jnp.arange(self.stretch))
            return jax.lax.while_loop(lambda carry: through(carry[0]).any(), renew_some, (tables, outcomes, taken))

        def renew_some(carry: tuple[Lane, Outcomes, Array]) -> tuple[Lane, Outcomes, Array]:
            tables, outcomes, taken = carry
            done = through(tables)
            where = jnp.arange(lanes) if few == lanes else jnp.nonzero(done, size=few, fill_value=lanes)[0]
            some = jax.tree.map(lambda leaf: leaf.at[where].get(mode="clip"), tables)
            done = done[where] & (where < lanes)
            reported = jax.vmap(lambda lane: self.play.outcome(self.unpack(lane).table))(some)
            index = jnp.where(done, some.match * self.length + some.number, games)
            outcomes = Outcomes(
                outcomes.rewards.at[index].set(reported.rewards, mode="drop"),
                outcomes.moves.at[index].set(reported.moves, mode="drop"),
                {
                    name: counted.at[index].set(reported.events[name].astype(counted.dtype), mode="drop")
                    for name, counted in outcomes.events.items()
                },
            )
            next_match = done & (some.number == self.length - 1)
            queue = taken + jnp.cumsum(next_match) - 1
            renewed = jax.vmap(self.renew)(some, done, next_match, queue, queue < count)
            tables = jax.tree.map(lambda leaf, new: leaf.at[where].set(new, mode="drop"), tables, renewed)
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
        return Lane(self.play.deal(chance.deal_key(key)), memories, match, number, key, jnp.bool_(False))

    def advance(self, lane: Lane, index: Array) -> Lane:
        """One turn, or one move, more. A table whose game is over may play on, but nothing of it counts."""
        if self.turns:
            table = self.turns.turn(lane.table, index % self.game.players, self.seating, lane.key)
            memories = lane.memories
        else:
            table, memories = self.steps.step(lane.table, lane.memories, lane.key)
        return replace(lane, table=table, memories=memories, over=lane.over | self.play.over(table))

    def renew(self, lane: Lane, through: Array, next_match: Array, queue: Array, left: Array) -> Lane:
        """A table that is through with its game goes on to the next one, or to the next match if any are left."""
        lane = self.unpack(lane)
        learned = self._learn(lane)
        anew = self.begin(queue)
        anew = replace(anew, memories=_where(left, anew.memories, learned))
        if self.length > 1:
            anew = _where(next_match, anew, self._deal(learned, lane.match, lane.number + 1))
        return self.pack(_where(through, anew, lane))

    def _learn(self, lane: Lane) -> tuple[Memory, ...]:
        """Memories after `finish`, for each agent in the seats where it sits."""
        if self.turns:
            return lane.memories  # agents of whole turns have none
        return self.steps.finish(lane.table, lane.memories, lane.key)


@pytree
class Stepped:
    """A game in play, move by move."""

    state: Any
    outcome: Outcome


class _Steps:
    """Single moves of any game and agents."""

    def __init__(self, game: AnyGame, agents: tuple[Agent, ...], seating: Array) -> None:
        self.game, self.agents, self.seating = game, agents, seating

    @cached_property
    def named(self) -> list[str]:
        """What the game counts; found by tracing it, which whole turns can do without."""
        game = self.game
        return list(jax.eval_shape(lambda: game.events(game.init(chance.key(0)), jnp.int32(0))))

    def deal(self, key: chance.Key) -> Stepped:
        nothing = jnp.zeros(self.game.players, jnp.int32)
        outcome = Outcome(jnp.zeros(self.game.players), jnp.int32(0), dict.fromkeys(self.named, nothing))
        return Stepped(self.game.init(key), outcome)

    def over(self, table: Stepped) -> Array:
        return table.state.terminated

    def outcome(self, table: Stepped) -> Outcome:
        return table.outcome

    def step(self, table: Stepped, memories: tuple[Memory, ...], key: chance.Key) -> tuple[Stepped, tuple[Memory, ...]]:
        state, outcome = table.state, table.outcome
        action, after_it = choose(
            self.game, self.agents, self.seating, memories, state, chance.move_key(key, outcome.moves)
        )
        after = self.game.step(state, action)
        on = ~state.terminated
        mine = on & (jnp.arange(self.game.players) == state.current_player)
        counted = self.game.events(state, action)
        outcome = Outcome(
            rewards=jnp.where(on, after.rewards, outcome.rewards),
            moves=outcome.moves + on,
            events={name: outcome.events[name] + jnp.where(mine, counted[name], 0) for name in self.named},
        )
        return Stepped(after, outcome), _where(on, after_it, memories)

    def finish(self, table: Stepped, memories: tuple[Memory, ...], key: chance.Key) -> tuple[Memory, ...]:
        seats = jnp.arange(self.game.players)

        def after(number: int, agent: Agent, memory: Memory) -> Memory:
            def finish(seat: Array, memory: Memory) -> Memory:
                view = self.game.observe(table.state, seat)
                learned = agent.finish(memory, view, table.outcome.rewards, chance.finish_key(key, seat))
                return _where(self.seating[seat] == number, learned, memory)

            return jax.vmap(finish)(seats, memory)

        return tuple(
            after(number, agent, memory)
            for number, (agent, memory) in enumerate(zip(self.agents, memories, strict=True))
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
