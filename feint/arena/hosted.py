"""Matches in which somebody is not compiled: many tables in compiled batches, while those outside are asked from here.

Tables play on until everybody waits for an answer from outside; then all questions are read back at once, put to those whose turn it is,
and all answers are played. What comes of it is what the arena's own matches give, only later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import outside
from feint.agent import Agent, is_compiled
from feint.arena.driver import Lane, Stepping
from feint.arena.rollout import Outcomes
from feint.chance import key as key_of
from feint.game import Game
from feint.pytrees import pytree
from feint.steps import Steps
from feint.ways import where

AnyGame = Game[Any, Any]
LANES = 256  # tables at once
# Tables for few matches, and how many times as many are the next number of them: matches of similar size share a compilation.
FEWEST, STEP = 8, 4
OUTSIDE = -1  # in a seating of compiled agents: somebody who is asked from here


class _Waiting(Stepping):
    """Tables at which somebody outside may be next."""

    def inside(self, lane: Lane) -> Array:
        """Whether the turn at a table is a compiled agent's."""
        state = lane.table.state
        return ~state.terminated & (self.seats(lane).agent[state.current_player] != OUTSIDE)


@pytree
class Asked:
    """What is read back of a table where nobody compiled has anything to do."""

    over: Array  # bool
    player: Array  # int32: the position whose turn it is
    legal: Array  # bool[actions]
    views: Any  # of every position, [players, ...]: one of them is asked, and all are told of the end
    outcome: Outcomes  # by chair, once it is over


def play(
    game: AnyGame,
    agents: Sequence[Any],
    names: Sequence[str],
    seating: Sequence[int],
    *,
    seed: int,
    first: int,
    matches: int,
    length: int = 1,
    limit: float | None = None,
    told: Callable[[int], None] | None = None,
) -> Outcomes:
    """Play matches number `first` to `first + matches - 1` with agent `seating[c]` in chair c, compiled or not; `told` hears of matches that are
    through. An agent outside may take `limit` seconds for an answer."""
    host = _Host(game, agents, names, seating, seed, first, matches, length, limit)
    return host.run(told)


class _Host:
    def __init__(
        self,
        game: AnyGame,
        agents: Sequence[Any],
        names: Sequence[str],
        seating: Sequence[int],
        seed: int,
        first: int,
        matches: int,
        length: int,
        limit: float | None,
    ) -> None:
        self.game, self.names, self.matches, self.length, self.limit = game, names, matches, length, limit
        self.seed, self.first = seed, first
        compiled = [number for number, agent in enumerate(agents) if is_compiled(agent)]
        self.chairs = [OUTSIDE if seated not in compiled else compiled.index(seated) for seated in seating]
        self.seated = seating
        counts = tuple(self.chairs.count(number) for number in range(len(compiled)))
        inside = tuple(agents[number] for number in compiled)
        rest = (game, inside, np.asarray(self.chairs, np.int32), np.int32(seed), np.int32(first))
        self._begin, self._play_on, self._move, self._next = (
            partial(each, *rest, counts=counts, length=length) for each in (_begin, _play_on, _move, _next)
        )
        self.lanes = _tables(matches)
        self.agents = agents
        # One of each agent outside for every table and chair, if it remembers.
        free = [chair for chair, inside in enumerate(self.chairs) if inside == OUTSIDE]
        places = [(lane, chair) for lane in range(min(self.lanes, matches)) for chair in free]
        self.outside: dict[tuple[int, int], Any] = dict(
            zip(places, outside.apart(agents[seating[chair]] for _, chair in places), strict=True)
        )

    def run(self, told: Callable[[int], None] | None) -> Outcomes:
        # The match at each table, beyond the last for one that is through, and the game in it.
        self.match = match = np.arange(self.lanes, dtype=np.int32)
        self.number = number = np.zeros(self.lanes, np.int32)
        lanes = self._begin(match)
        for lane in range(min(self.lanes, self.matches)):
            self._tell_of_match(lane)
        kept: dict[int, list[Outcomes]] = {}
        taken = self.lanes
        while (match < self.matches).any():
            lanes, waiting = self._play_on(lanes)
            asked: Any = jax.device_get(waiting)
            busy = match < self.matches
            actions, given_up = self._answers(asked, np.flatnonzero(busy & ~asked.over))
            lanes = self._move(lanes, actions)
            over = busy & asked.over
            over[[*given_up]] = True
            for lane in np.flatnonzero(over).tolist():
                outcome = jax.tree.map(lambda leaf, lane=lane: leaf[lane], asked.outcome)
                if lane in given_up:
                    outcome = self._forfeited(outcome, given_up[lane])
                self._tell_of_end(lane, asked, outcome)
                kept.setdefault(int(match[lane]), []).append(outcome)
                number[lane] += 1
                if number[lane] == self.length:
                    match[lane], number[lane], taken = taken, 0, taken + 1
                    if told:
                        told(1)
                    if match[lane] < self.matches:
                        self._tell_of_match(lane)
            if over.any():
                lanes = self._next(lanes, over, match, number)
        games = [kept[match] for match in range(self.matches)]
        return jax.tree.map(
            lambda *leaves: np.stack(leaves).reshape(self.matches, self.length, *leaves[0].shape),
            *(each for of_match in games for each in of_match),
        )

    def _chair(self, position: int, number: int) -> int:
        return (position + number) % self.game.players if self.game.rotates else position

    def _answers(self, asked: Any, waiting: np.ndarray) -> tuple[np.ndarray, dict[int, int]]:
        """What those outside do at the tables that wait for them, int32[lanes], and anything elsewhere; and which chair gave up its game where."""
        actions = np.zeros(self.lanes, np.int32)
        given_up: dict[int, int] = {}
        leaves, kind = jax.tree.flatten(asked.views)
        questions: dict[int, list[tuple[int, Any, str, outside.Question]]] = {}
        for lane in waiting.tolist():
            position = int(asked.player[lane])
            place = self._place(lane, position)
            view = jax.tree.unflatten(kind, [leaf[lane, position] for leaf in leaves])
            name = f"{self.names[self.seated[place.chair]]} (seat {place.chair + 1})"
            question = outside.Question(view, asked.legal[lane].copy(), place, int(asked.outcome.moves[lane]))
            questions.setdefault(self.seated[place.chair], []).append(
                (lane, self.outside[lane, place.chair], name, question)
            )
        for group in questions.values():
            at, who, names, put = zip(*group, strict=True)
            answers = outside.ask(who, names, put, self.limit)
            for lane, agent, name, each, answer in zip(at, who, names, put, answers, strict=True):
                if answer == outside.FORFEIT and outside.is_bot(agent):
                    given_up[lane] = each.place.chair
                else:
                    outside.check_legal(self.game, name, each.view, each.legal, answer, each.move)
                    actions[lane] = answer
        return actions, given_up

    def _place(self, lane: int, position: int) -> outside.Place:
        number = int(self.number[lane])
        return outside.Place(self.seed, self.first + int(self.match[lane]), number, self._chair(position, number))

    def _forfeited(self, outcome: Any, chair: int) -> Any:
        """A game that somebody gave up: that costs the most that the game can, and the others win it together."""
        least, _ = self.game.payoff_range
        paid = ((self.game.payoff_sum or 0.0) - least) / (self.game.players - 1)
        others = np.arange(self.game.players) != chair
        return replace(outcome, rewards=np.where(others, paid, least).astype(np.float32), winners=others)

    def _tell_of_match(self, lane: int) -> None:
        for (at, chair), agent in self.outside.items():
            if at == lane:
                outside.begin(agent, self.game, chair)

    def _tell_of_end(self, lane: int, asked: Any, outcome: Any) -> None:
        places = [self._place(lane, position) for position in range(self.game.players)]
        rewards = outcome.rewards[[place.chair for place in places]]  # by position
        for position, place in enumerate(places):
            if (lane, place.chair) in self.outside:
                view = jax.tree.map(lambda leaf, at=(lane, position): leaf[at], asked.views)
                outside.finish(self.outside[lane, place.chair], view, rewards, place)


def _tables(matches: int) -> int:
    tables = FEWEST
    while tables < min(matches, LANES):
        tables *= STEP
    return min(tables, LANES)


# ---- compiled, for all tables at once


def _driver(
    game: AnyGame, agents: tuple[Agent, ...], seating: Array, seed: Array, first: Array, counts: Any, length: int
) -> _Waiting:
    return _Waiting(game, agents, seating, counts, key_of(seed), first, 1, length)


@partial(jax.jit, static_argnames=("counts", "length"))
def _begin(
    game: Any, agents: Any, seating: Any, seed: Any, first: Any, match: Any, *, counts: Any, length: int
) -> Lane:
    return jax.vmap(_driver(game, agents, seating, seed, first, counts, length).begin_match)(match)


@partial(jax.jit, static_argnames=("counts", "length"))
def _play_on(
    game: Any, agents: Any, seating: Any, seed: Any, first: Any, lanes: Lane, *, counts: Any, length: int
) -> tuple[Lane, Asked]:
    """Compiled agents move until nobody of them has anything to do."""
    driver = _driver(game, agents, seating, seed, first, counts, length)
    inside = jax.vmap(driver.inside)

    def advance(lane: Lane) -> Lane:
        return where(driver.inside(lane), driver.advance(lane, jnp.int32(0)), lane)

    if agents:
        lanes = jax.lax.while_loop(lambda lanes: inside(lanes).any(), jax.vmap(advance), lanes)

    def look(lane: Lane) -> Asked:
        state, found = lane.table.state, driver.outcome(lane)
        outcome = Outcomes(found.rewards, found.winners, found.moves, found.events)
        views = jax.vmap(lambda position: game.observe(state, position))(jnp.arange(game.players))
        return Asked(state.terminated, state.current_player, state.legal_action_mask, views, outcome)

    return lanes, jax.vmap(look)(lanes)


@partial(jax.jit, static_argnames=("counts", "length"))
def _move(
    game: Any, agents: Any, seating: Any, seed: Any, first: Any, lanes: Lane, actions: Any, *, counts: Any, length: int
) -> Lane:
    """The answers of those outside, where one was waited for."""
    del seating, seed, first, counts, length
    steps = Steps(game, agents)
    return jax.vmap(lambda lane, action: replace(lane, table=steps.moved(lane.table, action)))(lanes, actions)


@partial(jax.jit, static_argnames=("counts", "length"))
def _next(
    game: Any,
    agents: Any,
    seating: Any,
    seed: Any,
    first: Any,
    lanes: Lane,
    over: Any,
    match: Any,
    number: Any,
    *,
    counts: Any,
    length: int,
) -> Lane:
    """Tables that are through go on to the next game, which is the first of another match where its number is 0."""
    driver = _driver(game, agents, seating, seed, first, counts, length)

    def renew(lane: Lane, over: Array, match: Array, number: Array) -> Lane:
        anew = where(number == 0, driver.begin_match(match), driver.next_game(lane))
        return where(over, anew, lane)

    return jax.vmap(renew)(lanes, over, match, number)
