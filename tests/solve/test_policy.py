"""Policies in files: what was saved plays, as often as it says, and nothing else is taken for one."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.arena.rollout import play
from feint.errors import UserError
from feint.registry import make_agent
from feint.solve.best_response import values
from feint.solve.mccfr import Sampler, SamplingSettings
from feint.solve.policy import SavedPolicy
from feint.solve.sequence_form import SequenceForm
from feint.solve.tabular import policy_of
from feint.solve.tree import build
from tests.solve.openspiel import form, random_policy

MINI = feint.make("bluff", players=2, ranks=2, suits=2, cap=3)


@pytest.fixture(scope="module")
def mini():
    return SequenceForm.of(build(MINI))


def saved(path, ours, policy):
    made = SavedPolicy.of(ours.tree.game, ours.tree.infosets, policy, {"algorithm": "none"})
    made.save(path)
    return made


def test_a_file_gives_back_the_policy_and_where_it_is_from(tmp_path):
    ours = form("leduc")
    policy = random_policy(ours, 1)
    made = saved(tmp_path / "a" / "leduc.npz", ours, policy)
    read = SavedPolicy.load(tmp_path / "a" / "leduc.npz")
    assert (read.game, read.options) == ("leduc", {"players": 2, "suits": False})
    assert read.made == {"feint": feint.__version__, "algorithm": "none"}
    assert (read.version, read.abstraction) == (1, "")
    np.testing.assert_array_equal(read.chances, policy)
    np.testing.assert_array_equal(read.keys, made.keys)
    assert read.by_view  # Leduc's views tell everything
    assert sorted(each.name for each in (tmp_path / "a").iterdir()) == ["leduc.npz"]  # nothing half-written is left


def test_the_agent_earns_what_the_policy_is_worth(tmp_path):
    ours = form("leduc")
    game, policy = ours.tree.game, random_policy(ours, 2)
    saved(tmp_path / "leduc.npz", ours, policy)
    agent = make_agent(f"policy:{tmp_path / 'leduc.npz'}", game)
    outcomes, _ = play(game, [agent], [0, 0], seed=5, first=0, matches=40_000, lanes=1024)
    rewards = np.asarray(outcomes.rewards)[:, 0, 0]
    exact = values(ours, policy)[0]
    assert abs(rewards.mean() - exact) < 4 * rewards.std() / len(rewards) ** 0.5


def test_where_views_do_not_tell_the_past_the_agent_remembers_it(tmp_path, mini):
    policy = random_policy(mini, 3)
    made = saved(tmp_path / "mini.npz", mini, policy)
    assert not made.by_view
    agent = make_agent(f"policy:{tmp_path / 'mini.npz'}", MINI)
    # Two games to a match: memory must begin anew with the second.
    outcomes, _ = play(MINI, [agent], [0, 0], seed=6, first=0, matches=10_000, length=2, lanes=1024)
    for game in (0, 1):
        rewards = np.asarray(outcomes.rewards)[:, game, 0]
        assert abs(rewards.mean() - values(mini, policy)[0]) < 4 * rewards.std() / len(rewards) ** 0.5


def test_an_agent_from_a_file_is_asked_exactly(tmp_path, mini):
    policy = random_policy(mini, 4)
    saved(tmp_path / "mini.npz", mini, policy)
    agent = make_agent(f"policy:{tmp_path / 'mini.npz'}", MINI)
    np.testing.assert_allclose(policy_of(mini, agent), policy, atol=1e-6)


def test_a_policy_of_a_few_sets_is_found_again_where_views_alone_tell_only_these_apart(mini):
    sampler = Sampler(MINI, SamplingSettings(batch=1))
    sampler.run(1)
    sets, _ = sampler.average()
    first = np.eye(MINI.actions)[sets.legal.argmax(axis=1)]
    made = SavedPolicy.of(MINI, sets, first, {})
    assert made.by_view
    policy = policy_of(mini, made.agent_for(MINI))
    assert (policy != mini.uniform()).any(axis=1).sum() >= (sets.legal.sum(axis=1) > 1).sum() > 0


def test_an_unknown_situation_is_played_evenly():
    ours = form("kuhn")
    sets = ours.tree.infosets
    agent = SavedPolicy.of(ours.tree.game, sets, random_policy(ours, 5), {}).agent_for(ours.tree.game)
    strange = jax.tree.map(lambda leaf: leaf[0], ours.tree.views)
    strange = jax.tree.map(lambda leaf: leaf + 77, strange)
    keys = jax.vmap(lambda i: chance.game_key(0, i, 0))(jnp.arange(2000))
    actions = jax.vmap(lambda key: agent.act((), strange, jnp.array([True, True]), key)[0])(keys)
    assert 850 < int(actions.sum()) < 1150


def test_what_is_no_policy_for_the_game_is_refused_in_one_sentence(tmp_path):
    ours = form("kuhn")
    path = tmp_path / "kuhn.npz"
    saved(path, ours, ours.uniform())
    with pytest.raises(UserError, match=r"made for kuhn\(players=2\), not for kuhn\(players=3\)"):
        make_agent(f"policy:{path}", feint.make("kuhn", players=3))
    replace(SavedPolicy.load(path), version=7).save(tmp_path / "later.npz")
    with pytest.raises(UserError, match="The policy was made for version 7 of kuhn, this is version 1"):
        make_agent(f"policy:{tmp_path / 'later.npz'}", ours.tree.game)
    np.savez(tmp_path / "first.npz", header=np.array('{"format": 1, "game": "kuhn"}'))
    with pytest.raises(UserError, match="is a policy of format 1; this version of feint reads format 2"):
        make_agent(f"policy:{tmp_path / 'first.npz'}", ours.tree.game)
    with pytest.raises(UserError, match="There is no file"):
        make_agent("policy:nowhere.npz", ours.tree.game)
    (tmp_path / "text.npz").write_text("not a policy")
    with pytest.raises(UserError, match="is no policy"):
        make_agent(f"policy:{tmp_path / 'text.npz'}", ours.tree.game)
    np.savez(tmp_path / "other.npz", weights=np.ones(3))
    with pytest.raises(UserError, match="is no policy"):
        make_agent(f"policy:{tmp_path / 'other.npz'}", ours.tree.game)
    path.chmod(0o400)
    (tmp_path / "blocked").write_text("")
    with pytest.raises(UserError, match="cannot be saved"):
        saved(tmp_path / "blocked" / "x.npz", ours, ours.uniform())
