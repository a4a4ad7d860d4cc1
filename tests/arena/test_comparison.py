"""Comparisons worked out by hand, and by other means."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import feint
from feint.arena import statistics
from feint.arena.comparison import compare, discordant
from feint.arena.match import match
from feint.arena.result import Result
from feint.arena.seated import MOST_PAIRED
from feint.arena.seatings import rotations
from feint.arena.tally import Counting, counted, tally
from feint.arena.tournament import Tournament
from feint.errors import UserError
from tests.arena.made import result, seated
from tests.arena.test_parts import Played, Toy


def of_games(payoffs, winners=None, agents=("a", "b", "c"), seating=(0, 1, 2), measure="payoff"):
    """The result of single games, [games, seats]."""
    paid = np.asarray(payoffs, float)[:, None]
    won = (paid == paid.max(axis=2, keepdims=True)) & (paid > paid.min(axis=2, keepdims=True))
    counting = Counting(Toy(), agents, [seating], seed=0, length=1, duplicate=False, level=0.99)
    played = Played(paid, won if winners is None else winners, np.ones((len(paid), 1), int), {})
    counting.parts.append(counted(Toy(), seating, 0, 0, played, duplicate=False))
    return replace(Result.of(counting.totals()), measure=measure)


def test_losers_who_pay_leave_the_winner_with_a_win():
    """The winner gets 0, the others pay: no draw, though nobody gets anything."""
    played = of_games([[0, -1, -2], [-3, 0, -1], [0, -2, -2], [-1, -1, -1]], measure="wins")
    assert played.wins.tolist() == [[2, 1, 0]]
    assert played.draws.tolist() == [1]
    assert "Draws: 1 of 4 games" in str(played)
    assert discordant(played, 0, 1) == (2, 1)


def test_three_player_leduc_may_have_several_winners_and_everything_stays_right(tmp_path):
    game = feint.make("leduc", players=3)
    played = match(game, ["random"] * 3, rotations(range(3)), 3000, seed=2)
    _, won, often = played.winner_sets
    assert played.wins.sum() > played.played - played.draws.sum()
    assert played.wins.sum() == (won.sum(axis=1) * often).sum()
    assert often.sum() == played.played
    for each in played.comparisons("wins"):
        only = discordant(played, each.better, each.worse)
        assert each.test.p == pytest.approx(stats.binomtest(only[0], sum(only)).pvalue)
        apart = played.win_rate(each.better).estimate - played.win_rate(each.worse).estimate
        assert each.test.difference.estimate == pytest.approx(apart)
        assert (only[0] - only[1]) / played.played == pytest.approx(apart)
    played.save(tmp_path / "leduc.json")
    assert "Ratings" in str(Tournament(Result.load(tmp_path / "leduc.json")))


@settings(max_examples=50)
@given(st.dictionaries(st.text("01", min_size=3, max_size=3), st.integers(1, 50), min_size=1))
def test_wins_draws_and_discordant_games_follow_from_the_sets_of_winners(sets):
    played = result(["a", "b", "c"], [seated((2, 0, 1), sets)])
    games = [key for key, often in sets.items() for _ in range(often)]
    seats = {0: 1, 1: 2, 2: 0}
    assert played.played == len(games)
    assert played.draws.sum() == games.count("000")
    for agent, seat in seats.items():
        assert played.seat_wins(agent) == sum(key[seat] == "1" for key in games)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        pair = Counter((key[seats[one]], key[seats[other]]) for key in games)
        assert discordant(played, one, other) == (pair["1", "0"], pair["0", "1"])
        p = statistics.sign_test(pair["1", "0"], pair["0", "1"])
        assert compare(played, one, other, "wins").p == pytest.approx(p)


def test_an_agent_in_two_seats_has_its_share_of_the_sets_of_winners():
    """Seats a, a, b. Alone, a wins by chance in 2 of 3; two winners are both a's or not of one agent: that says nothing."""
    played = result(["a", "b"], [seated((0, 0, 1), {"100": 9, "010": 6, "001": 3, "110": 20, "101": 7})])
    test = compare(played, 0, 1, "wins")
    assert discordant(played, 0, 1) == (9 + 6 + 20, 3)
    assert test.p == pytest.approx(stats.binomtest(15, 18, 2 / 3).pvalue)
    mean = ((9 + 6) / 2 - 3 + 20 * 1 + 7 * (1 / 2 - 1)) / 45
    assert test.difference.estimate == pytest.approx(mean)


def test_games_of_several_sorts_are_tested_together_exactly():
    """Three games at even chances and two at 2 in 3, by going through all 32 ways they may end."""
    sorts = [(3, 0, 0.5), (1, 1, 2 / 3)]
    chances = [Fraction(1, 2)] * 3 + [Fraction(2, 3)] * 2
    by_wins = [Fraction(0)] * 6
    for ways in product((0, 1), repeat=5):
        likely = Fraction(1)
        for way, chance in zip(ways, chances, strict=True):
            likely *= chance if way else 1 - chance
        by_wins[sum(ways)] += likely
    expected = sum(each for each in by_wins if each <= by_wins[4])
    assert statistics.mixed_sign_test(sorts) == pytest.approx(float(expected))
    assert statistics.mixed_sign_test([(3, 0, 1.0), (4, 1, 0.5)]) == statistics.sign_test(4, 1)
    assert statistics.mixed_sign_test([]) == 1.0
    many = [(500_300, 499_700, 0.5), (2_000_500, 999_500, 2 / 3)]
    spread = np.sqrt(10**6 / 4 + 3 * 10**6 * 2 / 9)
    assert statistics.mixed_sign_test(many) == pytest.approx(2 * stats.norm.sf(800 / spread), rel=0.01)
    assert statistics.mixed_sign_test([(10**6, 0, 0.5), (10**6, 0, 0.25)]) == 0


def test_the_error_of_a_difference_of_payoffs_is_that_of_the_difference():
    rng = np.random.default_rng(0)
    luck = rng.normal(size=(400, 1))
    payoffs = (np.hstack([luck + 0.1, luck, -2 * luck]) + rng.normal(scale=0.2, size=(400, 3))).astype(np.float32)
    test = compare(of_games(payoffs), 0, 1, "payoff")
    expected = stats.ttest_rel(payoffs[:, 0], payoffs[:, 1])
    low, high = expected.confidence_interval(0.99)
    assert test.method == "paired t-test over games"
    assert test.p == pytest.approx(expected.pvalue, rel=1e-4)
    assert (test.difference.low, test.difference.high) == pytest.approx((low, high), rel=1e-4)
    # An agent that sits twice is compared by the mean of its seats.
    twice = compare(of_games(payoffs, agents=("a", "b"), seating=(0, 0, 1)), 0, 1, "payoff")
    assert twice.p == pytest.approx(stats.ttest_rel(payoffs[:, :2].mean(axis=1), payoffs[:, 2]).pvalue, rel=1e-4)


def test_differences_without_spread_are_counted():
    test = compare(of_games([[1.0, -1.0, 0.0]] * 5), 0, 1, "payoff")
    assert (test.p, test.method) == (2 * comb(5, 0) / 2**5, "exact sign test over games")
    assert compare(of_games([[1.0, 1.0, 0.0]] * 5), 0, 1, "payoff").p == 1


def test_where_seats_are_many_the_error_is_bounded_and_the_method_says_so():
    seats = MOST_PAIRED + 1
    payoffs = np.random.default_rng(0).normal(size=(300, seats))
    played = of_games(payoffs, agents=[f"a{i}" for i in range(seats)], seating=tuple(range(seats)))
    assert played.payoff_products is None
    test = compare(played, 0, 1, "payoff")
    assert test.method == "z-test with a bound on the error"
    exact = stats.ttest_rel(payoffs[:, 0], payoffs[:, 1]).confidence_interval(0.99)
    assert test.difference.low < exact.low
    assert test.difference.high > exact.high


def test_those_who_never_met_are_not_compared():
    apart = result(["a", "b", "c", "d"], [seated((0, 1), {"10": 5}), seated((2, 3), {"10": 5})])
    assert [(each.better, each.worse) for each in apart.comparisons()] == [(0, 1), (2, 3)]
    with pytest.raises(UserError, match="a and c never met"):
        Tournament(apart).against("a", "c", by="payoff")
    assert "." in str(Tournament(apart))


def test_tallies_of_many_seats_are_counted_too():
    won = np.zeros((5, 300), bool)
    won[:3, 7] = True
    assert sorted(tally(won.T, 2).values()) == [2, 3]
