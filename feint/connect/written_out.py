"""A game with few positions, written out: each has a number, and a step is a look-up instead of a computation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import NotSmall
from feint.game import Game, State, pytree, static
from feint.learn.inputs import Layout
from feint.solvers.tree import stepped
from feint.ways import where

MOST_POSITIONS = 100_000
MOST_NUMBERS = 20_000_000  # that all players are shown in all positions
MOST_CODES = 10_000_000  # by which deals are found
AT_ONCE = 1024  # positions that are computed together, so that one compilation serves all


@pytree
class Spot(State):
    """A position by its number."""

    number: Array  # int32


@pytree
class WrittenOut:
    """The positions of a game, those of the deals first. It is played as the game is, and deals the same."""

    game: Game[Any, Any]
    states: Any  # [positions, ...]
    after: Array  # int32[positions, actions]: where each action leads, an illegal one as the first legal one does
    shown: Array  # float32[positions, players, numbers]: what each player is shown
    dealt: Array  # int32[codes]: the position of a deal
    places: tuple[int, ...] = static()  # what each number of a deal counts for in its code

    @classmethod
    def of(cls, game: Game[Any, Any], layout: Layout) -> WrittenOut | None:
        """A game written out, or None where it has too many positions for that."""
        try:
            deals = game.deals()[0]
        except NotSmall:
            return None
        numbers = np.asarray(jax.vmap(_numbers)(deals))
        sizes = numbers.max(axis=0) + 1
        if numbers.min() < 0 or np.prod(sizes, dtype=float) > MOST_CODES or len(numbers) > MOST_POSITIONS:
            return None
        found = _positions(game, deals, MOST_NUMBERS // (game.players * layout.size))
        if found is None:
            return None
        states, after = found
        places = np.cumprod([1, *sizes[:-1]])
        dealt = np.zeros(np.prod(sizes), np.int32)
        dealt[numbers @ places] = np.arange(len(numbers))

        def see(state: Any) -> Array:
            return jax.vmap(lambda seat: layout.see(game, game.observe(state, seat)))(jnp.arange(game.players))

        shown = np.concatenate([*map(jax.jit(jax.vmap(see)), _parts(states))])[: len(after)]
        arrays = jax.tree.map(jnp.asarray, {"states": states, "after": after, "shown": shown, "dealt": dealt})
        return cls(game, **arrays, places=tuple(map(int, places)))

    @property
    def players(self) -> int:
        return self.game.players

    @property
    def max_moves(self) -> int:
        return self.game.max_moves

    def init(self, key: chance.Key) -> Spot:
        """The deal of a key."""
        return self._at(self.dealt[_numbers(self.game.draw(key)) @ jnp.array(self.places)])

    def step(self, spot: Spot, action: Array) -> Spot:
        """As `Game.step` has it."""
        over = replace(spot, rewards=jnp.zeros_like(spot.rewards))
        return where(spot.terminated, over, self._at(self.after[spot.number, action]))

    def observe(self, spot: Spot, player: Array) -> Any:
        """What a player sees."""
        return self.game.observe(jax.tree.map(lambda leaf: leaf[spot.number], self.states), player)

    def _at(self, number: Array) -> Spot:
        states = self.states
        return Spot(
            current_player=states.current_player[number],
            legal_action_mask=states.legal_action_mask[number],
            rewards=states.rewards[number],
            terminated=states.terminated[number],
            number=number,
        )


def _numbers(deal: Any) -> Array:
    """All numbers of a deal in one row, int32[numbers]."""
    return jnp.concatenate([jnp.ravel(leaf).astype(jnp.int32) for leaf in jax.tree.leaves(deal)])


def _positions(game: Game[Any, Any], deals: Any, most: int) -> tuple[Any, np.ndarray] | None:
    """All positions of a game, level by level from its deals on, and where each action leads; None where there are more than so many."""
    level, levels, links, count = jax.device_get(jax.jit(jax.vmap(game.deal))(deals)), [], [], 0
    while True:
        size = len(level.terminated)
        after = count + np.tile(np.arange(size)[:, None], game.actions)  # nothing follows where the game is over
        count += size
        row, action = np.nonzero(level.legal_action_mask & ~level.terminated[:, None])
        if count + len(row) > min(most, MOST_POSITIONS):
            return None
        after[row, action] = count + np.arange(len(row))
        first = after[np.arange(size), np.argmax(level.legal_action_mask, axis=1)]
        levels.append(level)
        links.append(np.where(level.legal_action_mask, after, first[:, None]).astype(np.int32))
        if not len(row):
            return jax.tree.map(lambda *each: np.concatenate(each), *levels), np.concatenate(links)
        level = _next(game, _rows(level, row), action.astype(np.int32))


def _next(game: Game[Any, Any], states: Any, actions: np.ndarray) -> Any:
    """What follows on an action in each of these."""
    parts = [jax.device_get(stepped(game, *part)) for part in _parts((states, actions))]
    return jax.tree.map(lambda *each: np.concatenate(each)[: len(actions)], *parts)


def _parts(whole: Any) -> Iterator[Any]:
    """A stack in parts of one length; the last one has its last entry several times."""
    count = len(jax.tree.leaves(whole)[0])
    for start in range(0, count, AT_ONCE):
        yield _rows(whole, np.minimum(np.arange(start, start + AT_ONCE), count - 1))


def _rows(whole: Any, rows: np.ndarray) -> Any:
    return jax.tree.map(lambda leaf: leaf[rows], whole)
