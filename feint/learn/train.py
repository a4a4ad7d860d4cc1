"""A training run: a folder in which an experiment goes on from where it stands, to the same end however often it is stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance, plain, workers
from feint.agent import Agent
from feint.errors import UserError
from feint.files import append_whole, write_whole
from feint.game import Game
from feint.learn import checkpoint, settings
from feint.learn.algorithm import begun, updated
from feint.learn.evaluate import Evaluation
from feint.learn.experiment import Experiment, by_todays_names, evaluated_by, overridden, trained_by
from feint.learn.exploiters import begun_as
from feint.learn.league import League
from feint.learn.policy_file import PolicyFile, commands, load
from feint.learn.ppo import PolicyGradient
from feint.learn.tables import filled, read_tables
from feint.reading import content, is_sealed, parsed, refused, seal

RUN, METRICS, CHECKPOINT, CURVES = "run.toml", "metrics.jsonl", "checkpoint.npz", "curves.png"
STAGED = "stages.toml"  # what a folder has in place of all this where it holds the runs of several stages
POLICY, BEST = "policy.npz", "best.npz"  # the last policy, and the one that was evaluated best
LINES = 1000  # of metrics in a run, about
KEEP_EVERY = 10.0  # seconds between two checkpoints,
SHARE = 0.05  # or more, where saving them would take more of the time than this
SEAL = "seal"  # the entry of a line that stands for all others
MOST = 2**53  # updates, steps or seconds of a run
COLLAPSED = 0.01  # nats: the entropy of a policy that takes one action nearly everywhere,
RESTARTED = "restarted"  # the entry of a line: how often the run has begun again
EARLY = 0.2  # which is a bad sign in the first part of a run


@dataclass(frozen=True)
class News:
    """Where a run stands: a line of its metrics, or an evaluation."""

    updates: int
    steps: int
    seconds: float  # of training, all sittings together
    metrics: dict[str, float]
    evaluation: Evaluation | None = None

    def as_json(self) -> str:
        kept: dict[str, Any] = {
            "updates": self.updates,
            "steps": self.steps,
            "seconds": round(self.seconds, 3),
            **self.metrics,
        }
        if self.evaluation:
            kept["evaluation"] = self.evaluation.as_dict()
        return json.dumps(kept | {SEAL: seal(kept)})

    @classmethod
    def from_json(cls, line: str | bytes) -> News:
        """The news of a line; `ValueError` or the like where it was altered. Older runs have lines without a seal."""
        kept = parsed(line, infinite=True)
        if SEAL in kept and not is_sealed(kept, SEAL):
            raise ValueError(SEAL)
        kept.pop(SEAL, None)
        evaluation = kept.pop("evaluation", None)
        where = {name: kept.pop(name) for name in ("updates", "steps", "seconds")}
        if not all(0 <= each < MOST for each in where.values()):
            raise ValueError(where)
        known = evaluation and Evaluation.from_dict(evaluation)
        return plain.read(cls, {**where, "metrics": kept, "evaluation": known})


class Run:
    """An experiment in a folder: its settings, metrics, checkpoint, and in the end its policy."""

    def __init__(self, experiment: Experiment, folder: Path, news: list[News], learner: Any) -> None:
        self.experiment, self.folder, self.news, self.learner = experiment, folder, news, learner
        self.algorithm = experiment.algorithm
        self.tables: Any = experiment.weighted(experiment.training_tables(), self._known())
        self.examiner = experiment.examiner()
        self.league = League(experiment, folder)
        self.seconds = news[-1].seconds if news else 0.0
        self.kept = self.steps  # steps from which it can go on

    @classmethod
    def start(cls, experiment: Experiment, folder: Path) -> Run:
        """A new run in a folder that has none."""
        check_free(folder)
        write_whole(folder / RUN, settings.write_sealed(experiment.as_dict()), "The run")
        write_whole(folder / METRICS, "", "The run")
        return cls(experiment, folder, [], _beginner(experiment))

    @classmethod
    def resume(cls, folder: Path, changed: Sequence[str] = ()) -> Run:
        """A run as it stood at its last checkpoint, or at its beginning if it was stopped before the first; settings that may change
        meanwhile, such as devices=2, are typed."""
        check_run(folder)
        said = by_todays_names(settings.read_sealed(folder / RUN))
        experiment = Experiment.of(overridden(said, {}, changed))
        news: list[News] = []
        if (folder / CHECKPOINT).exists():
            like = jax.eval_shape(experiment.algorithm.begin, experiment.training_tables(), chance.key(0))
            learner = checkpoint.load(folder / CHECKPOINT, like)
            news = [each for each in read_news(folder) if each.updates <= int(learner.updates)]
        else:
            learner = _beginner(experiment)
        write_whole(folder / METRICS, "".join(f"{each.as_json()}\n" for each in news), "The run")
        return cls(experiment, folder, news, learner)

    def _known(self) -> Evaluation | None:
        """The last evaluation that tells of tables."""
        return next(
            (news.evaluation for news in reversed(self.news) if news.evaluation and news.evaluation.scores), None
        )

    @property
    def updates(self) -> int:
        return int(self.learner.updates)

    @property
    def done(self) -> bool:
        return self.updates >= self.algorithm.updates

    @property
    def steps(self) -> int:
        return self.updates * self.algorithm.per_update

    @property
    def every(self) -> int:
        """Updates between two lines of metrics."""
        return max(1, self.algorithm.updates // LINES)

    @cached_property
    def looks(self) -> set[int]:
        """After which updates the learner is evaluated."""
        often = self.experiment.evaluations
        return {round(self.algorithm.updates * look / often) for look in range(often + 1)} if often else set()

    def train(self, tell: Callable[[News], None], stop: Callable[[], bool], keep_every: float = KEEP_EVERY) -> bool:
        """Train to the end, telling the news; whether it came there before it was to stop."""
        saved, took = -inf, 0.0
        recent: list[dict[str, float]] = []
        if not self.news:
            evaluated = self.experiment.evaluations > 0
            exact = Evaluation(exploitability=self.examiner.exploitability(self.agent())) if evaluated else None
            self._told({}, tell, exact)
        self.league.go_on(self.updates, self.agent())
        while not self.done and not stop():
            recent.append(self.advance())
            if self.updates % self.every == 0 or self.updates in self.looks:
                means = {name: sum(each[name] for each in recent) / len(recent) for name in recent[0]}
                self._told(means, tell, self.evaluate() if self.updates in self.looks else None)
                recent = []
                if self.collapsed(self.news[-1]) and self.restarted < self.experiment.restarts:
                    self._told(self.restart(), tell, None)
                    saved = -inf  # whoever goes on from before would find a later best policy
            if self.updates in self.league.begins:
                self.league.begin(self.updates, self.agent())
            if self.updates in self.league.joins:
                self._told(self.join(), tell, None)
            if time.monotonic() - saved > max(keep_every, took / SHARE):
                took = -time.monotonic()
                self.save()
                saved = time.monotonic()
                took += saved
        self.save()
        return self.done

    def advance(self) -> dict[str, float]:
        """One update, and its metrics."""
        start = time.monotonic()
        self.learner, metrics = updated(self.algorithm, self.tables, self.algorithm.placed(self.learner))
        found = {name: float(value) for name, value in jax.device_get(metrics).items()}
        self.seconds += time.monotonic() - start
        self._check(all(map(isfinite, found.values())) and _finite(self.agent()))
        return found

    def join(self) -> dict[str, float]:
        """Let an exploiter join the company if it wins for certain from the learner as it was; what a game pays it more than that."""
        assert isinstance(self.algorithm, PolicyGradient)
        network, gain = self.league.outcome(self.updates)
        if gain.low > 0:
            self.learner = self.algorithm.joined(self.learner, network)
        return {"exploiter": gain.estimate, "joined": float(gain.low > 0)}

    @property
    def restarted(self) -> int:
        """How often it has begun again."""
        return sum(RESTARTED in news.metrics for news in self.news)

    def restart(self) -> dict[str, float]:
        """Begin again as the policy that was evaluated best, with other chance; steps that were taken stay taken."""
        assert isinstance(self.algorithm, PolicyGradient)
        best = PolicyFile.load(self.folder / BEST).agent_for(self.experiment.game)
        key = jax.random.fold_in(chance.key(self.experiment.seed), self.updates)
        begun = begun_as(self.algorithm, self.tables, key, best.network, best.critic.network)  # type: ignore[attr-defined]
        self.learner = replace(begun, updates=self.learner.updates)
        return {RESTARTED: float(self.restarted + 1)}

    def collapsed(self, news: News) -> bool:
        """Whether the policy takes one action nearly everywhere so early that it is not what there was to learn."""
        early = news.updates < EARLY * self.algorithm.updates
        return early and news.metrics.get("entropy", inf) < COLLAPSED

    def _check(self, finite: bool) -> None:
        if not finite:
            raise UserError(
                f"Learning broke down in update {self.updates:,}, at step {self.steps:,}, where numbers stopped being finite: "
                f"{self.folder} keeps what was known after {self.kept:,} steps, and smaller learning rates may go further."
            )

    def agent(self) -> Any:
        """The agent that plays what has been learned."""
        return self.algorithm.agent(self.tables, self.learner)

    def evaluate(self) -> Evaluation:
        with workers.on(workers.HERE):  # where others are kept busy for long, by exploiters
            return self.examiner.examine(self.agent())

    def save(self) -> None:
        """Write the checkpoint and the policy as it stands."""
        self._check(_finite(self.learner))  # all of it: what is not yet seen in play would be later
        checkpoint.save(self.folder / CHECKPOINT, self.learner)
        self.league.tidy(self.updates)
        self.kept = self.steps
        self._save_policy(POLICY)

    def _save_policy(self, name: str) -> None:
        file = PolicyFile.of(self.agent(), self.experiment.game, self.made(), self.experiment.served)
        file.save(self.folder / name)

    @property
    def best(self) -> News | None:
        """When the learner was evaluated best; of equals, the first."""
        rated = [(self._rating(news.evaluation), news) for news in self.news if news.evaluation]
        return max(rated, key=lambda each: each[0])[1] if rated else None

    def _rating(self, evaluation: Evaluation) -> float:
        """The higher the better: by exploitability where the learner has every seat, else by what it wins or earns at its tables; of a model
        of players, by how little those surprise it whom it learns from."""
        if self.experiment.self_play and evaluation.exploitability is not None:
            return -evaluation.exploitability
        found = [score.told.estimate for score in evaluation.scores]
        found += [-each.seen.surprise for each in evaluation.forecasts if each.table in self.experiment.tables]
        return sum(found) / len(found) if found else -inf

    @cached_property
    def _before(self) -> list[str]:
        """The commands that made the policy file which the run started from, if it did from one, the first first."""
        kind, _, path = getattr(self.algorithm, "start", "").partition(":")
        return commands(load(path).made) if kind == "policy" else []

    def made(self) -> dict[str, Any]:
        """Where the policy comes from."""
        known = [each.evaluation for each in self.news if each.evaluation and each.updates == self.updates]
        return {
            "command": self.experiment.command(),
            "before": self._before,
            "algorithm": self.algorithm.name,
            "seed": self.experiment.seed,
            "steps": self.steps,
            "seconds": round(self.seconds, 1),
            "device": jax.devices()[0].device_kind,
            "evaluation": known[-1].as_dict() if known else None,
        }

    def _told(self, metrics: dict[str, float], tell: Callable[[News], None], evaluation: Evaluation | None) -> None:
        news = News(self.updates, self.steps, self.seconds, metrics, evaluation)
        self.news.append(news)
        append_whole(self.folder / METRICS, f"{news.as_json()}\n", "The run")
        if evaluation and self.best is news:
            self._save_policy(BEST)
        if evaluation and evaluation.scores:
            self.tables = self.experiment.weighted(self.tables, evaluation)
        tell(news)


def check_free(folder: Path) -> None:
    """Refuse a folder in which a run was begun."""
    if any((folder / name).exists() for name in (RUN, STAGED)):
        raise UserError(f"{folder} already holds a run: feint train --resume {folder} goes on, --out names another.")


def check_run(folder: Path) -> None:
    """Refuse a folder in which no run was begun."""
    if not (folder / RUN).exists():
        raise UserError(f"{folder} does not hold a run: there is no {RUN} in it.")


def _beginner(experiment: Experiment) -> Any:
    """The learner before its first update."""
    return begun(experiment.algorithm, experiment.training_tables(), chance.key(experiment.seed))


def _finite(tree: Any) -> bool:
    """Whether all numbers in a learner or an agent are finite: a program that looked at so many arrays would be compiled for a second."""
    numbers = [leaf for leaf in jax.tree.leaves(tree) if jnp.issubdtype(leaf.dtype, jnp.floating)]
    return all(np.isfinite(each).all() for each in jax.device_get(numbers))


def read_news(folder: Path) -> list[News]:
    """All that a run has told so far."""
    return list(_lines(folder))


def _lines(folder: Path) -> Iterator[News]:
    path = folder / METRICS
    if not path.exists():
        raise UserError(f"{folder} does not hold a run: there is no {METRICS} in it.")
    # A line without an end was cut off with its run.
    whole = content(path).rpartition(b"\n")[0]
    for number, line in enumerate(whole.splitlines(), 1):
        with refused(f"{path} is damaged in line {number}."):
            yield News.from_json(line)


def train(
    game: Game[Any, Any],
    algorithm: str | None = None,
    tables: Sequence[str] = (),
    *,
    steps: int | None = None,
    seed: int = 0,
    length: int = 1,
    evaluations: int | None = None,
    games: int | None = None,
    folder: str | Path | None = None,
    tell: Callable[[News], None] = lambda _: None,
    **settings: Any,
) -> Agent:
    """The agent that a run trains, the best that it evaluated: `train(game, "ppo", ["smart,past,past"], steps=1_000_000)`.

    The same people play `length` games in a row. It is evaluated so many times, by so many games at each table. Further settings are the algorithm's. What is not given is as `feint train`
    would have it. The run is kept in `folder` where one is named; `tell` hears its news.
    """
    named = read_tables(tables)
    made, seated = trained_by(game, algorithm, named, _given(total_timesteps=steps) | settings)
    evaluated = evaluated_by(game, algorithm, named) | _given(evaluations=evaluations, games=games)
    full = filled(seated, [game], made.watches)
    experiment = Experiment(game, made, full, length=length, seed=seed, **evaluated).checked()
    with TemporaryDirectory() if folder is None else nullcontext(folder) as here:
        Run.start(experiment, Path(here)).train(tell, stop=lambda: False)
        return PolicyFile.load(Path(here) / BEST).agent_for(game)


def _given(**numbers: int | None) -> dict[str, Any]:
    return {name: number for name, number in numbers.items() if number is not None}
