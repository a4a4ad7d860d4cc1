"""Games of feint as environments of Gymnasium, for one learner among agents: `gymnasium.make("feint/Okey-v0", opponents=["greedy"])`.

Importing this module makes the names known to Gymnasium, as its own register_envs would have it.
`gymnasium.make_vec(..., vectorization_mode="vector_entry_point")` and `Tables` play many tables in one compiled program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import gymnasium
import jax
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jax import Array

from feint import chance, registry
from feint.connect.board import spaces_of
from feint.connect.gymnasium_play import Play, Position, Rules, Shown
from feint.errors import UserError
from feint.game import Game
from feint.words import narration


class Seat(gymnasium.Env):
    """One seat of a game among named agents. An illegal action is replaced by the first legal one; `action_mask` says which are legal."""

    metadata = {"render_modes": ["ansi"], "render_fps": 2}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self,
        game: str | Game[Any, Any] = "bluff",
        opponents: Sequence[str] | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise UserError(f"render_mode must be ansi, or not be given, not {render_mode!r}.")
        self.play, self.render_mode = Play(game, opponents, seat, options), render_mode
        self.observation_space, self.action_space = spaces_of(self.play.game, self.play.layout)
        self._dealt, self._moved = self.play.compiled(self.play.dealt), self.play.compiled(self.play.moved)
        self._seed, self._number = 0, -1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._number < 0:
            self._seed, self._number = int(self.np_random.integers(2**31)) if seed is None else seed, -1
            chance.check_seed(self._seed)
        self._position, shown = self._dealt(np.int32(self._seed), np.int32(0), np.int32(self._number + 1))
        self._number = int(self._position.number)
        return _observed(jax.device_get(shown))

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        self._position, told = self._moved(self._position, np.int32(action))
        shown = jax.device_get(told)
        observation, info = _observed(shown)
        return observation, float(shown.reward), bool(shown.over), False, info

    def render(self) -> str | None:
        """What the learner sees, in words."""
        if self.render_mode is None:
            return None
        game, position = self.play.game, self._position
        seat = int(position.seat)
        names = [
            "You" if each == seat else self.play.names[(each - seat) % game.players - 1] for each in range(game.players)
        ]
        return narration(game, names, seat).show(jax.device_get(game.observe(position.state, position.seat)))


def _observed(shown: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    mask = np.asarray(shown.mask)
    return {"observation": np.asarray(shown.observation), "action_mask": mask}, {"action_mask": mask}


class LastShown(Sequence[dict[str, np.ndarray] | None]):
    """What each table's last game ended with, None where it goes on, as Gymnasium has it. It is seen when it is asked for: of thousands of
    tables half may be through in one step, and few learners look."""

    def __init__(self, see: Callable[[], Any], over: np.ndarray, actions: int) -> None:
        self._see, self._over, self._nothing = see, over, np.zeros(actions, np.int8)
        self._instead: dict[int, Any] = {}  # what wrappers put in its place

    @cached_property
    def _seen(self) -> np.ndarray:
        return np.asarray(self._see())

    def __len__(self) -> int:
        return len(self._over)

    def __getitem__(self, table: Any) -> Any:
        if isinstance(table, slice):
            return [self[each] for each in range(*table.indices(len(self)))]
        if table in self._instead:
            return self._instead[table]
        return {"observation": self._seen[table], "action_mask": self._nothing} if self._over[table] else None

    def __setitem__(self, table: int, shown: Any) -> None:
        self._instead[table] = shown


class Tables(VectorEnv):
    """Many tables at once in one compiled program. A table whose game is over deals the next one at once (`SAME_STEP`): what is shown is of
    the next game, and what the last one ended with stands in `final_obs`."""

    def __init__(
        self,
        num_envs: int = 64,
        game: str | Game[Any, Any] = "bluff",
        opponents: Sequence[str] | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise UserError(f"num_envs must be a whole number from 1 on, not {num_envs}.")
        self.play = Play(game, opponents, seat, options, written_out=True)
        self.num_envs, self.render_mode = num_envs, render_mode
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space, self.single_action_space = spaces_of(self.play.game, self.play.layout)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._blank = self.play.compiled(partial(self.play.blank, tables=num_envs))
        self._stepped = self.play.compiled(self._step)
        self._seen = self.play.compiled(jax.vmap(self.play.see, (None, 0, 0)))
        self._seed: int | None = None

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Every table at the first game of a seed; without one, of the seed that follows the last."""
        given = seed[0] if isinstance(seed, Sequence) else seed
        super().reset(seed=given)
        self._seed = int(self.np_random.integers(2**31)) if given is None else int(given)
        chance.check_seed(self._seed)
        # Tables of which the last game is over deal in a step, whatever is done there.
        self._games = self._blank()
        return _observed(self._next(np.zeros(self.num_envs))[0])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        shown, paid, last = self._next(actions)
        observation, info = _observed(shown)
        reward, over = np.asarray(paid), np.asarray(last[0].terminated)
        if over.any():
            info["final_obs"] = LastShown(partial(self._seen, *last), over, self.play.game.actions)
            info["_final_obs"] = over
        return observation, reward, over, np.zeros_like(over), info

    def _next(self, actions: Any) -> tuple[Shown, Array, tuple[Any, Array]]:
        """After an action at each table: what is shown, what was paid, and the state and the seat before any next game was dealt."""
        self._games, *told = self._stepped(np.int32(self._seed or 0), self._games, np.asarray(actions, np.int32))
        return told

    def _step(self, game: Rules, seed: Array, positions: Position, actions: Array) -> Any:
        ended, after = self.play.step(game, seed, positions, actions)
        return after, jax.vmap(partial(self.play.show, game))(after), ended.paid, (ended.state, ended.seat)


for _name in registry.game_names():
    gymnasium.register(
        f"feint/{''.join(part.capitalize() for part in _name.split('-'))}-v0",
        entry_point=f"{__name__}:Seat",
        vector_entry_point=f"{__name__}:Tables",
        kwargs={"game": _name},
    )
