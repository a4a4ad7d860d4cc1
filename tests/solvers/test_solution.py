"""One call solves a game, and one tells how exploitable agents are."""

import pytest

import feint
from feint.errors import UserError

KUHN = feint.make("kuhn")


@pytest.fixture(scope="module")
def solution():
    return feint.solve(KUHN, until=1e-3)


def test_kuhn_is_worth_a_eighteenth_to_the_second_seat(solution):
    assert solution.exploitability <= 1e-3
    assert solution.values == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)


def test_the_agent_is_as_exploitable_as_its_policy(solution, tmp_path):
    assert feint.exploitability(KUHN, solution.agent) == pytest.approx(solution.exploitability, abs=1e-6)
    solution.save(tmp_path / "kuhn.npz")
    found = feint.exploitability(KUHN, [f"policy:{tmp_path / 'kuhn.npz'}", solution.agent])
    assert found == pytest.approx(solution.exploitability, abs=1e-6)


def test_random_play_is_exploitable():
    assert feint.exploitability(KUHN, "random") == pytest.approx(11 / 24)


def test_iterations_bound_a_run():
    assert feint.solve(KUHN, "cfr", until=0, iterations=5).iterations == 5


def test_what_cannot_be_is_refused():
    with pytest.raises(UserError, match="no algorithm 'mccfr'"):
        feint.solve(KUHN, "mccfr")
    with pytest.raises(UserError, match="from 1 on, not 0"):
        feint.solve(KUHN, iterations=0)
    with pytest.raises(UserError, match="one for each of the 2, not 3"):
        feint.exploitability(KUHN, ["random"] * 3)
