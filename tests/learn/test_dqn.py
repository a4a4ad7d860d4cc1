"""Deep Q-learning: targets worked out by hand, best responses whose value is known, and runs that go on to the last bit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn.algorithm import begun
from feint.learn.dqn import DQN, Transition, transitions_of
from feint.learn.tables import make_tables
from feint.learn.trajectories import Steps, Turn
from feint.solvers.best_response import exploit
from feint.solvers.tabular import policy_of
from tests.learn.learning import form_of, goes_on_to_the_same_numbers, share_of_best, trained

KUHN = feint.make("kuhn")
QUICK = {"num_envs": 64, "learning_starts": 500, "buffer_size": 50_000, "width": 64}
ALL = {"prioritized_replay_alpha": 0.6, "n_step": 2, "double_q": False}


def one_env(seats, rewards, ended, acted=None):
    """Steps of one environment at a table of two, all seats the learner's; features are the number of the step."""
    count = len(seats)
    return Steps(
        acted=jnp.asarray(acted or [True] * count)[:, None],
        seat=jnp.asarray(seats)[:, None],
        action=jnp.arange(count)[:, None] % 2,
        noted=(jnp.arange(count, dtype=jnp.float32)[:, None, None], jnp.ones((count, 1, 2), bool)),
        rewards=jnp.asarray(rewards, jnp.float32)[:, None],
        ended=jnp.asarray(ended)[:, None],
        own=jnp.ones((count, 1, 2), bool),
    )


def last_turn(seat):
    return Turn(jnp.array([True]), jnp.array([seat]), None, jnp.ones((1, 2), bool), None)


AFTER = jnp.full((1, 1), 99.0), jnp.array([[True, False]])


def test_a_transition_leads_to_the_next_decision_of_the_same_seat():
    # Seats 0 1 0 1 decide, then 0 is to move again; seat 0 is paid 1 for step 0 and 2 while seat 1 moves.
    steps = one_env([0, 1, 0, 1], [[1, 0], [2, 0], [0, 5], [0, 0]], [False] * 4)
    rows, known = transitions_of(steps, last_turn(0), AFTER, n_step=1, gamma=0.5)
    assert known.tolist() == [True, True, True, False]  # nobody knows yet what the last move of seat 1 led to
    assert rows.reward[:3].tolist() == [3, 5, 0]
    assert rows.next_features[:3, 0].tolist() == [2, 3, 99]
    assert rows.discount[:3].tolist() == [0.5, 0.5, 0.5]
    assert rows.next_legal[2].tolist() == [True, False]


def test_n_steps_add_up_rewards_of_the_same_seat_until_the_game_ends():
    # One seat alone: four decisions of a game that ends, then one of the next game.
    steps = one_env([0] * 5, [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], [False, False, False, True, False])
    rows, known = transitions_of(steps, last_turn(0), AFTER, n_step=3, gamma=0.5)
    assert known.all()
    assert rows.reward.tolist() == [1 + 1 + 1, 2 + 2 + 2, 4 + 4, 8, 16]
    assert rows.discount.tolist() == [0.125, 0, 0, 0, 0.5]  # the last reaches only one decision far
    assert rows.next_features[0, 0] == 3
    assert rows.next_features[4, 0] == 99


def test_an_environment_that_waits_for_others_has_nothing_to_learn_from():
    steps = one_env([0, 0, 0], [[0, 0], [7, 0], [0, 0]], [False, True, False], acted=[True, False, True])
    rows, known = transitions_of(steps, last_turn(0), AFTER, n_step=1, gamma=1.0)
    assert known.tolist() == [True, False, True]
    assert rows.reward[0] == 7
    assert rows.discount[0] == 0


@pytest.mark.parametrize("double", [False, True])
def test_only_legal_actions_count_for_the_next_value(double):
    algorithm = DQN(**QUICK, double_q=double)
    learner = begun(algorithm, make_tables(KUHN, []), chance.key(0))
    features = jax.random.normal(chance.key(1), (16, 11))
    rows = Transition(
        features=features,
        action=jnp.zeros(16, int),
        reward=jnp.ones(16),
        discount=jnp.where(jnp.arange(16) < 8, 0.5, 0.0),
        next_features=features,
        next_legal=jnp.tile(jnp.array([[False, True]]), (16, 1)),
    )
    values = jax.vmap(learner.target)(features)[0]
    expected = np.where(np.arange(16) < 8, 1 + 0.5 * values[:, 1], 1.0)
    np.testing.assert_allclose(algorithm._targets(learner, rows), expected, rtol=1e-6)


def test_the_chance_to_explore_falls_in_a_line():
    algorithm = DQN(epsilon=0.95, final_epsilon=0.05, exploration_fraction=0.5)
    assert [float(algorithm._epsilon(jnp.float32(at))) for at in (0, 0.25, 0.5, 1)] == pytest.approx(
        [0.95, 0.5, 0.05, 0.05]
    )


@pytest.mark.parametrize("how", [{}, pytest.param(ALL, marks=pytest.mark.slow)])
def test_the_best_response_in_kuhn_is_learned(how):
    agent = trained(DQN(total_timesteps=60_000, **QUICK, **how), KUHN, ["random"])
    earned, best = share_of_best(agent, "kuhn", "random")
    assert best == pytest.approx(0.4583, abs=1e-3)
    assert earned > 0.95 * best


@pytest.mark.slow
def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    goes_on_to_the_same_numbers(DQN(total_timesteps=60_000, **QUICK, **ALL), make_tables(KUHN, [["random"]]), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_best_response_in_leduc_is_learned_to_within_5_percent(seed):
    agent = trained(DQN(total_timesteps=1_500_000, num_envs=128), feint.make("leduc"), ["random"], seed=seed)
    earned, best = share_of_best(agent, "leduc", "random")
    assert earned > 0.95 * best


@pytest.mark.slow
def test_a_bidder_of_ten_wins_what_value_iteration_does():
    """Against nine uniform bidders with 50 coins: 97.3% by value iteration, 22% by the paper's network."""
    from feint.arena.match import match

    game = feint.make("bidding", players=10, coins=50)
    agent = trained(
        DQN(total_timesteps=3_000_000, num_envs=256, num_steps=4, buffer_size=200_000, max_opponent_moves=20),
        game,
        ["uniform"] * 9,
    )
    seatings = [tuple(0 if seat == own else 1 for seat in range(10)) for own in range(10)]
    assert match(game, [agent, "uniform"], seatings, 20_000).win_rate(0).estimate > 0.963


@pytest.mark.slow
def test_self_play_is_learned_from_every_seat():
    """Greedy play cannot mix, so it stays exploitable; but jacks never call and kings always do."""
    agent = trained(DQN(total_timesteps=40_000, **QUICK), KUHN, ["me", "me"], ["past"])
    form = form_of("kuhn")
    policy = policy_of(form, agent)
    assert exploit(form, policy).exploitability < 0.5
    views, facing = form.tree.views, (np.asarray(form.tree.views.history) == 1).any(axis=1)
    assert (policy[facing & (np.asarray(views.card) == 0), 1] == 0).all()
    assert (policy[facing & (np.asarray(views.card) == 2), 1] == 1).all()
