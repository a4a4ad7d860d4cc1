"""What every agent wins of the thesis' game against each reading of its opponent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from feint.studies.figures import draw
from feint.studies.okey.cells import percent, share
from feint.studies.okey.company import THESIS
from feint.studies.okey.played import Games, Sample
from feint.studies.okey.published import EXACT_BEFORE, EXPERIMENTS, LITERAL_BEFORE
from feint.studies.report import Cell, Holds, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

AGENTS = ("random", "computer", "arranger", "greedy", "greedy(wide=true)", "expectation")
BAR = 87.0  # percent to win against `computer`
COLUMNS = ("won", "drawn", "lost")
Outcome = tuple[Cell, ...]  # won, drawn, lost
Before = Mapping[str, tuple[float, float, float]]


def against_computer(settings: Settings, tell: Tell) -> Section:
    """The opponent that discards whatever is in no complete meld."""
    return _against("computer", LITERAL_BEFORE, settings, tell)


def against_arranger(settings: Settings, tell: Tell) -> Section:
    """The opponent that arranges its tiles without a second thought."""
    return _against("arranger", {}, settings, tell)


def against_exact(settings: Settings, tell: Tell) -> Section:
    """The opponent that arranges its tiles as well as it can be done."""
    return _against("exact", EXACT_BEFORE, settings, tell)


def _against(opponent: str, before: Before, settings: Settings, tell: Tell) -> Section:
    """Win, draw and loss of every agent."""
    games = Games(settings, tell, len(AGENTS))
    found = {agent: _cells(games.row(THESIS, agent, opponent)) for agent in AGENTS}
    earlier = (
        " “Measured before” is by a program of another make, with a standard error of 0.3 at most." if before else ""
    )
    return Section(
        f"Baselines: against {opponent}",
        (
            Text(
                "`okey:thesis`, both starting equally often. Figures against other readings of the opponent are another matter, and stand in sections of their own."
                + earlier
            ),
            _table(opponent, found, before),
            draw(lambda axes: _bars(axes, found), f"Games won, drawn and lost against {opponent}", (7.5, 3)),
            *([_strength(found)] if opponent == "computer" else []),
            _published(opponent, found),
            games.told(),
        ),
    )


def _cells(sample: Sample) -> Outcome:
    return tuple(share(each) for each in (sample.won[:, 0], sample.drawn, sample.won[:, 1]))


def _table(opponent: str, found: Mapping[str, Outcome], before: Before) -> Table:
    columns = (*COLUMNS, *(["measured before: won, drawn, lost"] if before else []))
    told = {agent: " / ".join(f"{each:g}" for each in figures) for agent, figures in before.items()}
    rows = [Row(agent, (*cells, *([told.get(agent, "")] if before else []))) for agent, cells in found.items()]
    return Table(f"Against `{opponent}`, % of games", ("agent", *columns), tuple(rows))


def verdict(cell: Cell, bar: float) -> Holds:
    """Whether a share reaches a bar, by its interval."""
    assert cell.low is not None
    assert cell.high is not None
    return "holds" if cell.low >= bar else "differs" if cell.high < bar else "open"


def _strength(found: Mapping[str, Outcome]) -> Verdict:
    best = max(found, key=lambda agent: found[agent][0].measured)
    won = found[best][0]
    return Verdict(
        verdict(won, BAR),
        f"That an agent wins {BAR:g}% or more against `computer`, the bar for strong ones: `{best}` wins {percent(won)} [{won.low:.1f}, {won.high:.1f}].",
    )


def _published(opponent: str, found: Mapping[str, Outcome]) -> Verdict:
    """Whether any of these games comes out as the thesis' did, which all had many draws."""
    drawn = [each.drawn / 1000 for each in EXPERIMENTS.values()]
    lost = [each.lost / 1000 for each in EXPERIMENTS.values()]

    def alike(cells: Outcome) -> bool:
        return min(drawn) <= cells[1].measured <= max(drawn) and min(lost) <= cells[2].measured <= max(lost)

    like = [f"`{agent}`" for agent, cells in found.items() if alike(cells)]
    weak = found["random"]
    return Verdict(
        "partly" if like else "differs",
        f"That games come out as in the thesis, {min(drawn):.0f} to {max(drawn):.0f}% drawn and {min(lost):.0f} to {max(lost):.0f}% won by the opponent: against `{opponent}` "
        f"{'only those of ' + ', '.join(like) if like else 'none'} do; `random` draws {percent(weak[1])} and loses {percent(weak[2])}.",
    )


def _bars(axes: Any, found: Mapping[str, Outcome]) -> None:
    left = [0.0] * len(found)
    for number, (what, colour) in enumerate(zip(COLUMNS, ("C2", "C5", "C3"), strict=True)):
        width = [cells[number].measured for cells in found.values()]
        axes.barh(list(found), width, left=left, color=colour, alpha=0.75, label=what)
        left = [a + b for a, b in zip(left, width, strict=True)]
    axes.set_xlabel("games, %")
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.figure.legend(loc="outside upper center", ncols=3)
