"""Experiments 1 to 3: what a seat is worth, among equals and between two kinds."""

from __future__ import annotations

from typing import Any

from feint.arena import statistics
from feint.studies.bluff import published
from feint.studies.bluff.played_rows import Sample
from feint.studies.bluff.side_by_side import (
    CLEAN,
    PROGRAM,
    agree,
    legend,
    percent,
    readings,
    seat_table,
    share_cells,
    verdict,
)
from feint.studies.figures import draw
from feint.studies.report import Section, Text
from feint.studies.run import Settings, Tell

SEATS = ("1", "2", "3", "4")


def experiment_1(settings: Settings, tell: Tell) -> Section:
    """Self play, Table 2 and Figure 8."""
    rows = [(name,) * 4 for name in published.AGENTS]
    ran = PROGRAM.samples(settings, rows, lambda part: tell(part * 0.8))
    clean = CLEAN.samples(settings, rows, lambda part: tell(0.8 + part * 0.2))
    tables = [
        seat_table(
            f"Table 2, {reading}", [(n, published.SELF_PLAY[n], s) for n, s in zip(published.AGENTS, of, strict=True)]
        )
        for reading, of in (("as the program ran", ran), ("clean rules", clean))
    ]

    def figure(axes: Any) -> None:
        for panel, name, one, other in zip(axes.flat, published.AGENTS, ran, clean, strict=True):
            told = published.SELF_PLAY[name]
            readings(panel, SEATS, told, {"as run": share_cells(told, one), "clean": share_cells(told, other)})
            panel.set_title(f"four {name}", fontsize=11)
        legend(axes)
        _label(axes)

    leads = [share_cells(None, sample)[0] for sample in clean]
    calling = [percent(sample, 0) for sample in clean[1:]]
    return Section(
        "Experiment 1: self play",
        (
            Text(
                "Four agents of a kind, 300 games each in the thesis. Its hypothesis was that no seat has an "
                "advantage; it found one for the first seat, worth 34 to 47% of the games."
            ),
            *tables,
            draw(figure, "Figure 8: games won by seat in self play", (7.5, 5.4), (2, 2)),
            verdict(
                "partly",
                all(cell.low is not None and cell.low > 25 for cell in leads),
                f"The first seat is ahead in every self play, but under clean rules agents that call win {min(calling)} "
                f"to {max(calling)}% there, not 34 to 47. The rest is the program: it asked from seat 1 on, and forgot "
                f"to ask about seat 1's play after a call on seat 4's (as run {agree(tables[0])} cells agree, under "
                f"clean rules {agree(tables[1])}).",
            ),
        ),
    )


def experiment_2(settings: Settings, tell: Tell) -> Section:
    """No-bluff against smart, Figure 9."""
    section, clean, _ = _pairs(settings, tell, 2, ("no-bluff", "smart"), published.EXPERIMENT_2)
    rates = [100 * won / clean.games for won in clean.wins]
    shown = clean.wins[1] > clean.wins[0] and statistics.sign_test(int(clean.wins[1]), int(clean.wins[0])) < 0.01
    text = (
        f"Under clean rules smart in seat 2 ({rates[1]:.1f}%) is ahead of no-bluff in seat 1 ({rates[0]:.1f}%): that "
        "no-bluff leads when it sits first comes from the program's order of asking. Smart's two seats win "
        f"{rates[1] + rates[3]:.1f}%, as hypothesised more than no-bluff's, but little more."
    )
    return Section(section.title, (*section.blocks, verdict("differs", shown, text)))


def experiment_3(settings: Settings, tell: Tell) -> Section:
    """Anxious against reinforcement, Figure 10."""
    section, clean, ran = _pairs(settings, tell, 3, ("anxious", "reinforcement"), published.EXPERIMENT_3)
    rates = [100 * won / clean.games for won in clean.wins]
    behind, ahead = int(max(clean.wins[::2])), int(min(clean.wins[1::2]))
    turns = ran.counted["plays"].sum() / ran.games
    text = (
        f"Under clean rules reinforcement beats anxious from either seat, as hypothesised ({rates[1]:.1f} and "
        f"{rates[3]:.1f}% against {rates[0]:.1f} and {rates[2]:.1f}%). The 49% of anxious in seat 1 are the program's, "
        f"which finds a trained learner lying whatever it laid; a game then lasts {turns:,.0f} turns."
    )
    return Section(
        section.title,
        (*section.blocks, verdict("differs", ahead > behind and statistics.sign_test(ahead, behind) < 0.01, text)),
    )


def _pairs(
    settings: Settings, tell: Tell, number: int, names: tuple[str, str], told: tuple[int, ...]
) -> tuple[Section, Sample, Sample]:
    """Two kinds in alternate seats."""
    row = names * 2
    clean = CLEAN.row(settings, row, 4 * settings.games)  # the two are close
    tell(0.2)
    ran = PROGRAM.row(settings, row)
    label = ", ".join(row)
    tables = [
        seat_table(f"Experiment {number}, {reading}", [(label, told, sample)])
        for reading, sample in (("as the program ran", ran), ("clean rules", clean))
    ]
    series = {"as run": share_cells(told, ran), "clean": share_cells(told, clean)}

    def figure(axes: Any) -> None:
        readings(axes, [f"{seat}\n{name}" for seat, name in zip(SEATS, row, strict=True)], told, series)
        axes.set_ylabel("games won, %")
        legend(axes)

    caption = f"Figure {number + 7}: games won by seat, {names[0]} in seats 1 and 3, {names[1]} in seats 2 and 4"
    title = f"Experiment {number}: {names[0]} against {names[1]}"
    return Section(title, (*tables, draw(figure, caption, (7.5, 3.6)))), clean, ran


def _label(axes: Any) -> None:
    for row in axes:
        row[0].set_ylabel("games won, %")
    for panel in axes[-1]:
        panel.set_xlabel("seat")
