"""Tables that are only watched: everybody's moves, one by one, with whatever is to be noted of a match and kept of a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import pytree
from feint.learn.tables import Tables
from feint.learn.trajectories import Env, after_move, game_key, next_game, next_match, seats_of
from feint.steps import choose
from feint.ways import where

PART = 8  # of all tables, so many parts begin a game at once


@pytree
class Move:
    """A move of whoever sits at a table that is watched."""

    env: Env  # before it
    action: Array  # int32
    after: Env  # after it, perhaps at the end of the game
    noted: Any  # what was noted of the match so far


# What is noted of a match after a move, and what is kept of the move.
Note = Callable[[Move], tuple[Any, Any]]


def watched(tables: Tables, envs: Env, note: Note, noted: Any, blank: Any, num_steps: int) -> tuple[Env, Any, Any]:
    """Let those who sit at every table make so many moves, of which something is noted through each match, `blank` at its start, and
    something kept: the tables and what is noted at each, [num_envs, ...], and what was kept, [num_steps, num_envs, ...]."""

    def step(carry: tuple[Env, Any], _: None) -> tuple[tuple[Env, Any], Any]:
        envs, noted = carry

        def move(env: Env) -> tuple[Array, Env]:
            key = chance.move_key(game_key(env), env.table.moves)
            seats = seats_of(tables, env)
            action, memories = choose(tables.game, tables.agents, seats, env.memories, env.state, key, tables.shares)
            return action, after_move(tables, env, action, memories, jnp.bool_(True))

        action, after = jax.vmap(move)(envs)
        noted, kept = jax.vmap(lambda *seen: note(Move(*seen)))(envs, action, after, noted)
        following = _renewed(tables, after)
        anew = (following.number % tables.length == 0) & (following.number != after.number)
        return (following, jax.vmap(lambda new, old: where(new, blank, old))(anew, noted)), kept

    (envs, noted), kept = jax.lax.scan(step, (envs, noted), None, num_steps)
    return envs, noted, kept


def _renewed(tables: Tables, envs: Env) -> Env:
    """Tables whose game is over begin the next one. On a CPU some at a time, since few are over at once and learning from a game takes long."""
    count = len(envs.number)
    some = max(1, count // PART) if jax.default_backend() == "cpu" else count

    def renew(carry: tuple[Array, Env]) -> tuple[Array, Env]:
        over, envs = carry
        at = jnp.nonzero(over, size=some, fill_value=count)[0]
        few = jax.tree.map(lambda leaf: leaf.at[at].get(mode="clip"), envs)
        begun = jax.vmap(lambda env: next_game(tables, env, next_match(tables, env)))(few)
        put = jax.tree.map(lambda leaf, new: leaf.at[at].set(new, mode="drop"), envs, begun)
        return over.at[at].set(False, mode="drop"), put

    return jax.lax.while_loop(lambda carry: carry[0].any(), renew, (envs.state.terminated, envs))[1]


def chair_of(tables: Tables, env: Env) -> Array:
    """The chair of whoever is to move, int32: that of a player through a whole match, whatever its position."""
    moved_on = env.number % tables.length if tables.game.rotates else 0
    return (env.state.current_player + moved_on) % tables.game.players
