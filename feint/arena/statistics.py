"""Intervals, tests and sample sizes for games: what a number of wins or a sum of payoffs shows, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt

# Only `scipy.special` at the start: `scipy.stats` takes a second to import, which a short match would notice.
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from feint.errors import UserError

LEVEL = 0.99  # the confidence level wherever none is chosen
FEW_GAMES = 100
FEW_WINS = 5
FEW_DEALS = 30


@dataclass(frozen=True)
class Interval:
    """An estimate and the confidence interval around it."""

    estimate: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether a value lies inside."""
        return self.low <= value <= self.high

    def scaled(self, by: float) -> Interval:
        """The same in other units: `scaled(100)` for percentages."""
        return Interval(self.estimate * by, self.low * by, self.high * by)


@dataclass(frozen=True)
class Test:
    """What a test of a difference found."""

    __test__ = False  # not one of pytest's

    difference: Interval
    p: float
    method: str


# ---- intervals


def wilson(wins: int, games: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a win rate: close to its level on average over all rates, for all but few games."""
    return _proportion(wins, games, level, _wilson_ends)


def clopper_pearson(wins: int, games: int, level: float = LEVEL) -> Interval:
    """Clopper and Pearson's exact interval of a win rate: never holds the truth less often than its level, so it is wider."""
    return _proportion(wins, games, level, _exact_ends)


def win_rate(wins: int, games: int, level: float = LEVEL) -> Interval:
    """The interval of a win rate: Clopper-Pearson under 100 games, or under 5 wins or 5 games not won; else Wilson.

    Wilson's coverage falls below its level where a handful of games decide, which is where the exact interval costs little.
    """
    exact = games < FEW_GAMES or min(wins, games - wins) < FEW_WINS
    return (clopper_pearson if exact else wilson)(wins, games, level)


def _proportion(
    wins: int, games: int, level: float, ends: Callable[[int, int, float], tuple[float, float]]
) -> Interval:
    check_level(level)
    if games == 0:
        return Interval(float("nan"), 0.0, 1.0)
    if not 0 <= wins <= games:
        raise UserError(f"Wins must be a number from 0 to the {games} games played, not {wins}.")
    return Interval(wins / games, *ends(wins, games, level))


def _wilson_ends(wins: int, games: int, level: float) -> tuple[float, float]:
    z2 = normal_quantile((1 + level) / 2) ** 2
    centre = (wins + z2 / 2) / (games + z2)
    half = sqrt(z2 * (wins * (games - wins) / games + z2 / 4)) / (games + z2)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _exact_ends(wins: int, games: int, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    low = special.betaincinv(wins, games - wins + 1, tail) if wins else 0.0
    high = special.betaincinv(wins + 1, games - wins, 1 - tail) if wins < games else 1.0
    return float(low), float(high)


def normal_quantile(chance: float) -> float:
    """The number that a standard normal one stays below with that chance."""
    return float(special.ndtri(chance))


def mean_of_sums(total: float, squares: float, games: int, level: float = LEVEL) -> Interval:
    """Student's interval of a mean from the sum of its values, the sum of their squares and how many there are."""
    check_level(level)
    if games < 2:
        return Interval(total / games if games else float("nan"), -np.inf, np.inf)
    half = float(special.stdtrit(games - 1, (1 + level) / 2)) * standard_error(total, squares, games)
    return Interval(total / games, total / games - half, total / games + half)


def standard_error(total: float, squares: float, games: int) -> float:
    """The standard error of a mean, from sums."""
    return sqrt(max(squares - total * total / games, 0.0) / (games - 1) / games)


def mean(values: ArrayLike, level: float = LEVEL) -> Interval:
    """Student's interval of a mean."""
    values = np.asarray(values, float)
    return mean_of_sums(float(values.sum()), float((values**2).sum()), len(values), level)


# ---- counts against other counts


def goodness_of_fit(counts: ArrayLike, expected: ArrayLike) -> tuple[float, int, float]:
    """Pearson's chi-square of counts against exact probabilities (any scale): the statistic, its degrees of freedom and p."""
    seen, share = np.asarray(counts, float), np.asarray(expected, float)
    from scipy import stats

    found = stats.chisquare(seen, share / share.sum() * seen.sum())
    return float(found.statistic), len(seen) - 1, float(found.pvalue)


def same_distribution(counts: ArrayLike, others: ArrayLike) -> tuple[float, int, float]:
    """Whether two samples of counts come from one multinomial: chi-square, its degrees of freedom and p.

    For published counts, which are a sample too: comparing them with a large run as if the published figures were exact
    probabilities, or ours were, asks the wrong question.
    """
    both = np.array([counts, others], float)
    both = both[:, both.sum(axis=0) > 0]
    if both.shape[1] < 2:
        return 0.0, 0, 1.0
    from scipy import stats

    found = stats.chi2_contingency(both, correction=False)
    return float(found.statistic), int(found.dof), float(found.pvalue)


def two_rates(wins: int, games: int, other_wins: int, other_games: int, level: float = LEVEL) -> Test:
    """Whether two independent samples have one rate: Fisher's exact test, and Newcombe's interval of the difference."""
    table = [[wins, games - wins], [other_wins, other_games - other_wins]]
    from scipy import stats

    p = float(stats.fisher_exact(table).pvalue)
    one, other = wilson(wins, games, level), wilson(other_wins, other_games, level)
    apart = one.estimate - other.estimate
    low = apart - sqrt((one.estimate - one.low) ** 2 + (other.high - other.estimate) ** 2)
    high = apart + sqrt((one.high - one.estimate) ** 2 + (other.estimate - other.low) ** 2)
    return Test(Interval(apart, low, high), p, "Fisher's exact test")


# ---- the same games, the same deals


def sign_test(wins: int, losses: int, chance: float = 0.5) -> float:
    """The exact two-sided p of that many wins among those and the losses, where each is a win with the given chance.

    With chance one half it is the sign test, and McNemar's exact test of paired outcomes; ties say nothing and are left out.
    """
    if wins + losses == 0:
        return 1.0
    if chance == 0.5:  # both tails are alike
        return min(1.0, 2 * float(special.bdtr(min(wins, losses), wins + losses, 0.5)))
    from scipy import stats

    return float(stats.binomtest(wins, wins + losses, chance).pvalue)


def mixed_sign_test(sorts: Sequence[tuple[int, int, float]]) -> float:
    """The same over several sorts of games, (wins, losses, chance) each: the exact two-sided p of that many wins in all.

    As for a binomial, it is the chance of all the numbers of wins that are no likelier than the one that was seen.
    """
    told = [sort for sort in sorts if sort[0] + sort[1] and 0 < sort[2] < 1]  # what must be won says nothing
    if len({chance for *_, chance in told}) <= 1:
        wins, losses = sum(sort[0] for sort in told), sum(sort[1] for sort in told)
        return sign_test(wins, losses, told[0][2] if told else 0.5)
    from scipy import signal

    low, chances = 0, np.ones(1)  # of so many wins and one more for each further place
    for wins, losses, chance in told:
        least, here = _binomial(wins + losses, chance)
        low, chances = low + least, np.maximum(signal.convolve(chances, here), 0.0)
    seen = sum(sort[0] for sort in told) - low
    if not 0 <= seen < len(chances):
        return 0.0
    return min(1.0, float(chances[chances <= chances[seen] * (1 + 1e-7)].sum()))


def _binomial(games: int, chance: float) -> tuple[int, NDArray[np.float64]]:
    """The chances of so many wins, from the first number on that has one above 1e-300."""
    spread = 40 * sqrt(games * chance * (1 - chance)) + 40
    low, high = max(0, ceil(games * chance - spread)), min(games, int(games * chance + spread))
    wins = np.arange(low, high + 1)
    ways = special.gammaln(games + 1) - special.gammaln(wins + 1) - special.gammaln(games - wins + 1)
    return low, np.exp(ways + special.xlogy(wins, chance) + special.xlog1py(games - wins, -chance))


def paired_of_sums(total: float, squares: float, games: int, level: float = LEVEL) -> Test:
    """Whether differences have a mean other than 0, from their sum, the sum of their squares and how many there are: Student's t.

    Where all are the same there is no spread to go by: then p is the exact sign test's.
    """
    difference = mean_of_sums(total, squares, games, level)
    error = standard_error(total, squares, games) if games > 1 else 0.0
    if error <= 1e-9 * abs(difference.estimate):
        return Test(difference, sign_test(games if total else 0, 0), "exact sign test")
    p = 2 * float(special.stdtr(games - 1, -abs(difference.estimate) / error))
    return Test(difference, p, "paired t-test")


def paired(ones: ArrayLike, others: ArrayLike, level: float = LEVEL) -> Test:
    """Whether one does better than another on the same deals, from the payoffs of both on each.

    Paired t, unless there are fewer than 30 deals or no spread at all: then p is the exact sign test's.
    """
    apart = np.asarray(ones, float) - np.asarray(others, float)
    difference = mean(apart, level)
    if len(apart) < FEW_DEALS or np.ptp(apart) == 0:
        return Test(difference, sign_test(int((apart > 0).sum()), int((apart < 0).sum())), "exact sign test")
    from scipy import stats

    return Test(difference, float(stats.ttest_1samp(apart, 0.0).pvalue), "paired t-test")


def holm(p_values: Sequence[float]) -> NDArray[np.float64]:
    """Holm's adjusted p-values: the chance of even one false claim among all that stay below a level is at most that level."""
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


# ---- how many games


def zero_failure_runs(confidence: float, reliability: float) -> int:
    """ln(1 - confidence) / ln(reliability), rounded up: 299 for 95% and 99%.

    It answers another question than how precise a win rate is. If that many runs all succeed, then success is at least as
    likely as the reliability, with that confidence; one failure and it says nothing. See `games_for_precision`.
    """
    check_level(confidence)
    check_level(reliability)
    return ceil(log(1 - confidence) / log(reliability) - 1e-9)


def precision(games: int, level: float = LEVEL, rate: float = 0.5) -> float:
    """The half-width of the interval of a win rate that so many games give, at its widest unless a rate is expected."""
    found = wilson(round(rate * games), games, level)
    return (found.high - found.low) / 2


def games_for_precision(half_width: float, level: float = LEVEL, rate: float = 0.5) -> int:
    """The games that give a win rate a Wilson interval of at most this half-width, at worst unless a rate is expected."""
    if not 0 < half_width < 0.5:
        raise UserError(f"A half-width must be a number above 0 and below 0.5 (0.01 is one point), not {half_width}.")
    check_level(level)
    z2 = normal_quantile((1 + level) / 2) ** 2
    w2, v = half_width**2, rate * (1 - rate)
    # Wilson: w = z sqrt(v n + z²/4) / (n + z²), a quadratic in n.
    b = 2 * w2 * z2 - z2 * v
    c = z2 * z2 * (w2 - 0.25)
    return max(ceil((-b + sqrt(b * b - 4 * w2 * c)) / (2 * w2)), 1)


def games_for_difference(one: float, other: float, power: float = 0.9, level: float = LEVEL) -> int:
    """The games each of two agents must play, apart, for a true difference of rates to be shown with the given power."""
    for rate in (one, other):
        if not 0 <= rate <= 1:
            raise UserError(f"A win rate must be a number from 0 to 1, not {rate}.")
    if one == other:
        raise UserError("Two equal rates have no difference to show; give rates that differ.")
    check_level(level)
    check_level(power)
    pooled = (one + other) / 2
    under_none = normal_quantile((1 + level) / 2) * sqrt(2 * pooled * (1 - pooled))
    under_this = normal_quantile(power) * sqrt(one * (1 - one) + other * (1 - other))
    return ceil(((under_none + under_this) / (one - other)) ** 2)


def check_level(level: float) -> None:
    """Refuse what is no level of confidence, or one so near 1 that no interval has it."""
    if not 0 < level <= 1 - 1e-12:
        raise UserError(f"A level must be a number between 0 and 1, such as 0.99, not {level}.")
