"""The bodies of `feint train` and `feint curves`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from feint import workers
from feint.arena.show import Paper, grid, paid, percent
from feint.commands import forecasts
from feint.errors import UserError
from feint.files import check_writable, locked
from feint.interrupts import on_ctrl_c, pressed, shown
from feint.learn import settings
from feint.learn.evaluate import Evaluation, Score
from feint.learn.experiment import Experiment, by_todays_names, defaults, overridden
from feint.learn.forecasts import Forecast
from feint.learn.plot import draw
from feint.learn.ppo import PolicyGradient
from feint.learn.tables import ME
from feint.learn.train import BEST, CURVES, POLICY, RESTARTED, RUN, News, Run, check_run
from feint.progress import Bar
from feint.registry import algorithm_class
from feint.visible import visible
from feint.words import listed

MOST_NAMED = 12  # kinds of tables that a heading names: all of them stand in the run's own file


def train(
    given: Mapping[str, Any],
    chosen: Sequence[str],
    config: Path | None,
    out: Path | None,
    resume: Path | None,
    options: Sequence[str] = (),
    devices: int | None = None,
    on: str = workers.HERE,
) -> int:
    """Train an agent, showing how it goes, and save its policy. The exit code."""
    workers.check_place(on)
    folder, begun = _chosen(given, chosen, config, out, resume, options, devices, on)
    return sitting(folder, begun, folder, on)


def sitting(folder: Path, begun: Callable[[], Run], resumed: Path, on: str) -> int:
    """Begin a run in a folder or go on with it, as `--resume` of a perhaps larger one does where it is stopped. The exit code."""
    run: Run | None = None
    with locked(folder / RUN, "The run"), on_ctrl_c(lambda: _stopped(folder, run, resumed)), workers.on(on):
        with shown(Paper().status("Dealing the first games ...")):
            run = begun()
        return _trained(run)


def _chosen(
    given: Mapping[str, Any],
    chosen: Sequence[str],
    config: Path | None,
    out: Path | None,
    resume: Path | None,
    options: Sequence[str],
    devices: int | None,
    on: str,
) -> tuple[Path, Callable[[], Run]]:
    """The folder of the run that is asked for, and what begins it or goes on with it."""
    divided = [] if devices is None else [f"devices={devices}"]
    if resume is not None:
        check_resumed({**given, "set": chosen or None, "option": options or None, "config": config, "out": out})
        check_run(resume)
        check_shared(on, settings.read_sealed(resume / RUN).get("exploiters"))
        return resume, lambda: Run.resume(resume, divided)
    base = by_todays_names(settings.read(config)) if config is not None else {}
    experiment = Experiment.of(overridden(base, given, [*chosen, *divided], options))
    check_shared(on, experiment.exploiters)
    folder = out or default_folder(experiment)
    check_writable(folder / RUN, "The run")
    return folder, lambda: Run.start(experiment, folder)


def default_folder(experiment: Experiment) -> Path:
    """Where a run is kept if nobody says where."""
    return Path("runs") / "train" / f"{experiment.game.name}-{experiment.algorithm.name}-{experiment.seed}"


def check_resumed(others: Mapping[str, Any]) -> None:
    """Refuse to change what a run was begun with."""
    if clash := [name for name, value in others.items() if value is not None]:
        raise UserError(f"--resume goes on with a run as it was: leave out {', '.join(clash)}.")


def check_shared(on: str, exploiters: Any) -> None:
    """Refuse other machines where there is nothing for them to do."""
    if on != workers.HERE and not exploiters:
        raise UserError(
            "--on is for a run with --exploiters: they are trained elsewhere, while the learner goes on here."
        )


def _stopped(folder: Path, run: Run | None, resumed: Path) -> str:
    """What is said after Ctrl-C."""
    if folder == resumed and not (folder / RUN).exists():
        return "Stopped; the same command begins again."
    kept = f"; {run.kept:,} steps are kept" if run else ""
    return f"Stopped{kept}; feint train --resume {resumed} goes on from there."


def explain(algorithm: str | None, game: str | None) -> int:
    """List an algorithm's settings, or those of a game's own. The exit code."""
    name, chosen = defaults(game, algorithm)
    list_settings(name, algorithm_class(name), **chosen)
    return 0


def list_settings(name: str, kind: type[Any], **chosen: Any) -> None:
    """List what can be set of a way of learning, with other defaults where they are chosen."""
    table = grid(f"Settings of {name}", ["Setting", "Default", "What it is"], words=3)
    for each in fields(kind):
        choices = each.metadata["choices"]
        told = each.metadata["help"] + (f" ({', '.join(choices)})" * bool(choices))
        table.add_row(each.name, f"{chosen.get(each.name, each.default)}", Text(visible(told)))  # whole, however long
    Paper().print(table)


def curves(runs: Sequence[Path], out: Path) -> int:
    """Draw the learning curves of runs into one figure. The exit code."""
    check_writable(out, "The figure")
    draw(runs, out)
    print(f"Drawn: {visible(out)}")
    return 0


def watched(run: Run, console: Console) -> None:
    """Train to the end, showing how it goes; KeyboardInterrupt where Ctrl-C stops it before."""
    console.print(_heading(run), soft_wrap=True)
    board = _Board(run, console)
    with board, shown(board.live) if board.live else nullcontext():
        finished = run.train(board.tell, pressed)
    if not finished:
        raise KeyboardInterrupt


def _trained(run: Run) -> int:
    console = Paper()
    watched(run, console)
    if run.experiment.evaluations:
        draw([run.folder], run.folder / CURVES)
    last = run.news[-1].evaluation
    for forecast in last.forecasts if last else ():
        for table in forecasts.tables(forecast, _counted(forecast.table)):
            console.print(table)
    told, file = _saved(run)
    console.print(f"Saved in {run.folder}: {told}", soft_wrap=True)
    game = run.experiment.game
    seats = ",".join(["me", *[f"policy:{file}"] * (game.players - 1)])
    console.print(f"Play against it: feint play {game.name} --seats {seats}", soft_wrap=True)
    return 0


def _heading(run: Run) -> str:
    algorithm, tables = run.algorithm, run.experiment.tables
    if algorithm.watches:
        others = "watching " + " or ".join(dict.fromkeys(map(_counted, tables)))
    elif run.experiment.self_play:
        others = "the learner in every seat"
    else:
        kinds = dict.fromkeys(map(_others, tables))
        others = " or ".join(kinds) if len(kinds) <= MOST_NAMED else f"at {len(kinds)} kinds of tables"
    begun = f", going on after {run.steps:,}" if run.updates else ""
    steps = f"{algorithm.updates * algorithm.per_update:,} steps{begun}"
    games = listed([str(run.experiment.game), *run.experiment.also])
    on = f" on {algorithm.devices} devices" if isinstance(algorithm, PolicyGradient) and algorithm.devices > 1 else ""
    return f"Training at {games} with {algorithm.name}{on}, {others}: {steps}."


def _saved(run: Run) -> tuple[str, Path]:
    """Which policies a run has saved, in words, and the file of the better one."""
    last, best = run.folder / POLICY, run.folder / BEST
    evaluated = _evaluated(run)
    if not evaluated or not run.best or not run.best.evaluation or not best.exists():
        return f"{POLICY} is the last policy.", last
    how = summary(run.best.evaluation, exact_only=run.experiment.self_play)
    if run.best.updates == run.updates:
        also = f", which is also the best of {len(evaluated)} evaluations" if len(evaluated) > 1 else ""
        return f"{POLICY} is the last policy{also} ({how}).", last
    return (
        f"{BEST} is the best of {len(evaluated)} evaluations ({how}, after {run.best.steps:,} steps), {POLICY} the last policy.",
        best,
    )


def _evaluated(run: Run) -> list[News]:
    """All that evaluations have told of; of a large game nothing is known before the first update."""
    return [news for news in run.news if news.evaluation and news.evaluation.known]


def _others(table: Sequence[str]) -> str:
    """Who sits with the learner, in words."""
    return f"against {_counted(table) or 'itself'}"


def _counted(table: Sequence[str]) -> str:
    """Who sits at a table beside the learner, each name once."""
    counts = Counter(name for name in table if name != ME)
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in counts.items())


class _Board:
    """What is shown while a run goes on: a bar, the latest metrics and evaluations; a line an evaluation where nobody watches."""

    def __init__(self, run: Run, console: Console) -> None:
        self.run, self.console = run, console
        columns = (BarColumn(None), TextColumn("{task.percentage:.0f}% {task.description}"), TimeRemainingColumn())
        self.bar = Bar(*columns, console=console, expand=True)
        self.task = self.bar.add_task("compiling", total=run.algorithm.updates, completed=run.updates)
        self.evaluated = _evaluated(run)
        self.live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None
        self.metrics: dict[str, float] = {}
        self.before = (run.steps, run.seconds)
        self.warned = False

    def __enter__(self) -> _Board:
        return self

    def __exit__(self, *_: object) -> None:
        if self.live and self.evaluated:
            self.console.print(self._evaluations(self.evaluated))

    def tell(self, news: News) -> None:
        steps, seconds = news.steps - self.before[0], news.seconds - self.before[1]
        self.before = (news.steps, news.seconds)
        rate = f"{news.steps:,} steps, {steps / seconds:,.0f} a second" if seconds > 0 else "compiling"
        self.bar.update(self.task, completed=news.updates, description=rate)
        self.metrics = news.metrics or self.metrics
        if self.run.collapsed(news) and not self.warned:
            self.warned = True
            self.console.print(_collapse(news), soft_wrap=True)
        if RESTARTED in news.metrics:
            self.warned = False
            self.console.print("Begun again as the policy that was evaluated best, with other chance.", soft_wrap=True)
        if news.evaluation and news.evaluation.known:
            self.evaluated.append(news)
            if not self.live:
                self.console.print(f"{news.steps:>12,} steps: {summary(news.evaluation)}", soft_wrap=True)
        if self.live:
            evaluated = [self._evaluations(self.evaluated[-8:])] if self.evaluated else []
            self.live.update(Group(self.bar, self._metrics(), *evaluated))

    def _metrics(self) -> RenderableType:
        return Text("  ".join(f"{name} {value:.4g}" for name, value in self.metrics.items()), style="dim")

    def _evaluations(self, told: Sequence[News]) -> Table:
        """The latest evaluations, a row each."""
        last = told[-1].evaluation
        assert last is not None
        exact = ["Exploitability"] if last.exploitability is not None else []
        tables = [_others(score.table).capitalize() for score in last.scores]
        tables += [_counted(each.table) for each in last.forecasts]
        table = grid("Evaluations, with 99% intervals", ["Steps", *exact, *tables], words=0)
        for news in told:
            if news.evaluation:
                table.add_row(f"{news.steps:,}", *_cells(news.evaluation))
        return table


def _cells(evaluation: Evaluation) -> list[str]:
    exact = [f"{evaluation.exploitability:.4f}"] if evaluation.exploitability is not None else []
    return exact + [_cell(score) for score in evaluation.scores] + [_hits(each) for each in evaluation.forecasts]


def _hits(forecast: Forecast) -> str:
    """How much of what was done at a table was foretold."""
    (seen, around), (unseen, around_unseen) = percent(forecast.seen.accuracy), percent(forecast.unseen.accuracy)
    return f"foretells {seen}% {around}, without what is hidden {unseen}% {around_unseen}"


def _cell(score: Score) -> str:
    """What a learner made of a table, first what the game is measured by."""
    (won, around_won), (earned, around_earned) = percent(score.wins), paid(score.payoff, score.unit)
    unit = f" {score.unit.name}" if score.unit.name else ""
    both = [f"wins {won}% {around_won}", f"earns {earned}{unit} {around_earned}"]
    return ", ".join(both if score.measure == "wins" else reversed(both))


def summary(evaluation: Evaluation, exact_only: bool = False) -> str:
    """An evaluation in words, or just its exploitability where that is known and enough."""
    exact = [f"exploitability {evaluation.exploitability:.4f}"] if evaluation.exploitability is not None else []
    told = [f"{_cell(score)} {_others(score.table)}" for score in evaluation.scores]
    told += [f"{_hits(each)} of {_counted(each.table)}" for each in evaluation.forecasts]
    return "; ".join(exact if exact and exact_only else exact + told)


def _collapse(news: News) -> str:
    return (
        f"The policy has collapsed: after {news.steps:,} steps it takes one action nearly everywhere (entropy "
        f"{news.metrics['entropy']:.1g}), and so early it seldom recovers. Ctrl-C stops the run; a larger ent_coef, a smaller "
        "learning_rate or more num_envs may help."
    )
