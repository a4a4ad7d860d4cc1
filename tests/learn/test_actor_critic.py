"""Actor-critic: how actors act, best responses whose value is known, and runs that go on to the last bit."""

import numpy as np
import pytest

import feint
from feint.learn.actor_critic import ActorCritic
from feint.learn.tables import make_tables
from tests.learn.learning import goes_on_to_the_same_numbers, share_of_best, trained

KUHN = feint.make("kuhn")
REMEMBERS = {"selection": "greedy", "buffer_size": 20_000}


def test_greedy_actors_explore_and_stochastic_ones_play_their_policy():
    logits, legal = np.array([0.0, 1.0, -1e9]), np.array([True, True, False])
    np.testing.assert_allclose(
        ActorCritic(selection="greedy", epsilon=0.2)._probs(logits, legal), [0.1, 0.9, 0], atol=1e-6
    )
    softmax = np.exp([0, 1.0]) / np.exp([0, 1.0]).sum()
    np.testing.assert_allclose(ActorCritic()._probs(logits, legal), [*softmax, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("how", "share"), [({"num_steps": 2}, 0.95), pytest.param(REMEMBERS, 0.95, marks=pytest.mark.slow)]
)
def test_the_best_response_in_kuhn_is_learned(how, share):
    agent = trained(ActorCritic(total_timesteps=100_000, num_envs=64, width=64, **how), KUHN, ["random"])
    earned, best = share_of_best(agent, "kuhn", "random")
    assert earned > share * best


@pytest.mark.slow
def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    algorithm = ActorCritic(total_timesteps=100_000, num_envs=64, width=64, **REMEMBERS)
    goes_on_to_the_same_numbers(algorithm, make_tables(KUHN, [["random"]]), tmp_path)


@pytest.mark.slow
def test_most_of_a_best_response_in_leduc_is_learned():
    agent = trained(ActorCritic(total_timesteps=4_000_000, num_envs=256, num_steps=4), feint.make("leduc"), ["random"])
    earned, best = share_of_best(agent, "leduc", "random")
    assert earned > 0.9 * best
