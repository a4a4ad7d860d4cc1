"""The learner's decisions at many tables at once, and whose consequence is whose.

A lane is one table in play. Each step, the learner decides at every lane, and the lane plays on, through the moves of others
and into the next game, until the learner has to decide again. Where the learner holds several seats, each seat is a
player of its own: what its decision led to is known when that seat decides again or the game ends, however many others
have moved by then. A decision whose consequence is not known when the last step is taken is not learned from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import pytree
from feint.learn.tables import LEARNER, Tables
from feint.steps import Stepped, begun, choose
from feint.steps import Steps as SingleSteps
from feint.ways import Memories, Seats, where

# At one view, with its legal actions and a key: the action, and whatever is to be noted beside it.
Act = Callable[[Any, Array, Key], tuple[Array, Any]]


@pytree
class Lane:
    """One table in play. The same people play `Tables.length` games in a row, through which others keep their memory."""

    key: Key  # of the lane
    number: Array  # int32: of the game, counted through all matches
    table: Stepped
    seating: Array  # int32[players]: who has which chair
    memories: Memories

    @property
    def state(self) -> Any:
        return self.table.state


@pytree
class Turn:
    """What the learner sees where it has to decide."""

    ready: Array  # bool: whether it has to; else the rest means nothing
    seat: Array  # int32
    view: Any
    legal: Array  # bool[actions]
    key: Key
    state: Any = None  # hidden things included: for judging a decision afterwards, never for taking it
    game: Any = None  # the key of the game in play, the same at all of its turns


@pytree
class Steps:
    """Decisions and what came after each until the next step, every array [steps, lanes, ...]."""

    acted: Array  # bool: whether the learner decided; where others take too long, the lane has to wait for a step
    seat: Array  # int32: which seat decided
    action: Array  # int32
    noted: Any
    rewards: Array  # float32[players], paid before the next step
    ended: Array  # bool: the game was over before the next step
    own: Array  # bool[players]: the learner's seats


def begin(tables: Tables, lanes: int, key: Key, patience: int) -> Lane:
    """So many lanes, each where the learner has to decide."""

    def first(number: Array) -> Lane:
        return _match(tables, jax.random.fold_in(key, number), jnp.int32(0))

    started = jax.vmap(first)(jnp.arange(lanes))
    return _play_on(tables, started, jnp.zeros((lanes, tables.game.players)), jnp.zeros(lanes, bool), patience)[0]


def collect(tables: Tables, lanes: Lane, act: Act, steps: int, patience: int) -> tuple[Lane, Steps]:
    """Let the learner decide so many times at every lane. A lane waits for others for at most `patience` moves a step."""
    return collect_at(tables, lanes, lambda turn: act(turn.view, turn.legal, turn.key), steps, patience)


def collect_at(
    tables: Tables, lanes: Lane, decide: Callable[[Turn], tuple[Array, Any]], steps: int, patience: int
) -> tuple[Lane, Steps]:
    """As `collect`, for learners that note what only the state tells."""

    def step(lanes: Lane, _: None) -> tuple[Lane, Steps]:
        turns = jax.vmap(lambda lane: turn_at(tables, lane))(lanes)
        action, noted = jax.vmap(decide)(turns)
        moved = jax.vmap(lambda lane, action, ready: _move(tables, lane, action, lane.memories, ready))(
            lanes, action, turns.ready
        )
        paid = jnp.where(turns.ready[:, None], moved.state.rewards, 0.0)
        own = jax.vmap(lambda lane: _learns(_seats(tables, lane)))(lanes)
        after, rewards, ended = _play_on(tables, moved, paid, jnp.zeros_like(turns.ready), patience)
        return after, Steps(turns.ready, turns.seat, action, noted, rewards, ended, own)

    return jax.lax.scan(step, lanes, None, steps)


def turn_at(tables: Tables, lane: Lane) -> Turn:
    """What the learner sees at a lane."""
    state, seat = lane.state, lane.state.current_player
    return Turn(
        ready=_learners_turn(tables, lane) & ~state.terminated,
        seat=seat,
        view=tables.game.observe(state, seat),
        legal=state.legal_action_mask,
        key=chance.move_key(_key(lane), lane.table.moves),
        state=state,
        game=_key(lane),
    )


def _key(lane: Lane) -> Key:
    """The key of the game in play."""
    return jax.random.fold_in(lane.key, lane.number)


def _seats(tables: Tables, lane: Lane) -> Seats:
    """Who has which position in the game in play; agent -1 is the learner."""
    chairs = Seats.taken(lane.seating - 1, tables.counts)
    return chairs.rotated(lane.number % tables.length) if tables.game.rotates else chairs


def _learns(seats: Seats) -> Array:
    """The learner's positions, bool[players]."""
    return seats.agent == LEARNER - 1


def _learners_turn(tables: Tables, lane: Lane) -> Array:
    return _learns(_seats(tables, lane))[lane.state.current_player]


def _match(tables: Tables, key: Key, number: Array) -> Lane:
    """A lane at the start of a match, in a seating drawn anew."""
    of_game = jax.random.fold_in(key, number)
    seating = tables.draw(jax.random.fold_in(chance.deal_key(of_game), 0))
    chairs = Seats.taken(seating - 1, tables.counts)
    return _game(tables, key, number, seating, begun(tables.game, tables.agents, chairs, of_game))


def _game(tables: Tables, key: Key, number: Array, seating: Array, memories: Memories) -> Lane:
    """A lane at the start of a game."""
    of_game = jax.random.fold_in(key, number)
    return Lane(key, number, _steps(tables).deal(chance.deal_key(of_game)), seating, memories)


def _next_game(tables: Tables, lane: Lane) -> Lane:
    """The game after one that is over: the next of the match, or the first of the next match."""
    number = lane.number + 1
    anew = _match(tables, lane.key, number)
    if tables.length == 1:
        return anew
    learned = _steps(tables).finish(lane.table, _seats(tables, lane), lane.memories, _key(lane))
    return where(number % tables.length == 0, anew, _game(tables, lane.key, number, lane.seating, learned))


def _steps(tables: Tables) -> SingleSteps:
    return SingleSteps(tables.game, tables.agents)


def _move(tables: Tables, lane: Lane, action: Array, memories: Memories, really: Array) -> Lane:
    """The lane after an action, or as it was."""
    after = replace(lane, table=_steps(tables).moved(lane.table, action), memories=memories)
    return where(really, after, lane)


def _play_on(tables: Tables, lanes: Lane, rewards: Array, ended: Array, patience: int) -> tuple[Lane, Array, Array]:
    """Others move and new games begin until the learner has to decide; with what was paid until then, and whether a game ended.

    Only one game of a lane ends in a step: whoever decides next knows nothing of games without the learner.
    """

    def restart(lane: Lane, ended: Array) -> tuple[Lane, Array]:
        over = lane.state.terminated & ~ended
        return where(over, _next_game(tables, lane), lane), ended | over

    if not tables.agents:
        lanes, ended = jax.vmap(restart)(lanes, ended)
        return lanes, rewards, ended

    def goes_on(lane: Lane, ended: Array) -> Array:
        return jnp.where(lane.state.terminated, ~ended, ~_learners_turn(tables, lane))

    def advance(lane: Lane, rewards: Array, ended: Array) -> tuple[Lane, Array, Array]:
        state = lane.state
        others = ~_learners_turn(tables, lane) & ~state.terminated
        key = chance.move_key(_key(lane), lane.table.moves)
        action, memories = choose(tables.game, tables.agents, _seats(tables, lane), lane.memories, state, key)
        moved = _move(tables, lane, action, memories, others)
        # What is paid in the next game before the learner has decided there is nobody's doing.
        paid = jnp.where(others & ~ended, moved.state.rewards, 0.0)
        lane, ended = restart(moved, ended)
        return lane, rewards + paid, ended

    def unready(carry: tuple[Array, Lane, Array, Array]) -> Array:
        count, lanes, _, ended = carry
        return (count < patience) & jax.vmap(goes_on)(lanes, ended).any()

    def all_advance(carry: tuple[Array, Lane, Array, Array]) -> tuple[Array, Lane, Array, Array]:
        count, lanes, rewards, ended = carry
        return count + 1, *jax.vmap(advance)(lanes, rewards, ended)

    return jax.lax.while_loop(unready, all_advance, (jnp.int32(0), lanes, rewards, ended))[1:]


def played(steps: Steps) -> dict[str, Array]:
    """What the learner made of the games that ended, on average over its seats, and how many they were."""
    ended = steps.ended[..., None] & steps.own
    payoff = jnp.where(ended, steps.rewards, 0.0).sum() / jnp.maximum(ended.sum(), 1)
    return {"payoff": payoff, "games": steps.ended.sum().astype(jnp.float32), "waited": 1 - steps.acted.mean()}


@pytree
class Consequences:
    """What each decision led to by the time its seat decided again, every array [steps, lanes]."""

    reward: Array  # float32: paid to the seat until then
    following: Array  # int32: the step at which it decides again; `steps` for the turns after the last step
    final: Array  # bool: the game was over before that
    known: Array  # bool: whether there was a decision, and its consequence is known


def consequences(steps: Steps, last: Turn) -> Consequences:
    """Each decision with its own seat's reward and next decision; `last` are the turns after the last step."""
    count, players = steps.seat.shape[0], steps.rewards.shape[-1]
    seats = jnp.arange(players)

    def of_lane(steps: Steps, ready: Array, seat: Array) -> Consequences:
        awaited = ready & (seats == seat)
        start = jnp.zeros(players), jnp.full(players, count), jnp.zeros(players, bool), awaited

        def before(carry: Any, row: tuple[Steps, Array]) -> tuple[Any, Consequences]:
            step, index = row
            reward, following, final, known = carry
            reward = step.rewards + jnp.where(step.ended, 0.0, reward)
            final, known = final | step.ended, known | step.ended
            mine = step.acted & (seats == step.seat)
            made = Consequences(
                reward[step.seat], following[step.seat], final[step.seat], step.acted & known[step.seat]
            )
            return (
                jnp.where(mine, 0.0, reward),
                jnp.where(mine, index, following),
                final & ~mine,
                known | mine,
            ), made

        return jax.lax.scan(before, start, (steps, jnp.arange(count)), reverse=True)[1]

    bare = replace(steps, noted=None)
    return jax.vmap(of_lane, (1, 0, 0), 1)(bare, last.ready, last.seat)


def advantages(
    steps: Steps, values: Array, last: Turn, last_values: Array, discount: float, trace: float
) -> tuple[Array, Array]:
    """Generalised advantage estimates, float32[steps, lanes], and where they are known, bool[steps, lanes].

    Every seat has a carry of its own: the value at its next decision, what it is paid until then, and its running estimate.
    """
    players = steps.rewards.shape[-1]
    seats = jnp.arange(players)

    def of_lane(steps: Steps, values: Array, ready: Array, seat: Array, value: Array) -> tuple[Array, Array]:
        awaited = ready & (seats == seat)
        start = jnp.zeros(players), jnp.where(awaited, value, 0.0), jnp.zeros(players), awaited

        def before(carry: Any, row: tuple[Steps, Array]) -> tuple[Any, tuple[Array, Array]]:
            step, value = row
            reward, following, running, known = carry
            reward = step.rewards + jnp.where(step.ended, 0.0, reward)
            following, running = (jnp.where(step.ended, 0.0, each) for each in (following, running))
            known |= step.ended
            surprise = reward + discount * following - value
            estimate = surprise + discount * trace * running
            mine = step.acted & (seats == step.seat)
            return (
                jnp.where(mine, 0.0, reward),
                jnp.where(mine, value, following),
                jnp.where(mine, jnp.where(known, estimate, 0.0), running),
                known | mine,
            ), (estimate[step.seat], step.acted & known[step.seat])

        return jax.lax.scan(before, start, (steps, values), reverse=True)[1]

    bare = replace(steps, noted=None)
    return jax.vmap(of_lane, (1, 1, 0, 0, 0), 1)(bare, values, last.ready, last.seat, last_values)
