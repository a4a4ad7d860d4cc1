"""Runs in stages: a file says what all of them have in common and, in `[[stages]]`, what each has of its own. Each begins as the one before it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.learn import settings
from feint.learn.experiment import Experiment, by_todays_names, overridden
from feint.learn.networks import check_widens
from feint.learn.ppo import PolicyGradient
from feint.learn.several import sizes_at
from feint.learn.train import POLICY, RUN, STAGED, Run, check_free

STAGES = "stages"  # the entry of a file
TABLES = ("options", "settings")  # entries of which a stage may have a part


class Staged:
    """The runs of all stages in a folder. What can be refused of any of them is refused before the first."""

    def __init__(self, said: Mapping[str, Any], folder: Path) -> None:
        self.said, self.folder = said, folder
        self.entries = _entries(said)
        if any("start" in each.get("settings", {}) for each in self.entries[1:]):
            raise UserError("A stage after the first begins as the one before it ended: leave out start.")
        self.experiments = [Experiment.of(each) for each in self.entries]
        for before, after in pairwise(self.experiments):
            if not isinstance(after.algorithm, PolicyGradient):
                raise UserError(f"A stage after the first is trained by ppo or mmd, not by {after.algorithm.name}.")
            if _as_told(after.game) != _as_told(before.game) or not _sizes(before) <= _sizes(after):
                raise UserError(
                    "All stages of a run are of the same game and options, and each has tables of all sizes that those before it have: "
                    "one network goes through them."
                )
            if _sizes(before) != _sizes(after):
                check_widens(after.algorithm)
            if _reads(after) != _reads(before):
                raise UserError("One network goes through all stages: match_memory and unread are the same in each.")

    @classmethod
    def resume(cls, folder: Path) -> Staged:
        """The runs of a folder, as they were begun."""
        return cls(settings.read_sealed(folder / STAGED), folder)

    def start(self) -> None:
        """Begin in the folder, if it holds no run."""
        check_free(self.folder)
        write_whole(self.folder / STAGED, settings.write_sealed(self.said), "The run")

    def __len__(self) -> int:
        return len(self.entries)

    def part(self, nth: int) -> Path:
        """The folder of the run of a stage, from 1."""
        return self.folder / f"stage-{nth}"

    def run(self, nth: int, changed: Sequence[str] = ()) -> Run:
        """The run of a stage, as it stands or begun as the one before it ended; settings that may change meanwhile, such as devices=2, are typed."""
        begun = [] if nth == 1 else [f"start=policy:{self.part(nth - 1) / POLICY}"]
        if (self.part(nth) / RUN).exists():  # in a folder that may have been moved since
            return Run.resume(self.part(nth), [*begun, *changed])
        return Run.start(Experiment.of(overridden(self.entries[nth - 1], {}, [*begun, *changed])), self.part(nth))


def _as_told(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game as networks know it: what none is told may change from stage to stage."""
    return replace(game, **{name: game.options()[name] for name in game.untold})


def _sizes(experiment: Experiment) -> set[tuple[int, ...]]:
    """What the options in which tables may differ are at its tables."""
    return {size for game in experiment.sizes for size in sizes_at(game)}


def _reads(experiment: Experiment) -> tuple[Any, ...]:
    """What decides what a network reads."""
    return tuple(getattr(experiment.algorithm, name, None) or None for name in ("match_memory", "unread"))


def is_staged(folder: Path) -> bool:
    """Whether a folder holds runs in stages."""
    return (folder / STAGED).exists()


def _entries(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All that a file says of each stage."""
    common = {name: value for name, value in said.items() if name != STAGES}
    own = said[STAGES]
    if not isinstance(own, list) or not own or not all(isinstance(stage, Mapping) for stage in own):
        raise UserError("A run: stages must be tables, a [[stages]] for each of them.")
    return [by_todays_names(_joined(common, stage)) for stage in own]


def _joined(common: Mapping[str, Any], stage: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of all stages, with what is said of one of them instead."""
    tables = {}
    for name in TABLES:
        parts = [said[name] for said in (common, stage) if name in said]
        if not all(isinstance(part, Mapping) for part in parts):
            raise UserError(f"A run: {name} must be a table of names and values.")
        tables[name] = {key: value for part in parts for key, value in part.items()}
    return {**common, **stage, **tables}
