"""External-sampling counterfactual regret minimisation, for games whose tree is too large to hold.

A pass deals a batch of games and walks them level by level on the device: the player that learns tries all of its actions, all others
draw one. Information sets are entered in a table as they are met, found exactly by their player's sequence of views and
actions, or by what an abstraction keeps of the view. Pass t counts t-fold, in regrets and in the average policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import Game
from feint.solvers.abstraction import Abstraction
from feint.solvers.cfr import check_run
from feint.solvers.infosets import NONE, InformationSets, SetIndex
from feint.solvers.packed_views import pack
from feint.solvers.policy import check_size
from feint.solvers.tree import USUAL

CHUNK = 2048  # positions stepped at once


@dataclass(frozen=True)
class SamplingSettings:
    batch: int = 1024  # deals of one pass
    seed: int = 0
    abstraction: str = ""  # by name; without one, whole views and the past are told apart
    most: int = (
        4_000_000  # positions one pass may reach; all of the learner's actions are tried, which in long games explodes
    )


@dataclass
class _Level:
    """The positions a pass reached at one move, and what led on from them."""

    infoset: np.ndarray  # int64[count], NONE at the end
    policy: np.ndarray  # float64[count, actions], zero at the end
    learns: np.ndarray  # bool[count]: whether the player that learns acts
    legal: np.ndarray  # bool[count, actions]
    payoff: np.ndarray  # float64[count]: of the player that learns, zero before the end
    row: np.ndarray  # int64[next count]: the position each of the next level came from
    action: np.ndarray  # int64[next count]: and by which action


class Sampler:
    """Iterates on one game by samples: `run`, then read `average`."""

    def __init__(self, game: Game[Any, Any], settings: SamplingSettings | None = None) -> None:
        self.game, self.settings = game, settings or SamplingSettings()
        self.abstraction = Abstraction.named(game, self.settings.abstraction)
        self.iterations = 0
        if self.settings.batch > self.settings.most:
            raise self._too_many()
        self.sets = SetIndex(game)
        self.regrets = np.zeros((0, game.actions))
        self.totals = np.zeros((0, game.actions))

    def run(self, iterations: int) -> None:
        """So many iterations more; in each, every player learns from one batch of deals."""
        for _ in range(iterations):
            check_size(self.game, len(self.sets) * self._set_size)
            for player in range(self.game.players):
                self._learn(player)
            self.iterations += 1

    def average(self) -> tuple[InformationSets, np.ndarray]:
        """The information sets met so far and the average policy there, float64[sets, actions]."""
        sets, new_number = self.sets.ordered()
        policy = _shares(sets.legal, self.totals[: len(sets)][np.argsort(new_number)])
        return sets, policy

    def average_on(self, sets: InformationSets) -> np.ndarray:
        """The average policy at these information sets of whole views, float64[sets, actions]; even where none was met."""
        number = self._kept_numbers(sets) if self.abstraction.forgets else self._numbers(sets)
        met = np.vstack([self.totals[: len(self.sets)], np.zeros((1, self.game.actions))])
        return _shares(sets.legal, met[number])

    def _kept_numbers(self, sets: InformationSets) -> np.ndarray:
        """The numbers of the sets by what is kept of their views, int64[sets], NONE where it was never met."""
        rows = np.asarray(_packed_view(self.abstraction, sets.views(self.game), sets.legal))
        return np.array([self.sets.numbers.get((NONE, row.tobytes()), NONE) for row in rows])

    def _numbers(self, sets: InformationSets) -> np.ndarray:
        """The same by their players' sequences of views and actions."""
        actions = self.game.actions
        number = np.full(len(sets), NONE)
        for each in range(len(sets)):  # parents come before their children
            before, action = divmod(int(sets.parent[each]), actions)
            if sets.parent[each] == NONE:
                number[each] = self.sets.numbers.get((NONE, sets.rows[each].tobytes()), NONE)
            elif number[before] != NONE:
                last = int(number[before]) * actions + action
                number[each] = self.sets.numbers.get((last, sets.rows[each].tobytes()), NONE)
        return number

    def _learn(self, learner: int) -> None:
        """One pass: down to the ends of a batch of games, and up again with what the actions were worth."""
        draw = np.random.default_rng([self.settings.seed, self.iterations, learner])
        table = self.iterations * self.game.players + learner
        numbers = np.arange(self.settings.batch, dtype=np.int32)
        reached = jax.tree.map(
            np.asarray, _dealt(self.abstraction, np.int32(self.settings.seed), np.int32(table), numbers)
        )
        last = np.full((self.settings.batch, self.game.players), NONE)
        levels: list[_Level] = []
        positions = len(last)
        while len(last):
            level = self._level(reached, last, learner, draw)
            levels.append(level)
            positions += len(level.row)
            if positions > self.settings.most or positions * self._position_size > self.settings.most * USUAL:
                raise self._too_many()
            states, _, player, *_ = reached
            last = last[level.row]
            if not self.abstraction.forgets:
                done = level.infoset[level.row] * self.game.actions + level.action
                last[np.arange(len(last)), player[level.row]] = done
            if len(last):
                reached = self._stepped(states, level.row, level.action)
        self._back_up(levels)

    def _too_many(self) -> UserError:
        most = min(self.settings.most, self.settings.most * USUAL // self._position_size)
        return UserError(
            f"One pass over {self.settings.batch:,} deals of {self.game} reaches more than the {most:,} positions that fit: "
            "choose smaller options or a smaller batch."
        )

    @cached_property
    def _position_size(self) -> int:
        """Bytes that a position of a pass takes, about."""
        state = jax.tree.leaves(jax.eval_shape(lambda: self.game.init(chance.key(0))))
        return 2 * sum(leaf.size * leaf.dtype.itemsize for leaf in state) + self._width + 20 * self.game.actions + 100

    @cached_property
    def _set_size(self) -> int:
        """Bytes that an information set takes in a file."""
        return 8 + 25 * self.game.actions + self._width + 16

    @cached_property
    def _width(self) -> int:
        """Bytes of what is told apart at a decision."""
        return jax.eval_shape(lambda: pack(jax.tree.map(jnp.zeros_like, self.abstraction.kept_like()))).size

    def _level(self, reached: Any, last: np.ndarray, learner: int, draw: np.random.Generator) -> _Level:
        _, views, player, legal, over, rewards = reached
        on = np.flatnonzero(~over)
        infoset = np.full(len(over), NONE)
        infoset[on] = self.sets.enter(player[on], last[on, player[on]], views[on], legal[on])
        self._grow()
        policy = np.zeros(legal.shape)
        policy[on] = _shares(legal[on], np.maximum(self.regrets[infoset[on]], 0))
        learns = (player == learner) & ~over
        others = np.flatnonzero(~learns & ~over)
        # Each player's average grows in the pass of the player before it, where its own actions are drawn.
        next_seat = others[player[others] == (learner + 1) % self.game.players]
        np.add.at(self.totals, infoset[next_seat], (self.iterations + 1) * policy[next_seat])
        tried = legal & learns[:, None]
        sums = np.cumsum(policy[others], axis=1)
        tried[others, (sums > draw.random((len(others), 1)) * sums[:, -1:]).argmax(axis=1)] = True
        row, action = np.nonzero(tried)
        payoff = np.where(over, rewards[:, learner], 0).astype(float)
        return _Level(infoset, policy, learns, legal, payoff, row, action)

    def _stepped(self, states: Any, row: np.ndarray, action: np.ndarray) -> Any:
        parts = []
        for start in range(0, len(row), CHUNK):
            fill = (0, max(0, start + CHUNK - len(row)))
            at, chosen = (np.pad(each[start : start + CHUNK], fill, mode="edge") for each in (row, action))
            here = jax.tree.map(lambda leaf, at=at: leaf[at], states)
            after = _stepped(self.abstraction, here, chosen.astype(np.int32))
            parts.append(jax.tree.map(np.asarray, after))
        return jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(row)], *parts)

    def _back_up(self, levels: list[_Level]) -> None:
        below = np.zeros(0)
        for level in reversed(levels):
            worth = np.zeros(level.policy.shape)
            worth[level.row, level.action] = below
            mixed = (level.policy * worth).sum(axis=1)
            below = np.where(level.learns, mixed, level.payoff + worth.sum(axis=1))
            at = level.learns
            regret = np.where(level.legal[at], worth[at] - mixed[at, None], 0)
            np.add.at(self.regrets, level.infoset[at], (self.iterations + 1) * regret)

    def _grow(self) -> None:
        """Room for the sets met, with some to spare."""
        if len(self.sets) > len(self.regrets):
            more = np.zeros((2 * len(self.sets) - len(self.regrets), self.game.actions))
            self.regrets, self.totals = np.vstack([self.regrets, more]), np.vstack([self.totals, more])

    def arrays(self) -> dict[str, np.ndarray]:
        """Where the run stands, to be kept in a file."""
        met = len(self.sets)
        kept = {"iteration": np.array(self.iterations), "regrets": self.regrets[:met], "totals": self.totals[:met]}
        return kept | self.sets.arrays()

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from where the run that gave these `arrays` stood; `ValueError` where none did."""
        met, actions = len(arrays["set_last"]), self.game.actions
        shapes = {
            "iteration": np.array(0),
            "regrets": np.zeros((met, actions)),
            "totals": np.zeros((met, actions)),
            "set_last": np.zeros(met, int),
            "set_rows": np.zeros((met, self._width), np.uint8),
            "set_player": np.zeros(met, int),
            "set_legal": np.zeros((met, actions), bool),
        }
        check_run(arrays, shapes)
        self.sets.restore(arrays)
        self.iterations = int(arrays["iteration"])
        self.regrets, self.totals = arrays["regrets"].copy(), arrays["totals"].copy()


# What is compiled has the abstraction, and the game with its tables, for an argument, and serves every sampler.
@jax.jit
@partial(jax.vmap, in_axes=(None, None, None, 0))
def _dealt(abstraction: Abstraction, seed: Array, table: Array, number: Array) -> tuple[Any, ...]:
    key = chance.deal_key(chance.game_key(seed, table, number))
    return _looked(abstraction, abstraction.game.init(key))


@jax.jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def _stepped(abstraction: Abstraction, state: Any, action: Array) -> tuple[Any, ...]:
    return _looked(abstraction, abstraction.game.step(state, action))


@jax.jit
@partial(jax.vmap, in_axes=(None, 0, 0))
def _packed_view(abstraction: Abstraction, view: Any, legal: Array) -> Array:
    return pack(abstraction.keep(view, legal))


def _looked(abstraction: Abstraction, state: Any) -> tuple[Any, ...]:
    """A position and what is read of it."""
    player, legal = state.current_player, state.legal_action_mask
    kept = abstraction.keep(abstraction.game.observe(state, player), legal)
    return state, pack(kept), player, legal, state.terminated, state.rewards


def _shares(legal: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to weights, even over legal actions where all are zero, float64[count, actions]."""
    total = weights.sum(axis=1, keepdims=True)
    even = legal / legal.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), even)
