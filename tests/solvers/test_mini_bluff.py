"""Bluff scaled down until it can be solved: its value, and how exploitable the thesis agents are there."""

import numpy as np
import pytest

import feint
from feint.registry import make_agent
from feint.solvers.best_response import exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build


@pytest.fixture(scope="module")
def form():
    return SequenceForm.of(build(feint.make("bluff", players=2, ranks=2, suits=2, cap=6)))


@pytest.fixture(scope="module")
def equilibrium(form):
    solver = Solver(form, ALGORITHMS["dcfr"])
    solver.run(400)
    return solver.average()


@pytest.mark.slow
def test_the_first_seat_is_worth_a_sixth(form, equilibrium):
    found = exploit(form, equilibrium)
    assert found.exploitability < 1e-5
    assert found.values == pytest.approx([1 / 6, -1 / 6], abs=1e-4)


@pytest.mark.parametrize(
    ("name", "exploitability"),
    [("anxious", 0), ("smart", 5 / 6), pytest.param("dump", 2 / 3, marks=pytest.mark.slow)],
)
def test_how_exploitable_agents_are(form, name, exploitability):
    found = exploit(form, policy_of(form, make_agent(name, form.tree.game)))
    assert found.exploitability == pytest.approx(exploitability, abs=1e-9)


@pytest.mark.slow
def test_nobody_beats_the_equilibrium(form, equilibrium):
    best = exploit(form, equilibrium).best
    np.testing.assert_allclose(best, [1 / 6, -1 / 6], atol=1e-4)
