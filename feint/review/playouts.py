"""Games played on from given worlds, thousands in one compiled call: every choice in the same worlds, with the same chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.arena.driver import Driver, Lane
from feint.arena.rollout import Renewing
from feint.game import Game
from feint.program_cache import CachedProgram
from feint.steps import Stepped, Steps, begun
from feint.ways import Memories, Resuming, Way, where

LANES = 1024  # games in play at once
FREE = -1  # in place of a choice: the agent chooses


@dataclass(frozen=True)
class Results:
    """What came of games played on: a row for each world that was drawn, a column for each choice."""

    payoffs: np.ndarray  # float32[worlds, choices, players]
    wins: np.ndarray  # bool[worlds, choices, players]


@dataclass(frozen=True)
class Player:
    """Plays on with one agent in all seats, so many games in a call: one program serves every decision of a game."""

    game: Game[Any, Any]
    agent: Agent
    playouts: int
    seed: int

    def results(
        self, number: int, worlds: Any, picked: np.ndarray, choices: list[int], paid: np.ndarray | None = None
    ) -> Results:
        """What comes of each choice in worlds number `picked`, int[at most playouts / choices], of those given, State[worlds]; `paid`,
        float32[players], was paid before. Calls of the same number have the same chance."""
        players, count = self.game.players, len(choices)
        used = len(picked) * count
        if used > self.playouts:
            raise ValueError(f"{used} games were asked for, where {self.playouts} are played in a call.")
        payoffs, wins = _cached(
            self.game,
            self.agent,
            worlds,
            np.zeros(players, np.float32) if paid is None else np.asarray(paid, np.float32),
            np.resize(np.asarray(picked, np.int32), self.playouts),
            np.resize(np.asarray(choices, np.int32), max(self.game.actions, 1)),
            np.int32(count),
            np.int32(used),
            np.int32(self.seed),
            np.int32(number),
            lanes=min(LANES, self.playouts),
            playouts=self.playouts,
        )
        shape = (len(picked), count, players)
        return Results(np.asarray(payoffs)[:used].reshape(shape), np.asarray(wins)[:used].reshape(shape))


class _PlayedOn(Driver):
    """Plays on at tables that others have begun, with one agent in all seats."""

    def __init__(self, game: Game[Any, Any], agent: Agent, key: chance.Key) -> None:
        seating = jnp.zeros(game.players, jnp.int32)
        super().__init__(game, (agent,), seating, (game.players,), key, jnp.int32(0), 1, 1)
        self.begun: Any = None  # Lane[playouts]

    def _way(self, match: Array) -> Way:
        agents = self._agents(match)
        quick = self.game.ways(agents)
        return quick if isinstance(quick, Resuming) else Steps(self.game, agents)

    def begin_match(self, match: Array) -> Lane:
        return replace(jax.tree.map(lambda leaf: leaf[match], self.begun), match=match)

    def begin_in(self, world: Any, paid: Array, choice: Array, match: Array, key: chance.Key) -> Lane:
        """A table at which a choice was made in a world, or nothing yet where it is free."""
        steps, way = Steps(self.game, self._agents(match)), self.way
        chairs = self.chairs(match)
        memories = begun(self.game, steps.agents, chairs, key)
        here = replace(steps.start(world), rewards=paid)
        table = where(choice == FREE, here, steps.moved(here, jnp.maximum(choice, 0)))
        if isinstance(way, Resuming):

            def step(carry: tuple[Stepped, Memories]) -> tuple[Stepped, Memories]:
                return steps.advance(carry[0], chairs, carry[1], key, jnp.int32(0))

            table, memories = jax.lax.while_loop(lambda carry: ~way.joins(carry[0].state), step, (table, memories))
            table = way.resume(table.state, table.rewards, table.moves)
        return Lane(table, memories, match, jnp.int32(0), key, way.over(table))


@partial(jax.jit, static_argnames=("lanes", "playouts"))
def _play_on(
    game: Game[Any, Any],
    agent: Agent,
    worlds: Any,
    paid: Array,
    picked: Array,
    choices: Array,
    count: Array,
    used: Array,
    seed: Array,
    number: Array,
    *,
    lanes: int,
    playouts: int,
) -> tuple[Array, Array]:
    """What each game paid and who won it, float32 and bool[playouts, players]: game m takes choice m mod `count` in world
    `picked[m // count]`, with the chance of that world, whatever is chosen in it."""
    key = jax.random.fold_in(chance.key(seed), number)
    driver = _PlayedOn(game, agent, key)

    def begin(match: Array) -> Lane:
        nth = match // count
        world = jax.tree.map(lambda leaf: leaf[picked[nth]], worlds)
        return driver.begin_in(world, paid, choices[match % count], match, jax.random.fold_in(key, nth))

    driver.begun = jax.vmap(begin)(jnp.arange(playouts))
    outcomes, _ = Renewing(driver, None, used, lanes, playouts).run()
    return outcomes.rewards[:, 0], outcomes.winners[:, 0]


_cached = CachedProgram(_play_on)
