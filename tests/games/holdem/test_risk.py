"""Risk dominance: the paper's two example games, and what its equations say of a bet, by hand."""

from math import log

import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.holdem import risk
from feint.games.holdem.risk import Prospects, Stakes
from feint.games.holdem.state import CALL, RAISE

GAMES = {"game 1": [[8, 4], [3, 6]], "game 2": [[8, 0], [4, 6]]}  # by own action and the other's: both are symmetric


@pytest.mark.parametrize(("game", "expected"), [("game 1", 2.5), ("game 2", 2 / 3)])
def test_the_papers_first_table(game, expected):
    payoffs = jnp.array([GAMES[game]] * 2, float)
    assert risk.selten(payoffs) == pytest.approx(log(expected))
    assert risk.selten(3 * payoffs - 7) == pytest.approx(log(expected))  # no matter in which units
    backwards = payoffs[:, ::-1, ::-1]
    assert risk.selten(backwards) == pytest.approx(-log(expected))


def test_the_papers_measure_is_the_order_of_gains():
    assert risk.ratio(jnp.float32(30), jnp.float32(12)) == pytest.approx(log(2.5))
    assert np.isnan(risk.ratio(jnp.float32(30), jnp.float32(-12)))  # as printed, it says nothing of a loss
    assert risk.ratio(jnp.float32(30), jnp.float32(-12), 41) > 0


STAKES = Stakes(pot=jnp.float32(90), bet=jnp.float32(20), to_call=jnp.float32(20), callers=jnp.float32(1))
HALF = jnp.full((3, 3), 0.5)


def test_payoffs_as_printed():
    """y = 90, x = 20, p = 1/2: equations 3 and 4."""
    assert risk.literal(STAKES, HALF).tolist() == [
        [0, 0, 0],
        [90, 45, 0.5 * (90 + 40) - 0.5 * 20],
        [90, 0.5 * (90 + 40) - 0.5 * 20, 0.5 * (90 + 80) - 0.5 * 40],
    ]


def test_payoffs_net_of_ones_own_chips():
    """With 20 to call: a call wins 90 or loses 20; a raise that is called 110 or 40, one that is raised again 130 or 60."""
    assert risk.corrected(STAKES, HALF).tolist() == [[0, 0, 0], [90, 35, 35], [90, 35, 35]]
    hopeless = risk.corrected(STAKES, jnp.zeros((3, 3)))
    assert hopeless[CALL].tolist() == [90, -20, -20]  # it folds to the raise
    assert hopeless[RAISE].tolist() == [90, -40, -40]


def test_each_place_has_its_own_chance_to_win():
    wins = jnp.zeros((3, 3)).at[RAISE, CALL].set(1.0)
    assert risk.corrected(STAKES, wins)[RAISE].tolist() == [90, 110, -40]


def test_gains_are_payoffs_by_how_likely_they_are():
    prospects = Prospects(risk.corrected(STAKES, HALF), jnp.array([[1, 0, 0], [0, 1, 0], [0.2, 0.8, 0]]))
    assert prospects.gains.tolist() == pytest.approx([0, 35, 0.2 * 90 + 0.8 * 35])


def test_deviations_weigh_what_leaving_an_action_costs():
    """Others fold to a raise and call a call. To leave the raise for a fold costs 90, and for a call nothing: others who fold, fold. To leave
    the call for a raise that is called costs 30."""
    payoff = jnp.array([[0.0, 0, 0], [90, -10, -20], [90, -40, -40]])
    prospects = Prospects(payoff, jnp.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]]))
    measured = risk.by_deviations(prospects, jnp.ones(3, bool))
    assert measured.tolist() == pytest.approx([-log(91), 0, -log(31)])
    only = risk.by_deviations(prospects, jnp.array([True, False, True]))
    assert only[RAISE] == 0


def test_actions_near_the_best_share_it():
    weights = risk.optimal(jnp.log(jnp.array([100.0, 101.0, 90.0])), jnp.ones(3, bool))
    assert weights.tolist() == pytest.approx([100 / 101, 1, 0])
    only = risk.optimal(jnp.log(jnp.array([100.0, 101.0, 90.0])), jnp.array([True, False, True]))
    assert only.tolist() == [1, 0, 0]
