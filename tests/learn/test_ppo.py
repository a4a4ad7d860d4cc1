"""Regularised self-play comes near to equilibrium, and copes with others at the table."""

from dataclasses import replace
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.commands.solve import solve
from feint.errors import UserError
from feint.learn.algorithm import between
from feint.learn.evaluate import Examiner
from feint.learn.policy_file import PolicyFile
from feint.learn.ppo import PPO
from feint.learn.tables import make_tables, self_play
from tests.learn.learning import exploitability_after, trained_at


@pytest.fixture(scope="module")
def self_played():
    """The agent, the learner and the last metrics of self-play at Kuhn."""
    return trained_at(PPO(total_timesteps=150_000, num_envs=64, num_steps=16, width=32), self_play(feint.make("kuhn")))


def test_self_play_at_kuhn_is_soon_hard_to_exploit(self_played):
    agent, learner, metrics = self_played
    exploitability = Examiner(feint.make("kuhn"), []).exploitability(agent)
    assert exploitability < 0.1, "an even policy loses 0.46"
    assert int(learner.updates) == 147
    assert metrics["payoff"] == pytest.approx(0, abs=1e-6), "both seats are the learner's"


@pytest.mark.slow
def test_a_fixed_opponent_is_exploited():
    """Whoever bets at random in Kuhn loses more to a learner than the 0 of an equal."""
    game = feint.make("kuhn")
    tables = make_tables(game, [("random",)])
    agent, _, metrics = trained_at(
        PPO(total_timesteps=300_000, num_steps=16, width=32, final_ent_coef=0.001, magnet_coef=0.0), tables
    )
    score = Examiner(game, [("random", "me")], games=4000).examine(agent).scores[0]
    assert score.payoff.low > 0.25  # the best response earns 0.458 on average over the seats
    assert metrics["waited"] == 0


@pytest.fixture(scope="module")
def learners():
    """The learner before and after each of six updates with past selves, in half of which only the critic learns."""
    algorithm = PPO(
        total_timesteps=6 * 32, num_envs=8, num_steps=4, width=4, league_size=2, league_frequency=2, critic_warmup=0.5
    )
    tables = make_tables(feint.make("kuhn"), [("past",)])
    kept = [jax.jit(algorithm.begin)(tables, chance.key(0))]
    update = jax.jit(algorithm.update)
    for _ in range(6):
        kept.append(update(tables, kept[-1])[0])
    return kept


@pytest.mark.slow
def test_past_selves_are_kept_in_turn(learners):
    kept = learners[6].league.policy.weight
    # What plays before updates 4 and 6 is kept after them, in places 0 and 1.
    assert np.array_equal(kept[0], learners[3].magnet.policy.weight)
    assert np.array_equal(kept[1], learners[5].magnet.policy.weight)
    assert np.array_equal(learners[5].league.policy.weight[1], learners[1].magnet.policy.weight)


def test_the_critic_may_learn_first(learners):
    policies = [np.asarray(each.network.policy.weight) for each in learners]
    critics = [np.asarray(each.critic.value.weight) for each in learners]
    moved = [not np.array_equal(before, after) for before, after in pairwise(policies)]
    assert moved == [False, False, False, True, True, True]
    assert not any(np.array_equal(before, after) for before, after in pairwise(critics))


def test_a_teacher_is_imitated(tmp_path):
    """Under a solved policy's teaching alone, with hardly any time to find out for itself."""
    game = feint.make("kuhn")
    solve(game, iterations=200, out=tmp_path / "solved.npz")
    algorithm = PPO(
        total_timesteps=40_000,
        num_envs=64,
        num_steps=8,
        width=32,
        teacher=f"policy:{tmp_path / 'solved.npz'}",
        teacher_fraction=1.0,
        ent_coef=0.0,
    )
    agent, _, _ = trained_at(algorithm, self_play(game))
    assert Examiner(game, []).exploitability(agent) < 0.1


def test_learning_starts_from_a_trained_network(self_played, tmp_path):
    """Whatever its size; what it knew it still plays after an update too small to matter."""
    game = feint.make("kuhn")
    first = self_played[0]
    PolicyFile.of(first, game, {}).save(tmp_path / "first.npz")
    start = f"policy:{tmp_path / 'first.npz'}"
    again, _, _ = trained_at(
        PPO(total_timesteps=512, num_envs=32, num_steps=16, width=8, start=start, learning_rate=1e-9), self_play(game)
    )
    exploitability = Examiner(game, []).exploitability
    assert exploitability(again) == pytest.approx(exploitability(first), abs=1e-4)
    critics = [np.asarray(each.critic.network.value.weight) for each in (again, first)]
    assert np.allclose(*critics, atol=1e-4), "its critic goes on as well"


def test_the_critic_that_is_kept_may_be_left_behind(self_played, tmp_path):
    """As if the file had none."""
    game, (first, *_) = feint.make("kuhn"), self_played
    starts = []
    for name, agent in (("with", first), ("without", replace(first, critic=None))):
        PolicyFile.of(agent, game, {}).save(tmp_path / f"{name}.npz")
        starts.append(f"policy:{tmp_path / name}.npz")

    def begun(start: str, fresh_critic: bool) -> tuple[bytes, bytes]:
        networks = PPO(width=8, start=start, fresh_critic=fresh_critic)._first([game], chance.key(1), chance.key(2))
        network, critic = (b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(each)) for each in networks)
        return network, critic

    kept, left, none = (begun(*each) for each in ((starts[0], False), (starts[0], True), (starts[1], False)))
    assert left == none
    assert left[0] == kept[0]
    assert left[1] != kept[1]


def test_there_must_be_a_network_to_start_from():
    with pytest.raises(UserError, match="random has no network to start from"):
        PPO(start="random").check_start([feint.make("kuhn")])


def test_schedules_run_from_the_first_value_to_the_last():
    assert between(1.0, 0.01, jnp.float32(0.5)) == pytest.approx(0.1)
    assert between(1.0, 0.0, jnp.float32(0.25)) == pytest.approx(0.75)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_kuhn_is_solved(seed, tmp_path):
    assert exploitability_after({"game": "kuhn", "seed": seed, "settings": KUHN}, tmp_path / "run") <= 0.01


KUHN = {"total_timesteps": 3_000_000, "num_steps": 32, "width": 64}
