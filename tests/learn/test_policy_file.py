"""Policy files: what was saved plays the same; what cannot be read is refused in one sentence."""

import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance, registry
from feint.errors import UserError
from feint.learn import policy_file
from feint.learn.networks import Architecture, Network, NetworkAgent, features_of
from feint.learn.policy_file import PolicyFile, play_from

KUHN = feint.make("kuhn")


def agent_of(game, shape=None, seed=0):
    return NetworkAgent(
        Network(shape or Architecture(width=8), features_of(game), game.actions, chance.key(seed)), game
    )


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "kuhn.npz"
    agent = agent_of(KUHN)
    PolicyFile.of(agent, KUHN, {"command": "feint train kuhn"}).save(path)
    return path, agent


@pytest.mark.parametrize(
    "shape", [Architecture(width=8), Architecture("residual", 8, 1, half=True), Architecture(depth=0)]
)
def test_what_is_loaded_plays_as_what_was_saved(tmp_path, shape):
    agent = agent_of(KUHN, shape)
    PolicyFile.of(agent, KUHN, {}).save(tmp_path / "p.npz")
    loaded = registry.make_agent(f"policy:{tmp_path / 'p.npz'}", KUHN)
    assert jax.tree.structure(loaded) == jax.tree.structure(agent)
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(loaded), jax.tree.leaves(agent), strict=True))
    view = KUHN.observe(KUHN.init(chance.key(1)), jnp.int32(0))
    legal = jnp.ones(2, bool)
    assert np.array_equal(loaded.probabilities(view, legal), agent.probabilities(view, legal))


def test_a_file_says_what_it_is(saved):
    file = PolicyFile.load(saved[0])
    assert (file.game, file.options, file.kind) == ("kuhn", {"players": 2}, "NetworkAgent")
    assert file.made["command"] == "feint train kuhn"
    assert {"feint", "jax", "python"} <= file.made.keys()


def test_another_game_or_other_options_are_refused(saved):
    with pytest.raises(UserError, match=r"trained for kuhn\(players=2\), not for leduc"):
        play_from(str(saved[0]), feint.make("leduc"))
    with pytest.raises(UserError, match=r"not for kuhn\(players=3\)"):
        play_from(str(saved[0]), feint.make("kuhn", players=3))


@pytest.mark.parametrize("spoil", ["text", "half", "nothing", "flip", "no header", "other kind"])
def test_a_damaged_file_costs_one_sentence(saved, spoil):
    path, _ = saved
    whole = path.read_bytes()
    if spoil == "no header":
        np.savez(path, numbers=np.zeros(3))
    elif spoil == "other kind":
        np.savez(path, header=np.array('{"format": 1, "kind": "os.system"}'))
    else:
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 40]) + whole[middle + 40 :]
        path.write_bytes({"text": b"hello", "half": whole[:middle], "nothing": b"", "flip": flipped}[spoil])
    with pytest.raises(UserError) as wrong:
        play_from(str(path), KUHN)
    assert str(wrong.value) == f"{path} is no policy that feint saved, or it is damaged."


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        play_from(str(tmp_path / "none.npz"), KUHN)


def test_numbers_of_another_size_are_refused(saved):
    path, agent = saved
    file = PolicyFile.of(agent, KUHN, {})
    PolicyFile(file.kind, file.recipe | {"width": 9}, file.game, file.options, {}, file.numbers).save(path)
    with pytest.raises(UserError, match="do not fit its recipe"):
        play_from(str(path), KUHN)


def test_there_is_nothing_to_unpickle(saved):
    with zipfile.ZipFile(saved[0]) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    for name, numbers in PolicyFile.load(saved[0]).numbers.items():
        assert numbers.dtype == np.float32, name


def test_large_networks_keep_half_the_digits(tmp_path, monkeypatch):
    monkeypatch.setattr(policy_file, "LARGEST", 1000)
    agent = agent_of(KUHN, Architecture(width=64))
    PolicyFile.of(agent, KUHN, {}).save(tmp_path / "p.npz")
    loaded = play_from(str(tmp_path / "p.npz"), KUHN)
    for a, b in zip(jax.tree.leaves(loaded), jax.tree.leaves(agent), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)


def test_solved_policies_play_by_the_same_name(tmp_path):
    from feint.commands.solve import solve
    from feint.solve.policy import TabularAgent

    path = tmp_path / "solved.npz"
    solve(KUHN, iterations=5, out=path)
    assert isinstance(registry.make_agent(f"policy:{path}", KUHN), TabularAgent)
