"""Chapter 4: the thesis' four experiments, with its own learner, against every reading of its opponent."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product
from typing import Any

import numpy as np
from scipy import stats

from feint.studies.figures import draw
from feint.studies.okey.learner import Thesis
from feint.studies.okey.published import EPISODES, EXPERIMENTS, HOW
from feint.studies.okey.trials import OPPONENTS, READINGS, SEEDS, USUAL, Trial, listed, tried
from feint.studies.report import Block, Cell, Figure, Row, Section, Table, Text, Verdict
from feint.studies.run import GAMES, Settings, Tell

EPISODES_PER_UPDATE = 100  # episodes, at most, that are played with the same networks
PARTS = 50  # of a learning curve
LEVEL = 0.95  # of comparisons between experiments: of few seeds, an interval of 99% would hold almost anything
NAMES = {
    number: f"{number}. {'greedy' if greedy else 'stochastic'}, {'replay' if replay else 'no replay'}"
    for number, (greedy, replay) in HOW.items()
}
COLUMNS = {
    "won": "won, %",
    "drawn": "drawn, %",
    "lost": "lost, %",
    "draw_reward": "draw reward",
    "discard_reward": "discard reward",
}
GAMES_COUNTED = ("won", "drawn", "lost")
Told = dict[str, np.ndarray]  # [rounds, trials] each


def experiments(settings: Settings, tell: Tell) -> Section:
    """All four, at the thesis' 100,000 episodes where 20,000 games are asked for, and at fewer in proportion."""
    episodes = max(1, min(EPISODES, settings.games * EPISODES // GAMES))
    thesis = Thesis(episodes_at_once=max(1, min(EPISODES_PER_UPDATE, episodes // 10)))
    trials = listed(settings.seed)
    told = tried(thesis, trials, episodes, tell)
    found = Found(trials, told)
    return Section(
        "Chapter 4: the four experiments",
        (
            Text(_about(thesis, len(told["won"]) * thesis.episodes_at_once)),
            *(_table(found, opponent) for opponent in OPPONENTS),
            *_curves(found, thesis.episodes_at_once),
            _readings(found),
            Text(_best(found)),
            *_verdicts(found),
        ),
    )


class Found:
    """What runs came to, by trial."""

    def __init__(self, trials: list[Trial], told: Told) -> None:
        self.trials, self.told = trials, told
        self.played = told["won"] + told["drawn"] + told["lost"]

    def of(self, experiment: int, opponent: str, reading: str = "") -> list[int]:
        """The trials, by number, of all seeds."""
        wanted = (experiment, opponent, reading)
        return [
            at for at, trial in enumerate(self.trials) if (trial.experiment, trial.opponent, trial.reading) == wanted
        ]

    def means(self, name: str, which: list[int], part: slice = slice(None)) -> np.ndarray:
        """What there was in an episode on average, in each of some trials, float64[trials]; games in percent."""
        percent = 100 if name in GAMES_COUNTED else 1
        return percent * self.told[name][part, which].sum(axis=0) / self.played[part, which].sum(axis=0)

    def curve(self, name: str, which: list[int]) -> np.ndarray:
        """The same as episodes go by, float64[parts, trials]."""
        rounds = len(self.played)
        edges = np.unique(np.linspace(0, rounds, min(PARTS, rounds) + 1).astype(int))
        return np.array([self.means(name, which, slice(*pair)) for pair in pairwise(edges)])


def cell(values: np.ndarray, games: int = 0) -> Cell:
    """A mean over seeds, with Student's interval."""
    mean, spread, seeds = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0, len(values)
    if not spread:
        return Cell(None, mean, games=games)
    half = float(stats.t.ppf((1 + LEVEL) / 2, seeds - 1)) * spread / seeds**0.5
    return Cell(None, mean, mean - half, mean + half, games=games)


def printed(name: str, experiment: int) -> float:
    """What the thesis has; games in percent."""
    found = getattr(EXPERIMENTS[experiment], name)
    return 100 * found / EPISODES if name in GAMES_COUNTED else found


def _about(thesis: Thesis, episodes: int) -> str:
    return (
        f"The learner of chapter 3, {episodes:,} episodes a run, {SEEDS} seeds: a draw network 107-{thesis.draw_hidden}-2, a discard network "
        f"53-{'-'.join([str(thesis.hidden)] * 3)}-15 and a critic like it; rewards of 10, 15 and 20 for melds as the hand changes, 5 for discarding "
        f"a tile in no meld; discount {thesis.discount}; with replay, {thesis.memories:,} memories, of which the {thesis.batch} of largest "
        f"temporal-difference error are learned from {thesis.trainings} times after every episode. Both play okey:thesis; the learner begins every "
        "other episode. The opponent draws by a coin; what it takes for a free tile is read in three ways: arranger puts runs together from left "
        "to right and then sets, computer keeps all that is in some meld, exact arranges for the most points.\n\n"
        f"What the thesis does not say: {thesis.hidden} units in each hidden layer; Adam with a learning rate of {USUAL['rate']:g}; Glorot's "
        "weights; the hand is arranged as arranger does it, and the 15 outputs are tiles in that order, melds first; the joker is in no meld there; "
        "greedy is so in both decisions; a hand that can be finished is; draws learn from all that draws earn later, discounted; the networks learn "
        "once from all turns of an episode; memories keep the priority with which they came, and are learned from towards what the critic said "
        f"when they were taken up. Ours: {thesis.episodes_at_once:,} episodes at a time are played with the same networks, and then learned from one "
        "after another."
    )


def _table(found: Found, opponent: str) -> Table:
    rows = []
    for number in EXPERIMENTS:
        which = found.of(number, opponent)
        games = int(found.played[:, which].sum())
        rows.append(Row(NAMES[number], tuple(cell(found.means(name, which), games) for name in COLUMNS)))
        rows.append(Row("published", tuple(f"{printed(name, number):.4g}" for name in COLUMNS)))
    note = (
        f"Means of {SEEDS} seeds with Student's {100 * LEVEL:g}% intervals; rewards are those of an episode. A published figure is of one run, and "
        "runs differ much: cells are not judged one by one."
    )
    return Table(f"All episodes, against {opponent}", ("", *COLUMNS.values()), tuple(rows), note)


def _curves(found: Found, per_update: int) -> Iterable[Figure]:
    episodes = len(found.played) * per_update

    def drawn(names: tuple[str, ...], labels: tuple[str, ...], caption: str) -> Figure:
        def figure(axes: Any) -> None:
            for row, name, label in zip(np.atleast_2d(axes), names, labels, strict=True):
                for panel, opponent in zip(row, OPPONENTS, strict=True):
                    for number in HOW:
                        curve = found.curve(name, found.of(number, opponent))
                        at = (np.arange(len(curve)) + 0.5) * episodes / len(curve) / 1000
                        panel.plot(at, curve.mean(axis=1), label=NAMES[number], linewidth=1.4)
                        panel.fill_between(at, curve.min(axis=1), curve.max(axis=1), alpha=0.2)
                    panel.set_title(opponent, fontsize=11)
                    panel.set_xlabel("thousand episodes")
                row[0].set_ylabel(label)
            handles, texts = np.atleast_2d(axes)[0, 0].get_legend_handles_labels()
            np.atleast_2d(axes)[0, 0].figure.legend(handles, texts, loc="outside lower center", ncols=2)

        return draw(figure, caption, (9, 3.6 * len(names)), (len(names), len(OPPONENTS)))

    yield drawn(
        ("won",),
        ("won, %",),
        f"Episodes won as learning goes on: the mean of {SEEDS} seeds, from the least to the most of them",
    )
    yield drawn(
        ("draw_reward", "discard_reward"),
        ("draw reward", "discard reward"),
        "Rewards of an episode, in the same way",
    )


def _readings(found: Found) -> Table:
    rows = []
    for reading in ("", *READINGS):
        cells: list[Cell | str] = []
        for number in HOW:
            which = found.of(number, OPPONENTS[0], reading)
            cells.append(cell(found.means("won", which)) if which else "")
        rows.append(Row(reading or "as above", tuple(cells)))
    return Table(
        f"Other readings of the learner, against {OPPONENTS[0]}: won, %",
        ("", *NAMES.values()),
        tuple(rows),
        f"The first row is of {SEEDS} seeds, the others of the first of them. ±100 at the end is what the thesis gave up.",
    )


def _best(found: Found) -> str:
    """What won most once it had learned."""
    last = slice(-max(1, len(found.played) // 10), None)
    best = []
    for opponent in OPPONENTS:
        won = {number: found.means("won", found.of(number, opponent), last).mean() for number in HOW}
        number = max(won, key=lambda each: won[each])
        best.append(f"{won[number]:.1f}% against {opponent} (experiment {number})")
    return f"In the last tenth of all episodes, the experiment that wins most wins {', '.join(best)}."


# ---- verdicts


def _verdicts(found: Found) -> Iterable[Block]:
    last = slice(-max(1, len(found.played) // 10), None)
    first = slice(0, max(1, len(found.played) // 10))
    yield from (_as_published(found, name, does) for name, does in (("drawn", "draws"), ("won", "wins")))
    yield _claim(
        "Greedy without replay wins most (experiment 3)",
        {
            opponent: [
                (f" over experiment {other}", _apart(found, "won", opponent, 3, other)) for other in HOW if other != 3
            ]
            for opponent in OPPONENTS
        },
    )
    yield _claim(
        "Replay does harm to greedy learning (3 wins more than 1)",
        {opponent: [("", _apart(found, "won", opponent, 3, 1))] for opponent in OPPONENTS},
    )
    yield _claim(
        "And not to stochastic learning (2 wins more than 4)",
        {opponent: [("", _apart(found, "won", opponent, 2, 4))] for opponent in OPPONENTS},
    )
    yield _claim(
        "Experiment 3 learns: it wins more in its last tenth than in its first",
        {
            opponent: [("", cell(found.means("won", which, last) - found.means("won", which, first)))]
            for opponent in OPPONENTS
            for which in [found.of(3, opponent)]
        },
    )


def _as_published(found: Found, name: str, does: str) -> Verdict:
    """Differs where what is published is shown to be of other runs than ours against every opponent; that it is of such runs cannot be shown."""
    chances = {opponent: rank_test(found, name, opponent) for opponent in OPPONENTS}
    differs = max(chances.values()) < 1 - LEVEL
    ours = [found.means(name, found.of(number, opponent)) for number in HOW for opponent in OPPONENTS]
    theirs = [printed(name, number) for number in HOW]
    told = ", ".join(f"{p:.2g} against {opponent}" for opponent, p in chances.items())
    return Verdict(
        "differs" if differs else "open",
        f"The learner {does} as often as published: {min(theirs):.1f} to {max(theirs):.1f}% there, {np.min(ours):.1f} to {np.max(ours):.1f}% in our "
        f"{np.size(ours)} runs; by the ranks of published runs among ours, p = {told}.",
    )


def rank_test(found: Found, name: str, opponent: str) -> float:
    """The chance that published runs, were they such as ours, would stand so far from the middle among the seeds of their experiments."""
    below = sum(int((found.means(name, found.of(number, opponent)) < printed(name, number)).sum()) for number in HOW)
    sums = np.array([sum(ranks) for ranks in product(range(SEEDS + 1), repeat=len(HOW))])
    middle = SEEDS * len(HOW) / 2
    return float((abs(sums - middle) >= abs(below - middle)).mean())


def _apart(found: Found, name: str, opponent: str, one: int, other: int) -> Cell:
    """How much more one experiment has of something than another, over seeds, each of which deals both the same tiles."""
    return cell(found.means(name, found.of(one, opponent)) - found.means(name, found.of(other, opponent)))


def _claim(claim: str, differences: dict[str, list[tuple[str, Cell]]]) -> Verdict:
    """Holds where all differences are above 0 against every opponent; differs where one is below 0 against every opponent."""
    shown = {opponent: [sign(each) for _, each in cells] for opponent, cells in differences.items()}
    if all(min(signs) > 0 for signs in shown.values()):
        holds = "holds"
    elif all(min(signs) < 0 for signs in shown.values()):
        holds = "differs"
    else:
        holds = "partly" if any(min(signs) > 0 for signs in shown.values()) else "open"
    least = {opponent: min(cells, key=lambda each: each[1].measured) for opponent, cells in differences.items()}
    told = "; ".join(f"{signed(each)}{name} against {opponent}" for opponent, (name, each) in least.items())
    return Verdict(holds, f"{claim}: {told}; in points, with {100 * LEVEL:g}% intervals over seeds.")  # type: ignore[arg-type]


def sign(difference: Cell) -> int:
    """1 or -1 where a difference is shown to be above or below 0."""
    if difference.low is None or difference.high is None:
        return 0
    return int(difference.low > 0) - int(difference.high < 0)


def signed(difference: Cell) -> str:
    """A difference in words."""
    if difference.low is None or difference.high is None:
        return f"{difference.measured:+.1f}"
    return f"{difference.measured:+.1f} [{difference.low:+.1f}, {difference.high:+.1f}]"
