"""Random play to the end: what every check of a game looks at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.game import Game
from feint.testing.complaint import ConformanceError, require
from feint.ways import where

AnyGame = Game[Any, Any]
LOOKED_AT = 48  # positions a check of single positions looks at


@dataclass(frozen=True)
class Played:
    """Random games of a game."""

    game: AnyGame
    seed: int
    last: Any  # State[games]
    paid: np.ndarray  # float[games, players]: by all moves together
    early: np.ndarray  # bool[games]: whether anything was paid before the last move
    moves: np.ndarray  # int[games]
    stages: list[Any]  # State[games], at several times of play, with those that were over

    @property
    def games(self) -> int:
        return len(self.moves)

    @cached_property
    def positions(self) -> Any:
        """Positions still in play, State[LOOKED_AT], spread over the whole length of games."""
        every = jax.tree.map(lambda *leaves: np.concatenate([np.asarray(leaf) for leaf in leaves]), *self.stages)
        on = np.flatnonzero(~every.terminated)
        chosen = np.random.default_rng(self.seed).choice(on, LOOKED_AT, replace=len(on) < LOOKED_AT)
        return jax.tree.map(lambda leaf: jnp.asarray(leaf[chosen]), every)

    def keys(self, purpose: int, count: int = LOOKED_AT) -> chance.Key:
        """Keys for a check, which shares its `purpose` with no other."""
        return jax.vmap(lambda table: chance.game_key(self.seed, table, purpose))(jnp.arange(count))

    def mapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the game and more, compiled anew and mapped over the rest: the game is an argument, for the sake of its tables."""
        return partial(jax.jit(lambda game, *rest: jax.vmap(partial(function, game))(*rest)), self.game)


def play(game: AnyGame, seed: int, games: int) -> Played:
    """Play so many random games; `ConformanceError` where one does not come to its end as it should."""
    blank = Played(game, seed, None, np.zeros((games, game.players)), np.zeros(games, bool), np.zeros(games, int), [])
    keys = blank.keys(0, games)
    states = blank.mapped(lambda game, key: game.init(chance.deal_key(key)))(keys)
    require(blank.mapped(lambda game, state: game.sound(state))(states), "sound(state) is false for a deal")
    stretch = min(64, max(1, game.max_moves // 8))
    play_on = blank.mapped(partial(_play_on, stretch))
    paid, early, moves, stages, start = blank.paid, blank.early, blank.moves, [states], 0
    while not bool(states.terminated.all()):
        if start > game.max_moves:
            stuck = int(np.argmin(np.asarray(states.terminated)))
            raise ConformanceError(f"Game {stuck} of seed {seed} is not over after max_moves = {game.max_moves} moves.")
        states, sound, can_move, moved, paid_now, early_now = play_on(keys, states, jnp.full(games, start))
        when = f"in the {stretch} moves after move {start}, seed {seed}"
        require(sound, f"sound(state) is false {when}")
        require(can_move, f"a game that is not over has no legal action {when}")
        paid, early, moves = paid + np.asarray(paid_now), early | np.asarray(early_now), moves + np.asarray(moved)
        start += stretch
        stages.append(states)
    return Played(game, seed, states, paid, early, moves, stages)


def _play_on(stretch: int, game: AnyGame, key: chance.Key, state: Any, start: Array) -> tuple[Any, ...]:
    """So many moves of one game: the state after them, whether all was sound and somebody could move, and what was paid when."""

    def advance(state: Any, move: Array) -> tuple[Any, tuple[Array, ...]]:
        action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
        on = ~state.terminated
        after = where(
            on, game.step(state, action), state
        )  # that steps leave a finished game alone is checked elsewhere
        paid = jnp.where(on, after.rewards, 0.0)
        early = ~after.terminated & (paid != 0).any()
        return after, (game.sound(after), ~on | state.legal_action_mask.any(), on, paid, early)

    state, (sound, can_move, moved, paid, early) = jax.lax.scan(advance, state, start + jnp.arange(stretch))
    return state, sound.all(), can_move.all(), moved.sum(), paid.sum(axis=0), early.any()
