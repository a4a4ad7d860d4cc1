"""Every file that feint reads, altered in every way that comes to mind: it is refused in one sentence, or read as if it had not been.

A file that somebody altered and sealed again may say something else, but it must not cost a traceback either.
"""

import os
import random
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feint.errors import UserError
from feint.learn.train import METRICS
from tests.altered.alterations import ALTERED, by_another
from tests.altered.kinds import KINDS

FEW, MANY = 12, 600  # alterations of each kind of file, of each sort


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """A folder for each kind of file with a valid one in it, and what is read of it."""
    made_once: dict[str, tuple[Path, Any]] = {}

    def of(name: str) -> tuple[Path, Any]:
        if name not in made_once:
            folder = tmp_path_factory.mktemp("valid")
            KINDS[name].make(folder)
            copy = tmp_path_factory.mktemp("copy") / "folder"
            shutil.copytree(folder, copy)
            made_once[name] = folder, KINDS[name].read(copy)
        return made_once[name]

    return of


def read(name: str, folder: Path) -> Any:
    """What is read of a file, or the sentence that refuses it: one line, of which a terminal takes none for a command."""
    try:
        return KINDS[name].read(folder)
    except UserError as refused:
        sentence = str(refused)
        assert sentence
        assert "\n" not in sentence
        assert "\x1b" not in sentence
        return refused


def read_altered(name: str, original: Path, folder: Path, alter: Callable[[bytes], bytes]) -> Any:
    """What is read of a file after it was altered, beside all that it came with."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original, folder)
    path = folder / KINDS[name].file
    path.write_bytes(alter(path.read_bytes()))
    return read(name, folder)


def check(name: str, valid: Any, folder: Path, seed: int) -> None:
    (original, before), draw_ = valid(name), random.Random(seed)
    found = read_altered(name, original, folder, lambda whole: draw_.choice(ALTERED)(whole, draw_))
    assert isinstance(found, UserError) or KINDS[name].same(found, before)


def check_sealed(name: str, valid: Any, folder: Path, seed: int) -> None:
    draw_ = random.Random(seed)
    read_altered(name, valid(name)[0], folder, lambda whole: by_another(whole, KINDS[name], draw_))


SEALED = [
    name for name, kind in KINDS.items() if kind.sealed or kind.file in (METRICS, "result.json", "checkpoint.npz")
]
SEEDS = st.integers(0, 2**32 - 1)


def how(times: int) -> settings:
    return settings(max_examples=times, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def nothing_typed(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", StringIO(""))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_was_altered_is_refused_or_read_as_it_was(valid, tmp_path, name):
    how(FEW)(given(seed=SEEDS)(lambda seed: check(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.parametrize("name", SEALED)
def test_a_file_that_was_altered_and_sealed_again_costs_no_traceback(valid, tmp_path, name):
    how(FEW)(given(seed=SEEDS)(lambda seed: check_sealed(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_was_altered_in_many_ways(valid, tmp_path, name):
    how(MANY)(given(seed=SEEDS)(lambda seed: check(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.slow
@pytest.mark.parametrize("name", SEALED)
def test_a_file_that_was_altered_in_many_ways_and_sealed_again(valid, tmp_path, name):
    how(MANY)(given(seed=SEEDS)(lambda seed: check_sealed(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.parametrize("instead", ["nothing", "folder", "dangling link", "pipe", "device", "own link"])
@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_file_is_refused_and_not_waited_for(valid, tmp_path, name, instead):
    original, before = valid(name)
    folder = tmp_path / "altered"
    shutil.copytree(original, folder)
    path = folder / KINDS[name].file
    path.unlink()
    if instead == "folder":
        path.mkdir()
    elif instead == "pipe":
        os.mkfifo(path)
    elif instead != "nothing":
        path.symlink_to({"dangling link": "nowhere", "device": "/dev/zero", "own link": path.name}[instead])
    found = read(name, folder)
    assert isinstance(found, UserError) or KINDS[name].same(found, before)
