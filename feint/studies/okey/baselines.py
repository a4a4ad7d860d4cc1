"""What every agent wins of the thesis' game against each reading of its opponent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from feint.studies.figures import draw
from feint.studies.okey.cells import percent, share
from feint.studies.okey.company import THESIS
from feint.studies.okey.played import Games, Sample
from feint.studies.okey.published import EXACT_BEFORE, EXPERIMENTS, LITERAL_BEFORE
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

AGENTS = ("random", "computer", "arranger", "greedy", "greedy(wide=true)", "expectation")
# The readings of the opponent, and what was measured before against one that discards in the same way.
OPPONENTS: dict[str, Mapping[str, tuple[float, float, float]]] = {"computer": LITERAL_BEFORE, "arranger": {}}
BAR = 87.0  # percent to win against `computer`
COLUMNS = ("won", "drawn", "lost")


def baselines(settings: Settings, tell: Tell) -> Section:
    """Win, draw and loss, opponent by opponent."""
    games = Games(settings, tell, len(AGENTS) * len(OPPONENTS))
    found = {
        opponent: {agent: _cells(games.row(THESIS, agent, opponent)) for agent in AGENTS} for opponent in OPPONENTS
    }
    tables = [_table(opponent, found[opponent]) for opponent in OPPONENTS]
    return Section(
        "Baselines: agents against the thesis' opponent",
        (
            Text(
                "`okey:thesis`, both starting equally often. Figures against different opponents are not comparable with each other: each table is one opponent. “Measured "
                "before” is by a program of another make, 20,000 games with a standard error of 0.3 at most."
            ),
            *tables,
            *_elsewhere(),
            draw(
                lambda axes: _bars(axes, found),
                "Games won, drawn and lost against each reading of the opponent",
                (8, 5),
                (1, len(found)),
            ),
            _strength(found["computer"]),
            _published(found),
            games.told(),
        ),
    )


def _cells(sample: Sample) -> tuple[Cell, ...]:
    return tuple(share(each) for each in (sample.won[:, 0], sample.drawn, sample.won[:, 1]))


def _table(opponent: str, found: Mapping[str, tuple[Cell, ...]]) -> Table:
    before = OPPONENTS[opponent]
    columns = (*COLUMNS, *(["measured before: won, drawn, lost"] if before else []))
    rows = [Row(agent, (*cells, *([_before(before.get(agent))] if before else []))) for agent, cells in found.items()]
    return Table(f"Against `{opponent}`, % of games", ("agent", *columns), tuple(rows))


def _before(told: tuple[float, float, float] | None) -> str:
    return " / ".join(f"{each:g}" for each in told) if told else ""


def _elsewhere() -> list[Table]:
    """What was measured before against an opponent that is none of these."""
    if EXACT_BEFORE in OPPONENTS.values():
        return []
    return [
        Table(
            "Measured before, against an opponent that is none of these, % of games",
            ("agent", "won / drawn / lost"),
            tuple(Row(agent, (_before(told),)) for agent, told in EXACT_BEFORE.items()),
            "That opponent discards what an exact arrangement of its tiles leaves over.",
        )
    ]


def _strength(against: Mapping[str, tuple[Cell, ...]]) -> Verdict:
    best = max(against, key=lambda agent: against[agent][0].measured)
    won = against[best][0]
    assert won.low is not None
    assert won.high is not None
    holds = "holds" if won.low >= BAR else "differs" if won.high < BAR else "open"
    return Verdict(
        holds,  # type: ignore[arg-type]
        f"The bar for strong agents is {BAR:g}% against `computer`: `{best}` wins {percent(won)} [{won.low:.1f}, {won.high:.1f}].",
    )


def _published(found: Mapping[str, Mapping[str, tuple[Cell, ...]]]) -> Verdict:
    """Whether any of these games comes out as the thesis' did, which all had many draws."""
    drawn = [each.drawn / 1000 for each in EXPERIMENTS.values()]
    lost = [each.lost / 1000 for each in EXPERIMENTS.values()]

    def alike(cells: tuple[Cell, ...]) -> bool:
        return min(drawn) <= cells[1].measured <= max(drawn) and min(lost) <= cells[2].measured <= max(lost)

    like = [(agent, opponent) for opponent, rows in found.items() for agent, cells in rows.items() if alike(cells)]
    told = ", ".join(f"`{agent}` against `{opponent}`" for agent, opponent in like)
    weakest = "; ".join(
        f"`random` against `{opponent}`: {percent(rows['random'][1])} drawn, {percent(rows['random'][2])} lost"
        for opponent, rows in found.items()
    )
    want = f"{min(drawn):.0f} to {max(drawn):.0f}% drawn and {min(lost):.0f} to {max(lost):.0f}% won by the opponent"
    return Verdict(
        "partly" if like else "differs",
        f"Such outcomes as the thesis' ({want}) come out of these games {'only with ' + told if like else 'with no agent and no reading'} ({weakest}).",
    )


def _bars(axes: Any, found: Mapping[str, Mapping[str, tuple[Cell, ...]]]) -> None:
    for panel, (opponent, rows) in zip(axes.flat if hasattr(axes, "flat") else [axes], found.items(), strict=True):
        left = [0.0] * len(rows)
        for number, (what, colour) in enumerate(zip(COLUMNS, ("C2", "C5", "C3"), strict=True)):
            width = [cells[number].measured for cells in rows.values()]
            panel.barh(list(rows), width, left=left, color=colour, alpha=0.75, label=what)
            left = [a + b for a, b in zip(left, width, strict=True)]
        panel.set_title(f"against {opponent}", fontsize=11)
        panel.set_xlabel("games, %")
        panel.invert_yaxis()
        panel.grid(visible=False, axis="y")
        if panel is not (axes.flat[0] if hasattr(axes, "flat") else axes):
            panel.set_yticklabels([])
    first = axes.flat[0] if hasattr(axes, "flat") else axes
    first.figure.legend(*first.get_legend_handles_labels(), loc="outside upper center", ncols=3)
