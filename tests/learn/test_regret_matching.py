"""Regret matching from self-play: cells, means and gains worked out by hand, and equilibria of small games."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Memoryless
from feint.games.small.leduc import Leduc
from feint.learn.cells import EMPTY, NEAR, Cells, Place, gathered, times
from feint.learn.policy_file import PolicyFile
from feint.learn.regret_matching import Average, AverageAgent, Critic, Noted, RegretMatching, _advantages, matched
from feint.learn.tables import make_tables, self_play
from feint.learn.trajectories import Steps
from feint.solvers.best_response import exploit
from feint.solvers.tabular import policy_of
from tests.learn.learning import form_of, goes_on_to_the_same_numbers, trained, trained_at

KUHN = feint.make("kuhn")
QUICK = RegretMatching(total_timesteps=250 * 1024, num_envs=64, table_size=64, critic_table_size=64)


def exploitability(agent, name):
    return exploit(form_of(name), policy_of(form_of(name), agent)).exploitability


def places(cells, owners):
    return Place(jnp.asarray(cells), jnp.asarray(owners, jnp.uint32))


@pytest.mark.parametrize("size", [NEAR, 40])
def test_views_have_cells_of_their_own_as_long_as_there_are_any(size):
    place, claimed = jax.jit(jax.vmap(Cells.place, (None, 0))), jax.jit(Cells.claimed)
    views, cells = jnp.arange(NEAR), Cells.blank(size)
    for _ in range(NEAR):  # whoever wants the same cell as another finds one the next time
        cells = claimed(cells, place(cells, views), jnp.ones(NEAR, bool))
    owned = cells.owned(place(cells, views))
    assert len(set(owned.tolist())) == NEAR
    assert owned.max() < size
    again = claimed(cells, place(cells, views), jnp.ones(NEAR, bool))
    assert again.owner.tolist() == cells.owner.tolist()


def test_nothing_is_kept_for_views_without_a_cell():
    cells = Cells.blank(2).claimed(places([0, 0, 1], [5, 9, 4]), jnp.array([True, True, False]))
    assert cells.owner.tolist() == [9, EMPTY]
    owned = cells.owned(places([0, 0, 1, 2], [5, 9, 4, 9]))
    assert owned.tolist() == [2, 0, 2, 2]
    assert gathered(jnp.array([[7.0, 8.0], [1.0, 1.0]]), owned).tolist() == [[0, 0], [7, 8], [0, 0], [0, 0]]
    assert times(jnp.zeros(2), jnp.array([0, 2, 0])).tolist() == [2, 0, 2]
    assert Cells.blank(1).claimed(places([1], [3]), jnp.array([True])).owner.tolist() == [EMPTY]


def test_odds_are_in_proportion_to_regrets_and_even_without_any():
    legal = jnp.array([[True, True, False], [True, True, False], [False, False, False]])
    weights = jnp.array([[3.0, 1.0, 4.0], [0.0, 0.0, 4.0], [1.0, 0.0, 0.0]])
    assert matched(weights, legal).tolist() == [[0.75, 0.25, 0], [0.5, 0.5, 0], [0, 0, 0]]


def test_the_critic_has_means_at_first_and_follows_at_the_least_rate_later():
    critic = Critic(Cells.blank(4), jnp.zeros((4, 2, 2)), jnp.zeros((4, 2)))
    three, targets = places([1, 1, 1], [7, 7, 7]), jnp.array([[1.0, -1.0], [4.0, -4.0], [9.0, 5.0]])
    critic = critic.learned(three, jnp.array([0, 0, 1]), targets, jnp.ones(3, bool), 0.1)
    assert critic.value[1].tolist() == [[2.5, -2.5], [9, 5]]
    assert critic.tries[1].tolist() == [2, 1]
    later = replace(critic, tries=1000 * critic.tries)
    later = later.learned(places([1], [7]), jnp.array([0]), jnp.array([[12.5, -2.5]]), jnp.array([True]), 0.1)
    assert later.value[1, 0].tolist() == [pytest.approx(3.5), pytest.approx(-2.5)]
    unknown = critic.learned(places([1], [7]), jnp.array([0]), jnp.array([[12.5, -2.5]]), jnp.array([False]), 0.1)
    assert unknown.value.tolist() == critic.value.tolist()


def test_policies_count_by_their_visits_and_weights():
    average = Average(jnp.zeros((3, 2)), jnp.zeros(3))
    average = average.joined(jnp.array([0, 0, 3]), jnp.array([[1.0, 0.0]] * 3), jnp.float32(1))
    average = average.joined(jnp.array([0]), jnp.array([[0.0, 1.0]]), jnp.float32(2))
    assert average.odds.tolist() == [[0.5, 0.5], [0, 0], [0, 0]]
    assert average.weight.tolist() == [4, 0, 0]


def test_gains_worked_out_by_hand():
    """The second player explored at step 0 and the first answered at step 1, when the game ended; at step 2 a new one began."""
    value = jnp.array([[[2.0, -2.0], [0.0, 0.0]], [[1.0, -1.0], [3.0, -3.0]], [[4.0, -4.0], [0.0, 0.0]]])
    critic = Critic(Cells(jnp.array([1, 2, 3], jnp.uint32)), value, jnp.ones((3, 2)))
    policy, odds = jnp.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]), jnp.array([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]])
    position, legal = places([0, 1, 2], [1, 2, 3]), jnp.ones((3, 2), bool)
    noted = Noted(position, position, legal, policy, jnp.array([True, False, True]), odds)
    rewards = jnp.array([[0.0, 0.0], [5.0, -5.0], [0.0, 0.0]])
    flags = jnp.ones(3, bool)
    ended = jnp.array([False, True, False])
    steps = Steps(flags, jnp.array([1, 0, 1]), jnp.array([0, 1, 1]), noted, rewards, ended, jnp.ones((3, 2), bool))
    ahead = replace(noted, position=places([2, 2, 2], [3, 3, 3]), policy=jnp.array([[1.0, 0.0]] * 3))
    in_one_env = jax.tree.map(lambda leaf: leaf[:, None], steps)
    first = jax.tree.map(lambda leaf: leaf[:1], ahead)
    gains, returns, known = jax.jit(_advantages, static_argnums=4)(critic, in_one_env, first, jnp.array([True]), 1.0)
    # Step 1: q = (1, 3 + 2 (5 - 3)) = (1, 7), v = 4. Step 0: 4 came of it, -4 for the second: q = (-2 + 2 (-4 + 2), 0) = (-6, 0), v = -1.5.
    assert gains[0, 0].tolist() == [-4.5, 1.5]
    assert gains[1, 0].tolist() == [-3, 3]
    assert returns[:, 0].tolist() == [[4, -4], [5, -5], [4, -4]]  # the last is worth what the critic thinks
    assert gains[2, 0].tolist() == [0, -4]  # -4 - (-4), and 0 + 2 (-4 - 0) - (-4)
    assert known.all()
    unready = jax.jit(_advantages, static_argnums=4)(critic, in_one_env, first, jnp.array([False]), 1.0)[2]
    assert unready[:, 0].tolist() == [True, True, False]


@pytest.fixture(scope="module")
def learned():
    return trained_at(QUICK, self_play(KUHN))


def test_kuhn_is_learned_from_games_with_itself(learned):
    agent, learner, metrics = learned
    assert exploitability(agent, "kuhn") < 0.02  # 0.458 where all actions are even
    assert (metrics["views"], metrics["positions"], metrics["without a cell"]) == (12, 24, 0)
    assert (learner.regret >= 0).all()


def test_it_is_kept_in_a_file(learned, tmp_path):
    PolicyFile.of(learned[0], KUHN, {}).save(tmp_path / "kuhn.npz")
    again = feint.make_agent(f"policy:{tmp_path / 'kuhn.npz'}", KUHN)
    assert isinstance(again, AverageAgent)
    for one, other in zip(jax.tree.leaves(learned[0]), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, other)


def test_it_plays_by_its_odds_and_any_action_where_nothing_is_known(learned):
    state = KUHN.init(chance.key(0))
    view, legal = KUHN.observe(state, 0), state.legal_action_mask
    act = jax.jit(jax.vmap(lambda agent, key: agent.act(None, view, legal, key)[0], (None, 0)))
    keys = jax.random.split(chance.key(1), 4000)
    nobody = AverageAgent.blank({"table_size": 64}, KUHN)
    assert nobody.probabilities(view, legal).tolist() == [0.5, 0.5]
    for agent in (learned[0], nobody):
        assert float(act(agent, keys).mean()) == pytest.approx(float(agent.probabilities(view, legal)[1]), abs=0.03)


def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    goes_on_to_the_same_numbers(QUICK, self_play(KUHN), tmp_path)


def test_it_sits_with_its_past_selves():
    tables = make_tables(KUHN, [["past"]])
    _, learner, metrics = trained_at(replace(QUICK, total_timesteps=2 * 1024, max_opponent_moves=2), tables)
    assert metrics["views"] > 10
    assert 0 < metrics["learned from"] <= 1
    assert np.isfinite(learner.regret).all()


def forgotten(view):
    """A view without the moves of its game."""
    return replace(view, history=jnp.full_like(view.history, -1), moves=jnp.zeros_like(view.moves))


@dataclass(frozen=True)
class Forgetful(Leduc):
    """Leduc hold'em in which nobody sees the moves."""

    def observe(self, state, seat):
        return forgotten(super().observe(state, seat))


@feint.pytree
class Forgetting(Memoryless):
    """Plays as an agent that learned without the moves."""

    agent: AverageAgent

    def act(self, memory, view, legal, key):
        return self.agent.act(memory, forgotten(view), legal, key)

    def probabilities(self, view, legal):
        return self.agent.probabilities(forgotten(view), legal)


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
def test_what_happened_in_a_game_is_worth_remembering():
    algorithm = RegretMatching(total_timesteps=8_000_000, num_envs=1024)
    assert exploitability(trained(algorithm, Leduc()), "leduc") < 0.06
    assert exploitability(Forgetting(trained(algorithm, Forgetful())), "leduc") > 0.15


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
def test_leduc_is_learned_to_less_than_3_hundredths_of_an_ante():
    agent = trained(RegretMatching(total_timesteps=24_000_000, num_envs=1024), Leduc())
    assert exploitability(agent, "leduc") < 0.03
