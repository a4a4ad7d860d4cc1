"""Games of feint as environments of Gymnasium, for one learner among agents: `gymnasium.make("feint/Okey-v0", opponents=["greedy"])`.

Importing this module makes the names known to Gymnasium, as its own register_envs would have it.
`gymnasium.make_vec(..., vectorization_mode="vector_entry_point")` and `Tables` play many tables in one compiled program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from jax import Array

from feint import chance, registry
from feint.chance import Key
from feint.connect.board import spaces_of
from feint.errors import UserError
from feint.game import Game, pytree
from feint.learn.inputs import Layout
from feint.learn.tables import compiled_agent
from feint.steps import begun, choose
from feint.ways import Memories, Seats, where
from feint.words import narration

LEARNER = -1  # in the place of an agent's number


@pytree
class Position:
    """A game in play at which it is the learner's turn, or which is over."""

    number: Array  # int32: of the game, at its table
    key: Key  # of the game
    seat: Array  # int32: the learner's
    state: Any
    memories: Memories
    moves: Array  # int32


@pytree
class Shown:
    """What a learner is told."""

    observation: Array  # float32[numbers]
    mask: Array  # int8[actions]
    reward: Array  # float32: paid since its last action
    over: Array  # bool


class Play:
    """One learner among named agents, compiled. Seats rotate from game to game, unless the learner keeps one."""

    def __init__(
        self, game: str | Game[Any, Any], opponents: Sequence[str] | None, seat: int | None, options: dict[str, Any]
    ) -> None:
        self.game = registry.make(game, **options) if isinstance(game, str) else game
        others = list(opponents if opponents is not None else registry.rivals(self.game.name))
        seats = self.game.players - 1
        if opponents is None or len(others) == 1:
            others = [others[nth % len(others)] for nth in range(seats)]
        if len(others) != seats:
            raise UserError(
                f"{self.game} has {seats} seats beside the learner's, not {len(others)}: name as many opponents, or one for all."
            )
        if seat is not None and not 0 <= seat <= seats:
            raise UserError(f"seat must be from 0 to {seats}, not {seat}.")
        self.seat, self.names = seat, others
        counts = Counter(others)  # an agent that sits several times is asked once for all of its seats
        self.agents = tuple(compiled_agent(name, self.game) for name in counts)
        self.counts = tuple(counts.values())
        numbers = [LEARNER, *(list(counts).index(name) for name in others)]
        self.around = np.array(numbers, np.int32)  # clockwise from the learner
        self.layout = Layout.of(self.game)

    def dealt(self, game: Game[Any, Any], seed: Array, table: Array, number: Array) -> tuple[Position, Shown]:
        """The number-th game at a table of a seed, played to the learner's first turn; a game that is over before it is left out."""

        def deal(number: Array) -> tuple[Position, Shown]:
            key = chance.game_key(seed, table, number)
            seat = jnp.int32(number % game.players if self.seat is None else self.seat)
            memories = begun(game, self.agents, self._seats(seat), key)
            state = game.init(chance.deal_key(key))
            return self._played_on(game, Position(number, key, seat, state, memories, jnp.int32(0)), jnp.float32(0))

        def next_one(found: tuple[Position, Shown]) -> tuple[Position, Shown]:
            return deal(found[0].number + 1)

        position, shown = jax.lax.while_loop(lambda found: found[1].over, next_one, deal(number))
        return position, replace(shown, reward=jnp.float32(0))

    def moved(self, game: Game[Any, Any], position: Position, action: Array) -> tuple[Position, Shown]:
        """The learner's action, and what others do until its next turn; a game that is over stays so."""
        state = game.step(position.state, action)
        after = replace(position, state=state, moves=position.moves + 1)
        return self._played_on(game, after, state.rewards[position.seat])

    def _seats(self, seat: Array) -> Seats:
        """The learner in its seat, the others clockwise from there."""
        return Seats.taken(jnp.roll(jnp.asarray(self.around), seat), self.counts)

    def _played_on(self, game: Game[Any, Any], position: Position, paid: Array) -> tuple[Position, Shown]:
        seats = self._seats(position.seat)

        Carry = tuple[
            Any, Memories, Array, Array
        ]  # what changes, and nothing else: all of it is copied from step to step

        def goes_on(carry: Carry) -> Array:
            state = carry[0]
            return ~state.terminated & (state.current_player != position.seat)

        def another(carry: Carry) -> Carry:
            state, memories, moves, paid = carry
            action, memories = choose(game, self.agents, seats, memories, state, chance.move_key(position.key, moves))
            state = game.step(state, action)
            return state, memories, moves + 1, paid + state.rewards[position.seat]

        now = position.state, position.memories, position.moves, paid
        state, memories, moves, paid = jax.lax.while_loop(goes_on, another, now)
        after = replace(position, state=state, memories=memories, moves=moves)
        seen = self.layout.see(game, game.observe(state, position.seat))
        mask = (state.legal_action_mask & ~state.terminated).astype(jnp.int8)
        return after, Shown(seen, mask, paid, state.terminated)


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
        self._dealt, self._moved = jax.jit(self.play.dealt), jax.jit(self.play.moved)
        self._seed, self._number = 0, -1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._number < 0:
            self._seed, self._number = int(self.np_random.integers(2**31)) if seed is None else seed, -1
            chance.check_seed(self._seed)
        self._position, shown = self._dealt(
            self.play.game, np.int32(self._seed), np.int32(0), np.int32(self._number + 1)
        )
        self._number = int(self._position.number)
        return _observed(jax.device_get(shown))

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        self._position, told = self._moved(self.play.game, self._position, np.int32(action))
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
    """What each table's last game ended with, None where it goes on, as Gymnasium has it. Each is made when it is asked for: of thousands of
    tables half may be through in one step, and few learners look."""

    def __init__(self, seen: np.ndarray, over: np.ndarray, actions: int) -> None:
        self._seen, self._over, self._nothing = seen, over, np.zeros(actions, np.int8)
        self._instead: dict[int, Any] = {}  # what wrappers put in its place

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
        self.play, self.num_envs, self.render_mode = Play(game, opponents, seat, options), num_envs, render_mode
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self.single_observation_space, self.single_action_space = spaces_of(self.play.game, self.play.layout)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun, self._stepped = jax.jit(self._begin), jax.jit(self._step, donate_argnums=1)
        self._seed: int | None = None

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Every table at the first game of a seed; without one, of the seed that follows the last."""
        given = seed[0] if isinstance(seed, Sequence) else seed
        super().reset(seed=given)
        self._seed = int(self.np_random.integers(2**31)) if given is None else int(given)
        chance.check_seed(self._seed)
        self._games, shown = self._begun(self.play.game, np.int32(self._seed))
        return _observed(shown)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self._games, shown, ended = self._stepped(
            self.play.game, self._games, np.int32(self._seed or 0), np.asarray(actions, np.int32)
        )
        observation, info = _observed(shown)
        reward, over = np.asarray(ended.reward), np.asarray(ended.over)
        if over.any():
            info["final_obs"] = LastShown(np.asarray(ended.observation), over, self.play.game.actions)
            info["_final_obs"] = over
        return observation, reward, over, np.zeros_like(over), info

    def _begin(self, game: Game[Any, Any], seed: Array) -> tuple[Position, Shown]:
        tables = jnp.arange(self.num_envs, dtype=jnp.int32)
        return jax.vmap(partial(self.play.dealt, game, seed))(tables, jnp.zeros_like(tables))

    def _step(
        self, game: Game[Any, Any], positions: Position, seed: Array, actions: Array
    ) -> tuple[Position, Shown, Shown]:
        moved, ended = jax.vmap(partial(self.play.moved, game))(positions, actions)
        tables = jnp.arange(self.num_envs, dtype=jnp.int32)
        anew = jax.vmap(partial(self.play.dealt, game, seed))(tables, moved.number + 1)
        after, shown = jax.vmap(where)(ended.over, anew, (moved, ended))
        return after, shown, ended


for _name in registry.game_names():
    gymnasium.register(
        f"feint/{''.join(part.capitalize() for part in _name.split('-'))}-v0",
        entry_point=f"{__name__}:Seat",
        vector_entry_point=f"{__name__}:Tables",
        kwargs={"game": _name},
    )
