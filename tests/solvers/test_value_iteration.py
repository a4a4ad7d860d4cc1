"""Value iteration: processes worked by hand, exact models of games, and models counted from play."""

import numpy as np
import pytest

from feint.errors import UserError
from feint.solvers.best_response import best_response
from feint.solvers.value_iteration import Counts, Model, model_against, value_iteration
from tests.solvers.openspiel import form, random_policy


def corridor():
    """Three states in a row: action 0 stops and pays the state's number, action 1 goes on but ends by chance a half."""
    transitions = np.zeros((3, 2, 3))
    transitions[0, 1, 1] = transitions[1, 1, 2] = 0.5
    rewards = np.array([[0.0, 0], [1, 0], [4, 0]])
    return rewards, transitions, np.array([[True, True], [True, True], [True, False]])


def test_a_corridor_by_hand():
    rewards, transitions, legal = corridor()
    found = value_iteration(Model.of(rewards, transitions, legal))
    assert found.values.tolist() == [1, 2, 4]
    assert found.policy().tolist() == [1, 1, 0]
    discounted = value_iteration(Model.of(rewards, transitions, legal), discount=0.4)
    assert discounted.values == pytest.approx([0.2, 1, 4])
    assert discounted.policy().tolist() == [1, 0, 0]


def test_ties_are_all_named():
    found = value_iteration(Model.of(np.array([[1.0, 1.0, 0.5]]), np.zeros((1, 3, 1))))
    assert found.best().tolist() == [[True, True, False]]


def test_with_a_discount_endless_processes_have_values():
    found = value_iteration(Model.of(np.array([[1.0]]), np.ones((1, 1, 1))), discount=0.9)
    assert found.values == pytest.approx([10])


@pytest.mark.parametrize(
    ("name", "options"), [("kuhn", {"players": 3}), ("leduc", {}), ("liars-dice", {"sides": 3})], ids=str
)
def test_against_fixed_opponents_it_is_the_best_response(name, options):
    ours = form(name, **options)
    policy = random_policy(ours, 8)
    for player in range(len(ours.players)):
        model, first = model_against(ours, policy, player)
        assert first.sum() == pytest.approx(1)
        best = value_iteration(model).values @ first
        assert best == pytest.approx(best_response(ours, policy, player)[0], abs=1e-12)


def test_counted_from_play_it_comes_to_the_exact_answer():
    """Steps drawn from the exact model of Kuhn poker against a random opponent; the likeliest model's value is near the best."""
    ours = form("kuhn")
    policy = random_policy(ours, 9)
    model, first = model_against(ours, policy, 0)
    states, actions = model.rewards.shape
    draw = np.random.default_rng(0)
    counts = Counts(states, actions)
    chances = model.transitions.toarray()
    for _ in range(5):  # in pieces, as play brings them
        state, action = draw.integers(states, size=20_000), draw.integers(actions, size=20_000)
        rows = chances[state * actions + action]
        drawn = draw.random((20_000, 1)) < np.cumsum(rows, axis=1)
        after = np.where(drawn.any(axis=1), drawn.argmax(axis=1), -1)
        counts.add(state, action, model.rewards[state, action] + draw.normal(0, 1, 20_000), after)
    assert counts.tried.sum() == 100_000
    exact, learned = value_iteration(model), value_iteration(counts.model())
    assert learned.values @ first == pytest.approx(exact.values @ first, abs=0.05)


def test_what_was_never_tried():
    counts = Counts(2, 2)
    counts.add([0, 0], [1, 1], [2.0, 4.0], [1, -1])
    careful = value_iteration(counts.model())
    assert careful.values.tolist() == [3, 0]
    hopeful = value_iteration(counts.model(unseen=10))
    assert hopeful.values.tolist() == [10, 10]
    assert hopeful.action_values[0].tolist() == [10, 8]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: Model.of(np.zeros(3), np.zeros((3, 1, 3))), r"\[states, actions\]"),
        (lambda: Model.of(np.zeros((2, 2)), np.zeros((2, 3, 2))), "4 rows"),
        (lambda: Model.of(np.zeros((1, 1)), np.full((1, 1, 1), 1.2)), "sum to one at most"),
        (lambda: value_iteration(Model.of(np.zeros((1, 1)), np.zeros((1, 1, 1))), discount=0), "discount"),
        (lambda: value_iteration(Model.of(np.ones((1, 1)), np.ones((1, 1, 1))), most_sweeps=9), "every game must end"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    with pytest.raises(UserError, match=says):
        wrong()
