"""Who did better than whom in a match, and whether that is shown or may be chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from feint.arena import statistics
from feint.arena.result import SUMS, Result
from feint.arena.statistics import Interval, Test

By = Literal["wins", "payoff"]


@dataclass(frozen=True)
class Comparison:
    """Two agents over the games they both played."""

    better: int
    worse: int
    by: By
    test: Test  # of the difference, better less worse
    adjusted_p: float  # Holm over all the pairs that were compared
    shown: bool  # at the result's level
    same_seats: bool  # both sat in every seat equally often; else the difference includes the seats'


def comparisons(result: Result, by: By) -> list[Comparison]:
    """Every two agents that met at a table, with Holm's correction over all the pairs."""
    agents = range(len(result.agents))
    pairs = [pair for pair in combinations(agents, 2) if _met(result, *pair).any()]
    tests = [_compare(result, *pair, by) for pair in pairs]
    adjusted = statistics.holm([test.p for test in tests])
    return [_judged(result, by, *each) for each in zip(pairs, tests, adjusted, strict=True)]


def _judged(result: Result, by: By, pair: tuple[int, int], test: Test, adjusted: float) -> Comparison:
    here = _where_met(result, *pair)
    one, other = ((here.sits(each) * here.games[:, None]).sum(axis=0) for each in pair)
    apart = test.difference
    if apart.estimate < 0:
        pair, test = pair[::-1], replace(test, difference=Interval(-apart.estimate, -apart.high, -apart.low))
    shown = bool(adjusted < 1 - result.level)
    return Comparison(*pair, by, test, float(adjusted), shown, same_seats=bool((one == other).all()))


def _compare(result: Result, one: int, other: int, by: By) -> Test:
    if by == "payoff" and result.deal_payoffs is not None:
        return statistics.paired(result.deal_payoffs[:, one], result.deal_payoffs[:, other], result.level)
    return (_by_wins if by == "wins" else _by_payoff)(_where_met(result, one, other), one, other)


def _met(result: Result, one: int, other: int) -> NDArray[np.bool_]:
    """The seatings at which both sat, bool[seatings]."""
    return result.sits(one).any(axis=1) & result.sits(other).any(axis=1) & (result.games > 0)


def _where_met(result: Result, one: int, other: int) -> Result:
    met = _met(result, one, other)
    totals: dict[str, Any] = {name: getattr(result, name)[met] for name in ("seatings", *SUMS)}
    return replace(result, deal_payoffs=None, counters={}, **totals)


def _by_wins(result: Result, one: int, other: int) -> Test:
    """Of the games one of the two won, whether one won more than its share: exact whatever the others at the table do."""
    wins = [(result.wins * result.sits(each)).sum(axis=1) for each in (one, other)]
    seats = [result.sits(each).sum(axis=1) for each in (one, other)]
    total = float((wins[0] / seats[0] - wins[1] / seats[1]).sum())
    squares = float((wins[0] / seats[0] ** 2 + wins[1] / seats[1] ** 2).sum())
    share = result.seat_games(one) / (result.seat_games(one) + result.seat_games(other))
    p = statistics.sign_test(int(wins[0].sum()), int(wins[1].sum()), share)
    return Test(statistics.mean_of_sums(total, squares, result.played, result.level), p, "exact sign test")


def _by_payoff(result: Result, one: int, other: int) -> Test:
    """Totals do not tell how two payoffs go together, so the error of their difference is bounded by the sum of both errors:
    exact where one wins what the other loses, else too wide."""
    means, errors = [], []
    for agent in (one, other):
        sits, games = result.sits(agent), result.seat_games(agent)
        total, squares = float(result.payoff_sum[sits].sum()), float(result.payoff_square_sum[sits].sum())
        means.append(total / games)
        errors.append(statistics.standard_error(total, squares, games) if games > 1 else inf)
    apart, error = means[0] - means[1], sum(errors)
    half = statistics.normal_quantile((1 + result.level) / 2) * error
    p = float(2 * special.ndtr(-abs(apart) / error)) if error else float(apart == 0)
    return Test(Interval(apart, apart - half, apart + half), p, "z-test with a bound on the error")
