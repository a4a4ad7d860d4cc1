"""What luck is worth: to be dealt a joker, and to start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from feint.studies.figures import draw
from feint.studies.okey.cells import ahead, gains, listed
from feint.studies.okey.company import FOUR, THESIS
from feint.studies.okey.played import Games, Sample
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TABLES = {
    "two `computer`": (THESIS, ("computer",) * 2),
    "two `greedy`": (THESIS, ("greedy",) * 2),
    "four `computer`": (FOUR, ("computer",) * 4),
    "four `greedy`": (FOUR, ("greedy",) * 4),
}
JOKERS = (0, 1, 2)


def luck(settings: Settings, tell: Tell) -> Section:
    """Win rates by jokers dealt, and of whoever starts."""
    games = Games(settings, tell, len(TABLES))
    found = {name: games.row(game, *row) for name, (game, row) in TABLES.items()}
    rates = {name: [rate(sample, jokers) for jokers in JOKERS] for name, sample in found.items()}
    worth = {name: [worth_of(sample, jokers) for jokers in JOKERS[1:]] for name, sample in found.items()}
    first = {name: start(sample) for name, sample in found.items()}
    return Section(
        "The value of a joker, and of starting",
        (
            Text(
                "At tables of one kind of agent, where everybody wins equally often but for luck. Win rates by jokers dealt are the mean over positions, so that the starter's tile more is no "
                "part of them: the starter has 15 tiles and so more jokers. What a joker drawn later is worth is another matter."
            ),
            Table(
                "Games won by whoever was dealt so many jokers, %",
                ("table", "no joker", "one", "two"),
                tuple(Row(name, tuple(cells)) for name, cells in rates.items()),
                "Two players: `okey:thesis`; four: the real game.",
            ),
            Table(
                "What luck is worth, points of win rate",
                ("table", "one joker", "two jokers", "to start"),
                tuple(Row(name, (*worth[name], first[name])) for name in TABLES),
                "Jokers against none. To start: the starter against the mean of the others.",
            ),
            draw(lambda axes: _points(axes, rates), "Games won by jokers dealt", (7.5, 3.6)),
            Verdict(
                gains(cell for cells in worth.values() for cell in cells),
                "That a joker is an advantage (“valued the highest in the original game”, says the thesis, which gives it no value of its own): one is worth "
                f"{listed({name: cells[0] for name, cells in worth.items()})} points of win rate.",
            ),
            Verdict(gains(first.values()), f"That to start is an advantage: it is worth {listed(first)} points."),
            games.told(),
        ),
    )


def rate(sample: Sample, jokers: int) -> Cell:
    """Games won by those dealt so many jokers, in percent, the mean over positions."""
    estimate, error, games = _rate(sample, jokers)
    return Cell.around(100 * estimate, 100 * error, games)


def worth_of(sample: Sample, jokers: int) -> Cell:
    """How much more often they win than those without, in points."""
    (some, error, games), (none, other, more) = _rate(sample, jokers), _rate(sample, 0)
    return Cell.around(100 * (some - none), 100 * float(np.hypot(error, other)), games + more)


def _rate(sample: Sample, jokers: int) -> tuple[float, float, int]:
    """A mean over positions, its standard error, and in how many cases it was seen."""
    chairs = sample.won.shape[1]
    position = (np.arange(chairs) - sample.starts.argmax(axis=1)[:, None]) % chairs
    # Whoever had no turn before the game was over is not known to have had no joker.
    dealt = np.where(sample.counted["turns"] > 0, sample.counted["jokers dealt"], -1)
    at = [(dealt == jokers) & (position == each) for each in range(chairs)]
    rates = np.array([sample.won[here].mean() if here.any() else np.nan for here in at])
    cases = np.array([here.sum() for here in at])
    # One win and one loss more in each, so that a rate of 0 or 1 is not taken for certain.
    spread = (rates * cases + 1) / (cases + 2)
    return (
        float(rates.mean()),
        float(np.sqrt((spread * (1 - spread) / np.maximum(cases, 1)).sum()) / chairs),
        int(cases.sum()),
    )


def start(sample: Sample) -> Cell:
    """How much more often the starter wins than the others on average, in points."""
    first = (sample.won & sample.starts).sum(axis=1)
    return ahead(first, (sample.won & ~sample.starts).sum(axis=1) / (sample.won.shape[1] - 1))


def _points(axes: Any, rates: Mapping[str, list[Cell]]) -> None:
    for number, (name, cells) in enumerate(rates.items()):
        at = [jokers + 0.08 * (number - (len(rates) - 1) / 2) for jokers in JOKERS]
        reach = [
            [cell.measured - (cell.low or 0) for cell in cells],
            [(cell.high or 0) - cell.measured for cell in cells],
        ]
        axes.errorbar(at, [cell.measured for cell in cells], reach, fmt="o-", capsize=3, label=name.replace("`", ""))
    axes.set_xticks(JOKERS)
    axes.set_xlabel("jokers dealt")
    axes.set_ylabel("games won, %")
    axes.set_ylim(bottom=0)
    axes.legend()
