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
from feint.testing.complaint import ConformanceError, require
from feint.testing.worlds import AnyGame, Worlds, worlds
from feint.ways import where


@dataclass(frozen=True)
class Programs:
    """A game's rules, compiled and mapped over games. Compiling is most of the time of a check, so checks share what they can."""

    game: AnyGame

    def mapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the game and more, compiled anew and mapped over the rest: the game is an argument, for the sake of its tables."""
        return partial(jax.jit(lambda game, *rest: jax.vmap(partial(function, game))(*rest)), self.game)

    @cached_property
    def deal(self) -> Callable[..., Any]:
        """Of a game's key: its deal, and whether that is valid."""
        return self.mapped(deal)

    @cached_property
    def step(self) -> Callable[..., Any]:
        """Of a state and an action: the state after it."""
        return self.mapped(step)


def deal(game: AnyGame, key: chance.Key) -> tuple[Any, Array]:
    """The deal of one game, and whether it is valid."""
    state = game.init(chance.deal_key(key))
    return state, game.is_valid(state)


def step(game: AnyGame, state: Any, action: Array) -> Any:
    """A step of one game."""
    return game.step(state, action)


@dataclass(frozen=True)
class Played:
    """Random games of a game."""

    programs: Programs
    seed: int
    last: Any  # State[games]
    paid: np.ndarray  # float[games, players]: by all moves together
    early: np.ndarray  # bool[games]: whether anything was paid before the last move
    moves: np.ndarray  # int[games]
    stages: list[Any]  # State[games], at several times of play, with those that were over

    @property
    def game(self) -> AnyGame:
        return self.programs.game

    @property
    def games(self) -> int:
        return len(self.moves)

    @cached_property
    def positions(self) -> Any:
        """As many positions still in play, State[games], spread over the whole length of games."""
        every = jax.tree.map(lambda *leaves: np.concatenate([np.asarray(leaf) for leaf in leaves]), *self.stages)
        on = np.flatnonzero(~every.terminated)
        chosen = np.random.default_rng(self.seed).choice(on, self.games, replace=len(on) < self.games)
        return jax.tree.map(lambda leaf: leaf[chosen], every)

    @cached_property
    def worlds(self) -> Worlds:
        """The positions, then the finished games, through every player's eyes, Worlds[2 * games, players]. What they hide is dealt
        anew by draws of which many are equal: no rule may rely on random numbers being distinct."""
        states = jax.tree.map(lambda *leaves: np.concatenate(leaves), self.positions, self.last)
        keys = jax.vmap(chance.coarse)(self.keys(2, 2 * self.games))
        return jax.device_get(self.mapped(worlds)(states, keys))

    def keys(self, purpose: int, count: int | None = None) -> chance.Key:
        """Keys for a check, which shares its `purpose` with no other; as many as games, unless told otherwise."""
        return keys(self.seed, purpose, count or self.games)

    def mapped(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """See `Programs.mapped`."""
        return self.programs.mapped(function)


@partial(jax.jit, static_argnums=2)
def keys(seed: int, purpose: int, count: int) -> chance.Key:
    """So many keys for a purpose."""
    return jax.vmap(lambda table: chance.game_key(seed, table, purpose))(jnp.arange(count))


def play(game: AnyGame, seed: int, games: int) -> Played:
    """Play so many random games; `ConformanceError` where one does not come to its end as it should."""
    programs, dealt = Programs(game), keys(seed, 0, games)
    states, valid = programs.deal(dealt)
    require(valid, "a deal is not valid by is_valid(state)")
    stretch = min(64, max(1, game.max_moves // 8))
    play_on = programs.mapped(partial(_play_on, stretch))
    paid, early, moves = np.zeros((games, game.players)), np.zeros(games, bool), np.zeros(games, int)
    stages, start = [states], 0
    while not bool(states.terminated.all()):
        if start > game.max_moves:
            stuck = int(np.argmin(np.asarray(states.terminated)))
            raise ConformanceError(f"Game {stuck} of seed {seed} is not over after max_moves = {game.max_moves} moves.")
        states, valid, can_move, moved, paid_now, early_now = play_on(dealt, states, jnp.full(games, start))
        when = f"in the {stretch} moves after move {start}, seed {seed}"
        require(valid, f"a state is not valid by is_valid(state) {when}")
        require(can_move, f"a game that is not over has no legal action {when}")
        paid, early, moves = paid + np.asarray(paid_now), early | np.asarray(early_now), moves + np.asarray(moved)
        start += stretch
        stages.append(states)
    return Played(programs, seed, states, paid, early, moves, stages)


def _play_on(stretch: int, game: AnyGame, key: chance.Key, state: Any, start: Array) -> tuple[Any, ...]:
    """So many moves of one game: the state after them, whether all was valid and somebody could move, and what was paid when."""

    def advance(state: Any, move: Array) -> tuple[Any, tuple[Array, ...]]:
        action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
        on = ~state.terminated
        after = where(
            on, game.step(state, action), state
        )  # that steps leave a finished game alone is checked elsewhere
        paid = jnp.where(on, after.rewards, 0.0)
        early = ~after.terminated & (paid != 0).any()
        return after, (game.is_valid(after), ~on | state.legal_action_mask.any(), on, paid, early)

    state, (valid, can_move, moved, paid, early) = jax.lax.scan(advance, state, start + jnp.arange(stretch))
    return state, valid.all(), can_move.all(), moved.sum(), paid.sum(axis=0), early.any()
