"""Partners (eşli okey): opposite players win and pay together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from feint.studies.okey.cells import ahead, apart, gains, matters, mean, percent, share, signed
from feint.studies.okey.company import BLOCKER, FOUR
from feint.studies.okey.played import Games, Sample
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

PARTNERS = replace(FOUR, partners=True)
# Two and two: the partners, and those they play against.
TEAMS = {
    "two `greedy` against two `computer`": (("greedy", "greedy"), ("computer", "computer")),
    "`greedy` with `computer` against two `computer`": (("greedy", "computer"), ("computer", "computer")),
    "two `expectation` against two `greedy`": (("expectation", "expectation"), ("greedy", "greedy")),
    "`greedy` with a blocker against two `greedy`": (("greedy", BLOCKER), ("greedy", "greedy")),
}
STRONG, ONE, CAREFUL, BLOCKING = TEAMS


def partners(settings: Settings, tell: Tell) -> Section:
    """Wins by team."""
    games = Games(settings, tell, len(TEAMS) + 1)
    found = {name: games.row(PARTNERS, *_seated(*teams)) for name, teams in TEAMS.items()}
    alone = games.row(FOUR, *_seated(*TEAMS[STRONG]))
    change = apart(_team(found[STRONG]), _team(alone))
    blocked, careful = (_ahead(found[name]) for name in (BLOCKING, CAREFUL))
    return Section(
        "Partners, and the limitation: no teams",
        (
            Text(
                "“Eşli okey”: those who sit opposite win together, and a winner's partner pays nothing. The agents do not know of it. The thesis' example of working together is a player who gives up its own hand and "
                "discards what the next player, an opponent, cannot use: the blocker here, an `expectation` to whom keeping tiles from the next player is worth more than any of its own."
            ),
            Table(
                "Games won by a team of two, %",
                ("teams", "first team", "second team", "drawn", "turns", "points a game, each of the first"),
                (
                    *(_row(name, sample) for name, sample in found.items()),
                    _row("without partners: two `greedy`, two `computer`", alone),
                ),
                "Without partners: games won by either of the two.",
            ),
            Verdict(
                matters([change]),
                f"That partnership changes how agents that do not know of it fare: two `greedy` win {percent(share(_team(found[STRONG])))} against two `computer`, and either of them "
                f"{percent(share(_team(alone)))} without ({signed(change)} points). One `greedy` carries a `computer` to {percent(share(_team(found[ONE])))}.",
            ),
            Verdict(
                gains([blocked]),
                f"That it helps a team if one gives up its hand to block the next player: it wins {signed(blocked)} points more than two `greedy` who both play for themselves. Two who hold back "
                f"only what the next player seems to collect (`expectation`) win {signed(careful)} points more.",
            ),
            games.told(),
        ),
    )


def _seated(team: tuple[str, str], others: tuple[str, str]) -> tuple[str, ...]:
    return team[0], others[0], team[1], others[1]


def _team(sample: Sample) -> np.ndarray:
    """Games that somebody of the first team has won, bool[games]."""
    return sample.won[:, ::2].sum(axis=1) > 0


def _others(sample: Sample) -> np.ndarray:
    return sample.won[:, 1::2].sum(axis=1) > 0


def _ahead(sample: Sample) -> Cell:
    """How much more often the first team wins than the second, in points."""
    return ahead(_team(sample), _others(sample))


def _row(name: str, sample: Sample) -> Row:
    cells: tuple[Cell, ...] = (
        share(_team(sample)),
        share(_others(sample)),
        share(sample.drawn),
        mean(sample.turns, 1),
        mean(sample.paid[:, ::2].mean(axis=1)),
    )
    return Row(name, cells)
