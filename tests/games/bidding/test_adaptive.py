"""The adaptive agent learns any field: conventions, known kinds and unknown ones."""

from dataclasses import replace
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from feint import chance
from feint.arena import rollout
from feint.games.bidding.adaptive import Adaptive, Counts, _beta, kinds, survival
from feint.games.bidding.bidders import Drifting, Uniform, convention
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import best_plan, sample_minima
from feint.games.bidding.value_iteration import maximum_likelihood

SMALL = Bidding(players=5, coins=20)
LARGE = Bidding(players=10, coins=50)


def last_games(game, opponent, matches, length, skip):
    """The share won of the games after the first `skip`, by the adaptive agent in seat 0."""
    seating = [0] + [1] * (game.players - 1)
    played, _ = rollout.play(game, [Adaptive(), opponent], seating, seed=2, first=0, matches=matches, length=length)
    return float(played.winners[:, skip:, 0].mean())


def best_found(game, opponent, games=20_000):
    """What the best plan wins, on games it was not made from."""
    seating = [0] * (game.players - 1)
    best = best_plan(sample_minima(game, [opponent], seating, games, 1), game.coins)
    return sample_minima(game, [opponent], seating, games, 2).value(best.schedule())


def test_survival_is_that_of_bidders_who_are_alike():
    """Four rounds of opponents who bid 0, 1, 2 or 3 with the same chances: beside the sum over how many tie."""
    chances = np.array([0.1, 0.4, 0.3, 0.2])
    above = 1 - chances.cumsum()
    hazards, expected = np.zeros((4, 4)), np.zeros((4, 4))
    for row, others in enumerate(range(4, 0, -1)):
        hazards[row] = 1 - (above / (above + chances)) ** others
        for bid in range(4):
            stays = [
                comb(others, tied) * chances[bid] ** tied * above[bid] ** (others - tied) / (tied + 1)
                for tied in range(others + 1)
            ]
            expected[row, bid] = 1 - sum(stays)
    found = survival(jnp.clip(jnp.asarray(hazards, jnp.float32), 1e-6, 1 - 1e-6))
    assert np.asarray(found) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("a", "b"), [(0.2, 3.0), (2.0, 8.0), (40.0, 200.0)])
def test_cheap_beta_draws_have_the_moments_of_exact_ones(a, b):
    drawn = np.asarray(_beta(chance.key(0), jnp.full(20_000, a), jnp.full(20_000, b)))
    mean, variance = stats.beta.stats(a, b)
    assert drawn.mean() == pytest.approx(mean, rel=0.05)
    assert drawn.var() == pytest.approx(variance, rel=0.1)


def test_known_kinds_do_not_depend_on_what_is_being_compiled():
    """They are numbers, even where something else is traced."""
    known = kinds.__wrapped__(4, 3)

    def traced(number):
        hazards, bids = kinds.__wrapped__(4, 3)
        assert np.array_equal(hazards, known[0])
        assert np.array_equal(bids, known[1])
        return number

    jax.jit(traced)(0)
    assert known[0].shape == known[1].shape == (6, 3, 4)
    assert (known[1] <= np.arange(4)).all()  # bids that one can pay


@pytest.mark.slow
def test_it_joins_a_convention_that_it_did_not_know():
    """One coin more or less in any round and it would never win; a convention of five is worth a fifth."""
    field = convention([7, 2, 4, 7])
    assert last_games(SMALL, field, matches=32, length=400, skip=200) == pytest.approx(0.2, abs=0.02)


@pytest.mark.slow
def test_what_all_bid_time_and_again_is_not_doubted():
    """A hundred games in which the lowest bid was 2: all four others bid it, so whoever does goes out once in five games."""
    memory = jax.jit(lambda key: Adaptive().begin(SMALL, jnp.int32(0), key))(chance.key(0))
    reached = jnp.zeros((4, 21)).at[0, :3].set(100.0)
    always = jnp.zeros((4, 21)).at[0, 2].set(100.0)
    remembered = replace(memory, within=Counts(reached, always))
    chances = jax.jit(lambda memory: survival(Adaptive()._hazards(memory)))(remembered)
    assert float(chances[0, 1]) < 0.01
    assert float(chances[0, 2]) == pytest.approx(0.8, abs=0.03)


@pytest.mark.slow
def test_it_learns_the_field_of_each_match():
    """Each match has narrow strategies of its own, so learning them wins more than the best plan for all of them."""
    field = Drifting(0.1)
    assert last_games(SMALL, field, matches=32, length=400, skip=200) > best_found(SMALL, field, 4096)


def test_it_plans_only_bids_it_can_pay():
    few = Bidding(
        players=4, coins=6
    )  # what is known of fields beforehand takes longer to find out where there are more
    memory = jax.jit(lambda key: Adaptive().begin(few, jnp.int32(0), key))(chance.key(0))
    assert (memory.bids <= jnp.arange(7)).all()
    assert (memory.bids >= 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "field",
    [
        pytest.param(lambda: Uniform(), id="uniform"),
        pytest.param(lambda: convention([15, 4, 4, 4, 3, 3, 4, 4, 9]), id="convention"),
        pytest.param(lambda: maximum_likelihood(LARGE, Uniform(), 10_000), id="10,000 games of value iteration"),
        pytest.param(lambda: maximum_likelihood(LARGE, Uniform(), 100_000), id="near a convention"),
        pytest.param(lambda: Drifting(0.1, 1.0), id="Dirichlet(0.1) anew each game"),
        pytest.param(lambda: Drifting(0.01, 1.0), id="Dirichlet(0.01) anew each game"),
    ],
)
def test_ten_players_with_fifty_coins(field):
    """Within a point of the best plan found, from game 301 on; 64 matches of 1000 games, so give or take a quarter of a point."""
    opponent = field()
    assert last_games(LARGE, opponent, matches=64, length=1000, skip=300) > best_found(LARGE, opponent) - 0.01
