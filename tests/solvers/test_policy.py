"""Policies in files: what was saved plays, as often as it says, and nothing else is taken for one."""

import json
from dataclasses import replace
from zipfile import ZipFile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.arena.rollout import play
from feint.errors import UserError
from feint.registry import make_agent
from feint.solvers import policy as policies
from feint.solvers.best_response import values
from feint.solvers.mccfr import Sampler, SamplingSettings
from feint.solvers.policy import SavedPolicy
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build
from tests.solvers.openspiel import form, random_policy

MINI = feint.make("bluff", players=2, ranks=2, suits=2, cap=3)


@pytest.fixture(scope="module")
def mini():
    return SequenceForm.of(build(MINI))


def saved(path, ours, policy, run=None):
    made = SavedPolicy.of(ours.tree.game, ours.tree.infosets, policy, {"algorithm": "none"}, run)
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
    with pytest.raises(
        UserError, match=r"^policy:.*kuhn.npz was made for kuhn\(players=2\), not for kuhn\(players=3\)"
    ):
        make_agent(f"policy:{path}", feint.make("kuhn", players=3))
    replace(SavedPolicy.load(path), version=7).save(tmp_path / "later.npz")
    with pytest.raises(UserError, match=r"later\.npz was made for version 7 of kuhn, this is version 1"):
        make_agent(f"policy:{tmp_path / 'later.npz'}", ours.tree.game)
    np.savez(tmp_path / "first.npz", header=np.array('{"format": 1, "game": "kuhn"}'))
    with pytest.raises(UserError, match="is a policy of format 1; this version of feint reads format 3"):
        make_agent(f"policy:{tmp_path / 'first.npz'}", ours.tree.game)
    with pytest.raises(UserError, match="There is no file"):
        make_agent("policy:nowhere.npz", ours.tree.game)
    (tmp_path / "text.npz").write_text("not a policy")
    with pytest.raises(UserError, match="is not a policy"):
        make_agent(f"policy:{tmp_path / 'text.npz'}", ours.tree.game)
    np.savez(tmp_path / "other.npz", weights=np.ones(3))
    with pytest.raises(UserError, match="is not a policy"):
        make_agent(f"policy:{tmp_path / 'other.npz'}", ours.tree.game)
    path.chmod(0o400)
    (tmp_path / "blocked").write_text("")
    with pytest.raises(UserError, match="cannot be saved"):
        saved(tmp_path / "blocked" / "x.npz", ours, ours.uniform())


def resealed(path, header=None, **changed):
    """The file with another header or other arrays, sealed as if it had been saved so; None leaves out."""
    with np.load(path) as file:
        arrays = dict(file)
    told = json.loads(str(arrays.pop(policies.HEADER))) | (header or {})
    arrays = {name: each for name, each in (arrays | changed).items() if each is not None}
    told = {name: value for name, value in told.items() if value is not None and name != policies.SEAL}
    told[policies.SEAL] = policies._seal(told, arrays)
    np.savez(path, **{policies.HEADER: np.array(json.dumps(told))}, **arrays)


DEEP = "[" * 100_000 + "]" * 100_000
WRONG_HEADERS = [
    {"game": 5},
    {"options": [1]},
    {"version": "1"},
    {"version": None},
    {"by_view": 1},
    {"abstraction": None},
    {"made": "yes"},
    {"format": True},
    {"format": [3]},
    {"more": 1},
]
SETS = 12
WRONG_ARRAYS = [
    {"chances": None},
    {"keys": None},
    {"chances": np.full((SETS, 2), np.nan)},
    {"chances": np.full((SETS, 2), 0.7)},
    {"chances": np.tile([2.0, -1.0], (SETS, 1))},
    {"chances": np.full((SETS, 2), 0.5, np.float32)},
    {"chances": np.full(SETS, 1.0)},
    {"chances": np.array(1.0)},
    {"chances": np.zeros((0, 2)), "keys": np.zeros((0, 2), np.uint32)},
    {"keys": np.zeros((SETS, 2))},
    {"keys": np.zeros((SETS + 1, 2), np.uint32)},
]


@pytest.mark.parametrize("wrong", [*WRONG_HEADERS, *WRONG_ARRAYS], ids=str)
def test_what_says_anything_else_than_a_policy_is_refused(tmp_path, wrong):
    ours = form("kuhn")
    path = tmp_path / "kuhn.npz"
    saved(path, ours, ours.uniform())
    resealed(path)
    SavedPolicy.load(path)
    if set(wrong) <= {"keys", "chances"}:
        resealed(path, **wrong)
    else:
        resealed(path, wrong)
    with pytest.raises(UserError, match=r"is not a policy|is a policy of format"):
        SavedPolicy.load(path)


def test_a_policy_with_more_actions_than_the_game_has_does_not_play(tmp_path):
    ours = form("kuhn")
    path = tmp_path / "kuhn.npz"
    saved(path, ours, ours.uniform())
    resealed(path, chances=np.full((SETS, 4), 0.25))
    with pytest.raises(UserError, match=r"kuhn\.npz has 4 actions"):
        make_agent(f"policy:{path}", ours.tree.game)


def test_any_altered_byte_is_noticed_or_harmless(tmp_path):
    ours = form("kuhn")
    path = tmp_path / "kuhn.npz"
    saved(path, ours, random_policy(ours, 7), {"regrets0": np.arange(5.0)})
    whole, before = path.read_bytes(), SavedPolicy.load(path)
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        try:
            found = SavedPolicy.load(path)
        except UserError:
            continue
        assert found.made == before.made
        np.testing.assert_array_equal(found.chances, before.chances)
        np.testing.assert_array_equal(found.keys, before.keys)
    for other in (b"", whole[:100], whole[:-10]):
        path.write_bytes(other)
        with pytest.raises(UserError, match="is not a policy"):
            SavedPolicy.load(path)
    np.savez(path, header=np.array(DEEP))
    with pytest.raises(UserError, match="is not a policy"):
        SavedPolicy.load(path)


def test_a_small_file_that_unpacks_to_gigabytes_is_refused_before_it_does(tmp_path):
    path = tmp_path / "bomb.npz"
    with ZipFile(path, "w") as file:
        file.writestr("chances.npy", b"")
        file.filelist[0].file_size = 3_000_000_000
    with pytest.raises(UserError, match=r"would unpack to 3.0 GB"):
        SavedPolicy.load(path)
