"""Single steps: the way of playing that every game has, and that all other ways are held to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.custom_batching import custom_vmap

from feint import chance
from feint.agent import Agent, Memory, fewest_tables, is_heavy
from feint.game import Game
from feint.pytrees import pytree
from feint.ways import Memories, Outcome, Seats, where

SHORT = 8  # moves: games of no more are played whole


@pytree
class Stepped:
    """A game in play, move by move."""

    state: Any
    rewards: Array  # float32[players]: all that was paid so far
    moves: Array  # int32
    events: dict[str, Array]  # int32[players] each
    action: Array  # int32: the last one


@dataclass(frozen=True, eq=False)
class Steps:
    """Single moves of any game and agents."""

    game: Game[Any, Any]
    agents: Sequence[Agent]
    cycle: int = 1

    @property
    def max_advances(self) -> int:
        return self.game.max_moves

    @property
    def whole(self) -> bool:
        return self.game.max_moves <= SHORT

    @cached_property
    def named(self) -> list[str]:
        """What the game counts; found by tracing it."""
        game = self.game
        return list(jax.eval_shape(lambda: game.events(game.init(chance.key(0)), jnp.int32(0))))

    def deal(self, key: chance.Key) -> Stepped:
        return self.start(self.game.init(key))

    def start(self, state: Any) -> Stepped:
        nothing = jnp.zeros(self.game.players, jnp.int32)
        return Stepped(
            state, jnp.zeros(self.game.players), jnp.int32(0), dict.fromkeys(self.named, nothing), jnp.int32(-1)
        )

    def over(self, table: Stepped) -> Array:
        return table.state.terminated

    def outcome(self, table: Stepped) -> Outcome:
        winners = self.game.winners(table.state, table.rewards)
        return Outcome(table.rewards, winners, table.moves, table.events)

    def advance(
        self, table: Stepped, seats: Seats, memories: Memories, key: chance.Key, index: Array
    ) -> tuple[Stepped, Memories]:
        action, after = choose(self.game, self.agents, seats, memories, table.state, chance.move_key(key, table.moves))
        return self.moved(table, action), where(table.state.terminated, memories, after)

    def moved(self, table: Stepped, action: Array) -> Stepped:
        """The table after an action of whoever's turn it is; a game that is over stays as it is."""
        state = table.state
        after = self.game.step(state, action)
        on = ~state.terminated
        mine = on & (jnp.arange(self.game.players) == state.current_player)
        counted = self.game.events(state, action)
        return Stepped(
            state=after,
            rewards=table.rewards + after.rewards,  # a game that is over pays nothing more
            moves=table.moves + on,
            events={name: table.events[name] + jnp.where(mine, counted[name], 0) for name in self.named},
            action=jnp.where(on, action, table.action),
        )

    def finish(self, table: Stepped, seats: Seats, memories: Memories, key: chance.Key) -> Memories:
        return finished(self.game, self.agents, seats, memories, table.state, table.rewards, key)


def begun(game: Game[Any, Any], agents: Sequence[Agent], seats: Seats, key: chance.Key) -> Memories:
    """Everybody's memory at the start of a match, from the key of its first game, in which positions are chairs."""

    def begin(number: int, agent: Agent) -> Memory:
        if not seats.counts[number]:
            return ()
        return jax.vmap(lambda chair: agent.begin(game, chair, chance.begin_key(key, chair)))(seats.positions(number))

    return tuple(begin(number, agent) for number, agent in enumerate(agents))


def choose(
    game: Game[Any, Any],
    agents: Sequence[Agent],
    seats: Seats,
    memories: Memories,
    state: Any,
    key: chance.Key,
    shares: Sequence[float] = (),
) -> tuple[Array, Memories]:
    """The action of the agent whose turn it is, and everybody's memories after it. Of many tables, about such a share asks each agent; the one
    that its chairs make, where none is given."""
    player = state.current_player
    number, slot = seats.agent[player], seats.slot[player]
    view = game.observe(state, player)
    shares = shares or [count / game.players if len(agents) > 1 else 1.0 for count in seats.counts]
    action, after = jnp.int32(0), []
    # Not by `lax.switch`: mapped over tables it asks everybody all the same, and copies all their numbers for every table.
    for each, agent in enumerate(agents):
        if not seats.counts[each]:
            after.append(memories[each])
            continue
        asked = number == each
        own = jax.tree.map(lambda leaf: leaf[slot], memories[each])
        ask = asked_where(shares[each] if is_heavy(agent) else 1.0, fewest_tables(agent))
        chosen, learned = ask(agent, asked & ~state.terminated, own, view, state.legal_action_mask, key)
        action = jnp.where(asked, jnp.asarray(chosen, jnp.int32), action)
        here = asked & (jnp.arange(seats.counts[each]) == slot)
        after.append(jax.tree.map(lambda all, one: _put(here, all, one), memories[each], learned))  # noqa: B023
    return action, tuple(after)


def _put(here: Array, all: Array, one: Array) -> Array:
    """One entry among all, [slots, ...], where `here`, bool[slots], says so."""
    return jnp.where(here.reshape(-1, *[1] * one.ndim), one, all)


def finished(
    game: Game[Any, Any],
    agents: Sequence[Agent],
    seats: Seats,
    memories: Memories,
    state: Any,
    rewards: Array,
    key: chance.Key,
) -> Memories:
    """Everybody's memory after a finished game; `key` is the game's."""

    def after(number: int, agent: Agent, memory: Memory) -> Memory:
        if not seats.counts[number]:
            return memory

        def finish(position: Array, memory: Memory) -> Memory:
            view = game.observe(state, position)
            return agent.finish(memory, view, rewards, chance.finish_key(key, position))

        return jax.vmap(finish)(seats.positions(number), memory)

    return tuple(
        after(number, agent, memory) for number, (agent, memory) in enumerate(zip(agents, memories, strict=True))
    )


@cache
def asked_where(share: float, fewest: int) -> Callable[..., tuple[Array, Memory]]:
    """A function that asks an agent where `asked` is true. Mapped over tables of which only a share asks, it looks at no more of them than
    it must, `fewest` at a time, or on a GPU more: what it answers elsewhere means nothing."""

    def act(
        agent: Agent,
        asked: Array,  # noqa: ARG001 (only where many tables are played at once)
        memory: Memory,
        view: Any,
        legal: Array,
        key: chance.Key,
    ) -> tuple[Array, Memory]:
        action, learned = agent.act(memory, view, legal, key)
        return jnp.asarray(action, jnp.int32), learned

    if share >= 1:
        return act
    apart = custom_vmap(act)

    @apart.def_vmap
    def ask_some(size: int, batched: Any, agent: Agent, asked: Array, *seen: Any) -> tuple[Any, Any]:
        axes = jax.tree.map(lambda is_batched: 0 if is_batched else None, tuple(batched))
        everybody = jax.vmap(act, axes, axis_size=size)
        shapes = jax.eval_shape(everybody, agent, asked, *seen)
        all_batched = jax.tree.map(lambda _: True, shapes)
        # A CPU takes as long for a table whoever else is asked, so that none is asked in vain; a GPU answers all that are likely to ask at once.
        few = fewest if jax.default_backend() == "cpu" else max(1, -(-int(size * share) // fewest)) * fewest
        if few >= size or not batched[1] or any(jax.tree.leaves(batched[0])):
            return everybody(agent, asked, *seen), all_batched

        def those(where: Array, leaf: Array, is_batched: bool) -> Array:
            return leaf.at[where].get(mode="clip") if is_batched else leaf

        def ask_few(carry: tuple[Array, Any]) -> tuple[Array, Any]:
            left, answers = carry
            where = jnp.nonzero(left, size=few, fill_value=size)[0]
            some = jax.tree.map(partial(those, where), seen, tuple(batched[2:]))
            given = jax.vmap(act, axes, axis_size=few)(agent, left[where], *some)
            answers = jax.tree.map(lambda all, one: all.at[where].set(one, mode="drop"), answers, given)
            return left.at[where].set(False, mode="drop"), answers

        nothing = jax.tree.map(lambda leaf: _blank(leaf), shapes)
        _, answers = jax.lax.while_loop(lambda carry: carry[0].any(), ask_few, (asked, nothing))
        return answers, all_batched

    return apart


def _blank(leaf: Any) -> Array:
    """An array to be written over: of any numbers, or of any keys."""
    if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jnp.broadcast_to(chance.key(0), leaf.shape)
    return jnp.zeros(leaf.shape, leaf.dtype)
