"""Value iteration: exact where it can be, and at the known figures where it is sampled."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from feint.arena import rollout
from feint.errors import NotSmall
from feint.games.bidding.bidders import Composition, Share, Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import Minima, best_plan, enumerate_minima, plan, sample_minima
from feint.games.bidding.value_iteration import ValueIteration, planned


def test_a_plan_is_best_by_trying_everything():
    survival = np.sort(np.random.default_rng(0).random((4, 7)), axis=1)
    best = max(
        survival[0, a] * survival[1, b] * survival[2, c] * survival[3, 6 - a - b - c]
        for a, b, c in product(range(7), repeat=3)
        if a + b + c <= 6
    )
    found = plan(jnp.asarray(survival))
    assert float(found.value[0, 6]) == pytest.approx(best, rel=1e-5)
    schedule = found.schedule()
    assert sum(schedule) == 6
    assert np.prod([survival[round, bid] for round, bid in enumerate(schedule)]) == pytest.approx(best)


def test_survival_counts_ties_by_lot():
    """Two courses: alone at 2, and three tied at 1. A bid of 1 survives the first never, the second three times in four."""
    minima = Minima(np.array([[2], [1]]), np.array([[1], [3]]), np.array([0.5, 0.5]))
    assert minima.survival(3)[0] == pytest.approx([0, 0.375, 0.75, 1])
    assert minima.value([1]) == 0.375
    assert minima.survival(1)[0] == pytest.approx([0, 0.375]), "with a smaller purse than theirs"


def test_four_players_with_ten_coins_win_as_often_as_is_known():
    """Against opponents who bid anything: 55.03%, by enumeration."""
    minima = enumerate_minima(Bidding(4, 10), Uniform())
    assert minima.weight.sum() == pytest.approx(1)
    best = best_plan(minima, 10)
    assert best.value[0, 10] == pytest.approx(0.5503, abs=5e-5)
    everything = max(minima.value([a, b, 10 - a - b]) for a in range(11) for b in range(11 - a))
    assert best.value[0, 10] == pytest.approx(everything)


def test_sampled_minima_agree_with_enumerated_ones():
    game = Bidding(4, 6)
    for bidder in (Uniform(), Composition(), Share()):
        exact = enumerate_minima(game, bidder).survival(6)
        assert np.abs(sample_minima(game, [bidder], [0, 0, 0], 8000).survival(6) - exact).max() < 0.025  # 4 deviations


def test_a_smaller_game_is_sampled_in_the_rules_of_a_larger_one():
    exact = enumerate_minima(Bidding(4, 6), Uniform()).survival(6)
    found = sample_minima(Bidding(6, 9), [Uniform()], [0] * 5, 8000, size=(4, 6)).survival(6)
    assert found.shape == exact.shape
    assert np.abs(found - exact).max() < 0.025  # 4 deviations


def test_the_value_of_a_plan_is_what_it_wins():
    game = Bidding(4, 10)
    expected = planned(4, 10, "uniform", 1000, 0).value[0, 10]
    played, _ = rollout.play(
        game, [ValueIteration(), Uniform()], [0, 1, 1, 1], seed=0, first=0, matches=2000, lanes=2000, length=2
    )
    assert played.winners[..., 0].mean() == pytest.approx(expected, abs=0.032)  # 4 deviations


def test_what_is_too_large_to_enumerate_is_refused_in_a_sentence():
    with pytest.raises(NotSmall, match=r"too large to enumerate: its 9 opponents can bid in 2\.33e.15 ways"):
        enumerate_minima(Bidding(10, 50), Uniform())


@pytest.mark.usefixtures("optimised")
@pytest.mark.slow
def test_ten_players_with_fifty_coins_reach_the_known_figure():
    """97.3% against opponents who bid anything, where the paper has 34%."""
    game = Bidding(10, 50)
    best = best_plan(sample_minima(game, [Uniform()], [0] * 9, 8192), 50)
    assert sample_minima(game, [Uniform()], [0] * 9, 8192, seed=1).value(best.schedule()) == pytest.approx(
        0.973, abs=0.007
    )
