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
from feint.steps import Steps, begun
from feint.ways import Way, where

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
    """Match number m takes choice m mod `count` in world `picked[m // count]`, and plays on from there with one agent in all seats."""

    def __init__(
        self,
        game: Game[Any, Any],
        agent: Agent,
        worlds: Any,
        paid: Array,
        picked: Array,
        choices: Array,
        count: Array,
        key: chance.Key,
    ) -> None:
        self.worlds, self.paid, self.picked = worlds, paid, picked
        self.choices, self.count = choices, count
        seating = jnp.zeros(game.players, jnp.int32)
        super().__init__(game, (agent,), seating, (game.players,), key, jnp.int32(0), 1, 1)

    def _way(self, match: Array) -> Way:
        return self._steps(match)

    def _steps(self, match: Array) -> Steps:
        return Steps(self.game, self._agents(match))

    def begin_match(self, match: Array) -> Lane:
        steps, number = self._steps(match), match // self.count
        key = jax.random.fold_in(self.key, number)  # the world's, whatever is chosen in it
        world = jax.tree.map(lambda leaf: leaf[self.picked[number]], self.worlds)
        here = replace(steps.start(world), rewards=self.paid)
        choice = self.choices[match % self.count]
        table = where(choice == FREE, here, steps.moved(here, jnp.maximum(choice, 0)))
        memories = begun(self.game, steps.agents, self.chairs, key)
        return Lane(table, memories, match, jnp.int32(0), key, steps.over(table))


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
    """What each game paid and who won it, float32 and bool[playouts, players]."""
    key = jax.random.fold_in(chance.key(seed), number)
    driver = _PlayedOn(game, agent, worlds, paid, picked, choices, count, key)
    outcomes, _ = Renewing(driver, None, used, lanes, playouts).run()
    return outcomes.rewards[:, 0], outcomes.winners[:, 0]


_cached = CachedProgram(_play_on)
