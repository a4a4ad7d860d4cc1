"""Table 4: where the agents guided by risk do something else than the plain player, and what comes of it."""

from __future__ import annotations

import numpy as np

from feint.arena.statistics import LEVEL
from feint.games.holdem.state import RAISE
from feint.studies.holdem import published
from feint.studies.holdem.cells import Values, mean, share, told
from feint.studies.holdem.watched import AGENTS, TANH, Decisions, watched
from feint.studies.report import Cell, Holds, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

GUIDED = ("risk-s", "risk-g")


def table_4(settings: Settings, tell: Tell) -> Section:
    """Its columns, measured on the same states."""
    seen = watched(settings, tell)
    rows = {agent: _row(seen, number) for number, agent in enumerate(AGENTS)}
    plain = [_hands(seen, number) for number in range(len(AGENTS))]
    lower = [_lower(rows[agent][0], rows[TANH][0]) for agent in GUIDED]
    as_often = [(rows[agent][1].p or 0) >= 1 - LEVEL for agent in GUIDED]
    doubled = [_twice(rows[agent][2], rows[TANH][2]) for agent in GUIDED]
    success = rows["risk-s"][3].measured - rows["risk-g"][3].measured
    return Section(
        "Table 4: where they differ, and what comes of it",
        (
            Text(
                "Before every decision of anybody, formula 2, which is `tanh`, is asked what it would do there, with a draw of its own. *Raise ratio*: raises among all decisions. *Different*: decisions other than formula 2's. "
                "*f|r*: decisions that are raises to which the next player folds. *Success*: of the differing decisions, those whose hand then won chips. The paper's columns are read so; "
                f"it tells no counts, so its figures are compared as if of {published.HANDS} hands with as many decisions as ours. What its `Hitsz13` has a success rate and a payoff of, though it never differs, is not said; here formula 2 "
                "is also compared with itself, since it draws."
            ),
            Table(
                "Decision details, %",
                ("agent", "raise ratio", "different", "f|r", "success"),
                tuple(Row(f"`{agent}`", tuple(cells)) for agent, cells in rows.items()),
                "Published figures of `tanh` are those of Hitsz13. Intervals are over matches.",
            ),
            Table(
                "Chips won in hands with a differing decision, a match of 3,000 hands",
                ("agent", "published", "measured", "all hands"),
                tuple(
                    Row(f"`{agent}`", (f"{published.DETAILS[agent].payoff}", *plain[number]))
                    for number, agent in enumerate(AGENTS)
                ),
                "Every hand counts once, and with all that it won or lost. The published payoffs add up to 524, so they are not what the three won from each other.",
            ),
            Verdict(
                _of(lower),
                "That agents guided by risk raise no more often than the plain player (.235 and .249 against .273): here "
                + ", ".join(f"`{agent}` raises in {rows[agent][0].measured:.1f}%" for agent in rows)
                + " of its decisions. The paper's equations, by which a bet that everybody may fold to is seldom wrong, do not lead to its ratios.",
            ),
            Verdict(
                _of(as_often),
                f"That they differ from formula 2 in 7 and 11% of decisions: formula 2, which draws, differs from itself in {rows[TANH][1].measured:.0f}%, so whoever does as it does would too. Here they differ in "
                f"{rows['risk-s'][1].measured:.0f}% (`risk-s`) and {rows['risk-g'][1].measured:.0f}% (`risk-g`).",
            ),
            Verdict(
                _of(doubled),
                "That both make opponents fold by a raise more than twice as often as the plain player: "
                + ", ".join(f"{rows[agent][2].measured:.2f}% (`{agent}`)" for agent in rows)
                + ".",
            ),
            Verdict(
                "holds" if _lower(rows["risk-g"][3], rows["risk-s"][3]) else "differs",
                f"That `risk-s` succeeds more often where it differs than `risk-g`: {rows['risk-s'][3].measured:.1f}% and {rows['risk-g'][3].measured:.1f}%, {success:+.1f} points, where the paper has 87.0% and 27.0%.",
            ),
            Verdict(
                _payoffs(plain),
                "That what differs pays `risk-s` and costs `risk-g`: "
                + ", ".join(
                    f"`{agent}` {told(cells[0])}" for agent, cells in zip(AGENTS, plain, strict=True) if agent != TANH
                )
                + " chips in 3,000 hands.",
            ),
        ),
    )


def _row(seen: Decisions, number: int) -> list[Cell]:
    of, agent = seen.of, AGENTS[number]
    own = of.agent == number
    printed = published.DETAILS[agent]
    each = round(own.sum() / seen.hands * published.HANDS)
    differs = own & (of.action != of.plain)
    differing = max(1, round(differs.sum() / seen.hands * published.HANDS))
    return [
        share(of.action == RAISE, own, of.match, 100 * printed.raises, each),
        share(differs, own, of.match, 100 * printed.different if printed.different else None, each),
        share(seen.folded_to, own, of.match, 100 * printed.folded_to, each),
        share(seen.won > 0, differs, of.match, 100 * printed.success if printed.different else None, differing),
    ]


def _hands(seen: Decisions, number: int) -> tuple[Cell, Cell]:
    """Chips in 3,000 hands: of those with a differing decision, and of all."""
    of = seen.of
    own = of.agent == number
    scale = published.HANDS / (seen.hands / seen.matches)
    sums = [_by_match(seen, own & (of.action != of.plain)), _by_match(seen, own)]
    return mean(sums[0], scale), mean(sums[1], scale)


def _by_match(seen: Decisions, which: Values) -> Values:
    """What the hands of these decisions paid, each hand once, [matches]."""
    of = seen.of
    hand = of.match.astype(np.int64) * (int(of.hand.max()) + 1) + of.hand
    _, first = np.unique(hand[which], return_index=True)
    at = np.flatnonzero(which)[first]
    return np.bincount(of.match[at], weights=np.nan_to_num(seen.won[at]), minlength=seen.matches)


def _of(shown: list[bool]) -> Holds:
    return "holds" if all(shown) else "partly" if any(shown) else "differs"


def _lower(one: Cell, other: Cell) -> bool:
    """Whether one share is shown to be below another."""
    return (one.high or 0) < (other.low or 0)


def _twice(one: Cell, other: Cell) -> bool:
    return (one.low or 0) > 2 * (other.high or 0)


def _payoffs(cells: list[tuple[Cell, Cell]]) -> Holds:
    good, bad = cells[AGENTS.index("risk-s")][0], cells[AGENTS.index("risk-g")][0]
    pays, costs = (good.low or 0) > 0, (bad.high or 0) < 0
    return _of([pays, costs])
