"""Exact statements: payoffs, equation (1), equilibria by proof and by search, conventions."""

from fractions import Fraction

import numpy as np
import pytest

from feint.errors import NotSmall
from feint.games.bidding import analysis
from feint.solvers.normal_form import pure_equilibria, replicator

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def test_equation_one_is_the_papers():
    two_thirds = Fraction(2, 3)
    assert analysis.equation_one() == [
        {(2, 0): -two_thirds, (1, 0): 1},
        {(2, 0): -2, (0, 2): -two_thirds, (1, 1): -2, (1, 0): 2, (0, 1): 1},
        # (a + b)(1 - a - b) + (1 - a - b)^2 / 3, multiplied out
        {
            (0, 0): THIRD,
            (1, 0): THIRD,
            (0, 1): THIRD,
            (2, 0): -two_thirds,
            (0, 2): -two_thirds,
            (1, 1): -2 * two_thirds,
        },
    ]


@pytest.mark.parametrize("coins", [2, 3, 5])
def test_pure_equilibria_are_those_where_all_bid_the_same(coins):
    found = pure_equilibria(analysis.payoffs(coins))
    assert found.tolist() == [[bid] * 3 for bid in range(coins + 1)]


def test_the_papers_claim_is_false_by_example():
    """Half-half on 0 and 1 of two coins: every bid that is made wins a third of the time, and no other wins more."""
    table = analysis.exact(analysis.payoffs(2))
    strategy = (HALF, HALF, Fraction(0))
    assert analysis.utilities(table, strategy) == [THIRD, THIRD, 0]
    assert analysis.is_equilibrium(table, strategy)
    assert not analysis.is_equilibrium(table, (HALF, Fraction(0), HALF))  # the bid between wins half the time
    assert not analysis.is_equilibrium(table, (THIRD, THIRD, THIRD))


def check_both_methods(coins):
    proven = analysis.proven_equilibria(coins)
    assert len(proven) == 2 * coins + 1
    assert sum(max(strategy) == 1 for strategy in proven) == coins + 1
    searched = analysis.searched_equilibria(coins)
    exact = sorted([float(chance) for chance in strategy] for strategy in proven)
    assert np.array(sorted(np.round(each, 9).tolist() for each in searched)) == pytest.approx(np.array(exact))


@pytest.mark.parametrize("coins", [2, 3, 4, 5, 6])
def test_proof_and_search_find_the_same_equilibria(coins):
    check_both_methods(coins)


@pytest.mark.slow
@pytest.mark.parametrize("coins", [7, 8, 9, 10])
def test_proof_and_search_find_the_same_equilibria_with_more_coins(coins):
    check_both_methods(coins)


def test_mixed_equilibria_are_not_stable():
    """A little more of one of the two bids, and everybody ends up at it."""
    game = analysis.payoffs(4)
    near = [np.array([0, 0.51, 0.49, 0, 0])] * 3
    assert replicator(game, near, time=200, step=0.1)[0] == pytest.approx([0, 1, 0, 0, 0], abs=1e-3)


def test_every_convention_is_an_equilibrium():
    assert analysis.count_conventions(4, 10) == 66
    assert len(list(analysis.conventions(4, 5))) == analysis.count_conventions(4, 5) == 21
    assert analysis.every_convention_holds(4, 5)


def test_what_is_too_large_to_list_is_refused_in_a_sentence():
    with pytest.raises(NotSmall, match=r"100 coins have 1,030,301 outcomes; at most 30 coins are listed"):
        analysis.payoffs(100)
