"""Games of feint in OpenSpiel: `game("leduc")`, or `pyspiel.load_game("feint_leduc(players=3)")` once this module is imported.

They are games with explicit chance: one chance node deals, so that only games whose deals can be listed are there. A position is
asked of feint's rules once and then remembered, so that algorithms which walk the whole tree again and again do not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any, NamedTuple

import jax
import numpy as np
import pyspiel

from feint import registry
from feint.errors import NotSmall, UserError
from feint.game import Game
from feint.learn.inputs import Layout
from feint.options import typed, written

PREFIX = "feint_"
MOST = 100_000  # deals that a chance node may have
MOST_PLAYERS = 1000  # of any game: the rules say how many they take


def game(name: str = "leduc", **options: Any) -> OpenSpielGame:
    """A game of feint as one of OpenSpiel's."""
    chosen = registry.make(name, **options)
    return OpenSpielGame(chosen, {option: _parameter(getattr(chosen, option)) for option in options})


class Seen(NamedTuple):
    """What a player is shown."""

    view: Any
    text: str  # everything in it, by name
    row: np.ndarray  # float32[numbers]: as networks read it


@dataclass
class _Position:
    """A place in the tree of a game, with what OpenSpiel asks about it."""

    state: Any
    player: int
    over: bool
    legal: list[int]
    returns: np.ndarray  # float64[players]: paid so far
    recall: tuple[str, ...]  # of each player: what it knew when it last acted and what it did, as a few letters
    after: dict[int, _Position] = field(default_factory=dict)
    seen: dict[int, Seen] = field(default_factory=dict)  # by player

    def __deepcopy__(self, known: Any) -> _Position:
        return self  # OpenSpiel copies whatever a state holds, and this never changes but by being filled in


class _Rules:
    """A game, compiled, and all positions that were ever asked about."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game, self.layout = game, Layout.of(game)
        self.deals, chances = game.deals()
        chances = np.asarray(chances, float)
        if len(chances) > MOST:
            raise NotSmall(
                f"{game} has {len(chances):,} deals, more than the {MOST:,} of a chance node: choose smaller options."
            )
        self.outcomes = list(enumerate((chances / chances.sum()).tolist()))
        self._deal, self._step = jax.jit(game.deal), jax.jit(game.step)
        self._look = jax.jit(self._looked)
        self._dealt: dict[int, _Position] = {}

    def dealt(self, outcome: int) -> _Position:
        if outcome not in self._dealt:
            state = self._deal(jax.tree.map(lambda leaf: leaf[outcome], self.deals))
            self._dealt[outcome] = self._position(state, np.zeros(self.game.players), ("",) * self.game.players)
        return self._dealt[outcome]

    def after(self, position: _Position, action: int) -> _Position:
        if action not in position.after:
            state, actor = self._step(position.state, np.int32(action)), position.player
            knew = f"{self.text(position, actor)} {action}".encode()
            recall = list(position.recall)
            recall[actor] = blake2b(knew, digest_size=8).hexdigest()
            returns = position.returns + np.asarray(state.rewards, float)
            position.after[action] = self._position(state, returns, tuple(recall))
        return position.after[action]

    def text(self, position: _Position, player: int) -> str:
        """What tells a player's information set from all others: its view, and all that it knew and did before."""
        return f"{position.recall[player]} {self.seen(position, player).text}"

    def seen(self, position: _Position, player: int) -> Seen:
        if player not in position.seen:
            view, row = jax.device_get(self._look(position.state, np.int32(player)))
            position.seen[player] = Seen(view, _told(view), row)
        return position.seen[player]

    def _looked(self, state: Any, player: Any) -> tuple[Any, Any]:
        view = self.game.observe(state, player)
        return view, self.layout.see(self.game, view)

    def __deepcopy__(self, known: Any) -> _Rules:
        return self

    def _position(self, state: Any, returns: np.ndarray, recall: tuple[str, ...]) -> _Position:
        legal = np.flatnonzero(state.legal_action_mask).tolist()
        return _Position(state, int(state.current_player), bool(state.terminated), legal, returns, recall)


def _told(view: Any) -> str:
    """Everything in a view, by name."""
    parts = jax.tree_util.tree_flatten_with_path(view)[0]
    return " ".join(f"{jax.tree_util.keystr(path).lstrip('.')}={part.tolist()}" for path, part in parts)


class OpenSpielGame(pyspiel.Game):
    """A game of feint with OpenSpiel's interface."""

    def __init__(self, chosen: Game[Any, Any], parameters: dict[str, Any] | None = None) -> None:
        self.rules = _Rules(chosen)
        least, most = chosen.payoff_range
        info = pyspiel.GameInfo(
            num_distinct_actions=chosen.actions,
            max_chance_outcomes=len(self.rules.outcomes),
            num_players=chosen.players,
            min_utility=float(least),
            max_utility=float(most),
            utility_sum=chosen.payoff_sum,
            max_game_length=chosen.max_moves,
        )
        super().__init__(_game_type(type(chosen)), info, parameters or {})

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        if params:
            raise UserError(f"A game of feint is observed in one way; it takes no {params}.")
        return Observer(self.rules, iig_obs_type)

    @staticmethod
    def observed(view: Any) -> str:
        """What OpenSpiel calls the observation string of whoever has this view."""
        return f"player {int(view.seat)} {_told(view)}"


class OpenSpielState(pyspiel.State):
    """A game in play."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.at: _Position | None = None  # nothing is dealt yet

    def current_player(self) -> int:
        if self.at is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.at.over else self.at.player

    def _legal_actions(self, player: int) -> list[int]:
        return self.at.legal if self.at is not None and not self.at.over else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.rules.outcomes

    def _apply_action(self, action: int) -> None:
        self.at = self.rules.dealt(action) if self.at is None else self.rules.after(self.at, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.at is None:
            return f"Deal {action}"
        return self.rules.game.describe(self.rules.seen(self.at, player).view, action)

    def is_terminal(self) -> bool:
        return self.at is not None and self.at.over

    def returns(self) -> list[float]:
        return [0.0] * self.rules.game.players if self.at is None else self.at.returns.tolist()

    def __str__(self) -> str:
        return " ".join(map(str, self.history())) or "nothing is dealt yet"


class Observer:
    """What a player is shown: as text its information set, and as numbers what feint's networks read."""

    def __init__(self, rules: _Rules, kind: Any) -> None:
        self.rules, self.recalls = rules, kind is not None and kind.perfect_recall
        self.tensor = np.zeros(rules.layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        self.tensor[:] = 0 if state.at is None else self.rules.seen(state.at, player).row

    def string_from(self, state: OpenSpielState, player: int) -> str:
        if state.at is None:
            return f"player {player}, before the deal"
        told = self.rules.text(state.at, player) if self.recalls else self.rules.seen(state.at, player).text
        return f"player {player} {told}"


@cache
def _game_type(kind: type[Game[Any, Any]]) -> Any:
    return pyspiel.GameType(
        short_name=PREFIX + kind.name.replace("-", "_"),
        long_name=f"feint's {kind.name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=_utility(kind),
        reward_model=pyspiel.GameType.RewardModel.REWARDS if kind.pays_early else pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MOST_PLAYERS,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={name: _parameter(value) for name, value in kind.options().items()},
    )


def _utility(kind: type[Game[Any, Any]]) -> Any:
    if kind.payoff_sum is None:
        return pyspiel.GameType.Utility.GENERAL_SUM
    return pyspiel.GameType.Utility.CONSTANT_SUM if kind.payoff_sum else pyspiel.GameType.Utility.ZERO_SUM


def _parameter(value: Any) -> Any:
    """An option of the rules as one of OpenSpiel's parameters, which are no tuples."""
    return written(value) if isinstance(value, tuple) else value


def _by_name(kind: type[Game[Any, Any]]) -> type[OpenSpielGame]:
    """The class of a game for OpenSpiel's register, which makes games of their parameters."""

    class ByName(OpenSpielGame):
        def __init__(self, parameters: dict[str, Any] | None = None) -> None:
            given = parameters or {}
            texts = [f"{name}={value}" for name, value in given.items() if isinstance(value, str)]
            read = typed(texts, kind.options(), "option", "players=3")
            super().__init__(registry.make(kind.name, **{**given, **read}), given)

    return ByName


def _register() -> None:
    for name in registry.game_names():
        kind = registry.game_class(name)
        if kind.deals is not Game.deals:
            pyspiel.register_game(_game_type(kind), _by_name(kind))


_register()
