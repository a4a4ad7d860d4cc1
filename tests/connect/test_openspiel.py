"""Games of feint in OpenSpiel: its own test of games, and its algorithms, which come to what ours do."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability, external_sampling_mccfr
from open_spiel.python.egt import alpharank

import feint
from feint.connect import openspiel
from feint.errors import NotSmall, UserError
from feint.evolve.moran import alpha_rank_profiles

KUHN = openspiel.game("kuhn")
LONG = pytest.mark.slow


@pytest.mark.parametrize(
    "spec",
    [
        "feint_kuhn",
        "feint_leduc",
        "feint_bidding(coins=3)",
        pytest.param("feint_kuhn(players=3)", marks=LONG),
        pytest.param("feint_leduc(players=3,suits=true)", marks=LONG),
        pytest.param("feint_liars_dice(sides=3)", marks=LONG),
        pytest.param("feint_bluff(players=2,ranks=2,suits=2,cap=6)", marks=LONG),
    ],
)
def test_openspiels_own_test_of_a_game(spec):
    pyspiel.random_sim_test(pyspiel.load_game(spec), 5, False, False)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_how_exploitable_a_policy_is_comes_to_the_same(name):
    game = openspiel.game(name)
    found = exploitability.exploitability(game, policy.UniformRandomPolicy(game))
    assert found == pytest.approx(feint.exploitability(feint.make(name), "random"), abs=1e-9)


def test_its_cfr_and_its_sampling_solve_our_kuhn_poker():
    plus = pyspiel.CFRPlusSolver(KUHN)
    for _ in range(200):
        plus.evaluate_and_update_policy()
    average = plus.average_policy()
    assert exploitability.exploitability(KUHN, average) < 1e-3
    value = expected_game_score.policy_value(KUHN.new_initial_state(), [average, average])
    assert value == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)  # Kuhn, 1950
    sampling = external_sampling_mccfr.ExternalSamplingSolver(KUHN, external_sampling_mccfr.AverageType.SIMPLE)
    np.random.seed(0)  # OpenSpiel draws from NumPy's global chance
    for _ in range(500):
        sampling.iteration()
    assert exploitability.exploitability(KUHN, sampling.average_policy()) < 0.1  # 0.039 was measured


def test_its_alpha_rank_of_our_players_is_ours():
    picks = [lambda legal: legal[0], lambda legal: legal[-1], None]  # the first action, the last, any
    players = [policy.tabular_policy_from_callable(KUHN, _player(pick)) for pick in picks]
    worth = np.array(
        [[expected_game_score.policy_value(KUHN.new_initial_state(), [a, b]) for b in players] for a in players]
    )
    tables = [worth[:, :, 0], worth[:, :, 1]]
    *_, expected, _, _ = alpharank.compute(tables, m=20, alpha=0.5, use_local_selection_model=False)
    np.testing.assert_allclose(alpha_rank_profiles(np.stack(tables), 20, 0.5).ravel(), expected, atol=1e-8)


def _player(pick):
    def chances(state):
        legal = state.legal_actions()
        return {action: 1 / len(legal) if pick is None else float(action == pick(legal)) for action in legal}

    return chances


def test_information_sets_are_ours():
    """As many as our own tree has, and none with states of different legal actions."""
    sets = {}

    def walk(state):
        if state.is_terminal():
            return
        if not state.is_chance_node():
            name = state.information_state_string()
            assert sets.setdefault(name, state.legal_actions()) == state.legal_actions()
        for action in state.legal_actions():
            walk(state.child(action))

    walk(openspiel.game("leduc").new_initial_state())
    assert len(sets) == 288  # three cards, and nine with the community card, at every place of the betting


def test_what_is_seen_before_and_after_the_deal():
    state = KUHN.new_initial_state()
    assert state.information_state_string(0) == "player 0, before the deal"
    assert not np.any(state.observation_tensor(0))
    state.apply_action(0)
    assert len(state.observation_tensor(0)) == 11
    assert state.information_state_string(0) != state.information_state_string(1)
    assert state.action_to_string(0, 1) == "bet"


def test_games_that_cannot_be_listed_are_refused():
    with pytest.raises(NotSmall, match="too many to list"):
        openspiel.game("bluff")
    with pytest.raises(UserError, match="players"):
        openspiel.game("kuhn", players=77)
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter"):
        pyspiel.load_game("feint_kuhn(jokers=1)")
