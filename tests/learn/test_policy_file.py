"""Policy files: what was saved plays the same; what cannot be read is refused in one sentence."""

import zipfile
from dataclasses import dataclass, replace
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import catalogue, chance, registry
from feint.archive import Archive
from feint.errors import UserError
from feint.game import pytree, static
from feint.games.small.kuhn import Kuhn
from feint.learn import policy_file
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Critic, Network, NetworkAgent
from feint.learn.policy_file import PolicyFile, fingerprint, play_from

KUHN = feint.make("kuhn")


def agent_of(game, shape=None, seed=0):
    return NetworkAgent(Network(shape or Architecture(width=8), Layout.of(game), game.actions, chance.key(seed)), game)


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "kuhn.npz"
    agent = agent_of(KUHN)
    PolicyFile.of(agent, KUHN, {"command": "feint train kuhn"}).save(path)
    return path, agent


@pytest.mark.parametrize(
    "shape",
    [
        Architecture(width=8),
        Architecture("residual", 8, 1, bfloat16=True),
        Architecture("attention", 8),
        Architecture(depth=0),
    ],
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


def test_agents_are_told_apart_by_what_they_do_with_the_same_numbers():
    agent = agent_of(KUHN)
    prints = [fingerprint(each) for each in (agent, replace(agent, greedy=True), agent_of(KUHN))]
    assert prints[0] != prints[1]
    assert prints[0] == prints[2]


def test_a_critic_is_kept_with_its_agent(tmp_path):
    """It says of a position what it said before, whatever its own shape; a recipe of no critic is refused in one sentence."""
    layout, state = Layout.of(KUHN), KUHN.init(chance.key(1))
    for views in (2, 1):
        critic = Critic(Network(Architecture(width=4), layout, 0, chance.key(5), views))
        agent = replace(agent_of(KUHN), critic=critic)
        PolicyFile.of(agent, KUHN, {}).save(tmp_path / "p.npz")
        loaded = play_from(str(tmp_path / "p.npz"), KUHN)
        assert jax.tree.structure(loaded) == jax.tree.structure(agent)
        assert loaded.critic.value(KUHN, state, jnp.int32(0)) == critic.value(KUHN, state, jnp.int32(0))
    file = PolicyFile.load(tmp_path / "p.npz")
    with pytest.raises(UserError, match="do not fit its recipe"):
        replace(file, recipe=file.recipe | {"critic": {"sees": "nothing", "outputs": 0}}).agent_for(KUHN)


def test_a_file_says_what_it_is(saved):
    file = PolicyFile.load(saved[0])
    assert (file.game, file.options, file.version, file.kind) == ("kuhn", {"players": 2}, 1, "NetworkAgent")
    assert [(each["name"], each["shape"]) for each in file.recipe["inputs"]] == [
        ("seat", [2]),
        ("card", [3]),
        ("history", [3, 2]),
    ]
    assert file.made["command"] == "feint train kuhn"
    assert {"feint", "jax", "python"} <= file.made.keys()


def test_another_game_or_other_options_are_refused(saved):
    with pytest.raises(UserError, match=r"made for kuhn\(players=2\), not for leduc"):
        play_from(str(saved[0]), feint.make("leduc"))
    with pytest.raises(UserError, match=r"not for kuhn\(players=3\)"):
        play_from(str(saved[0]), feint.make("kuhn", players=3))


@dataclass(frozen=True)
class Later(Kuhn):
    """Kuhn poker as it may be one day."""

    version: ClassVar[int] = 2


@dataclass(frozen=True)
class Retold(Kuhn):
    """Gives the same pieces in another order, and one more."""

    def encode(self, view):
        return {"moves": view.moves, **dict(reversed(super().encode(view).items()))}


@dataclass(frozen=True)
class Curt(Kuhn):
    """Does not say who acts."""

    def encode(self, view):
        return {name: piece for name, piece in super().encode(view).items() if name != "seat"}


@dataclass(frozen=True)
class Wider(Kuhn):
    """Says more of the card."""

    def encode(self, view):
        return super().encode(view) | {"card": jnp.zeros((3, 2))}


def test_another_version_of_the_game_is_refused_by_name(saved):
    with pytest.raises(UserError) as wrong:
        play_from(str(saved[0]), Later())
    assert str(wrong.value) == f"policy:{saved[0]} was made for version 1 of kuhn, this is version 2."


def test_other_inputs_are_refused_by_name(saved):
    with pytest.raises(UserError) as wrong:
        play_from(str(saved[0]), Curt())
    assert str(wrong.value) == "The policy reads seat[2], which kuhn does not give; it gives card, history."
    with pytest.raises(UserError) as wrong:
        play_from(str(saved[0]), Wider())
    assert str(wrong.value) == "The policy reads card[3], which kuhn does not give; it gives card[3, 2]."


def test_a_network_finds_what_it_reads_by_name(saved):
    path, agent = saved
    view = KUHN.observe(KUHN.init(chance.key(1)), jnp.int32(0))
    retold = play_from(str(path), Retold())
    assert np.array_equal(retold.probabilities(view, jnp.ones(2, bool)), agent.probabilities(view, jnp.ones(2, bool)))


@pytest.mark.parametrize(
    "inputs", [None, 3, [{"name": "card"}], [["card", [3]]], [{"name": "c", "shape": 3, "rows": 0}]]
)
def test_a_file_that_does_not_say_what_it_reads_costs_one_sentence(saved, inputs):
    path, agent = saved
    file = PolicyFile.of(agent, KUHN, {})
    replace(file, recipe=file.recipe | {"inputs": inputs}).save(path)
    with pytest.raises(UserError, match="does not say what its network reads"):
        play_from(str(path), KUHN)


def test_a_file_of_the_first_format_is_refused_by_name(saved):
    path, _ = saved
    np.savez(path, header=np.array('{"format": 1, "kind": "NetworkAgent", "recipe": {}, "game": "kuhn"}'))
    with pytest.raises(UserError) as wrong:
        play_from(str(path), KUHN)
    assert str(wrong.value) == f"{path} is a policy of format 1; this version of feint reads format 2."


@pytree
class Holder(NetworkAgent):
    """An agent whose game is a part of it."""

    network: Network
    game: Kuhn
    greedy: bool = static(default=False)


def test_numbers_of_the_game_are_no_part_of_the_file_and_the_game_given_is_taken(saved, monkeypatch):
    path, agent = saved
    monkeypatch.setitem(catalogue.POLICIES, "Holder", f"{__name__}:Holder")
    PolicyFile.of(Holder(agent.network, KUHN), KUHN, {}).save(path)
    assert not [name for name in PolicyFile.load(path).numbers if "game" in name]
    given = Kuhn()
    assert PolicyFile.load(path).agent_for(given).game is given


@pytest.mark.parametrize("spoil", ["text", "half", "nothing", "flip", "no header", "other kind"])
def test_a_damaged_file_costs_one_sentence(saved, spoil):
    path, _ = saved
    whole = path.read_bytes()
    if spoil == "no header":
        np.savez(path, numbers=np.zeros(3))
    elif spoil == "other kind":
        np.savez(path, header=np.array('{"format": 2, "kind": "os.system"}'))
    else:
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 40]) + whole[middle + 40 :]
        path.write_bytes({"text": b"hello", "half": whole[:middle], "nothing": b"", "flip": flipped}[spoil])
    with pytest.raises(UserError) as wrong:
        play_from(str(path), KUHN)
    assert str(wrong.value) == f"{path} is not a policy that feint saved, or it is damaged."


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        play_from(str(tmp_path / "none.npz"), KUHN)


def test_numbers_of_another_size_are_refused(saved):
    path, agent = saved
    file = PolicyFile.of(agent, KUHN, {})
    replace(file, recipe=file.recipe | {"width": 9}).save(path)
    with pytest.raises(UserError, match="do not fit its recipe"):
        play_from(str(path), KUHN)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_are_none_do_not_play(saved, number):
    path, agent = saved
    file = PolicyFile.of(agent, KUHN, {})
    name, some = next(iter(file.numbers.items()))
    replace(file, numbers={**file.numbers, name: np.full_like(some, number)}).save(path)
    with pytest.raises(UserError, match="numbers that are none"):
        play_from(str(path), KUHN)


def test_whoever_would_be_large_is_refused_before_anything_is_unpacked(saved, monkeypatch):
    path, agent = saved
    file = PolicyFile.of(agent, KUHN, {})
    replace(file, recipe=file.recipe | {"width": 8192, "depth": 64}).save(path)
    loaded = PolicyFile.load(path)
    monkeypatch.setattr(Archive, "__getitem__", None)
    with pytest.raises(UserError, match="do not fit its recipe"):
        loaded.agent_for(KUHN)


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
    from feint.solvers.policy import TabularAgent

    path = tmp_path / "solved.npz"
    solve(KUHN, iterations=5, out=path)
    assert isinstance(registry.make_agent(f"policy:{path}", KUHN), TabularAgent)
