"""Who of the three is better, and how surely: over duplicate deals, at the paper's own size, and with less luck."""

from __future__ import annotations

import numpy as np

from feint.studies.holdem import published
from feint.studies.holdem.cells import Values, mean, sign, told
from feint.studies.holdem.tournaments import RISK_G, RISK_S, SCALE, TANH, duplicate, length_of, long_tournaments
from feint.studies.holdem.watched import AGENTS, MATCH
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

SURE = 1.96  # standard errors, at 95%


def order(settings: Settings, tell: Tell) -> Section:
    """Duplicate deals, the paper's own sample size, and what reduces the luck in it."""
    scores = duplicate(settings).deal_scores("payoff")
    assert scores is not None
    tell(0.6)
    by_match = scores.reshape(-1, length_of(settings, MATCH), len(AGENTS)).mean(axis=1)
    apart = {
        ("risk-s", "tanh"): mean(by_match[:, RISK_S] - by_match[:, TANH], SCALE),
        ("tanh", "risk-g"): mean(by_match[:, TANH] - by_match[:, RISK_G], SCALE),
        ("risk-s", "risk-g"): mean(by_match[:, RISK_S] - by_match[:, RISK_G], SCALE),
    }
    signs = [sign(cell) for cell in apart.values()]
    tournaments = long_tournaments(settings)
    difference = tournaments.paid[..., RISK_S] - tournaments.paid[..., TANH]
    hands = difference.shape[1]
    spread = float(difference.std(ddof=1))
    claimed = SCALE * (published.DETAILS["risk-s"].payoff - published.DETAILS["tanh"].payoff) / published.HANDS
    half = SCALE * SURE * spread / published.HANDS**0.5
    shown = np.abs(difference.mean(axis=1)) > SURE * difference.std(axis=1, ddof=1) / hands**0.5
    right = shown & (difference.mean(axis=1) > 0)
    reduced = without_luck(tournaments.paid, tournaments.luck)
    spreads = _spreads(tournaments.paid, reduced, scores)
    wins = {
        "duplicate deals": [mean(by_match[:, number], SCALE) for number in range(len(AGENTS))],
        "tournaments of 3,000 hands": _won(tournaments.paid),
        "the same less luck": _won(reduced),
    }
    narrower = [1 - _width(less) / _width(all) for all, less in zip(_won(tournaments.paid), _won(reduced), strict=True)]
    saved = [1 - spreads[agent][1] ** 2 / spreads[agent][0] ** 2 for agent in range(len(AGENTS))]
    return Section(
        "The order of the three, and how surely",
        (
            Text(
                f"{len(scores):,} deals, each in all six orders of seats, in matches of {length_of(settings, MATCH):,} hands, so that everybody has everybody's cards and neighbours once. An interval is over matches, each with all its orders, since `risk-s` learns through a match."
            ),
            Table(
                "What they win, mbb/h",
                ("agent", *wins),
                tuple(Row(f"`{agent}`", tuple(cells)) for agent, *cells in zip(AGENTS, *wins.values(), strict=True)),
            ),
            Table(
                "How far they are apart over duplicate deals, mbb/h",
                ("", "difference"),
                tuple(Row(f"`{one}` less `{other}`", (cell,)) for (one, other), cell in apart.items()),
            ),
            Verdict(
                "holds"
                if all(each > 0 for each in signs)
                else "differs"
                if any(each < 0 for each in signs)
                else "open",
                f"The paper's order, `risk-s` before `tanh` before `risk-g`, over {len(scores):,} duplicate deals: {told(apart['risk-s', 'tanh'])} and {told(apart['tanh', 'risk-g'])} mbb/h.",
            ),
            Text(
                f"**At the paper's own size.** A hand's payoff of `risk-s` less that of `tanh` has a standard deviation of {spread / 10:.1f} big blinds, so that {published.HANDS:,} hands tell it to within ±{half:.0f} mbb/h at 95%. The paper's 554 and 398 chips "
                f"are {claimed:.0f} mbb/h apart."
            ),
            Table(
                f"Tournaments of {hands:,} hands that show a difference of `risk-s` and `tanh` at 95%, %",
                ("", "share"),
                (
                    Row("for `risk-s`", (Cell.share(None, 0, int(right.sum()), len(right)),)),
                    Row("for `tanh`", (Cell.share(None, 0, int((shown & ~right).sum()), len(right)),)),
                    Row("none", (Cell.share(None, 0, int((~shown).sum()), len(right)),)),
                ),
                "By a t-test of the hands of one tournament.",
            ),
            Verdict(
                "holds" if abs(claimed) > half else "differs",
                f"That the paper's order follows from its own 3,000 hands: a difference of {claimed:.0f} mbb/h is not shown by hands that tell it to within ±{half:.0f}. Between the agents here the difference is larger, and a tournament of this length shows it "
                f"in {100 * float(right.mean()):.0f}% of cases.",
            ),
            Table(
                "Standard deviation of what a hand pays, big blinds",
                ("agent", "as it is", "less luck", "a deal in six orders, times √6"),
                tuple(
                    Row(f"`{agent}`", tuple(Cell.exact(None, each / 10) for each in spreads[number]))
                    for number, agent in enumerate(AGENTS)
                ),
                "Less luck: by control variates, in the manner of AIVAT but plain: who would win the showdown if nobody folded, and strength before the flop, by position. Both are nothing on average whatever anybody does, so they change no mean. The last column is what one hand would need to be as good.",
            ),
            Text(
                f"**Does it pay?** Luck takes {100 * min(saved):.0f} to {100 * max(saved):.0f}% off the variance of a hand; duplicate deals take "
                f"{100 * min(_by_duplicates(each) for each in spreads):.0f} to {100 * max(_by_duplicates(each) for each in spreads):.0f}% off it, without any fitting. Intervals over matches, which learning moves as well, become {100 * min(narrower):.0f} to {100 * max(narrower):.0f}% narrower by less luck. Whole AIVAT, which corrects every decision by a value function, was not tried."
            ),
        ),
    )


def _won(paid: Values) -> list[Cell]:
    """What everybody wins in tournaments, mbb/h."""
    return [mean(paid[..., number].mean(axis=1), SCALE) for number in range(len(AGENTS))]


def _width(cell: Cell) -> float:
    return (cell.high or 0) - (cell.low or 0)


def _spreads(paid: Values, reduced: Values, deals: Values) -> list[tuple[float, float, float]]:
    """Standard deviations by agent, chips: of a hand, of one less luck, and of a hand that is as good as a sixth of a duplicate deal."""
    orders = 6**0.5
    return [
        (float(paid[..., agent].std()), float(reduced[..., agent].std()), float(deals[:, agent].std() * orders))
        for agent in range(paid.shape[-1])
    ]


def _by_duplicates(spreads: tuple[float, float, float]) -> float:
    """The part of a hand's variance that playing all orders takes off."""
    return 1 - spreads[2] ** 2 / spreads[0] ** 2


def without_luck(paid: Values, luck: Values) -> Values:
    """Payoffs less what luck explains of them by least squares, [..., agents]: of the same mean, and less spread."""
    left = paid.copy()
    for agent in range(paid.shape[-1]):
        controls = luck[..., agent, :].reshape(-1, luck.shape[-1])
        y = paid[..., agent].ravel()
        weights = np.linalg.lstsq(controls - controls.mean(axis=0), y - y.mean(), rcond=None)[0]
        left[..., agent] -= (controls @ weights).reshape(paid.shape[:-1])
    return left
