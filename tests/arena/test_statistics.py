import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from feint.arena import statistics
from feint.errors import UserError


def test_intervals_agree_with_newcombe_1998():
    wilson, exact = statistics.wilson(81, 263, 0.95), statistics.clopper_pearson(81, 263, 0.95)
    assert (round(wilson.low, 4), round(wilson.high, 4)) == (0.2553, 0.3662)
    assert (round(exact.low, 4), round(exact.high, 4)) == (0.2527, 0.3676)
    none = statistics.wilson(0, 20, 0.95)
    assert (none.low, round(none.high, 4)) == (0, 0.1611)


def test_the_exact_interval_serves_where_few_games_decide():
    assert statistics.win_rate(20, 99) == statistics.clopper_pearson(20, 99)
    assert statistics.win_rate(20, 100) == statistics.wilson(20, 100)
    assert statistics.win_rate(4, 10_000) == statistics.clopper_pearson(4, 10_000)
    assert statistics.win_rate(9_996, 10_000) == statistics.clopper_pearson(9_996, 10_000)


@pytest.mark.parametrize("games", [20, 99, 100, 300])
def test_a_99_percent_interval_holds_the_true_rate_in_about_99_percent_of_matches(games):
    wins = np.arange(games + 1)
    intervals = [statistics.win_rate(int(each), games) for each in wins]
    rates = np.linspace(0.01, 0.99, 99)
    held = np.array([[each.holds(rate) for each in intervals] for rate in rates])
    coverage = (held * stats.binom.pmf(wins, games, rates[:, None])).sum(axis=1)  # exact, for every rate
    assert coverage.mean() > 0.989
    assert coverage.min() > (0.99 if games < 100 else 0.975)


def test_no_game_says_nothing():
    unknown = statistics.win_rate(0, 0)
    assert (unknown.low, unknown.high) == (0, 1)
    assert np.isnan(unknown.estimate)


def test_a_mean_from_sums_is_students():
    values = np.array([1.0, -1 / 3, -1 / 3, 1.0, 0.0, -1 / 3])
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.99)
    found = statistics.mean(values)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.estimate == pytest.approx(values.mean())


def test_the_difference_of_two_rates_is_newcombes():
    found = statistics.two_rates(56, 70, 48, 80, 0.95)
    assert (round(found.difference.low, 4), round(found.difference.high, 4)) == (0.0524, 0.3339)
    assert found.p == pytest.approx(stats.fisher_exact([[56, 14], [48, 32]]).pvalue)


def test_counts_are_judged_against_probabilities_and_against_other_counts():
    statistic, freedom, p = statistics.goodness_of_fit([44, 26, 16, 14], [1, 1, 1, 1])
    assert (statistic, freedom) == (pytest.approx((19**2 + 1 + 9**2 + 11**2) / 25), 3)
    assert p == pytest.approx(stats.chi2.sf(statistic, 3))
    # A published sample of 300 may be further from a large run than probabilities could be.
    assert statistics.same_distribution([132, 78, 48, 42], [9714, 6402, 4530, 3354])[2] > 0.3
    assert statistics.same_distribution([32, 0, 268], [4600, 0, 715_400])[1] == 1


def test_paired_deals_find_what_unpaired_games_cannot():
    luck = np.random.default_rng(1).normal(size=400)
    ours, theirs = luck + 0.1, luck + np.random.default_rng(2).normal(scale=0.1, size=400)
    found = statistics.paired(ours, theirs)
    assert found.p < 1e-6
    assert found.difference.holds(0.1)
    assert not found.difference.holds(0)
    assert stats.ttest_ind(ours, theirs).pvalue > 0.05


def test_few_deals_are_judged_by_their_signs():
    assert statistics.paired([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).p == pytest.approx(2 / 2**5)
    assert statistics.paired([2.0] * 50, [1.0] * 50).p == pytest.approx(2 / 2**50)
    assert statistics.paired([1.0] * 50, [1.0] * 50).p == 1
    assert statistics.sign_test(0, 0) == 1


def test_holm():
    assert statistics.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert statistics.holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert len(statistics.holm([])) == 0


def test_the_thesis_formula_is_about_runs_without_failure():
    runs = statistics.zero_failure_runs(confidence=0.95, reliability=0.99)
    assert runs == 299
    assert 0.99**runs <= 0.05 < 0.99 ** (runs - 1)
    assert statistics.zero_failure_runs(0.75, 0.5) == 2
    assert statistics.precision(300) == pytest.approx(0.073, abs=0.001)  # what 300 games give at 99%


@given(st.floats(0.004, 0.3), st.sampled_from([0.9, 0.95, 0.99]))
def test_games_for_precision_are_just_enough(half_width, level):
    games = statistics.games_for_precision(half_width, level)
    even = games + games % 2  # at an odd number no rate is exactly one half
    assert statistics.precision(even, level) <= half_width
    assert statistics.precision(even - 2, level) > half_width if even > 2 else True


@pytest.mark.parametrize(("one", "other"), [(0.25, 0.35), (0.5, 0.6), (0.05, 0.15)])
def test_games_for_difference_have_the_power_they_promise(one, other):
    games = statistics.games_for_difference(one, other, power=0.9, level=0.99)
    wins = np.arange(games + 1)
    pooled = (wins[:, None] + wins) / (2 * games)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (wins[:, None] - wins) / games / np.sqrt(2 * pooled * (1 - pooled) / games)
    likely = stats.binom.pmf(wins, games, one)[:, None] * stats.binom.pmf(wins, games, other)
    assert likely[np.abs(z) > stats.norm.ppf(0.995)].sum() == pytest.approx(0.9, abs=0.02)  # exact power


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: statistics.wilson(5, 4), "from 0 to the 4 games"),
        (lambda: statistics.wilson(1, 4, 99), "between 0 and 1"),
        (lambda: statistics.games_for_precision(1.0), "half-width"),
        (lambda: statistics.games_for_difference(0.3, 0.3), "no difference"),
        (lambda: statistics.games_for_difference(0.3, 30), "from 0 to 1"),
        (lambda: statistics.zero_failure_runs(95, 0.99), "between 0 and 1"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call, message):
    with pytest.raises(UserError, match=message):
        call()
