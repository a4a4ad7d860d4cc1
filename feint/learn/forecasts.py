"""How well a model of players foretells what they do, at tables that it did not learn from: hits, mistakes and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance, plain
from feint.arena import statistics
from feint.arena.statistics import Interval
from feint.game import Game
from feint.learn import trajectories
from feint.learn.opponent_model import Example, Networks, OpponentModel, examples_of, foretold, habits_of_all
from feint.learn.tables import Tables, make_tables
from feint.learn.trajectories import Env
from feint.specs import split_specs

BINS = 10  # of how sure a model is
ENVS = 256  # tables at once, at the most
STEPS = 128  # moves between two looks at whether enough games were watched
APART = 1  # of a seed: hands that are examined are none that were learned from
LEVEL = 0.99


@dataclass(frozen=True)
class Guesses:
    """What one network made of decisions."""

    confusion: tuple[tuple[int, ...], ...]  # by what was done, then by what was foretold
    sure: tuple[
        tuple[int, float, int], ...
    ]  # by how sure it was, tenth by tenth: decisions, the sum of its chances, and hits
    surprise: float  # minus the mean logarithm of the chance that it gave to what was done
    accuracy: Interval  # by match, whose decisions are not independent

    @property
    def decisions(self) -> int:
        return sum(map(sum, self.confusion))

    @property
    def calibration_error(self) -> float:
        """How far chances and hits are apart, on average over decisions (ECE)."""
        return sum(abs(total - hits) for _, total, hits in self.sure) / max(self.decisions, 1)


@dataclass(frozen=True)
class Forecast:
    """What a model made of those who sat at one table."""

    table: tuple[str, ...]
    games: int
    seen: Guesses  # of the action, with what only the player knew
    unseen: Guesses  # and without
    strength_error: float  # root mean square of what was guessed to be hidden
    strength_spread: float  # the same of whoever always guesses the mean

    @property
    def decisions(self) -> int:
        return self.seen.decisions

    @property
    def majority(self) -> float:
        """The share of the most frequent action: the hits of whoever foretells nothing else."""
        return max(map(sum, self.seen.confusion)) / max(self.decisions, 1)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"table": ",".join(self.table)}

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Forecast:
        return plain.read(cls, kept | {"table": split_specs(kept["table"])})


def forecast(
    model: OpponentModel,
    game: Game[Any, Any],
    table: Sequence[str],
    games: int = 1000,
    seed: int = 0,
    seats: str = "all",
    length: int = 1,
) -> Forecast:
    """Watch so many games at a table, `length` in a row of the same people, and ask the model before every move."""
    tables = make_tables(game, [table], seats, length, watched=True)
    key = jax.random.fold_in(chance.key(seed), APART)
    envs = _begun(tables, min(ENVS, max(2, -(-games // length))), key)
    habits = jnp.broadcast_to(habits_of_all(tables), (len(envs.number), *habits_of_all(tables).shape))
    counted = None
    while int(envs.number.sum()) < games:
        envs, habits, more = _watched(tables, model.networks, envs, habits)
        counted = more if counted is None else jax.tree.map(jnp.add, counted, more)
    assert counted is not None
    return _told(tuple(table), int(envs.number.sum()), jax.device_get(counted))


@partial(jax.jit, static_argnums=1)
def _begun(tables: Tables, envs: int, key: chance.Key) -> Env:
    return trajectories.dealt(tables, envs, key)


@jax.jit
def _watched(tables: Tables, networks: Networks, envs: Env, habits: Array) -> tuple[Env, Array, dict[str, Any]]:
    """Some moves at every table, and what is counted of them, by table."""
    envs, habits, examples = examples_of(tables, envs, habits, STEPS)
    counted = jax.vmap(jax.vmap(partial(_counted, networks)))(examples)
    return envs, habits, jax.tree.map(lambda leaf: leaf.sum(axis=0), counted)


def _counted(networks: Networks, example: Example) -> dict[str, Any]:
    """One decision as what is added up."""
    guess = foretold(networks, example)
    actions = len(example.legal)

    def guessed(chances: Array) -> dict[str, Array]:
        best = chances.argmax()
        tenth = jnp.clip((chances[best] * BINS).astype(jnp.int32), 0, BINS - 1)
        hit = best == example.action
        sure = jnp.zeros((BINS, 3)).at[tenth].set(jnp.stack([jnp.float32(1), chances[best], hit.astype(jnp.float32)]))
        confusion = jnp.zeros((actions, actions), jnp.int32).at[example.action, best].set(1)
        return {"confusion": confusion, "sure": sure, "surprise": -jnp.log(chances[example.action] + 1e-9)}

    return {
        "seen": guessed(guess.seen),
        "unseen": guessed(guess.unseen),
        "strength": jnp.stack(
            [((guess.strength - example.hidden) ** 2).mean(), example.hidden.mean(), (example.hidden**2).mean()]
        ),
    }


def _told(table: tuple[str, ...], games: int, counted: dict[str, Any]) -> Forecast:
    seen, unseen = (_guesses(counted[name]) for name in ("seen", "unseen"))
    error, mean, squares = np.asarray(counted["strength"], float).sum(axis=0) / seen.decisions
    return Forecast(table, games, seen, unseen, float(error**0.5), float(max(squares - mean**2, 0.0) ** 0.5))


def _guesses(counted: dict[str, np.ndarray]) -> Guesses:
    by_table = np.asarray(counted["confusion"], np.int64)  # [tables, actions, actions]
    made = by_table.sum(axis=(1, 2))
    confusion = by_table.sum(axis=0)
    sure = np.asarray(counted["sure"], float).sum(axis=0)
    hits = np.trace(by_table, axis1=1, axis2=2)
    share = hits.sum() / made.sum()
    # Of a ratio of sums over tables, each table's part in it.
    found = statistics.mean(share + (hits - share * made) / made.mean(), LEVEL)
    return Guesses(
        tuple(tuple(int(each) for each in row) for row in confusion),
        tuple((int(count), float(total), int(right)) for count, total, right in sure),
        float(np.asarray(counted["surprise"], float).sum() / made.sum()),
        Interval(found.estimate, max(found.low, 0.0), min(found.high, 1.0)),
    )
