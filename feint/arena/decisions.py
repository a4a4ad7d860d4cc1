"""Games of compiled agents with every decision that was made in them: what was seen, what could be done, and what was done.

Tables take the next game as soon as they are through with one. What is told of a game depends on the seed and its number alone, so that it does
not matter how many tables there are, or with which game somebody begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.arena.driver import Lane, Stepping
from feint.game import Game
from feint.pytrees import pytree
from feint.ways import where

LANES = 512  # tables at once
STRETCH = 16  # moves between two looks for games that are over


@pytree
class Decisions:
    """Decisions, every array [decisions, ...]."""

    game: Any  # int64: the number of the game
    move: Any  # int32: moves made before it
    seat: Any  # int32: the position that decided
    agent: Any  # int32: who that is, by number
    view: Any  # as the game gives it
    legal: Any  # bool[actions]
    action: Any  # int32


@dataclass(frozen=True)
class Ended:
    """A game that is over."""

    game: int
    moves: int
    payoffs: np.ndarray  # float32[players], by position
    winners: np.ndarray  # bool[players]


def played(
    game: Game[Any, Any], agents: Sequence[Agent], seating: Sequence[int], *, seed: int, first: int, games: int
) -> Iterator[tuple[Decisions, list[Ended]]]:
    """Games number `first` to `first + games - 1` with agent `seating[c]` in chair c of game 0, everybody a seat further in each of the next.

    A portion at a time: decisions in no particular order, and the games of which no more will come.
    """
    lanes = min(LANES, games)
    counts = tuple(list(seating).count(number) for number in range(len(agents)))
    fixed = (game, tuple(agents), np.asarray(seating, np.int32), np.int32(seed))
    stretch = min(STRETCH, game.max_moves)
    numbers = np.arange(first, first + lanes, dtype=np.int32)
    taken, end = first + lanes, first + games
    tables = _begin(*fixed, numbers, counts=counts)
    while (numbers < end).any():
        tables, kept, outcomes = _play_on(*fixed, tables, counts=counts, stretch=stretch)
        (on, decisions), (over, moves, payoffs, winners) = jax.device_get((kept, outcomes))
        made = on & (numbers < end)  # [stretch, lanes]
        yield (
            jax.tree.map(lambda leaf, made=made: leaf[made], decisions),
            [
                Ended(int(numbers[lane]), int(moves[lane]), payoffs[lane], winners[lane])
                for lane in np.flatnonzero(over & (numbers < end))
            ],
        )
        if over.any():
            numbers = numbers.copy()
            numbers[over] = taken + np.arange(over.sum(), dtype=np.int32)
            taken += int(over.sum())
            tables = _renew(*fixed, tables, over, np.minimum(numbers, end), counts=counts)


def _driver(game: Any, agents: Any, seating: Array, seed: Array, match: Array, counts: tuple[int, ...]) -> Stepping:
    """What plays a match, in which people sit as its number says."""
    turned = jnp.roll(seating, match % game.players)
    return Stepping(game, agents, turned, counts, chance.key(seed), jnp.int32(0), 1, 1)


@partial(jax.jit, static_argnames="counts")
def _begin(game: Any, agents: Any, seating: Any, seed: Any, numbers: Any, *, counts: tuple[int, ...]) -> Lane:
    return jax.vmap(lambda match: _driver(game, agents, seating, seed, match, counts).begin_match(match))(numbers)


@partial(jax.jit, static_argnames="counts")
def _renew(
    game: Any, agents: Any, seating: Any, seed: Any, tables: Lane, over: Any, numbers: Any, *, counts: tuple[int, ...]
) -> Lane:
    """Tables that are through begin the game of their new number."""

    def renew(lane: Lane, over: Array, match: Array) -> Lane:
        return where(over, _driver(game, agents, seating, seed, match, counts).begin_match(match), lane)

    return jax.vmap(renew)(tables, over, numbers)


@partial(jax.jit, static_argnames=("counts", "stretch"))
def _play_on(
    game: Any, agents: Any, seating: Any, seed: Any, tables: Lane, *, counts: tuple[int, ...], stretch: int
) -> Any:
    """So many moves at every table; whether each was made, the decision, and what came of games that are over."""

    def step(lane: Lane) -> tuple[Lane, tuple[Array, Decisions]]:
        driver = _driver(game, agents, seating, seed, lane.match, counts)
        state, seat = lane.table.state, lane.table.state.current_player
        legal, on = state.legal_action_mask, ~state.terminated
        after = driver.advance(lane, jnp.int32(0))
        action = after.table.action
        decision = Decisions(
            game=lane.match,
            move=lane.table.moves,
            seat=seat.astype(jnp.int32),
            agent=driver.seats(lane).agent[seat],
            view=game.observe(state, seat),
            legal=legal,
            action=jnp.where(legal[action], action, chance.first(legal)).astype(jnp.int32),
        )
        return where(on, after, lane), (on, decision)

    def outcome(lane: Lane) -> Any:
        found = _driver(game, agents, seating, seed, lane.match, counts).outcome(lane)
        return lane.table.state.terminated, found.moves, found.rewards, found.winners

    tables, kept = jax.lax.scan(lambda tables, _: jax.vmap(step)(tables), tables, None, stretch)
    return tables, kept, jax.vmap(outcome)(tables)
