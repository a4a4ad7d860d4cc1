"""A million positions rather than dozens: what can be checked in one compiled program, at every position of random games."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import SPECTATOR
from feint.pytrees import pytree
from feint.testing.complaint import ConformanceError
from feint.testing.worlds import AnyGame
from feint.ways import where

TABLES, MOVES = 256, 64  # tables played at once, and moves of each in one go


@pytree
class Table:
    """A game in play, and where it came from."""

    state: Any
    number: Array  # int32: games dealt at this table before
    move: Array  # int32


def check_positions(game: AnyGame, seed: int, positions: int) -> str:
    """So many positions in play and at the end of random games, each through the eyes of two players."""
    tables = jnp.arange(min(TABLES, positions), dtype=jnp.int32)
    play_on = jax.jit(partial(_play_on, seed))
    at = jax.jit(jax.vmap(partial(_dealt, seed), (None, 0, None)))(game, tables, jnp.int32(0))
    looked_at = 0
    while looked_at < positions:
        at, failures = play_on(game, tables, at)
        for what, (move, table, count) in failures.items():
            if count:
                step = looked_at // len(tables) + int(move)
                raise ConformanceError(
                    f"{what} ({count} of {MOVES * len(tables)} positions; first at step {step} of table {table}, seed {seed})."
                )
        looked_at += MOVES * len(tables)
    return f"{looked_at:,} positions of {int(at.number.sum()) + len(tables):,} games"


def _dealt(seed: int, game: AnyGame, table: Array, number: Array) -> Table:
    return Table(game.init(chance.deal_key(chance.game_key(seed, table, number))), number, jnp.int32(0))


def _play_on(seed: int, game: AnyGame, tables: Array, at: Table) -> tuple[Table, dict[str, Any]]:
    """The tables some moves later, and by complaint the first move and table it is about and how often it is."""

    def one(table: Array, at: Table) -> tuple[Table, dict[str, Array]]:
        key = chance.move_key(chance.game_key(seed, table, at.number), at.move)
        wrong = _complaints(game, at.state, table + at.move, jax.random.fold_in(key, 1))
        action = chance.choice(key, at.state.legal_action_mask)
        moved = Table(game.step(at.state, action), at.number, at.move + 1)
        return where(at.state.terminated, _dealt(seed, game, table, at.number + 1), moved), wrong

    at, wrong = jax.lax.scan(lambda at, _: jax.vmap(one)(tables, at), at, None, length=MOVES)

    def first(wrong: Array) -> tuple[Array, Array, Array]:
        move, table = jnp.unravel_index(jnp.argmax(wrong), wrong.shape)
        return move, table, wrong.sum()

    return at, jax.tree.map(first, wrong)


def _complaints(game: AnyGame, state: Any, turn: Array, key: chance.Key) -> dict[str, Array]:
    """What is wrong with a position, bool by complaint. It is looked at by two players, `turn` and the next: the second world is
    dealt by draws many of which are equal."""
    on = ~state.terminated
    wrong = {
        "A state is not valid by is_valid(state)": ~game.is_valid(state),
        "A game that is not over has no legal action": on & ~state.legal_action_mask.any(),
        "A spectator's view does not have SPECTATOR for its seat": game.spectate(state).seat != SPECTATOR,
    }
    for draws, given in (("", key), (", where draws are equal", chance.coarse(key))):
        player = (turn + (len(draws) > 0)) % game.players
        view = game.observe(state, player)
        other = game.redeal(view, given)
        to_move = on & (state.current_player == player)
        paid_alike = game.pays_early | on | jnp.allclose(other.rewards, state.rewards, atol=1e-5)
        wrong |= {
            f"A view changes when hidden things are dealt anew{draws}": ~_same(view, game.observe(other, player)),
            f"A spectator sees what some player cannot know{draws}": ~_same(game.spectate(state), game.spectate(other)),
            f"redeal(view) gives a state that is not valid{draws}": ~game.is_valid(other),
            f"redeal(view) gives a game that is over, or not over, unlike the view's{draws}": other.terminated == on,
            f"What a finished game paid does not follow from a view{draws}": ~paid_alike,
            f"Whose turn it is changes when hidden things are dealt anew{draws}": on
            & (other.current_player != state.current_player),
            f"Legal actions change when hidden things are dealt anew{draws}": to_move
            & (other.legal_action_mask != state.legal_action_mask).any(),
        }
    return wrong


def _same(one: Any, other: Any) -> Array:
    alike = jax.tree.map(lambda a, b: (jnp.asarray(a) == jnp.asarray(b)).all(), one, other)
    return jnp.stack(jax.tree.leaves(alike)).all()
