"""External sampling: it comes near the exact answer, for two players and three, the same way every time."""

import numpy as np
import pytest

import feint
from feint.solvers.best_response import exploit
from feint.solvers.mccfr import Sampler, SamplingSettings
from tests.solvers.openspiel import form


def sampled(iterations, name, batch=256, seed=0, **options):
    sampler = Sampler(feint.make(name, **options), SamplingSettings(batch, seed))
    sampler.run(iterations)
    return sampler


def exploitability(sampler, ours):
    return exploit(ours, sampler.average_on(ours.tree.infosets)).exploitability


def test_kuhn_comes_near_equilibrium():
    ours = form("kuhn")
    sampler = sampled(60, "kuhn")
    assert len(sampler.sets) == 12
    assert exploitability(sampler, ours) < 0.02
    value = exploit(ours, sampler.average_on(ours.tree.infosets)).values[0]
    assert value == pytest.approx(-1 / 18, abs=0.02)


def test_leduc_beside_the_exact_exploitability():
    ours = form("leduc")
    sampler = sampled(4, "leduc", batch=512)
    early = exploitability(sampler, ours)
    sampler.run(36)
    assert exploitability(sampler, ours) < 0.2 < early


def test_three_players():
    ours = form("kuhn", players=3)
    sampler = sampled(40, "kuhn", players=3)
    assert exploit(ours, sampler.average_on(ours.tree.infosets)).nash_conv < 0.15
    assert exploit(ours, ours.uniform()).nash_conv > 2


def test_sets_and_policy_agree_with_the_tree():
    ours = form("kuhn")
    sampler = sampled(5, "kuhn")
    sets, policy = sampler.average()
    np.testing.assert_array_equal(sets.rows, ours.tree.infosets.rows[_same_order(sets, ours.tree.infosets)])
    np.testing.assert_array_equal(policy, sampler.average_on(sets))


def _same_order(sets, others):
    where = {row.tobytes(): i for i, row in enumerate(others.rows)}
    return [where[row.tobytes()] for row in sets.rows]


def test_the_same_seed_gives_the_same_and_a_run_can_be_cut():
    whole, part = sampled(6, "kuhn", seed=3), sampled(2, "kuhn", seed=3)
    again = Sampler(part.game, part.settings)
    again.restore({name: array.copy() for name, array in part.arrays().items()})
    again.run(4)
    np.testing.assert_array_equal(again.average()[1], whole.average()[1])
    assert (sampled(6, "kuhn", seed=4).average()[1] != whole.average()[1]).any()


def test_sets_never_met_are_played_evenly():
    ours = form("leduc")
    sampler = sampled(1, "leduc", batch=1)
    policy = sampler.average_on(ours.tree.infosets)
    np.testing.assert_allclose(policy.sum(axis=1), 1)
    assert len(sampler.sets) < len(ours.tree.infosets)
