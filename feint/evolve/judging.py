"""How the candidates of a search are judged: by the games they play, in portions that are the same wherever they are played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from feint import workers
from feint.agent import Agent
from feint.arena import rollout
from feint.arena.totals import By
from feint.evolve.methods import Floats
from feint.game import Game

PER_LANE = (
    4  # games a table plays in a portion, where there are so many: the longest game is then a small part of the work
)
CANDIDATE = 0  # the agent searched, among those at a table
Portion = tuple[int, int, NDArray[np.float32]]  # the number of a table, the first match, and the settings of candidates


@dataclass(frozen=True, eq=False)
class Judge:
    """What plays the games of candidates, here or, pickled, elsewhere."""

    game: Game[Any, Any]
    start: Agent  # whose settings are searched
    tables: Sequence[tuple[Agent, ...]]  # the others at each
    seatings: Sequence[tuple[int, ...]]
    names: tuple[str, ...]  # of the settings
    by: By
    seed: int
    matches: int  # that a candidate plays at every seating of every table
    length: int
    lanes: int  # tables in play at once

    def scores(self, values: NDArray[np.float32], first: int) -> Floats:
        """The mean payoff or share of wins of each candidate at each table over all seatings, [tables, candidates]."""
        games = len(self.seatings) * self.matches * self.length  # of a candidate at a table
        parts = min(len(values), max(1, len(values) * games // (PER_LANE * self.lanes)))
        size = -(-len(values) // parts)
        # All portions are of one size, so that they share a program: the last candidate is repeated.
        padded = np.pad(values, ((0, -len(values) % size), (0, 0)), mode="edge")
        groups = padded.reshape(-1, size, len(self.names))
        portions = [(table, first, group) for table in range(len(self.tables)) for group in groups]
        found = np.concatenate(list(workers.in_order(self, portions)))
        return found.reshape(len(self.tables), -1)[:, : len(values)]

    def __call__(self, portion: Portion) -> Floats:
        """The mean of each candidate at one table, [candidates]."""
        table, first, values = portion
        played = _played(
            self.game,
            (self.start, *self.tables[table]),
            jnp.asarray(values),
            jnp.asarray(self.seatings, jnp.int32),
            self.seed,
            first,
            names=self.names,
            by=self.by,
            matches=self.matches,
            length=self.length,
            lanes=min(self.matches, max(1, self.lanes // (len(values) * len(self.seatings)))),
        )
        # Added up here, candidate by candidate, so that who else is in the portion makes no difference to the last bit.
        return np.asarray(played, float).reshape(len(values), -1).mean(axis=1)


@partial(jax.jit, static_argnames=("names", "by", "matches", "length", "lanes"))
def _played(
    game: Game[Any, Any],
    agents: tuple[Agent, ...],
    values: Array,  # float32[candidates, parameters]
    seatings: Array,  # int32[seatings, seats]
    seed: Array,
    first: Array,
    *,
    names: tuple[str, ...],
    by: By,
    matches: int,
    length: int,
    lanes: int,
) -> Array:
    """What each candidate was paid in every game, or whether it won, [candidates, seatings, matches, length]."""

    def play(value: Array, seating: Array) -> Array:
        candidate = replace(agents[CANDIDATE], **dict(zip(names, value, strict=True)))  # type: ignore[type-var]
        played, _ = rollout.play(
            game,
            (candidate, *agents[1:]),
            seating,  # type: ignore[arg-type]
            seed=seed,  # type: ignore[arg-type]
            first=first,  # type: ignore[arg-type]
            matches=matches,
            length=length,
            lanes=lanes,
            counts=(1,) * game.players,
        )
        kept = played.winners if by == "wins" else played.rewards
        return kept[..., jnp.argmax(seating == CANDIDATE)]

    return jax.vmap(jax.vmap(play, (None, 0)), (0, None))(values, seatings)
