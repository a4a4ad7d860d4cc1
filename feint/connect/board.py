"""One table that somebody else's interface keeps: a game stepped by itself, compiled, and what its players are shown of it as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from gymnasium import spaces
from jax import Array

from feint import chance
from feint.errors import NotSmall, UserError
from feint.game import Game
from feint.learn.inputs import Layout
from feint.packing import Packed
from feint.pytrees import compiling_with
from feint.words import narration

FEW_DEALS = 10_000  # of a small game, whose positions are remembered
MOST_PLACES = 100_000  # that are
BATCH = 256  # deals and places of a small game that are computed at once


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


@dataclass(slots=True, eq=False)
class Place:
    """A position, and what is told of it."""

    packed: Any  # uint8[bytes]: the state and what is told, as one array
    legal: np.ndarray  # int8[actions]: of the player whose turn it is
    rewards: list[float]  # of each player, for the last move
    player: int
    over: bool
    seen: dict[int, np.ndarray]  # by players, float32[numbers]
    after: dict[int, Place] = field(default_factory=dict)  # where each action leads, once that was looked up


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
        self.at = self._rules.dealt(self._seed, self._number)

    def move(self, action: int) -> None:
        """An action of whoever's turn it is; an illegal one is replaced by the first legal one."""
        if not 0 <= action < self.game.actions:
            raise UserError(
                f"An action of {self.game.name} is a number from 0 to {self.game.actions - 1}, not {action}."
            )
        self.at = self.at.after.get(action) or self._rules.moved(self.at, action)

    @property
    def player(self) -> int:
        return self.at.player

    @property
    def over(self) -> bool:
        return self.at.over

    @property
    def rewards(self) -> list[float]:
        """Of each player, for the last move."""
        return self.at.rewards

    def seen(self, seat: int) -> np.ndarray:
        """What a player is shown, float32[numbers], as networks of feint read it."""
        if seat not in self.at.seen:
            self.at.seen[seat] = self._rules.looked(self.at, seat)
        return self.at.seen[seat]

    def mask(self, seat: int) -> np.ndarray:
        """What a player may do now, int8[actions]: nothing where it is another's turn."""
        return self.at.legal if seat == self.at.player and not self.at.over else self._nothing

    @property
    def state(self) -> Any:
        """The state as it is, hidden things included."""
        return self._rules.state(self.at.packed)

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


class Rules:
    """A game compiled for one table. Of a game with few deals every position is computed once: what a step from Python costs is the call."""

    def __init__(self, game: Game[Any, Any]) -> None:
        layout, self._small = Layout.of(game), _is_small(game)
        self._known: dict[bytes, Place] = {}
        self._ahead: list[Place] = []  # places from which nobody has moved on
        self._deals: dict[tuple[int, int], list[Place]] = {}  # of the seed and batch asked for last
        shapes = jax.eval_shape(lambda: game.init(chance.key(0)))
        told = partial(_told, layout)
        state = Packed(shapes)
        self._answer = Packed(jax.eval_shape(told, game, shapes), state.end)

        def packed(game: Game[Any, Any], after: Any) -> Array:
            return jnp.concatenate([state.write(after), self._answer.write(told(game, after))])

        def deal(game: Game[Any, Any], seed: Array, numbers: Array) -> Array:
            dealt = lambda number: game.init(chance.deal_key(chance.game_key(seed, 0, number)))  # noqa: E731
            return jax.vmap(lambda number: packed(game, dealt(number)))(numbers)

        def move(game: Game[Any, Any], position: Array, action: Array) -> Array:
            return packed(game, game.step(state.unpack(position), action))

        def look(game: Game[Any, Any], position: Array, seat: Array) -> Array:
            return layout.see(game, game.observe(state.unpack(position), seat))

        def all_moves(game: Game[Any, Any], positions: Array) -> Array:
            of_one = lambda position: jax.vmap(partial(move, game, position))(jnp.arange(game.actions))  # noqa: E731
            return jax.vmap(of_one)(positions)

        compiled = compiling_with(game)
        self._deal, self._move, self._look = compiled(deal), compiled(move), compiled(look)
        self._all_moves = compiled(all_moves)
        self.state = jax.jit(state.unpack)

    def dealt(self, seed: int, number: int) -> Place:
        """The deal of a game of a seed; of a small game a batch of them is dealt at once."""
        many = BATCH if self._small else 1
        batch = seed, number // many
        if batch not in self._deals:
            numbers = np.arange(many, dtype=np.int32) + np.int32(number // many * many)
            dealt = self._deal(np.int32(seed), numbers)
            self._deals = {batch: [self._place(each) for each in (np.asarray(dealt) if many > 1 else dealt)]}
        return self._deals[batch][number % many]

    def moved(self, place: Place, action: int) -> Place:
        """Where an action leads; of a small game that of every action is looked up, here and at places that are bound to be asked about."""
        if self._small and len(self._known) < MOST_PLACES:
            self._look_ahead([place, *(self._ahead.pop() for _ in range(min(BATCH - 1, len(self._ahead))))])
            return place.after[action]
        return self._place(self._move(place.packed, np.int32(action)))

    def _look_ahead(self, places: list[Place]) -> None:
        padded = [places[min(nth, len(places) - 1)].packed for nth in range(BATCH)]  # of one shape, compiled once
        found = np.asarray(self._all_moves(np.stack(padded)))  # uint8[batch, actions, bytes]
        for place, rows in zip(places, found, strict=False):
            place.after = {action: self._place(row) for action, row in enumerate(rows)}

    def looked(self, place: Place, seat: int) -> np.ndarray:
        """What a player is shown there."""
        return np.asarray(self._look(place.packed, np.int32(seat)))

    def _place(self, packed: Any) -> Place:
        host = np.asarray(packed)
        known = self._known.get(name := host.tobytes()) if self._small else None
        if known is not None:
            return known
        told = self._answer.read(host)
        player, legal = int(told["player"]), told["legal"].view(np.int8)
        place = Place(packed, legal, told["rewards"].tolist(), player, bool(told["over"]), {player: told["seen"]})
        if self._small and len(self._known) < MOST_PLACES:
            self._known[name] = place
            if not place.over:
                self._ahead.append(place)
        return place


def _told(layout: Layout, game: Game[Any, Any], state: Any) -> dict[str, Array]:
    """What the player whose turn it is sees and may do, what the last move paid, whose turn it is, and whether the game is over."""
    player = state.current_player
    return {
        "seen": layout.see(game, game.observe(state, player)),
        "legal": state.legal_action_mask,
        "rewards": state.rewards,
        "player": player,
        "over": state.terminated,
    }


def _is_small(game: Game[Any, Any]) -> bool:
    """Whether a game has so few deals that its positions may be remembered."""
    try:
        return len(game.deals()[1]) <= FEW_DEALS
    except NotSmall:
        return False


_compiled = lru_cache(maxsize=64)(Rules)


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
