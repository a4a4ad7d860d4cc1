"""Training runs that go on wherever workers are: a folder goes to one of them, which trains for a while, and comes back.

What a worker that dies had learned since is learned again by another, from the same folder, to the same numbers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from feint import workers
from feint.errors import UserError
from feint.files import write_whole
from feint.learn.experiment import Experiment
from feint.learn.train import BEST, CHECKPOINT, METRICS, POLICY, RUN, Run
from feint.reading import brought, content

SPAN = 60.0  # seconds after which a folder comes back: so much is lost where a machine dies
FILES = (RUN, METRICS, BEST, POLICY, CHECKPOINT)  # the last says where a run goes on: all others are there before it
Files = Mapping[str, bytes]


def trained(runs: Sequence[tuple[Experiment, Path]], files: Files, hear: workers.Hear) -> Iterator[int]:
    """Train runs to the end, each in its folder, going on with what it holds; the number of a run whenever its folder came back.

    `files` are what agents at their tables are read from. `hear` is told the number of a run and how many steps it has taken.
    """
    ready, left = deque(range(len(runs))), len(runs)

    def portions() -> Iterator[Any]:
        while left:
            yield (ready[0], _packed(runs[ready.popleft()][1])) if ready else workers.LATER

    trainer = Trainer([(experiment, str(folder)) for experiment, folder in runs], SPAN, files)
    for _, (number, done, found) in workers.finished(trainer, portions(), lambda _, said: hear(*said)):
        for name in filter(found.__contains__, FILES):
            write_whole(runs[number][1] / name, found[name], "The run")
        left -= done
        ready.extend([] if done else [number])
        yield number


def _packed(folder: Path) -> Files:
    return {name: content(folder / name) for name in FILES if (folder / name).exists()}


@dataclass(frozen=True)
class Trainer:
    """What trains runs for a while, here or, pickled, elsewhere."""

    runs: Sequence[tuple[Experiment, str]]  # with the names of their folders on the machine that asks
    span: float
    files: Files

    def __call__(self, portion: tuple[int, Files]) -> tuple[int, bool, Files]:
        """The number of a run, whether it is done, and its folder."""
        number, files = portion
        experiment, named = self.runs[number]
        with TemporaryDirectory() as name, brought(self.files):
            folder = Path(name)
            for each, whole in files.items():
                (folder / each).write_bytes(whole)
            try:
                return number, self._go_on(number, experiment, folder), _packed(folder)
            except UserError as wrong:
                raise UserError(str(wrong).replace(name, named)) from None

    def _go_on(self, number: int, experiment: Experiment, folder: Path) -> bool:
        run = Run.resume(folder) if (folder / RUN).exists() else Run.start(experiment, folder)
        before, until = run.updates, time.monotonic() + self.span

        def stop() -> bool:
            """Between two lines of metrics alone, so that these are the same however often a run is stopped."""
            return run.updates > before and time.monotonic() > until and run.updates % run.every == 0

        return run.train(lambda news: workers.say((number, news.steps)), stop, keep_every=inf)
