from dataclasses import replace

import numpy as np
import pytest
from openskill.models import PlackettLuce

from feint.arena import rating
from feint.errors import UserError
from tests.arena.made import result, seated, winners_of

STRENGTH = np.array([3.0, 2.0, 1.0, 1.0, 0.3])


def games(count, seed=0, seats=4):
    """Finishing orders drawn from a Plackett-Luce model of known strengths."""
    rng = np.random.default_rng(seed)
    players = np.array([rng.permutation(len(STRENGTH))[:seats] for _ in range(count)])
    return players, np.log(STRENGTH[players]) + rng.gumbel(size=players.shape)


@pytest.mark.parametrize("ranks", [[0, 1, 2, 3], [3, 0, 2, 1], [0, 1, 1, 1], [1, 0, 1, 3], [0, 0, 0, 0]])
def test_the_side_by_side_update_is_openskills(ranks):
    model = PlackettLuce(tau=0.0)
    mu, sigma = np.array([25.0, 30.0, 21.5, 26.0]), np.array([8.0, 3.0, 5.0, 1.0])
    before = [[model.rating(m, s)] for m, s in zip(mu, sigma, strict=True)]
    after = [new[0] for new in model.rate(before, ranks=ranks)]
    up, shrink = rating.plackett_luce(mu, sigma, np.array(ranks), model.beta, model.kappa)
    assert mu + up == pytest.approx([new.mu for new in after], rel=1e-5)  # float32 against float64
    assert sigma * shrink == pytest.approx([new.sigma for new in after], rel=1e-5)


def test_agents_are_ranked_by_their_strength_and_equals_overlap():
    found = rating.rate(list("abcde"), *games(4000))
    assert [each.agent for each in found.ratings[:2]] == ["a", "b"]
    assert found.ratings[-1].agent == "e"
    by_name = {each.agent: each.value for each in found.ratings}
    assert by_name["a"].low > by_name["b"].high
    assert by_name["b"].low > max(by_name["c"].high, by_name["d"].high)
    assert by_name["c"].high > by_name["d"].low
    assert by_name["d"].high > by_name["c"].low


def test_intervals_narrow_with_games_and_the_seed_decides_everything():
    few = rating.rate(list("abcde"), *games(200), seed=3, resamples=100)
    many = rating.rate(list("abcde"), *games(3200), seed=3, resamples=100)
    width = [np.mean([each.value.high - each.value.low for each in found.ratings]) for found in (few, many)]
    assert width[1] < width[0] / 2
    assert rating.rate(list("abcde"), *games(200), seed=3, resamples=100) == few
    assert rating.rate(list("abcde"), *games(200), seed=4, resamples=100) != few


def test_intervals_hold_the_rating_of_another_sample_of_games():
    found = [rating.rate(list("abcde"), *games(400, seed), seed=seed, resamples=60).ratings for seed in range(12)]
    value = [{each.agent: each.value for each in one} for one in found]
    centre = {agent: np.mean([each[agent].estimate for each in value]) for agent in "abcde"}
    held = [each[agent].holds(centre[agent]) for each in value for agent in "abcde"]
    assert np.mean(held) > 0.93  # 99% intervals, 60 of them


def test_of_many_games_a_sample_is_rated():
    players, payoffs = games(30_000)
    found = rating.rate(list("abcde"), players, payoffs, most=3000)
    assert (found.games, found.used) == (30_000, 3000)
    assert sum(each.games for each in found.ratings) == 3000 * 4


def test_a_match_is_rated_from_its_totals():
    parts = [((0, 1), (30, 60), 10), ((1, 0), (70, 30), 0)]
    played = result(["weak", "strong"], [seated(who, winners_of(wins, draws)) for who, wins, draws in parts])
    players, won, before = rating.sampled_games(played, 200)
    assert before == rating.WINNERS
    assert len(players) == 200
    assert won[players == 1].sum() == 130
    assert (won.sum(axis=1) == 0).sum() == 10
    assert len(rating.sampled_games(played, 30)[0]) == 30
    assert (rating.rate_result(played, most=30).games, rating.rate_result(played, most=30).used) == (200, 30)
    found = rating.rate_result(played)
    assert [each.agent for each in found.ratings] == ["strong", "weak"]
    assert "strong" in str(found)
    assert max(map(len, str(found).splitlines())) <= 80


def test_an_agent_that_sits_twice_is_rated_on_both_seats():
    found = rating.rate(["twice", "once"], [[0, 0, 1]] * 50, [[1, 0, 0]] * 25 + [[0, 1, 0]] * 25, resamples=20)
    assert found.ratings[0].agent == "twice"
    assert {each.agent: each.games for each in found.ratings} == {"twice": 100, "once": 50}


@pytest.mark.parametrize(("players", "payoffs"), [([], []), ([[0, 1]], [[1, 2, 3]]), ([[0, 5]], [[1, 2]])])
def test_bad_games_are_told_so(players, payoffs):
    with pytest.raises(UserError):
        rating.rate(["a", "b"], players, payoffs)


def test_several_winners_are_before_the_rest():
    """Seats 1 and 2 always win together, seat 3 never: the two tie."""
    played = result(["a", "b", "c"], [seated((0, 1, 2), {"110": 60})])
    _, won, _ = rating.sampled_games(played, 60)
    assert won.tolist() == [[1, 1, 0]] * 60
    found = {each.agent: each.value.estimate for each in rating.rate_result(played, resamples=20).ratings}
    assert found["a"] == pytest.approx(found["b"])
    assert found["a"] > found["c"] + 5


def test_games_measured_by_payoff_are_rated_by_who_was_paid_more():
    orders = {"012": 30, "021": 10}  # the second seat was paid more than the third in 30 of 40 games, and won none
    part = seated((0, 1, 2), {"100": 40})
    by_pay = result(["a", "b", "c"], [replace(part, orders=orders)], measure="payoff")
    _, finished, before = rating.sampled_games(by_pay, 40)
    assert before == rating.PAID_MORE
    assert (finished[:, 1] > finished[:, 2]).sum() == 30
    assert [each.agent for each in rating.rate_result(by_pay, resamples=20).ratings] == ["a", "b", "c"]
    assert "whoever was paid more" in str(rating.rate_result(by_pay, resamples=20))
    unknown = result(["a", "b", "c"], [part], measure="payoff")
    assert rating.sampled_games(unknown, 40)[2] == rating.WINNERS
    assert "winners before the rest" in str(rating.rate_result(unknown, resamples=20))


def test_out_of_a_billion_games_a_sample_is_rated():
    played = result(["a", "b"], [seated((0, 1), {"01": 10**9, "10": 3 * 10**9})])
    _, won, _ = rating.sampled_games(played, 1000)
    assert won[:, 0].sum() == pytest.approx(750, abs=60)
