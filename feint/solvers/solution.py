"""A game solved, and agents judged, in one call each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from feint.agent import Agent
from feint.errors import UserError
from feint.game import Game
from feint.registry import make_agent
from feint.solvers.best_response import Exploitation, exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from feint.solvers.policy import SavedPolicy, TabularAgent
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import profile_of
from feint.solvers.tree import MOST, build

GROWTH = 1.2  # a run is looked at again after so many times the iterations


@dataclass(frozen=True)
class Solution:
    """The average policy of a solver, and how near it is to an equilibrium."""

    agent: TabularAgent  # plays the policy in any seat
    found: Exploitation
    iterations: int
    policy: SavedPolicy

    @property
    def values(self) -> np.ndarray:
        """What each seat earns, float64[players]."""
        return self.found.values

    @property
    def exploitability(self) -> float:
        """What a player gains by a best response, on average of the seats."""
        return self.found.exploitability

    def save(self, path: str | Path) -> None:
        """Write the policy to a file, which plays wherever an agent does as `policy:FILE`."""
        self.policy.save(path)


def solve(
    game: Game[Any, Any], algorithm: str = "dcfr", *, until: float = 1e-4, iterations: int = 10_000, most: int = MOST
) -> Solution:
    """A policy of exploitability `until` or less, or the one after so many `iterations`; of a tree of at most `most` positions."""
    if algorithm not in ALGORITHMS:
        raise UserError(f"There is no algorithm {algorithm!r}; there are: {', '.join(ALGORITHMS)}.")
    if iterations < 1:
        raise UserError(f"iterations must be a whole number from 1 on, not {iterations}.")
    form = SequenceForm.of(build(game, most))
    solver = Solver(form, ALGORITHMS[algorithm])
    while True:
        goal = min(ceil(solver.iterations * GROWTH) + 1, iterations)
        solver.run(goal - solver.iterations)
        policy = solver.average()
        found = exploit(form, policy)
        if found.exploitability <= until or goal == iterations:
            break
    made = {"algorithm": algorithm, "iterations": goal, "exploitability": found.exploitability}
    saved = SavedPolicy.of(game, form.tree.infosets, policy, made)
    return Solution(saved.agent_for(game), found, goal, saved)


def exploitability(
    game: Game[Any, Any],
    agents: str | Agent | Sequence[str | Agent],
    *,
    seed: int = 0,
    draws: int = 2000,
    most: int = MOST,
) -> float:
    """What a player gains by a best response to the others, on average of the seats: zero in an equilibrium.

    `agents` is one for all seats, or a list with one for each. Agents that draw are known by so many `draws` at each information set.
    """
    named = list(agents) if isinstance(agents, Sequence) and not isinstance(agents, str) else [agents]
    made = [make_agent(each, game) if isinstance(each, str) else each for each in named]
    form = SequenceForm.of(build(game, most))
    return exploit(form, profile_of(form, made, seed, draws)).exploitability
