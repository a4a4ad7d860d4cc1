"""Games of feint as environments of pgx: `env("bluff", players=3)`, compiled and mapped as pgx's own are."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from pgx import core
from pgx._src.struct import dataclass, field

from feint import registry
from feint.connect.board import scene
from feint.game import Game
from feint.learn.inputs import Layout

LINE, LETTER = 20, 9  # of a picture, in pixels


def env(game: str | Game[Any, Any] = "leduc", **options: Any) -> FeintEnv:
    """A game as pgx's environment: `init(key)` deals as the game's own does. An illegal action ends the game with a penalty, as everywhere in pgx."""
    return FeintEnv(registry.make(game, **options) if isinstance(game, str) else game)


def _id(game: Game[Any, Any]) -> str:
    return f"feint_{game.name}"


@dataclass
class State(core.State):
    """A game in play: what pgx has of every game, and feint's own state."""

    current_player: Array
    observation: Array
    rewards: Array
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    _step_count: Array
    _state: Any
    _game: Any = field(pytree_node=False)

    @property
    def env_id(self) -> Any:
        return _id(self._game)

    def to_svg(self, *, color_theme: str | None = None, scale: float | None = None) -> str:
        """The table with all hands open, or all tables where there are many, in words."""
        tables = self._state if self.terminated.ndim else jax.tree.map(lambda leaf: leaf[None], self._state)
        each = [jax.tree.map(lambda leaf, at=at: leaf[at], tables) for at in range(self.terminated.size)]
        lines = [line for state in each for line in [*scene(self._game, state).splitlines(), ""]]
        wide, high = LETTER * max(map(len, lines)) + 2 * LINE, LINE * (len(lines) + 1)
        ink, paper = ("white", "black") if color_theme == "dark" else ("black", "white")
        texts = [f'<text x="{LINE}" y="{LINE * (row + 2)}">{escape(line)}</text>' for row, line in enumerate(lines)]
        size = f'width="{wide * (scale or 1):g}" height="{high * (scale or 1):g}" viewBox="0 0 {wide} {high}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" fill="{ink}" xml:space="preserve">'
        )
        return f'{head}<rect width="{wide}" height="{high}" fill="{paper}"/>{"".join(texts)}</svg>'

    def save_svg(self, filename: Any, *, color_theme: str | None = None, scale: float | None = None) -> None:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_svg(color_theme=color_theme, scale=scale))


class FeintEnv(core.Env):
    """A game of feint with pgx's interface."""

    def __init__(self, game: Game[Any, Any]) -> None:
        super().__init__()
        self.game, self.layout = game, Layout.of(game)

    def at(self, state: Any) -> State:
        """A state of the game as one of pgx's, such as a hidden world that a search begins from."""
        put = self._put(state)
        return put.replace(observation=self.observe(put))

    def _init(self, key: Array) -> State:
        return self._put(self.game.init(key))

    def _put(self, state: Any) -> State:
        return State(
            current_player=jnp.int32(state.current_player),
            observation=jnp.zeros(self.layout.size, jnp.float32),
            rewards=jnp.zeros(self.game.players, jnp.float32),
            terminated=state.terminated,
            truncated=jnp.bool_(False),
            legal_action_mask=state.legal_action_mask,
            _step_count=jnp.int32(0),
            _state=state,
            _game=self.game,
        )

    def step(self, state: Any, action: Array, key: Array | None = None) -> Any:
        """What pgx's own does, without its branches: mapped, each of them would have a copy of the game's look-up tables for every table."""
        chosen = lambda where, one, other: jax.tree.map(partial(jnp.where, where), one, other)  # noqa: E731
        after = self._step(state.replace(_step_count=state._step_count + 1), action, key)
        after = chosen(state.terminated | state.truncated, state.replace(rewards=jnp.zeros_like(state.rewards)), after)
        foul = self._step_with_illegal_action(after, state.current_player)
        after = chosen(state.legal_action_mask[action], after, foul)
        after = after.replace(legal_action_mask=after.legal_action_mask | after.terminated)
        return after.replace(observation=self.observe(after))

    def _step(self, state: Any, action: Array, key: Array | None) -> Any:
        after = self.game.step(state._state, action)
        return state.replace(
            current_player=jnp.where(after.terminated, state.current_player, after.current_player).astype(jnp.int32),
            rewards=after.rewards.astype(jnp.float32),
            terminated=after.terminated,
            legal_action_mask=after.legal_action_mask,
            _state=after,
        )

    def _observe(self, state: Any, player_id: Array) -> Array:
        return self.layout.see(self.game, self.game.observe(state._state, player_id))

    @property
    def id(self) -> Any:
        return _id(self.game)

    @property
    def version(self) -> str:
        return str(self.game.version)

    @property
    def num_players(self) -> int:
        return self.game.players

    @property
    def _illegal_action_penalty(self) -> float:
        """What losing costs at most, where that is known."""
        least = self.game.payoff_range[0]
        return float(least) if np.isfinite(least) and least < 0 else -1.0
