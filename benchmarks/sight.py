"""What it would be worth to see everything: somebody who sees all hands tries every legal action in play-outs from the very position, beside
players who stay as they are. No player sees that much, so what such a one does not win is hardly there to be won.

    python -m benchmarks.sight bluff no-bluff 'anxious(53)' smart reinforcement --games 336 --playouts 32

The first agent says what is done unless another action does better by `--sure` standard errors, and it is who plays on in the play-outs. All
orders of seats take turns. The draws of the others in play-outs are not those that the game then makes. A GPU wants more `--tables` side by side
and more `--pairs` of a position and an action tried at once; the result is the same.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from itertools import permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import feint
from feint import chance
from feint.arena.statistics import mean, win_rate
from feint.game import Game
from feint.steps import begun, choose
from feint.think.agent import best
from feint.ways import Seats, where


@jax.jit
def dealt(game: Game[Any, Any], agents: Any, seatings: Array, keys: chance.Key) -> tuple[Any, Any, Array]:
    """Tables at the start of a game: states, memories, moves made."""

    def one(seating: Array, key: chance.Key) -> tuple[Any, Any, Array]:
        seats = seated(game, seating)
        return game.init(chance.deal_key(key)), begun(game, agents, seats, key), jnp.int32(0)

    return jax.vmap(one)(seatings, keys)


def seated(game: Game[Any, Any], seating: Array) -> Seats:
    return Seats.taken(seating, (1,) * game.players)


@jax.jit
def others_move(
    game: Game[Any, Any], agents: Any, seatings: Array, keys: chance.Key, tables: Any, tried: Array, ready: Array
) -> Any:
    """Tables after the action that was tried at each, where it is `ready`, and the moves of others until the first agent is to move again."""

    def one(seating: Array, key: chance.Key, table: Any, action: Array, ready: Array) -> Any:
        moved = where(ready, advanced(game, agents, seating, key, table, action), table)
        on = lambda table: ~table[0].terminated & (seating[table[0].current_player] != 0)  # noqa: E731
        return jax.lax.while_loop(on, lambda table: advanced(game, agents, seating, key, table), moved)

    return jax.vmap(one)(seatings, keys, tables, tried, ready)


def asked(game: Game[Any, Any], agents: Any, seating: Array, key: chance.Key, table: Any) -> tuple[Array, Any]:
    """What the agent does whose turn it is, and everybody's memories after it."""
    state, memories, moves = table
    everybody = (1.0,) * len(agents)  # is asked at every table
    return choose(game, agents, seated(game, seating), memories, state, chance.move_key(key, moves), everybody)


def advanced(
    game: Game[Any, Any], agents: Any, seating: Array, key: chance.Key, table: Any, action: Array | None = None
) -> Any:
    """A table one move later, by this action or by what the agent does whose turn it is."""
    state, _, moves = table
    chosen, memories = asked(game, agents, seating, key, table)
    return game.step(state, chosen if action is None else action), memories, moves + 1


def won(game: Game[Any, Any], state: Any) -> Array:
    """What everybody has of a finished game, as it is measured, float32[players]: it pays by its last move."""
    paid = state.rewards
    return game.winners(state, paid).astype(jnp.float32) if game.measure == "wins" else paid


@partial(jax.jit, static_argnames="playouts")
def tried(
    game: Game[Any, Any],
    agents: Any,
    seatings: Array,
    keys: chance.Key,
    tables: Any,
    at: Array,
    actions: Array,
    *,
    playouts: int,
) -> Array:
    """What comes of each action at the table that stands at its place of `at`, float32[pairs, playouts]; all actions at a table meet the
    same chance."""

    def one(place: Array, action: Array, nth: Array) -> Array:
        seating, key, table = jax.tree.map(lambda leaf: leaf[place], (seatings, keys, tables))
        key = jax.random.fold_in(chance.thought_key(chance.move_key(key, table[2])), nth)
        on = lambda table: ~table[0].terminated  # noqa: E731
        first = advanced(game, agents, seating, key, table, action)
        state, _, _ = jax.lax.while_loop(on, lambda table: advanced(game, agents, seating, key, table), first)
        return won(game, state)[jnp.argmax(seating == 0)]

    tries = jax.vmap(jax.vmap(one, (None, None, 0)), (0, 0, None))
    return tries(at, actions, jnp.arange(playouts))


def decided(
    game: Any, agents: Any, seatings: Array, keys: Any, tables: Any, chosen: np.ndarray, given: argparse.Namespace
) -> np.ndarray:
    """What is done at each table, int32[tables]: what was chosen, unless another action does better."""
    state, taken = tables[0], chosen.copy()
    mask, over = np.asarray(state.legal_action_mask), np.asarray(state.terminated)
    deciding = np.flatnonzero(~over & (mask.sum(axis=1) > 1))
    pairs = [(table, action) for table in deciding for action in np.flatnonzero(mask[table])]
    values = {}
    for start in range(0, len(pairs), given.pairs):
        some = pairs[start : start + given.pairs]
        at, actions = np.resize(np.array(some, np.int32), (given.pairs, 2)).T
        found = tried(game, agents, seatings, keys, tables, at, actions, playouts=given.playouts)
        values |= dict(zip(some, np.asarray(found), strict=False))
    for table in deciding:
        legal = [chosen[table], *(each for each in np.flatnonzero(mask[table]) if each != chosen[table])]
        columns = jnp.asarray(np.stack([values[table, each] for each in legal], axis=1))
        weights = jnp.full(given.playouts, 1 / given.playouts)
        taken[table] = legal[int(best(columns, weights, jnp.ones(len(legal), bool), given.sure))]
    return taken


@jax.jit
def proposed(game: Game[Any, Any], agents: Any, seatings: Array, keys: chance.Key, tables: Any) -> Array:
    """What the agent would do whose turn it is, int32[tables]."""

    def one(seating: Array, key: chance.Key, table: Any) -> Array:
        legal, action = table[0].legal_action_mask, asked(game, agents, seating, key, table)[0]
        return jnp.where(legal[action], action, chance.first(legal))

    return jax.vmap(one)(seatings, keys, tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--games", type=int, default=480)
    parser.add_argument("--playouts", type=int, default=32)
    parser.add_argument("--tables", type=int, default=48)
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--sure", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    game = feint.make(given.game, players=len(given.agents))
    agents = tuple(feint.make_agent(spec, game) for spec in given.agents)
    orders = np.array(list(permutations(range(len(agents)))), np.int32)
    if game.pays_early:
        parser.error(f"{game.name} pays before its end, which is not added up here.")
    wins = game.measure == "wins"
    began, changed, decisions = time.perf_counter(), 0, 0
    values: list[float] = []
    for first in range(0, given.games, given.tables):
        numbers = jnp.arange(first, first + given.tables)
        seatings = jnp.asarray(orders[np.asarray(numbers) % len(orders)])
        keys = jax.vmap(lambda number: jax.random.fold_in(chance.key(given.seed), number))(numbers)
        tables = dealt(game, agents, seatings, keys)
        nothing = jnp.zeros(given.tables, jnp.int32)
        tables = others_move(game, agents, seatings, keys, tables, nothing, nothing > 0)
        while not (over := np.asarray(tables[0].terminated)).all():
            chosen = np.asarray(proposed(game, agents, seatings, keys, tables))
            action = decided(game, agents, seatings, keys, tables, chosen, given)
            changed, decisions = changed + int((action != chosen)[~over].sum()), decisions + int((~over).sum())
            tables = others_move(game, agents, seatings, keys, tables, jnp.asarray(action), jnp.asarray(~over))
        found = np.asarray(jax.vmap(partial(won, game))(tables[0]))
        values += found[np.asarray(seatings) == 0].tolist()
        told = win_rate(int(sum(values)), len(values), 0.99).scaled(100) if wins else mean(values, 0.99)
        print(
            f"{len(values):,} games, {time.perf_counter() - began:,.0f} s: {'wins' if wins else 'earns'} {told.estimate:.3f} "
            f"[{told.low:.3f}, {told.high:.3f}]; not {given.agents[0]}'s own action at {changed:,} of {decisions:,} decisions",
            flush=True,
        )


if __name__ == "__main__":
    main()
