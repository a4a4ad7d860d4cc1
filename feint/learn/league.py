"""The exploiters of a run: each is begun against the learner as it is after a certain update, and sits down after another, wherever it is trained.

Here it is trained when it is due; on a cluster by a worker, as soon as it is begun, while the learner goes on. Both is the same to the last bit.
Whom it has to win from is kept in the run's folder until it sits down, so that a run that was stopped begins it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import jax

from feint import chance, workers
from feint.arena.statistics import Interval
from feint.learn import checkpoint
from feint.learn.experiment import Experiment
from feint.learn.exploiters import exploiter, margin
from feint.learn.networks import Network, NetworkAgent

ATTACKED = "attacked-{}.npz"  # the network as it was after so many updates
Found = tuple[Network, Interval]  # who was trained, and how much more a game pays it


class League:
    """When exploiters of a run are begun and sit down, and those that are under way."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.experiment, self.folder = experiment, folder
        self._found: dict[int, Callable[[], Found]] = {}

    @cached_property
    def begins(self) -> set[int]:
        """After which updates one is begun: such that the last sits down before the end, since somebody is to learn from it."""
        often, room = self.experiment.exploiters, self.experiment.algorithm.updates - self.experiment.exploiter_delay
        return {round(room * nth / (often + 1)) for nth in range(1, often + 1)} - {0}

    @cached_property
    def joins(self) -> set[int]:
        """After which updates one sits down."""
        return {update + self.experiment.exploiter_delay for update in self.begins}

    def begin(self, update: int, agent: NetworkAgent) -> None:
        """Begin one against an agent, the learner after this update."""
        checkpoint.save(self._path(update), agent.network)
        self._attack(update, agent)

    def go_on(self, update: int, agent: NetworkAgent) -> None:
        """Begin again those that were under way in a run that stopped after this update; any agent of the learner's will do."""
        for begun in self._under_way(update):
            self._attack(begun, agent)

    def outcome(self, update: int) -> Found:
        """Whoever is to sit down after this update."""
        return self._found.pop(update - self.experiment.exploiter_delay)()

    def tidy(self, update: int) -> None:
        """Leave nothing in the folder that a run which goes on after this update has no use for."""
        needed = {self._path(begun) for begun in self._under_way(update)}
        for path in {*self.folder.glob(ATTACKED.format("*"))} - needed:
            path.unlink()

    def _under_way(self, update: int) -> list[int]:
        return sorted(begun for begun in self.begins if begun <= update < begun + self.experiment.exploiter_delay)

    def _attack(self, update: int, agent: NetworkAgent) -> None:
        # From the file, since the learner's own numbers are given up in its next update.
        sizes = self.experiment.attacked
        game = sizes[sorted(self.begins).index(update) % len(sizes)]
        attacked = replace(agent, network=checkpoint.load(self._path(update), agent.network), game=game, critic=None)
        length = self.experiment.length if agent.network.layout.recalls else 1  # else games do not depend on each other
        attack = Attack(attacked, self.experiment.exploiter_steps, self.experiment.games, self.experiment.seed, length)
        self._found[update] = workers.meanwhile(attack, update)

    def _path(self, update: int) -> Path:
        return self.folder / ATTACKED.format(update)


@dataclass(frozen=True)
class Attack:
    """What trains somebody to win from an agent, here or, pickled, elsewhere."""

    agent: NetworkAgent
    steps: int
    games: int  # by which it is measured
    seed: int
    length: int  # games in a row

    def __call__(self, update: int) -> Found:
        key = jax.random.fold_in(chance.key(self.seed), update)
        found = exploiter(self.agent.game, self.agent, self.steps, key, self.length)
        return found.network, margin(self.agent.game, found, self.agent, self.games, self.seed, self.length)
