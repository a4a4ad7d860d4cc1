"""Chapter 11: the payoffs of Table 8, and tit-for-tat against each agent."""

from __future__ import annotations

import numpy as np

from feint.arena import statistics
from feint.games.bluff.game import Bluff
from feint.solvers import normal_form
from feint.studies.bluff import published
from feint.studies.bluff.played_rows import Room, Sample
from feint.studies.bluff.published import AGENTS
from feint.studies.bluff.side_by_side import verdict
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TIT_FOR_TAT = "paying-back"  # the same at a table of two, and quicker
PAIR = Room(Bluff(players=2), (TIT_FOR_TAT, *AGENTS))


def table_8(_settings: Settings, _tell: Tell) -> Section:
    """The equilibria of Table 8."""
    payoffs = normal_form.normal_form(published.PAYOFFS)
    mixed = normal_form.two_player_equilibria(payoffs)
    pure = normal_form.pure_equilibria(payoffs).tolist()
    moves = (("Bluff", "No Bluff"), ("Challenge", "No Contest"))
    found = ", ".join(f"({moves[0][x]}, {moves[1][y]})" for x, y in pure)
    x, y = pure[0]
    # What each loses by changing its own choice alone; by Bluff X always loses something.
    losses = payoffs[0, x, y] - payoffs[0, 1 - x, y], payoffs[1, x, y] - payoffs[1, x, 1 - y]
    dominated = payoffs[0, 1] - payoffs[0, 0]
    better = (payoffs >= payoffs[:, x, y][:, None, None]).all(axis=0) & (payoffs > payoffs[:, x, y][:, None, None]).any(
        axis=0
    )
    unique = len(mixed) == len(pure) == 1
    rows = (
        Row("equilibria, pure and mixed", (f"{len(mixed)}: {found}",)),
        Row("paid there", (", ".join(f"{each:g}" for each in payoffs[:, x, y]),)),
        Row("lost by leaving it alone, X and Y", (f"{losses[0]:g} and {losses[1]:g}",)),
        Row("gained by X with No Bluff, by Y's choice", (f"{dominated[0]:g} if challenged, {dominated[1]:g} if not",)),
        Row("outcomes better for both", ("none" if not better.any() else f"{better.sum()}",)),
    )
    strict = unique and min(losses) > 0
    return Section(
        "Table 8: the payoffs of bluffing and challenging",
        (
            Text(
                "Player X bluffs or not, player Y challenges or not: (-3, 3), (1, -1), (2, -2) and (2, 2), from "
                "(Bluff, Challenge) on."
            ),
            Table("Table 8, solved", ("", "found"), rows),
            Verdict(
                "holds" if strict and found == "(No Bluff, No Contest)" else "differs",
                f"{found} is the only equilibrium, and a strict one.",
            ),
            Verdict(
                "differs",
                "But it is no Prisoner's Dilemma: honesty pays X more whatever Y does and no outcome is better for "
                "both, so there is nothing for tit-for-tat to uphold.",
            ),
        ),
    )


def tit_for_tat(settings: Settings, tell: Tell) -> Section:
    """Two players, both seats: half of a cell's games in each."""
    half = max(settings.games // 2, 1)
    opponents = (*AGENTS, TIT_FOR_TAT)
    rows, rates = [], {}
    calls, plays = (
        np.zeros(2, np.int64),
        np.zeros(2, np.int64),
    )  # right and wrong; the opponents' lies and all their plays
    for number, other in enumerate(opponents):
        first = PAIR.row(settings, (TIT_FOR_TAT, other), half)
        second = PAIR.row(settings, (other, TIT_FOR_TAT), half)
        right, wrong = (_counted(first, second, name) for name in ("calls right", "calls wrong"))
        calls += right, wrong
        if right + wrong:
            plays += [int(first.counted[name][1] + second.counted[name][0]) for name in ("bluffs", "plays")]
        wins = int(first.wins[0] + second.wins[1])
        rates[other] = statistics.win_rate(wins, first.games + second.games)
        cells = (
            Cell.share(None, 0, wins, first.games + second.games),
            Cell.share(None, 0, int(first.wins[0]), first.games),
            Cell.share(None, 0, int(second.wins[1]), second.games),
        )
        said = (
            f"{100 * right / (right + wrong):.1f}% of {(right + wrong) / (2 * half):.1f} a game"
            if right + wrong
            else "never calls"
        )
        rows.append(Row("itself" if other == TIT_FOR_TAT else other, (*cells, said)))
        tell((number + 1) / len(opponents))
    right, wrong = (int(each) for each in calls)
    accuracy = statistics.win_rate(right, right + wrong).scaled(100)
    p = statistics.sign_test(right, wrong)
    lies = 100 * plays[0] / max(plays[1], 1)
    supposed = Cell(50.0, accuracy.estimate, accuracy.low, accuracy.high, p, 0, 0, "%")
    shown = max(rates[name].high for name in AGENTS[1:]) < 0.5 < rates["no-bluff"].high
    return Section(
        "Chapter 11: tit-for-tat",
        (
            Text(
                "The thesis argues about tit-for-tat without playing it: it plays as no-bluff, and after somebody "
                "calls it, it calls that player's next play, once. Here it plays each agent, two at a table, in both "
                "seats."
            ),
            Table(
                "Tit-for-tat against each agent, clean rules",
                ("against", "games won", "in seat 1", "in seat 2", "its calls that are right"),
                tuple(rows),
            ),
            Table(
                "How often its calls are right",
                ("", "percent"),
                (Row("all opponents together", (supposed,)),),
                f"Of {right + wrong:,} calls; 50% is what the thesis supposes.",
            ),
            verdict(
                "partly",
                shown,
                f"As argued, it plays as no-bluff against no-bluff ({_pct(rates, 'no-bluff')}%) and loses to smart "
                f"({_pct(rates, 'smart')}%) and as much to reinforcement ({_pct(rates, 'reinforcement')}%), most of all "
                f"to anxious ({_pct(rates, 'anxious')}%). But its calls are right {accuracy.estimate:.0f}% of the time, "
                f"not 50: its opponents lie in {lies:.0f}% of their plays, and less than that just after they have "
                "called.",
            ),
        ),
    )


def _counted(first: Sample, second: Sample, name: str) -> int:
    """Of tit-for-tat's, in both seats."""
    return int(first.counted[name][0] + second.counted[name][1])


def _pct(rates: dict[str, statistics.Interval], name: str) -> str:
    return f"{100 * rates[name].estimate:.1f}"
