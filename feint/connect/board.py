"""One table that somebody else's interface keeps: a game stepped by itself, compiled, and what its players are shown of it as numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import Game
from feint.learn.inputs import Layout
from feint.packing import Packed
from feint.words import narration


def spaces_of(game: Game[Any, Any], layout: Layout) -> tuple[spaces.Dict, spaces.Discrete]:
    """What one player is shown, with what it may do, and what it does, as Gymnasium's spaces."""
    shown: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(-np.inf, np.inf, (layout.size,), np.float32),
        "action_mask": spaces.Box(0, 1, (game.actions,), np.int8),
    }
    return spaces.Dict(shown), spaces.Discrete(game.actions)


def names(game: Game[Any, Any]) -> list[str]:
    """The players as the neighbours call them."""
    return [f"player_{seat}" for seat in range(game.players)]


def scene(game: Game[Any, Any], state: Any) -> str:
    """A table with all hands open, in words."""
    views = [jax.device_get(_viewed(game, state, np.int32(seat))) for seat in range(game.players)]
    words = narration(game, names(game))
    return words.scene(views) or "\n".join(words.show(view) for view in views)


class Board:
    """A game in play. The game-th game of a seed is the one that `Table(game, seed=seed)` deals."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game, self.layout = game, Layout.of(game)
        self._rules = _compiled(game)
        self._nothing = np.zeros(game.actions, np.int8)
        self.names = names(game)
        self._seed, self._number = None, -1  # type: int | None, int

    def deal(self, seed: int | None = None) -> None:
        """The first game of a seed, or the next one; of any seed where none was ever given."""
        if seed is not None or self._seed is None:
            self._seed = int(np.random.SeedSequence().generate_state(1)[0] >> 1) if seed is None else seed
            chance.check_seed(self._seed)
            self._number = -1
        self._number += 1
        self._take(self._rules.deal(self._rules.leaves, np.int32(self._seed), np.int32(self._number)))

    def move(self, action: int) -> None:
        """An action of whoever's turn it is; an illegal one is replaced by the first legal one."""
        if not 0 <= action < self.game.actions:
            raise UserError(
                f"An action of {self.game.name} is a number from 0 to {self.game.actions - 1}, not {action}."
            )
        self._take(self._rules.move(self._rules.leaves, self._position, np.int32(action)))

    def _take(self, position: Array) -> None:
        self._position = position  # the state and what is told of it, in one array of bytes
        told = self._rules.told.read(np.asarray(position))
        self.legal: np.ndarray = told["legal"]  # bool[actions], of the player whose turn it is
        self.rewards: np.ndarray = told["rewards"]  # float32[players], of the last move
        self.player, self.over = int(told["player"]), bool(told["over"])
        self._seen = {self.player: told["seen"]}

    def seen(self, seat: int) -> np.ndarray:
        """What a player is shown, float32[numbers], as networks of feint read it."""
        if seat not in self._seen:
            self._seen[seat] = np.asarray(self._rules.look(self._rules.leaves, self._position, np.int32(seat)))
        return self._seen[seat]

    def mask(self, seat: int) -> np.ndarray:
        """What a player may do now, int8[actions]: nothing where it is another's turn."""
        return self.legal.view(np.int8) if seat == self.player and not self.over else self._nothing

    @property
    def state(self) -> Any:
        """The state as it is, hidden things included."""
        return self._rules.state(self._position)

    def masks(self) -> np.ndarray:
        """What each player may do in a round of a game whose players move at once, int8[players, actions]; nothing for those who are out."""
        return np.asarray(_masks(self.game, self.state)).astype(np.int8)

    def scene(self) -> str:
        """The table with all hands open, in words."""
        return scene(self.game, self.state)

    def picture(self) -> np.ndarray:
        """The same as a picture, uint8[height, width, 3]."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.8), dpi=100, facecolor="white")
        canvas = FigureCanvasAgg(figure)
        figure.text(0.02, 0.98, self.scene(), va="top", family="monospace", fontsize=8, wrap=True, parse_math=False)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


@dataclass(frozen=True, eq=False)
class Rules:
    """A game compiled for one table."""

    leaves: list[Any]  # its look-up tables
    told: Packed
    deal: Callable[..., Array]
    move: Callable[..., Array]
    look: Callable[..., Array]
    state: Callable[[Array], Any]


@lru_cache(maxsize=64)
def _compiled(game: Game[Any, Any]) -> Rules:
    layout = Layout.of(game)
    leaves, kind = jax.tree.flatten(game)

    def told(game: Game[Any, Any], state: Any) -> dict[str, Array]:
        """What the player whose turn it is sees and may do, what the last move paid, whose turn it is, and whether the game is over."""
        player = state.current_player
        return {
            "seen": layout.see(game, game.observe(state, player)),
            "legal": state.legal_action_mask,
            "rewards": state.rewards,
            "player": player,
            "over": state.terminated,
        }

    shapes = jax.eval_shape(lambda: game.init(chance.key(0)))
    state = Packed(shapes)
    answer = Packed(jax.eval_shape(told, game, shapes), state.end)

    def packed(game: Game[Any, Any], after: Any) -> Array:
        return jnp.concatenate([state.write(after), answer.write(told(game, after))])

    def deal(leaves: list[Any], seed: Array, number: Array) -> Array:
        game = jax.tree.unflatten(kind, leaves)
        return packed(game, game.init(chance.deal_key(chance.game_key(seed, 0, number))))

    def move(leaves: list[Any], position: Array, action: Array) -> Array:
        game = jax.tree.unflatten(kind, leaves)
        return packed(game, game.step(state.unpack(position), action))

    def look(leaves: list[Any], position: Array, seat: Array) -> Array:
        game = jax.tree.unflatten(kind, leaves)
        return layout.see(game, game.observe(state.unpack(position), seat))

    return Rules(leaves, answer, jax.jit(deal), jax.jit(move), jax.jit(look), jax.jit(state.unpack))


@jax.jit
def _masks(game: Game[Any, Any], state: Any) -> Array:
    """What may be done in a round does not depend on what others do in it: somebody's first legal actions lead through it."""

    def turn(carry: tuple[Any, Array], _: None) -> tuple[tuple[Any, Array], None]:
        state, masks = carry
        player, legal = state.current_player, state.legal_action_mask
        first = ~state.terminated & ~masks[player].any()
        after = game.step(state, chance.first(legal))
        return (after, masks.at[player].set(jnp.where(first, legal, masks[player]))), None

    nothing = jnp.zeros((game.players, game.actions), bool)
    return jax.lax.scan(turn, (state, nothing), None, game.players)[0][1]


@jax.jit
def _viewed(game: Game[Any, Any], state: Any, seat: Array) -> Any:
    return game.observe(state, seat)
