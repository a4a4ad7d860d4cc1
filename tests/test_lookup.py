"""Large tables of the rules are made once, told of while they are made, and read from the user's cache afterwards."""

import io
import subprocess
import sys
import threading

import jax
import numpy as np
import pytest
from rich.console import Console

from feint import interrupts, lookup
from tests.terminals import Terminal
from tests.toys import HANDS, Stay, strength_of


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache in which nothing is, and a process that knows of nothing."""
    monkeypatch.setenv("FEINT_CACHE", str(tmp_path))
    monkeypatch.setattr(lookup, "_made", {})
    monkeypatch.setattr(Stay, "built", [])
    return tmp_path / "kept"


@pytest.fixture
def small(monkeypatch):
    """Tables that take no time to write, in place of Stay's own."""

    def build(self, _):
        self.built.append(self.tables_name)
        return {"strength": np.arange(8)}

    monkeypatch.setattr(Stay, "build", build)
    return np.arange(8)


def strength() -> np.ndarray:
    return np.asarray(Stay().tables["strength"])


def test_tables_are_made_once_and_then_read(folder):
    made = strength()
    assert made.nbytes > 25_000_000
    assert (made[[0, 1, HANDS - 1]] == strength_of(np.array([0, 1, HANDS - 1]))).all()
    assert Stay.built == ["stay"]
    lookup._made.clear()  # as another process would find it
    assert (strength() == made).all()
    assert Stay(players=4, stakes=(3,)).tables["strength"] is Stay().tables["strength"]
    assert Stay.built == ["stay"]
    assert len(list(folder.iterdir())) == 1


def test_whoever_waits_is_told_why_and_sees_one_bar(monkeypatch):
    screen, status = io.StringIO(), Console(file=io.StringIO(), force_terminal=True).status("A moment ...")
    monkeypatch.setattr("rich.console.Console", lambda **_: Console(file=screen, force_terminal=True, width=80))
    seen = []

    def build(_, progress):
        progress(0.0)
        seen.append(status._live.is_started)
        progress(0.5)
        return {"strength": np.arange(2)}

    monkeypatch.setattr(Stay, "build", build)
    with interrupts.shown(status):
        strength()
        seen.append(status._live.is_started)
    assert seen == [False, True]
    assert screen.getvalue().count("They are made now") == 1
    assert "kept for later starts" in " ".join(screen.getvalue().split())
    assert "Making the look-up tables of stay" in screen.getvalue()


@pytest.mark.usefixtures("small")
def test_tables_of_another_version_are_others(folder, monkeypatch):
    strength()
    monkeypatch.setattr(Stay, "version", 2)
    lookup._made.clear()
    strength()
    assert Stay.built == ["stay", "stay"]
    assert len(list(folder.iterdir())) == 2


def test_damaged_tables_are_made_again(folder, small):
    strength()
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    lookup._made.clear()
    assert (strength() == small).all()
    assert Stay.built == ["stay", "stay"]


def test_without_a_cache_they_are_made_all_the_same(folder, monkeypatch):
    monkeypatch.setenv("FEINT_CACHE", "off")
    assert len(strength()) == HANDS
    assert not folder.exists()


def test_they_can_be_made_while_something_else_is_compiled(monkeypatch):
    """By compiled functions whose results are looked at, as Hold'em's are."""

    def build(*_):
        return {"strength": np.sort(jax.jit(lambda hands: hands[::-1] * 2)(np.arange(8)))}

    monkeypatch.setattr(Stay, "build", build)
    found = jax.eval_shape(lambda: Stay().tables["strength"] + 1)
    assert found.shape == (8,)
    assert (strength() == 2 * np.arange(8)).all()


SECOND = """
import sys
from tests.toys import Stay
Stay.build = lambda *_: sys.exit("made twice")
print("found", Stay().tables["strength"])
"""


def test_of_two_processes_one_makes_them_and_the_other_waits(monkeypatch):
    others = []

    def build(*_):
        others.append(Terminal("-c", SECOND))
        others[0].until("another feint is making")
        return {"strength": np.arange(3)}

    monkeypatch.setattr(Stay, "build", build)
    assert (strength() == np.arange(3)).all()
    others[0].until(r"found \[0 1 2\]")
    assert others[0].end()[0] == 0


KILLED = """
import time
from tests.toys import Stay
Stay.build = lambda *_: print("making", flush=True) or time.sleep(600)
Stay().tables
"""


def test_a_process_that_is_killed_while_it_makes_them_is_not_waited_for(folder, small, monkeypatch):
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout.readline() == "making\n"
        screen = io.StringIO()
        monkeypatch.setattr("rich.console.Console", lambda **_: Console(file=screen, force_terminal=True, width=120))
        threading.Timer(0.3, first.kill).start()
        assert (strength() == small).all()
    assert "another feint is making" in screen.getvalue()
    assert Stay.built == ["stay"]
    assert len(list(folder.iterdir())) == 1


def test_a_game_without_tables_has_none():
    from feint.games.small.kuhn import Kuhn

    assert Kuhn().tables is None
