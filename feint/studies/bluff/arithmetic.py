"""What needs no games: the sampling plan, the four-flush table, and where the thesis contradicts itself."""

from __future__ import annotations

import numpy as np

from feint.arena import statistics
from feint.solvers import normal_form
from feint.studies.bluff import published
from feint.studies.bluff.published import AGENTS, EVOLUTION, FLUSH_BLUFFS, FLUSH_VALUES, ORDERS, RUN
from feint.studies.bluff.side_by_side import PROGRAM
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

FLUSH = 0.2  # the chance to complete it
POT = BET = 1.0  # pot-limit: the bet is what is in the pot


def sampling(settings: Settings, _tell: Tell) -> Section:
    """Chapter 9: 299 runs, and what 300 games give."""
    as_told = statistics.zero_failure_runs(0.99, 0.99)
    half = 100 * statistics.precision(RUN)
    ours = 100 * statistics.precision(settings.games)
    rows = (
        Row("ln(1 - 0.99) / ln(0.99), as the thesis writes it", (Cell.exact(published.RUN_SIZE, as_told, 0),)),
        Row("ln(1 - 0.95) / ln(0.99)", (Cell.exact(published.RUN_SIZE, statistics.zero_failure_runs(0.95, 0.99), 0),)),
        Row("half-width of a win rate's 99% interval, 300 games, points", (Cell.exact(None, half, 1),)),
        Row(f"the same, {settings.games:,} games", (Cell.exact(None, ours, 1),)),
        Row("games for one point", (Cell.exact(None, statistics.games_for_precision(0.01), 0),)),
        Row(
            "games to tell 36% from 32% apart, each, with 90% power",
            (Cell.exact(None, statistics.games_for_difference(0.36, 0.32), 0),),
        ),
    )
    return Section(
        "Chapter 9: the sampling plan",
        (
            Text(
                "The thesis plays 300 games because a formula for attribute sampling asks for 299 runs at 99% "
                "confidence and 99% reliability. The formula answers another question: if so many runs all succeed, "
                "success is at least that likely."
            ),
            Table("How many games", ("", "number"), rows),
            Verdict(
                "differs",
                f"299 is the number for 95% confidence; the formula as printed gives {as_told}. And it says nothing "
                f"about win rates: 300 games give one within {half:.1f} points at 99%, so most differences between rows "
                "of 300 games are noise.",
            ),
        ),
    )


def flush_value(call: float, bluff: float) -> float:
    """What the draw is worth to its player, who bets every flush, bluffs with that share of all hands, and is called so often."""
    return FLUSH * (POT + call * BET) + bluff * ((1 - call) * POT - call * BET)


def four_flush(_settings: Settings, _tell: Tell) -> Section:
    """Figure 8 of the earlier report."""
    rows = [
        Row(
            f"called {100 * call:.0f}%",
            tuple(Cell.exact(told, flush_value(call, bluff)) for told, bluff in zip(values, FLUSH_BLUFFS, strict=True)),
        )
        for call, values in FLUSH_VALUES.items()
    ]
    table = Table(
        "Value of a four-flush draw, by how often it is called (rows) and how often it bluffs (columns)",
        ("", *(f"{bluff:.2f}" for bluff in FLUSH_BLUFFS)),
        tuple(rows),
    )
    values = np.array([[flush_value(call, bluff) for bluff in (0.0, 1 - FLUSH)] for call in (0.0, 1.0)])
    bluffing, value = normal_form.maximin(values.T)
    calling, _ = normal_form.maximin(-values)
    agreeing, of = table.counted()
    return Section(
        "The earlier report: bluffing and calling with a four-flush",
        (
            Text(
                "The pot is 1, the bet is the pot, and the draw becomes a flush, which always wins, with probability "
                "0.2. With a the share of all hands that are bluffs and c the share of bets that are called, the "
                "player who draws makes 0.2 (1 + c) + a ((1 - c) - c) = 0.2 (1 + c) + a (1 - 2 c)."
            ),
            table,
            Verdict(
                "holds" if agreeing == of else "differs",
                f"{agreeing} of {of} cells follow from that formula. In equilibrium "
                f"{100 * bluffing[1] * (1 - FLUSH):.0f}% of hands are bluffs, half as many as flushes, and "
                f"{100 * calling[1]:.0f}% of bets are called; the draw is then worth {value:.2f} whatever the other "
                "does.",
            ),
        ),
    )


def contradictions(settings: Settings, tell: Tell) -> Section:
    """Where figures or words of the thesis contradict each other, and what is behind it."""
    one = PROGRAM.row(settings, AGENTS)
    tell(0.5)
    late = PROGRAM.row(settings, (*AGENTS[:3], "late-anxious"))
    anxious, again = ORDERS["1234"][3], published.FITNESS[3]
    p = statistics.two_rates(anxious, RUN, again, RUN).p
    won = np.array(list(ORDERS.values()))
    first, others = (
        np.mean([wins[0] for order, wins in ORDERS.items() if (order[0] == "1") == is_first])
        for is_first in (True, False)
    )
    evolution = EVOLUTION[4][0]
    rows = (
        (
            "Anxious in seat 4 after no-bluff, smart, reinforcement",
            f"Table 3: {anxious} of 300 wins; Table 6: {again} of 300 (p {_small(p)} that both are chance).",
            f"Two different agents: laying one true card at a time it wins {100 * one.wins[3] / one.games:.1f}% as run, "
            f"laying as smart {100 * late.wins[3] / late.games:.1f}%.",
        ),
        ("Average fitness of the first evolution", "18.75", "75: divided by four twice; see Table 6."),
        (
            "Self play, text and Table 2",
            "Anxious' text repeats reinforcement's numbers (47, 17, 15, 20; table: 34, 14, 24, 28). No-bluff in seat "
            "4: 12 and 14. Reinforcement in seat 3: 15 and 16.",
            f"No-bluff's text adds up to {44 + 26 + 16 + 12}%, reinforcement's to {47 + 17 + 15 + 20}%; the table's "
            f"columns to {sum(published.SELF_PLAY['no-bluff'])} and {sum(published.SELF_PLAY['reinforcement'])}.",
        ),
        (
            "Evolution 4",
            "“Eliminated Player 3 (NBAI)”.",
            f"No-bluff sits in seat {evolution.index('no-bluff') + 1}; seat 3 is {evolution[2]}.",
        ),
        (
            "Experiment 6b",
            "The mutants are “the fifth and sixth players”.",
            "Table 7 lists them in seats "
            f"{', '.join(str(seat + 1) for seat, name in enumerate(EVOLUTION[6][0]) if name == 'mutant')}.",
        ),
        (
            "Sampling plan",
            "299 runs for 99% confidence and 99% reliability.",
            f"{statistics.zero_failure_runs(0.99, 0.99)} by the same formula, which is of zero-failure tests; 300 games "
            f"give a win rate within {100 * statistics.precision(RUN):.0f} points.",
        ),
        (
            "Table 8",
            "Tit-for-tat is brought in as for a Prisoner's Dilemma.",
            "Table 8 is none: its only equilibrium is the best both can have together.",
        ),
        (
            "Win% of Table 3",
            f"Anxious {published.ORDER_PERCENT[3]}%.",
            f"{published.ORDER_TOTALS[3]} of {RUN * len(ORDERS)} games are "
            f"{100 * published.ORDER_TOTALS[3] / RUN / len(ORDERS):.1f}%. All rows add up to 300 and all columns to the "
            "totals."
            if (won.sum(axis=1) == RUN).all() and tuple(won.sum(axis=0)) == published.ORDER_TOTALS
            else "The table does not add up.",
        ),
        (
            "Figure 12, no-bluff by seat",
            "About 150 wins of 300 in seat 1 and 100 elsewhere: an advantage of 50%.",
            f"{first:.0f} and {others:.0f} by Table 3: {100 * (first / others - 1):.0f}%.",
        ),
        (
            "Captions",
            "Table 3 is called “Win rate of Experiment 3”; Figure 14 is cited for Experiment 6a and Figure 15 for 6b.",
            "They belong to Experiment 4, and are Figures 13 and 14.",
        ),
        (
            "Earlier report, chance that another player has a card",
            "1/39 or 0.025 with four players.",
            f"{13 / 39:.3f}: each of the other three hands has 13 of the 39 cards one does not hold.",
        ),
    )
    return Section(
        "Contradictions",
        (
            Table(
                "Where the thesis contradicts itself",
                ("where", "what it says", "what is so"),
                tuple(Row(where, (said, so)) for where, said, so in rows),
            ),
            Verdict(
                "differs",
                "Most are slips of the pen. Two matter: anxious was not the same agent in Table 3 and in Tables 5 to "
                "7, so Experiments 4 and 6 cannot be put together, and the sampling plan makes differences look "
                "certain that are noise.",
            ),
        ),
    )


def _small(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
