"""Normal forms: hand-worked games, properties that every equilibrium has, and Gambit where it is installed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from feint.errors import UserError
from feint.solvers.normal_form import (
    action_values,
    correlated_equilibrium,
    expected,
    gains,
    gambit_equilibria,
    maximin,
    normal_form,
    pure_equilibria,
    regret_matching,
    replicator,
    strategy,
    two_player_equilibria,
)

ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0.0]])
CHICKEN = np.array([[[6, 2], [7, 0]], [[6, 7], [2, 0.0]]])  # dare is 1
THIRD = np.full(3, 1 / 3)

two_by_three = arrays(float, (2, 2, 3), elements=st.integers(-9, 9).map(float))
three_players = arrays(float, (3, 2, 3, 2), elements=st.integers(-9, 9).map(float))


def test_values_by_hand():
    game = np.zeros((3, 2, 2, 2))
    game[0] = np.arange(8).reshape(2, 2, 2)
    profile = [np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.25, 0.75])]
    assert action_values(game, profile, 0) == pytest.approx([0.75, 4.75])
    assert expected(game, profile)[0] == pytest.approx(2.75)
    assert gains(game, profile) == pytest.approx([2.0, 0, 0])


@given(three_players)
def test_pure_equilibria_are_exactly_the_outcomes_nobody_gains_by_leaving(game):
    found = {tuple(map(int, row)) for row in pure_equilibria(game)}
    for outcome in np.ndindex(*game.shape[1:]):
        profile = [np.eye(size)[choice] for size, choice in zip(game.shape[1:], outcome, strict=True)]
        assert (outcome in found) == (gains(game, profile).max() <= 1e-9)


def test_chicken_has_three_equilibria():
    for method in ("supports", "vertices", "lemke-howson"):
        found = two_player_equilibria(CHICKEN, method)
        assert all(gains(CHICKEN, profile).max() < 1e-9 for profile in found)
        if method != "lemke-howson":
            assert sorted(round(float(row[0]), 9) for row, _ in found) == [0, pytest.approx(2 / 3), 1]


@settings(max_examples=40)
@given(two_by_three)
def test_what_two_player_methods_find_are_equilibria(game):
    found = two_player_equilibria(game)
    assert found
    assert all(gains(game, profile).max() < 1e-7 for profile in found)


def test_maximin_of_rock_paper_scissors():
    mixed, value = maximin(ROCK_PAPER_SCISSORS)
    assert mixed == pytest.approx(THIRD)
    assert value == pytest.approx(0, abs=1e-9)


def test_the_best_correlated_equilibrium_of_chicken_is_aumanns():
    joint, worth = correlated_equilibrium(CHICKEN)
    assert joint == pytest.approx(np.array([[0.5, 0.25], [0.25, 0]]), abs=1e-9)
    assert worth == pytest.approx(10.5)


@settings(max_examples=40)
@given(three_players)
def test_correlated_equilibria_obey_and_coarse_ones_are_no_worse(game):
    joint, worth = correlated_equilibrium(game)
    for player, own in enumerate(game):
        for told in range(own.shape[player]):
            when_told = joint.take(told, axis=player)
            obeying = (when_told * own.take(told, axis=player)).sum()
            for instead in range(own.shape[player]):
                assert (when_told * own.take(instead, axis=player)).sum() <= obeying + 1e-7
    assert correlated_equilibrium(game, coarse=True)[1] >= worth - 1e-7


def test_regret_matching_solves_opposed_interests_and_gives_coarse_correlated_play():
    biased = ROCK_PAPER_SCISSORS * np.array([[1], [2], [1]])
    profile, _ = regret_matching(np.stack([biased, -biased]), 2000)
    assert expected(np.stack([biased, -biased]), profile)[0] == pytest.approx(maximin(biased)[1], abs=1e-4)
    shapley = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0.0]])
    game = np.stack([shapley, shapley.T])
    _, joint = regret_matching(game, 5000)
    for player, own in enumerate(game):
        best = max((joint.sum(axis=player) * own.take(a, axis=player)).sum() for a in range(3))
        assert best - (joint * own).sum() < 5e-3


def test_replicator_leads_from_either_side_of_the_mixed_equilibrium_to_the_pure_one():
    for row, column, end in ((0.6, 0.3, 1.0), (0.3, 0.6, 0.0)):
        profile = replicator(CHICKEN, [[row, 1 - row], [column, 1 - column]], time=60)
        assert profile[0][0] == pytest.approx(end, abs=1e-6)
        assert gains(CHICKEN, profile).max() < 1e-5


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: normal_form(np.zeros((2, 3))), "axes of actions"),
        (lambda: normal_form(np.full((2, 1, 1), np.nan)), "finite"),
        (lambda: strategy([0.5, 0.4], 2), "sum to 1, not to 0.9"),
        (lambda: strategy([1.5, -0.5], 2), "not negative"),
        (lambda: strategy([1.0], 2), "2 probabilities, not 1"),
        (lambda: two_player_equilibria(np.zeros((3, 2, 2, 2))), "two players, not 3"),
        (lambda: two_player_equilibria(CHICKEN, "guessing"), "guessing"),
        (lambda: correlated_equilibrium(CHICKEN, np.zeros(3)), "objective"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    with pytest.raises(UserError, match=says):
        wrong()


def test_gambit_agrees():
    pytest.importorskip("pygambit")
    ours = sorted(tuple(np.round(np.concatenate(p), 6)) for p in two_player_equilibria(CHICKEN))
    theirs = sorted(tuple(np.round(np.concatenate(p), 6)) for p in gambit_equilibria(CHICKEN))
    assert np.array(ours) == pytest.approx(np.array(theirs))
    random = np.random.default_rng(1)
    game = random.integers(-9, 9, (3, 2, 2, 2)).astype(float)
    assert all(gains(game, profile).max() < 1e-6 for profile in gambit_equilibria(game))
