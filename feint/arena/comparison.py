"""Who did better than whom in a match, and whether that is shown or may be chance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

import numpy as np
from scipy import special

from feint.arena import statistics
from feint.arena.statistics import Interval, Test
from feint.arena.totals import By, Flags, Floats, Integers, Totals
from feint.errors import UserError


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


def comparisons(totals: Totals, by: By) -> list[Comparison]:
    """Every two agents that met at a table, with Holm's correction over all the pairs."""
    pairs = [pair for pair in combinations(range(len(totals.agents)), 2) if _met(totals, *pair).any()]
    tests = [compare(totals, *pair, by) for pair in pairs]
    adjusted = statistics.holm([test.p for test in tests])
    return [_comparison(totals, by, *each) for each in zip(pairs, tests, adjusted, strict=True)]


def compare(totals: Totals, one: int, other: int, by: By) -> Test:
    """The test of how much more one agent won, or was paid, than another in the games where both sat."""
    met = _met(totals, one, other)
    if not met.any():
        raise UserError(f"{totals.labels[one]} and {totals.labels[other]} never met.")
    deals = totals.deal_scores(by, met)
    if deals is not None:
        test = statistics.paired(deals[:, one], deals[:, other], totals.level)
        return replace(test, method=f"{test.method} over deals")
    if by == "wins":
        return _by_wins(totals, one, other, met)
    if totals.payoff_products is None:
        return _by_bounded_payoff(totals, one, other, met)
    return _by_payoff(totals, totals.payoff_products, one, other, met)


def discordant(totals: Totals, one: int, other: int) -> tuple[int, int]:
    """The games that one of two agents won and the other did not: those of the one, and those of the other."""
    sorts = _discordant(totals, one, other)
    return sum(ours for ours, _ in sorts.values()), sum(theirs for _, theirs in sorts.values())


def _comparison(totals: Totals, by: By, pair: tuple[int, int], test: Test, adjusted: float) -> Comparison:
    met = _met(totals, *pair)
    one, other = ((totals.sits(each) * totals.games[:, None])[met].sum(axis=0) for each in pair)
    apart = test.difference
    if apart.estimate < 0:
        pair, test = pair[::-1], replace(test, difference=Interval(-apart.estimate, -apart.high, -apart.low))
    shown = bool(adjusted < 1 - totals.level)
    return Comparison(*pair, by, test, float(adjusted), shown, same_seats=bool((one == other).all()))


def _met(totals: Totals, one: int, other: int) -> Flags:
    """The seatings at which both sat, bool[seatings]."""
    return np.asarray(totals.sits(one).any(axis=1) & totals.sits(other).any(axis=1))


def _lean(totals: Totals, one: int, other: int) -> Floats:
    """What each seat counts in the difference of the two, [seatings, seats]: an agent that sits twice goes by the mean of both."""
    ours, theirs = totals.sits(one), totals.sits(other)
    return ours / np.maximum(ours.sum(axis=1, keepdims=True), 1) - theirs / np.maximum(
        theirs.sum(axis=1, keepdims=True), 1
    )


# ---- by wins


def _by_wins(totals: Totals, one: int, other: int, met: Flags) -> Test:
    """Of the games that one of the two won and the other did not, whether one has more than its share: exact whatever the others
    at the table do, and however many may win."""
    at, won, often = totals.winner_sets
    apart = (won * _lean(totals, one, other)[at]).sum(axis=1)[met[at]]
    total, squares = float(often[met[at]] @ apart), float(often[met[at]] @ apart**2)
    difference = statistics.mean_of_sums(total, squares, int(totals.games[met].sum()), totals.level)
    sorts = [(*counts, chance) for chance, counts in _discordant(totals, one, other).items()]
    return Test(difference, statistics.mixed_sign_test(sorts), "exact sign test")


def _discordant(totals: Totals, one: int, other: int) -> dict[float, tuple[int, int]]:
    """The games that only one of the two won, by the chance that it would be the first if all their seats were alike.

    One half where both have one seat. Where an agent sits more often, its seats are as likely as any to be among the winners.
    """
    at, won, often = totals.winner_sets
    ours, theirs = totals.sits(one)[at], totals.sits(other)[at]
    wins, losses = (won & ours).sum(axis=1), (won & theirs).sum(axis=1)
    first, second = (wins > 0) & (losses == 0), (wins == 0) & (losses > 0)
    only = (first | second) & ours.any(axis=1) & theirs.any(axis=1)
    chances = _chance(ours.sum(axis=1), theirs.sum(axis=1), wins + losses)

    def counted(games: Flags, chance: float) -> int:
        return int(often[games & only & (chances == chance)].sum())

    return {chance: (counted(first, chance), counted(second, chance)) for chance in np.unique(chances[only]).tolist()}


def _chance(ours: Integers, theirs: Integers, winners: Integers) -> Floats:
    """That all winners among the seats of two agents are the first one's, if they are all one agent's."""
    first, second = special.comb(ours, winners), special.comb(theirs, winners)
    return first / np.maximum(first + second, 1)


# ---- by payoff


def _by_payoff(totals: Totals, products: Floats, one: int, other: int, met: Flags) -> Test:
    """Game by game: the products of two seats' payoffs tell how they go together, so that the error is that of the difference."""
    lean = _lean(totals, one, other)[met]
    total = float((lean * totals.payoff_sum[met]).sum())
    squares = float(np.einsum("si,sij,sj->", lean, products[met], lean))
    test = statistics.paired_of_sums(total, squares, int(totals.games[met].sum()), totals.level)
    return replace(test, method=f"{test.method} over games")


def _by_bounded_payoff(totals: Totals, one: int, other: int, met: Flags) -> Test:
    """With so many seats totals do not tell how two payoffs go together: the error of their difference is at most the sum of both."""
    means, errors = [], []
    for agent in (one, other):
        sits = totals.sits(agent) & met[:, None]
        games = int((sits * totals.games[:, None]).sum())
        total, squares = float(totals.payoff_sum[sits].sum()), float(totals.payoff_square_sum[sits].sum())
        means.append(total / games)
        errors.append(statistics.standard_error(total, squares, games) if games > 1 else inf)
    apart, error = means[0] - means[1], sum(errors)
    half = statistics.normal_quantile((1 + totals.level) / 2) * error
    p = float(2 * special.ndtr(-abs(apart) / error)) if error else float(apart == 0)
    return Test(Interval(apart, apart - half, apart + half), p, "z-test with a bound on the error")
