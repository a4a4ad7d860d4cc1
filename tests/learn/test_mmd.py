"""Mirror descent in log-odds: what is hardly ever played still moves, and self-play ends near equilibrium."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.errors import UserError
from feint.learn.evaluate import Examiner
from feint.learn.mmd import MMD
from feint.learn.networks import masked
from feint.learn.ppo import PPO, Decision
from feint.learn.tables import self_play
from feint.options import make
from tests.learn.learning import exploitability_after, goes_on_to_the_same_numbers, trained

KUHN = feint.make("kuhn")
LOG_ODDS = math.log(999)  # of an action that is played once in a thousand times, the other way round


def decision(legal, action, old_log_probs, advantage, baseline=()):
    nothing, baseline = jnp.zeros(0), jnp.asarray(baseline, jnp.float32)
    taken = jnp.int32(action), old_log_probs, jnp.float32(advantage), baseline
    return Decision(nothing, legal, *taken, nothing, nothing, nothing)


def slope(algorithm, advantage, action, baseline=()):
    """How the loss of one decision changes with the logits of two legal actions, played 999 : 1, and of an illegal one."""
    legal = jnp.array([True, True, False])
    logits = jnp.array([LOG_ODDS, 0.0, 50.0])
    before = jax.nn.log_softmax(masked(logits, legal))

    def loss(logits):
        log_probs = jax.nn.log_softmax(masked(logits, legal))
        made = decision(legal, action, before, advantage, baseline)
        return algorithm.policy_loss(log_probs, before, made, jnp.float32(0.1))[0]

    return np.asarray(jax.grad(loss)(logits))


def test_what_is_hardly_ever_played_comes_back_at_full_strength():
    """Even odds are half of the log-odds away, whatever the probability; entropy alone pulls by next to nothing there."""
    force = 0.1 * LOG_ODDS / 2
    assert slope(MMD(), 0.0, 0) == pytest.approx([force, -force, 0])
    assert np.abs(slope(PPO(), 0.0, 0)).max() < 0.02 * force


@pytest.mark.parametrize(("action", "weight"), [(0, 1 / 0.999), (1, 1 / 0.03)])
def test_gains_count_by_how_rare_an_action_is_but_no_rarer_than_that(action, weight):
    plain, gained = slope(MMD(), 0.0, action), slope(MMD(), 0.6, action)
    sign = np.array([1, -1, 0]) * (1 if action == 0 else -1)
    assert gained - plain == pytest.approx(-0.6 * weight * sign / 2, rel=1e-3)


def test_what_the_critic_foresaw_of_every_action_counts_whichever_was_taken():
    """The critic expects 0.3 more of the first of two actions than of the second; the second was taken and came out 0.1 better than it expected."""
    algorithm = MMD(action_values=True)
    plain, gained = slope(algorithm, 0.0, 1, [0.0, 0.0, 9.0]), slope(algorithm, -0.1, 1, [0.1, -0.2, 9.0])
    assert gained - plain == pytest.approx(np.array([-1, 1, 0]) * (0.1 + 0.2 - 0.1 / 0.03) / 2, rel=1e-3)


def test_steps_shrink_as_odds_may_become_uneven():
    legal = jnp.array([True, True])
    even, moved = jnp.log(jnp.array([0.5, 0.5])), jax.nn.log_softmax(jnp.array([1.0, 0.0]))
    made = decision(legal, 0, even, 0.0)

    def loss(ent_coef):
        return MMD(magnet_coef=0.0).policy_loss(moved, even, made, jnp.float32(ent_coef))[0]

    size = 0.25  # odds of +1/2 and -1/2
    assert loss(0.1) == pytest.approx((0.1 + 2.0) * size)
    assert loss(0.01) == pytest.approx((0.01 + 20.0) * size)


@pytest.mark.slow  # a shorter run is an example of docs/learning.md, where exploitability falls to a fifth
def test_self_play_at_kuhn_is_soon_hard_to_exploit():
    agent = trained(MMD(total_timesteps=600_000, num_envs=256, num_steps=16, width=32, final_ent_coef=0.01), KUHN)
    assert Examiner(KUHN, []).exploitability(agent) < 0.05, "an even policy loses 0.46"


def test_it_goes_on_from_a_checkpoint(tmp_path):
    goes_on_to_the_same_numbers(MMD(num_envs=8, num_steps=4, width=8), self_play(KUHN), tmp_path)


@pytest.mark.slow
def test_a_fixed_opponent_is_exploited():
    agent = trained(
        MMD(total_timesteps=300_000, num_envs=256, num_steps=16, width=32, final_ent_coef=0.01), KUHN, ("random",)
    )
    score = Examiner(KUHN, [("random", "me")], games=4000).examine(agent).scores[0]
    assert score.payoff.low > 0.25  # the best response earns 0.458 on average over the seats


def test_odds_that_need_never_be_even_are_refused():
    with pytest.raises(UserError, match=r"ent_coef .* a number from 0\.0001 to 1000"):
        make(MMD, {"ent_coef": 0.0})


def test_the_weight_of_even_odds_falls_by_the_root_of_the_updates():
    lengths = {updates: MMD(total_timesteps=updates * 2048).last_ent_coef for updates in (10, 40, 4000)}
    assert lengths == pytest.approx({10: 0.1, 40: 0.1, 4000: 0.01})
    assert MMD(final_ent_coef=0.02).last_ent_coef == 0.02


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "settings", "bar"),
    [
        ("kuhn", {"total_timesteps": 4_000_000, "width": 64, "final_ent_coef": 0.01}, 0.01),
        ("leduc", {"total_timesteps": 24_000_000, "num_envs": 256, "final_ent_coef": 0.01}, 0.1),
    ],
)
def test_small_games_are_nearly_solved(name, settings, bar, seed, tmp_path):
    given = {"game": name, "algorithm": "mmd", "seed": seed, "settings": settings}
    assert exploitability_after(given, tmp_path / "run") <= bar
