import numpy as np
import pytest
from open_spiel.python.egt import alpharank

from feint.errors import UserError
from feint.evolve import moran
from tests.evolve.toys import random_meta


def test_constant_fitness_fixes_as_moran_found():
    for r, size in ((1.5, 10), (0.8, 7), (3.0, 50)):
        expected = (1 - 1 / r) / (1 - r**-size)
        assert moran.fixation(np.ones(size - 1), np.full(size - 1, r)) == pytest.approx(expected)
    assert moran.fixation(np.ones(9), np.ones(9)) == pytest.approx(0.1)
    assert moran.fixation(np.ones(9), np.zeros(9)) == 0
    assert moran.fixation(np.zeros(9), np.ones(9)) == 1


def test_fixation_in_tables_of_three_is_what_the_chain_of_populations_says():
    meta, size = random_meta(2, 3), 8
    # A Moran step from m mutants: birth in proportion to fitness, death at random.
    up, down = np.zeros(size + 1), np.zeros(size + 1)
    for m in range(1, size):
        resident, mutant = meta.fitness_among([size - m, m])
        births = m * mutant / (m * mutant + (size - m) * resident)
        up[m], down[m] = births * (size - m) / size, (1 - births) * m / size
    chain = np.diag(1 - up - down) + np.diag(up[:-1], 1) + np.diag(down[1:], -1)
    absorbed = np.linalg.solve(np.eye(size - 1) - chain[1:-1, 1:-1], chain[1:-1, -1])
    assert moran.moran(meta, "a", "b", size) == pytest.approx(absorbed[0])
    assert moran.moran(meta, "a", "b", size, selection=0) == pytest.approx(1 / size)
    with pytest.raises(UserError):
        moran.moran(meta, "a", "b", size, selection=2)


@pytest.mark.parametrize(("alpha", "size"), [(0.5, 20), (5.0, 50)])
def test_alpha_rank_of_a_population_agrees_with_openspiel(alpha, size):
    meta = random_meta(4, 2)
    payoff = np.zeros((4, 4))
    for table, rates in zip(meta.tables, meta.rates, strict=True):
        for own in np.flatnonzero(table):
            other = own if table[own] == 2 else next(i for i in np.flatnonzero(table) if i != own)
            payoff[own, other] = rates[own] / table[own]
    *_, expected, _, _ = alpharank.compute([payoff], m=size, alpha=alpha, use_local_selection_model=False)
    np.testing.assert_allclose(moran.alpha_rank(meta, size, alpha), expected, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.3, 2.0])
def test_alpha_rank_of_two_populations_agrees_with_openspiel(alpha):
    payoffs = np.random.default_rng(3).normal(size=(2, 3, 4))
    *_, expected, _, _ = alpharank.compute(list(payoffs), m=30, alpha=alpha)
    found = moran.alpha_rank_profiles(payoffs, population=30, alpha=alpha)
    assert found.shape == (3, 4)
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-8)


def test_strong_selection_does_not_run_out_of_numbers():
    dominated = random_meta(3, 2)
    found = moran.alpha_rank(dominated, 100, alpha=1e5)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


def test_the_chain_of_a_cycle_spends_its_time_where_it_is_slow_to_leave():
    with np.errstate(divide="ignore"):
        chances = np.log([[0, 1e-200, 0], [0, 0, 2e-200], [4e-200, 0, 0]])
    np.testing.assert_allclose(moran.stationary(chances), [4 / 7, 2 / 7, 1 / 7])


def test_ranks_carry_the_noise_of_the_games():
    few = moran.alpha_rank_intervals(random_meta(3, 3, games=300), 20, alpha=5.0, resamples=60)
    many = moran.alpha_rank_intervals(random_meta(3, 3, games=30_000), 20, alpha=5.0, resamples=60)
    for one, other in zip(few, many, strict=True):
        assert one.low <= one.estimate <= one.high
        assert one.high - one.low > 3 * (other.high - other.low)


def test_payoffs_need_an_axis_for_every_seat():
    with pytest.raises(UserError, match="axis for each seat"):
        moran.alpha_rank_profiles(np.zeros((3, 2, 2)))
