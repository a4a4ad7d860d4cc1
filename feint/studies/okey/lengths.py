"""How long games are, and how often the centre runs empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from feint.studies.figures import draw
from feint.studies.okey.cells import mean, percent, share
from feint.studies.okey.company import FOUR, THESIS
from feint.studies.okey.played import Games, Sample
from feint.studies.report import Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TABLES = {
    "`random`, `arranger`": (THESIS, ("random", "arranger")),
    "two `arranger`": (THESIS, ("arranger",) * 2),
    "two `computer`": (THESIS, ("computer",) * 2),
    "`greedy`, `computer`": (THESIS, ("greedy", "computer")),
    "two `greedy`": (THESIS, ("greedy",) * 2),
    "four `computer`": (FOUR, ("computer",) * 4),
    "`greedy`, three `computer`": (FOUR, ("greedy", *["computer"] * 3)),
    "four `greedy`": (FOUR, ("greedy",) * 4),
}


def lengths(settings: Settings, tell: Tell) -> Section:
    """Turns of a game, table by table."""
    games = Games(settings, tell, len(TABLES))
    found = {name: games.row(game, *row) for name, (game, row) in TABLES.items()}
    return Section(
        "Lengths of games",
        (
            Text(
                "Turns of all players together, a turn being a draw and a discard. Two play `okey:thesis` with 76 tiles in the centre, four the real game with 48; taking a discard "
                "leaves the centre as it is."
            ),
            Table(
                "Turns of a game, and how it ends",
                ("table", "turns, mean", "middle half", "longest 1%", "centre empty, %", "200 turns, %"),
                tuple(_row(name, sample) for name, sample in found.items()),
            ),
            draw(lambda axes: _curves(axes, found), "Games still on after so many turns", (9, 4), (1, 2)),
            *_verdicts(found),
            games.told(),
        ),
    )


def _row(name: str, sample: Sample) -> Row:
    quarter, half, late = (f"{each:.0f}" for each in np.percentile(sample.turns, [25, 75, 99]))
    return Row(
        name,
        (
            mean(sample.turns, 1),
            f"{quarter} to {half}",
            f"from {late}",
            share(sample.emptied),
            share(sample.drawn & ~sample.emptied),
        ),
    )


def _verdicts(found: Mapping[str, Sample]) -> tuple[Verdict, ...]:
    drawn = {name: share(sample.drawn) for name, sample in found.items()}
    two = {name: cell for name, cell in drawn.items() if TABLES[name][0] is THESIS}
    most = max(two, key=lambda name: two[name].measured)
    majority = two[most].low or 0
    least = two["two `greedy`"]
    return (
        Verdict(
            "holds" if majority > 50 else "differs",
            "That most games end with an empty centre (“majority of the episodes end by center tiles finishing”): of the tables of two, most draws are those of "
            f"{most}, {percent(two[most])}; two `greedy` have {percent(least)}, and four {percent(drawn['four `greedy`'])}.",
        ),
    )


def _curves(axes: Any, found: Mapping[str, Sample]) -> None:
    for panel, players in zip(axes, (2, 4), strict=True):
        for name, sample in found.items():
            if TABLES[name][0].players == players:
                turns = np.arange(sample.turns.max() + 1)
                still = 100 * (sample.turns > turns[:, None]).mean(axis=1)
                panel.plot(turns, still, label=name.replace("`", ""))
        panel.set_title(f"{players} players", fontsize=11)
        panel.set_xlabel("turns")
        panel.set_ylim(0, 100)
        panel.legend(fontsize=9)
    axes[0].set_ylabel("games still on, %")
