"""CFR and its variants: the same iterates as OpenSpiel's, the known answers of Kuhn poker, and runs that can be cut anywhere."""

from dataclasses import replace

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr as python_cfr
from open_spiel.python.algorithms import discounted_cfr

from feint.solvers.best_response import exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from tests.solvers.openspiel import as_ours, form, names, peer


def solved(algorithm, iterations, name, **options):
    solver = Solver(form(name, **options), ALGORITHMS[algorithm])
    solver.run(iterations)
    return solver


@pytest.mark.parametrize(("algorithm", "theirs"), [("cfr", pyspiel.CFRSolver), ("cfr+", pyspiel.CFRPlusSolver)])
@pytest.mark.parametrize(
    ("name", "options"), [("kuhn", {}), ("kuhn", {"players": 3}), ("leduc", {"suits": True})], ids=str
)
def test_averages_are_openspiels_after_a_few_iterations(algorithm, theirs, name, options):
    ours, other = solved(algorithm, 12, name, **options), theirs(peer(name, **options))
    for _ in range(12):
        other.evaluate_and_update_policy()
    average = as_ours(ours.form, other.average_policy())
    # Where a player's own choices never lead, any policy is as good, and the two say different ones.
    reached = np.concatenate([own.plan(average)[own.parent] > 0 for own in ours.form.players])
    np.testing.assert_allclose(ours.average()[reached], average[reached], atol=1e-9)


def test_kuhns_value_and_equilibrium_family():
    """The first player bets a jack with some chance a up to 1/3, a king 3a, and calls with a queen a + 1/3; the second is fixed."""
    solver = solved("pcfr+", 4000, "kuhn")
    found = exploit(solver.form, solver.average())
    assert found.values[0] == pytest.approx(-1 / 18, abs=1e-6)
    assert found.exploitability < 1e-6
    bets = {}
    views, policy = solver.form.tree.views, solver.average()
    for i, row in enumerate(policy):
        history = "".join("pb"[move] for move in views.history[i] if move >= 0)
        bets[f"{'JQK'[views.card[i]]}{history}"] = row[1]
    a = bets["J"]
    assert -1e-9 <= a <= 1 / 3 + 1e-3
    expected = {"Q": 0, "K": 3 * a, "Jpb": 0, "Qpb": a + 1 / 3, "Kpb": 1}
    expected |= {"Jp": 1 / 3, "Qp": 0, "Kp": 1, "Jb": 0, "Qb": 1 / 3, "Kb": 1}
    assert {name: bets[name] for name in expected} == pytest.approx(expected, abs=2e-3)


LEDUC_VALUE = -0.0856064  # of the first player, to the last digit (Lanctot 2013 has -0.0856)


@pytest.mark.parametrize(
    ("algorithm", "reaches"), [("cfr", 2e-2), ("cfr+", 3.9e-5), ("linear", 1e-2), ("dcfr", 3.9e-5), ("pcfr+", 3e-4)]
)
def test_leduc_within_three_thousand_iterations(algorithm, reaches):
    solver = solved(algorithm, 3000, "leduc")
    found = exploit(solver.form, solver.average())
    assert found.exploitability < reaches
    assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=2 * reaches)


def test_suits_change_neither_value_nor_convergence():
    solver = solved("dcfr", 2500, "leduc", suits=True)
    found = exploit(solver.form, solver.average())
    assert found.exploitability < 3.9e-5
    assert found.values[0] == pytest.approx(LEDUC_VALUE, abs=4e-5)


def test_three_players_of_kuhn_find_an_equilibrium():
    solver = solved("cfr+", 3000, "kuhn", players=3)
    assert exploit(solver.form, solver.average()).nash_conv < 2e-3


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr", "linear"])
def test_averages_are_those_of_openspiels_python_solvers(algorithm):
    """Among them updates all at once, which its C++ solvers do not have."""
    game = peer("kuhn")
    settings = ALGORITHMS[algorithm]
    if algorithm == "cfr":
        settings = replace(settings, alternate=False)
        other = python_cfr._CFRSolver(game, False, linear_averaging=False, regret_matching_plus=False)
    else:
        other = (discounted_cfr.DCFRSolver if algorithm == "dcfr" else discounted_cfr.LCFRSolver)(game)
    ours = Solver(form("kuhn"), settings)
    ours.run(8)
    for _ in range(8):
        other.evaluate_and_update_policy()
    theirs = other.average_policy()
    rows = [theirs.policy_for_key(name) for name in names(ours.form)]
    np.testing.assert_allclose(ours.average(), np.array(rows), atol=1e-9)


def test_the_current_policy_is_the_next_one_played():
    solver = solved("cfr", 1, "kuhn")
    current, once = solver.current(), solver.average()
    np.testing.assert_allclose(once, solver.form.uniform())
    solver.run(1)
    # Only the first player's first decisions are reached for sure: there the average is of uniform and current.
    first = solver.form.players[0]
    at = np.flatnonzero(first.parent == first.sequences - 1)
    np.testing.assert_allclose(solver.average()[at], (once[at] + current[at]) / 2, atol=1e-12)


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_a_run_cut_in_pieces_and_kept_in_a_file_comes_to_the_same(algorithm):
    whole = solved(algorithm, 60, "kuhn")
    part = solved(algorithm, 23, "kuhn")
    again = Solver(part.form, part.settings)
    again.restore({name: array.copy() for name, array in part.arrays().items()})
    again.run(37)
    assert again.iterations == 60
    np.testing.assert_array_equal(again.average(), whole.average())
    np.testing.assert_array_equal(again.current(), whole.current())
