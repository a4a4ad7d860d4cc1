"""The learner's decisions at many tables at once, and whose consequence is whose.

An environment is one table in play. Each step, the learner decides in each, and it plays on, through the moves of others
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
from feint.learn.recall import Recall
from feint.learn.tables import LEARNER, Tables
from feint.steps import Stepped, begun, choose
from feint.steps import Steps as SingleSteps
from feint.ways import Memories, Seats, where

# Where the learner has to decide: the action, and whatever is to be noted with it.
Decide = Callable[["Turn"], tuple[Array, Any]]


@pytree
class Env:
    """One table in play. The same people play `Tables.length` games in a row, through which they keep their memory."""

    key: Key  # of the environment
    number: Array  # int32: of the game, counted through all matches
    table: Stepped
    seating: Array  # int32[players]: who has which chair
    memories: Memories
    recalls: Recall | None = None  # [players], by chair: what the match so far told, where the learner reads it

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
    recalls: Recall | None = None  # [players], by position: what everybody remembers of the match


@pytree
class Steps:
    """Decisions and what came after each until the next step, every array [num_steps, num_envs, ...]."""

    acted: (
        Array  # bool: whether the learner decided; where others take too long, the environment has to wait for a step
    )
    seat: Array  # int32: which seat decided
    action: Array  # int32
    noted: Any
    rewards: Array  # float32[players], paid before the next step
    ended: Array  # bool: the game was over before the next step
    own: Array  # bool[players]: the learner's seats


def dealt(tables: Tables, envs: int, key: Key) -> Env:
    """So many environments, each at the start of its first match."""
    return jax.vmap(lambda number: _match(tables, jax.random.fold_in(key, number), jnp.int32(0)))(jnp.arange(envs))


def begin(tables: Tables, envs: int, key: Key, max_opponent_moves: int) -> Env:
    """So many environments, each where the learner has to decide."""
    started, players = dealt(tables, envs, key), tables.game.players
    return _play_on(tables, started, jnp.zeros((envs, players)), jnp.zeros(envs, bool), max_opponent_moves)[0]


def collect(tables: Tables, envs: Env, decide: Decide, num_steps: int, max_opponent_moves: int) -> tuple[Env, Steps]:
    """Let the learner decide so many times at every table; in one step, a table plays at most so many moves of others."""

    def step(envs: Env, _: None) -> tuple[Env, Steps]:
        turns = jax.vmap(lambda env: turn_at(tables, env))(envs)
        action, noted = jax.vmap(decide)(turns)
        moved = jax.vmap(lambda env, action, ready: after_move(tables, env, action, env.memories, ready))(
            envs, action, turns.ready
        )
        paid = jnp.where(turns.ready[:, None], moved.state.rewards, 0.0)
        own = jax.vmap(lambda env: _learns(seats_of(tables, env)))(envs)
        after, rewards, ended = _play_on(tables, moved, paid, jnp.zeros_like(turns.ready), max_opponent_moves)
        return after, Steps(turns.ready, turns.seat, action, noted, rewards, ended, own)

    return jax.lax.scan(step, envs, None, num_steps)


def turn_at(tables: Tables, env: Env) -> Turn:
    """What the learner sees at an environment."""
    state, seat = env.state, env.state.current_player
    return Turn(
        ready=_learners_turn(tables, env) & ~state.terminated,
        seat=seat,
        view=tables.game.observe(state, seat),
        legal=state.legal_action_mask,
        key=chance.move_key(game_key(env), env.table.moves),
        state=state,
        game=game_key(env),
        recalls=_by_position(tables, env),
    )


def game_key(env: Env) -> Key:
    """The key of the game in play."""
    return jax.random.fold_in(env.key, env.number)


def seats_of(tables: Tables, env: Env) -> Seats:
    """Who has which position in the game in play; agent -1 is the learner."""
    chairs = Seats.taken(env.seating - 1, tables.counts)
    return chairs.rotated(env.number % tables.length) if tables.game.rotates else chairs


def _positions(tables: Tables, env: Env) -> Array:
    """Which position each chair has in the game in play, int32[players]."""
    moved = env.number % tables.length if tables.game.rotates else 0
    return (jnp.arange(tables.game.players) - moved) % tables.game.players


def _learns(seats: Seats) -> Array:
    """The learner's positions, bool[players]."""
    return seats.agent == LEARNER - 1


def _learners_turn(tables: Tables, env: Env) -> Array:
    return _learns(seats_of(tables, env))[env.state.current_player]


def _match(tables: Tables, key: Key, number: Array) -> Env:
    """An environment at the start of a match, in a seating drawn anew."""
    of_game = jax.random.fold_in(key, number)
    seating = tables.draw(jax.random.fold_in(chance.deal_key(of_game), 0))
    chairs = Seats.taken(seating - 1, tables.counts)
    memories = begun(tables.game, tables.agents, chairs, of_game)
    blank = Recall.blank(tables.game) if tables.recalls else None
    recalls = jax.tree.map(lambda leaf: jnp.stack([leaf] * tables.game.players), blank)
    return Env(key, number, _steps(tables).deal(chance.deal_key(of_game)), seating, memories, recalls)


def next_match(tables: Tables, env: Env) -> Env:
    """The next game as the first of a match."""
    return _match(tables, env.key, env.number + 1)


def next_game(tables: Tables, env: Env, anew: Env) -> Env:
    """The game after one that is over: the next of the match, or where that is over `anew`, which is the same deal for other people."""
    if tables.length == 1:
        return anew
    learned = _steps(tables).finish(env.table, seats_of(tables, env), env.memories, game_key(env))
    following = replace(anew, seating=env.seating, memories=learned, recalls=_recalled(tables, env))
    return where(anew.number % tables.length == 0, anew, following)


def _recalled(tables: Tables, env: Env) -> Recall | None:
    """What everybody remembers after a game that is over."""
    if env.recalls is None:
        return None
    game = tables.game

    def after(recall: Recall, position: Array) -> Recall:
        return recall.after(game, game.observe(env.state, position))

    recalled: Recall = jax.vmap(after)(env.recalls, _positions(tables, env))
    return recalled


def _by_position(tables: Tables, env: Env) -> Recall | None:
    """What everybody remembers of the match, by position in the game in play."""
    if env.recalls is None:
        return None
    here = jnp.argsort(_positions(tables, env))
    recalls: Recall = jax.tree.map(lambda leaf: leaf[here], env.recalls)
    return recalls


def _steps(tables: Tables) -> SingleSteps:
    return SingleSteps(tables.game, tables.agents)


def after_move(tables: Tables, env: Env, action: Array, memories: Memories, really: Array) -> Env:
    """The environment after an action, or as it was."""
    after = replace(env, table=_steps(tables).moved(env.table, action), memories=memories)
    return where(really, after, env)


def _play_on(
    tables: Tables, envs: Env, rewards: Array, ended: Array, max_opponent_moves: int
) -> tuple[Env, Array, Array]:
    """Others move and new games begin until the learner has to decide; with what was paid until then, and whether a game ended.

    Only one game of an environment ends in a step: whoever decides next knows nothing of games without the learner. So the next one is
    dealt once, before anybody moves.
    """
    following = jax.vmap(lambda env: next_match(tables, env))(envs)

    def restart(env: Env, ended: Array, following: Env) -> tuple[Env, Array]:
        over = env.state.terminated & ~ended
        return where(over, next_game(tables, env, following), env), ended | over

    if not tables.agents:
        envs, ended = jax.vmap(restart)(envs, ended, following)
        return envs, rewards, ended

    def goes_on(env: Env, ended: Array) -> Array:
        return jnp.where(env.state.terminated, ~ended, ~_learners_turn(tables, env))

    def advance(env: Env, rewards: Array, ended: Array, following: Env) -> tuple[Env, Array, Array]:
        state = env.state
        others = ~_learners_turn(tables, env) & ~state.terminated
        key = chance.move_key(game_key(env), env.table.moves)
        seats = seats_of(tables, env)
        action, memories = choose(tables.game, tables.agents, seats, env.memories, state, key, tables.shares)
        moved = after_move(tables, env, action, memories, others)
        # What is paid in the next game before the learner has decided there is nobody's doing.
        paid = jnp.where(others & ~ended, moved.state.rewards, 0.0)
        env, ended = restart(moved, ended, following)
        return env, rewards + paid, ended

    def unready(carry: tuple[Array, Env, Array, Array]) -> Array:
        count, envs, _, ended = carry
        return (count < max_opponent_moves) & jax.vmap(goes_on)(envs, ended).any()

    def all_advance(carry: tuple[Array, Env, Array, Array]) -> tuple[Array, Env, Array, Array]:
        count, envs, rewards, ended = carry
        return count + 1, *jax.vmap(advance)(envs, rewards, ended, following)

    return jax.lax.while_loop(unready, all_advance, (jnp.int32(0), envs, rewards, ended))[1:]


def played(steps: Steps) -> dict[str, Array]:
    """What the learner made of the games that ended, on average over its seats, and how many they were."""
    ended = steps.ended[..., None] & steps.own
    payoff = jnp.where(ended, steps.rewards, 0.0).sum() / jnp.maximum(ended.sum(), 1)
    return {"payoff": payoff, "games": steps.ended.sum().astype(jnp.float32), "waited": 1 - steps.acted.mean()}


@pytree
class Consequences:
    """What each decision led to by the time its seat decided again, every array [num_steps, num_envs]."""

    reward: Array  # float32: paid to the seat until then
    following: Array  # int32: the step at which it decides again; `steps` for the turns after the last step
    final: Array  # bool: the game was over before that
    known: Array  # bool: whether there was a decision, and its consequence is known


def consequences(steps: Steps, last: Turn) -> Consequences:
    """Each decision with its own seat's reward and next decision; `last` are the turns after the last step."""
    count, players = steps.seat.shape[0], steps.rewards.shape[-1]
    seats = jnp.arange(players)

    def of_env(steps: Steps, ready: Array, seat: Array) -> Consequences:
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
    return jax.vmap(of_env, (1, 0, 0), 1)(bare, last.ready, last.seat)
