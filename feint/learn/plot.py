"""Learning curves of one run or several, as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from feint.arena.show import a_game, drawn
from feint.errors import UserError
from feint.files import write_whole
from feint.learn.settings import read_sealed
from feint.learn.train import RUN, News, read_news

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = (".png", ".svg", ".pdf")


def draw(runs: Sequence[Path], out: Path) -> None:
    """By steps: exploitability where it is known, a panel for each game and a colour for each algorithm; else what is won or earned."""
    from matplotlib.figure import Figure

    if out.suffix not in ENDINGS:
        raise UserError(f"A figure must be a {', '.join(ENDINGS)} file, not {out}.")
    told = {run: [news for news in read_news(run) if news.evaluation and news.evaluation.known] for run in runs}
    if unseen := [run for run, news in told.items() if not news]:
        raise UserError(f"{unseen[0]} was not evaluated yet, so that there is no curve to draw.")
    exact = all(news.evaluation and news.evaluation.exploitability is not None for all in told.values() for news in all)
    made = {run: _made(run) for run in runs}
    games: list[str | None] = list(dict.fromkeys(made[run]["game"] for run in runs)) if exact else [None]
    figure = Figure(figsize=(6 if len(games) == 1 else 4.6 * len(games), 3.6), layout="constrained")
    panels = figure.subplots(1, len(games), squeeze=False)[0]
    for game, axes in zip(games, panels, strict=True):
        if exact:
            here = [(made[run]["algorithm"], news) for run, news in told.items() if made[run]["game"] == game]
            _exploitability(axes, here)
            axes.set_title(drawn(game or "") if len(games) > 1 else "", fontsize="medium")
        else:
            for run, news in told.items():
                _scores(axes, run.name, news, len(runs) > 1)
        axes.set_xlabel("steps")
        axes.grid(True, alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small")
    file = BytesIO()
    figure.savefig(file, format=out.suffix[1:], dpi=120, metadata={"Date": None} if out.suffix == ".svg" else None)
    write_whole(out, file.getvalue(), "The figure")


def _made(run: Path) -> dict[str, str]:
    """The game and the algorithm of a run."""
    said = read_sealed(run / RUN)
    told = {name: said.get(name) for name in ("game", "algorithm")}
    if not all(isinstance(name, str) for name in told.values()):
        raise UserError(f"{run / RUN} does not name the game and the algorithm of a run.")
    return told  # type: ignore[return-value]


def _exploitability(axes: Axes, runs: Sequence[tuple[str, Sequence[News]]]) -> None:
    """A line for each run; those of one algorithm, which differ by seed or settings, look alike."""
    colours: dict[str, str] = {}
    for algorithm, told in runs:
        label = None if algorithm in colours else drawn(algorithm)
        colour = colours.setdefault(algorithm, f"C{len(colours)}")
        points = [(news.steps, news.evaluation.exploitability) for news in told if news.evaluation]
        axes.plot(*zip(*points, strict=True), color=colour, linewidth=1.2, label=label)
    axes.set_yscale("log")
    axes.set_ylabel("exploitability")


def _scores(axes: Axes, run: str, told: Sequence[News], several: bool) -> None:
    by_table: dict[tuple[str, ...], list[tuple[int, float, float, float]]] = {}
    told_by = {axes.get_ylabel()} - {""}  # runs of games that are measured differently may share the axes
    for news in told:
        for score in news.evaluation.scores if news.evaluation else ():
            told_by.add("games won, %" if score.measure == "wins" else a_game(score.unit))
            made = score.told
            by_table.setdefault(score.table, []).append((news.steps, made.estimate, made.low, made.high))
        for forecast in news.evaluation.forecasts if news.evaluation else ():
            told_by.add("actions foretold, %")
            made = forecast.seen.accuracy.scaled(100)
            by_table.setdefault(forecast.table, []).append((news.steps, made.estimate, made.low, made.high))
    for table, points in by_table.items():
        steps, rate, low, high = zip(*points, strict=True)
        (line,) = axes.plot(steps, rate, label=drawn(" ".join([run] * several + [", ".join(table)])))
        axes.fill_between(steps, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set_ylabel("; ".join(sorted(told_by)))
