"""Programs kept whole: found again without tracing, made again where they are damaged, and never mistaken for each other."""

import pickle
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.agent import Memoryless
from feint.arena import rollout
from feint.game import pytree
from feint.program_cache import CachedProgram
from feint.registry import make_agent


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path))
    return tmp_path / "kept"


def traced_times():
    """A fresh jitted function, and how often it has been traced."""
    times = []

    @partial(jax.jit, static_argnames=("power",))
    def scaled(values, *, power):
        times.append(power)
        return {"values": values["x"] ** power, "total": values["x"].sum()}

    return scaled, times


X = {"x": np.arange(4.0, dtype=np.float32)}


def test_a_program_kept_before_is_not_traced_again(folder):
    scaled, times = traced_times()
    first = CachedProgram(scaled)(X, power=2)
    assert times == [2]
    again, retraced = traced_times()
    second = CachedProgram(again)(X, power=2)
    assert not retraced
    assert second["values"].tolist() == first["values"].tolist() == [0, 1, 4, 9]
    assert second["total"] == 6
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    "other", [{"x": np.arange(5.0, dtype=np.float32)}, {"x": np.arange(4)}, {"x": jnp.arange(4.0)}]
)
def test_other_shapes_and_settings_are_other_programs(other):
    scaled, times = traced_times()
    program = CachedProgram(scaled)
    program(X, power=2)
    assert program(other, power=2)["values"].tolist() == [float(i) ** 2 for i in range(len(other["x"]))]
    assert program(X, power=3)["values"].tolist() == [0, 1, 8, 27]
    assert times.count(3) == 1


def test_a_damaged_program_is_made_again(folder):
    scaled, _ = traced_times()
    CachedProgram(scaled)(X, power=2)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    random = np.random.default_rng(0)
    flipped = [
        bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        for at, bit in zip(
            random.integers(len(whole), size=6).tolist(), random.integers(8, size=6).tolist(), strict=True
        )
    ]
    for damaged in [b"", b"nonsense", whole[:-100], whole + b"more", *flipped]:
        file.write_bytes(damaged)
        again, retraced = traced_times()
        assert CachedProgram(again)(X, power=2)["values"].tolist() == [0, 1, 4, 9]
        assert retraced == [2]


def test_what_somebody_planted_is_not_run(folder, tmp_path):
    class Planted:
        def __reduce__(self):
            return (tmp_path / "was-run").write_text, ("",)

    scaled, _ = traced_times()
    CachedProgram(scaled)(X, power=2)
    (file,) = folder.iterdir()
    file.write_bytes(pickle.dumps(Planted()))
    assert CachedProgram(scaled)(X, power=2)["values"].tolist() == [0, 1, 4, 9]
    assert not (tmp_path / "was-run").exists()


def test_double_precision_is_another_program():
    scaled, times = traced_times()
    program = CachedProgram(scaled)
    program(X, power=2)
    with jax.enable_x64(True):
        program(X, power=2)
    assert times == [2, 2]


def test_within_another_program_nothing_is_kept(folder):
    scaled, _ = traced_times()
    program = CachedProgram(scaled)
    found = jax.vmap(lambda x: program({"x": x}, power=2)["total"])(jnp.ones((3, 4)))
    assert found.tolist() == [4, 4, 4]
    assert not list(folder.iterdir())


def test_code_that_is_not_feints_is_never_kept(folder):
    """Neither where it plays itself nor where one of feint's agents asks it."""
    game = feint.make("kuhn")
    random = make_agent("random", game)

    @pytree
    class Mine(type(random)):
        pass

    @pytree
    class Asking(Memoryless):
        agent: Any

        def act(self, memory, view, legal, key):
            return self.agent.act(memory, view, legal, key)

    Asking.__module__ = "feint.somewhere"
    executed: dict[str, Any] = {"Base": type(random)}  # whose classes are, by their module, Python's own
    exec("class Executed(Base):\n    pass", executed)
    for other in (Mine(), Asking(Mine()), pytree(executed["Executed"])()):
        rollout.play(game, [random, other], [0, 1], seed=0, first=0, matches=4)
        assert not list(folder.iterdir())
    # Of another size, since JAX has kept the very same program by now.
    rollout.play(game, [random, Asking(random)], [0, 1], seed=0, first=0, matches=71)
    assert list(folder.iterdir())


def test_a_match_from_a_kept_program_is_the_same_match(folder):
    game = feint.make("kuhn")
    agents = [make_agent("random", game)] * 2

    def rewards():
        rollout._cached_play.loaded.clear()
        return np.asarray(rollout.play(game, agents, [0, 1], seed=5, first=0, matches=67)[0].rewards)

    first = rewards()
    assert len(list(folder.iterdir())) == 1
    assert np.array_equal(rewards(), first)


def test_where_nothing_may_be_written_it_still_plays(folder, monkeypatch):
    folder.write_text("a file where the folder would be")
    scaled, _ = traced_times()
    assert CachedProgram(scaled)(X, power=2)["values"].tolist() == [0, 1, 4, 9]
    monkeypatch.setenv("FEINT_CACHE", "off")
    assert CachedProgram(scaled)(X, power=2)["values"].tolist() == [0, 1, 4, 9]
