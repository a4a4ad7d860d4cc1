"""Whose consequence is whose: hand-worked examples, and games with others at the table."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn import trajectories
from feint.learn.advantages import advantages
from feint.learn.tables import LEARNER, make_tables
from feint.learn.trajectories import Steps, Turn, consequences
from tests.test_steps import ASKED, Counting

# One environment, three players, all of them the learner's. Seat 1 ends the first game; seat 2 acts last before the steps run out.
#   step      0    1    2    3    4(ends) 5    6    7
SEAT = [0, 1, 2, 0, 1, 0, 1, 2]
VALUE = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
REWARDS = np.zeros((8, 3), np.float32)
REWARDS[2] = [0, 1, 0]  # seat 1 is paid for what it did at step 1, though seat 2 moved since
REWARDS[4] = [2, -3, 1]  # the payoffs; they reach seat 0's step 3 and seat 2's step 2 too
REWARDS[6] = [0, 0, 5]  # seat 2 has not decided in this game yet: nobody's doing


@pytest.fixture(scope="module")
def steps():
    def column(values, kind):
        return jnp.asarray(values, kind)[:, None]

    return Steps(
        acted=column([True] * 8, bool),
        seat=column(SEAT, jnp.int32),
        action=column([0] * 8, jnp.int32),
        noted=None,
        rewards=jnp.asarray(REWARDS)[:, None],
        ended=column(np.arange(8) == 4, bool),
        own=jnp.ones((8, 1, 3), bool),
    )


@pytest.fixture(scope="module")
def last():
    return Turn(
        jnp.array([True]), jnp.array([0], jnp.int32), None, None, None
    )  # seat 0 is to decide after the last step


def test_each_seat_has_its_own_consequences(steps, last):
    found = consequences(steps, last)
    assert found.known[:, 0].tolist() == [True] * 6 + [False, False]
    assert found.reward[:6, 0].tolist() == [0, 1, 1, 2, -3, 0]
    assert found.final[:6, 0].tolist() == [False, False, True, True, True, False]
    assert found.following[[0, 1, 5], 0].tolist() == [3, 4, 8]


def test_advantages_are_those_worked_out_by_hand(steps, last):
    gamma, gae_lambda = 0.5, 0.5
    values = jnp.asarray(VALUE)[:, None]
    found, known = advantages(steps, values, last, jnp.array([0.9]), gamma, gae_lambda)
    by_hand = {
        4: -3 - 0.5,
        3: 2 - 0.4,
        2: 1 - 0.3,
        1: (1 + 0.5 * 0.5 - 0.2) + 0.25 * (-3 - 0.5),
        0: (0 + 0.5 * 0.4 - 0.1) + 0.25 * (2 - 0.4),
        5: 0.5 * 0.9 - 0.6,
    }
    assert known[:, 0].tolist() == [True] * 6 + [False, False]
    for step, value in by_hand.items():
        assert found[step, 0] == pytest.approx(value, abs=1e-6)


def test_a_step_in_which_the_environment_waited_is_nobodys(steps, last):
    """Step 3 is taken out: seat 0's decision at step 0 then led to the end of the game."""
    waited = replace(steps, acted=steps.acted.at[3].set(False))
    found = consequences(waited, last)
    assert not found.known[3, 0]
    assert (found.reward[0, 0], bool(found.final[0, 0])) == (2, True)


def uniformly(turn):
    return chance.choice(turn.key, turn.legal), (turn.view, turn.legal)


KUHN = feint.make("kuhn", players=3)


@pytest.fixture(scope="module")
def collected():
    """Two tables of Kuhn for three: with two random players, and with one beside two seats of the learner's."""
    tables = make_tables(KUHN, [("random", "random"), ("random", "me", "me")])

    def play(key):
        envs = trajectories.begin(tables, 64, key, 8)
        return trajectories.collect(tables, envs, uniformly, 50, 8)

    return tables, *jax.jit(play)(chance.key(1))


def test_only_the_learners_seats_decide(collected):
    _, _, steps = collected
    assert steps.acted.all(), "others never move that often"
    decides = jnp.take_along_axis(steps.own, steps.seat[..., None], axis=-1)
    assert decides.all()
    assert set(np.unique(steps.own.sum(axis=-1))) == {1, 2}
    assert (steps.noted[0].seat == steps.seat).all()


def test_every_seat_is_drawn_about_as_often(collected):
    _, _, steps = collected
    single = steps.own & (steps.own.sum(axis=-1, keepdims=True) == 1) & steps.ended[..., None]
    share = np.asarray(single.sum(axis=(0, 1)) / single.sum())
    games = int(single.sum())
    assert np.abs(share - 1 / 3).max() < 4 * np.sqrt(2 / 9 / games)


def test_payoffs_of_ended_games_sum_to_zero_and_others_pay_nothing(collected):
    _, _, steps = collected
    sums = np.asarray(steps.rewards.sum(axis=-1))
    assert np.abs(sums).max() < 1e-6
    assert (np.abs(np.asarray(steps.rewards)).sum(axis=-1)[~np.asarray(steps.ended)] == 0).all()
    assert steps.ended.mean() > 0.3


def test_where_others_move_too_often_environments_wait_and_nothing_of_it_is_learned():
    tables = make_tables(KUHN, [("random", "random")], seats="given")

    @jax.jit
    def play(key):
        envs = trajectories.begin(tables, 32, key, 1)
        envs, steps = trajectories.collect(tables, envs, uniformly, 40, 1)
        return steps, consequences(steps, jax.vmap(lambda env: trajectories.turn_at(tables, env))(envs))

    steps, found = play(chance.key(0))
    assert 0.2 < steps.acted.mean() < 0.9
    assert not (found.known & ~steps.acted).any()
    assert (steps.seat[np.asarray(steps.acted)] == 2).all(), "the learner has the last seat"
    finished = np.asarray(found.known & found.final)
    assert finished.any()
    assert (np.abs(np.asarray(found.reward)[finished]) >= 1).all()


def test_slow_others_are_asked_only_where_it_is_their_turn():
    """A past self at one of four tables: it answers as where it is asked everywhere, and far less often."""
    tables = make_tables(KUHN, [("random", "past"), *[("me", "me", "me")] * 3]).with_past(Counting())
    assert tables.shares == (1 / 8, 1 / 8)

    def play(tables):
        ASKED.clear()
        envs = trajectories.begin(tables, 32, chance.key(1), 8)
        steps = jax.jit(lambda envs: trajectories.collect(tables, envs, uniformly, 10, 8)[1])(envs)
        jax.effects_barrier()
        return steps, len(ASKED)

    (steps, asked), (same, everywhere) = play(tables), play(replace(tables, shares=()))
    jax.tree.map(np.testing.assert_array_equal, replace(steps, noted=None), replace(same, noted=None))
    assert 0 < asked < everywhere / 4


def test_as_given_seats_stay_and_rotations_rotate():
    given = make_tables(KUHN, [("me", "random", "past")], seats="given")
    assert given.seatings.tolist() == [[LEARNER, 1, 2]]
    assert given.past
    assert given.draw(chance.key(3)).tolist() == [LEARNER, 1, 2]
    rotating = replace(given, seats="rotations")
    drawn = {tuple(rotating.draw(chance.key(seed)).tolist()) for seed in range(40)}
    assert drawn == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}
    every = {tuple(replace(given, seats="all").draw(chance.key(seed)).tolist()) for seed in range(80)}
    assert len(every) == 6
