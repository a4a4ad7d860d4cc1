"""Killed at any time, and again, and again: nothing is damaged, and the same command ends where an unbroken one would have."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from feint.learn.train import CHECKPOINT, Run, read_news
from feint.solvers.policy import SavedPolicy

pytestmark = pytest.mark.slow

FEINT = [sys.executable, "-m", "feint.cli"]
ENV = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}


def killed(line: list[str], folder: Path, after: float) -> bool:
    """Whether a command was killed before it ended by itself."""
    running = subprocess.Popen([*FEINT, *line], cwd=folder, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, told = running.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        return True
    assert running.returncode == 0, told
    return False


def at_random(line: list[str], folder: Path, kills: int, again: list[str] | None = None) -> None:
    """Run a command to its end through some kills."""
    draw = random.Random(1)
    for _ in range(kills):
        if killed(line, folder, draw.uniform(1.0, 12.0)):
            line = again or line
    assert not killed(line, folder, 600)


def test_training(tmp_path):
    settings = ["num_envs=16", "num_steps=8", "table_size=64", "total_timesteps=512000"]
    line = ["train", "kuhn", "--algorithm", "q-learning", *(f"--set={each}" for each in settings), "--games", "4"]
    assert not killed([*line, "--out", "whole"], tmp_path, 600)
    (tmp_path / "parts").mkdir()
    subprocess.run(["cp", "-r", "whole/run.toml", "parts/run.toml"], cwd=tmp_path, check=True)
    at_random(["train", "--resume", "parts"], tmp_path, 6)
    whole, parts = (dict(np.load(tmp_path / each / CHECKPOINT)) for each in ("whole", "parts"))
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    told = [news.updates for news in read_news(tmp_path / "parts")]
    assert told == [news.updates for news in read_news(tmp_path / "whole")]
    assert Run.resume(tmp_path / "parts").done


def test_solving(tmp_path):
    line = ["solve", "leduc", "--iterations", "20000", "--out"]
    at_random([*line, "parts.npz"], tmp_path, 4)
    at_random([*line, "whole.npz"], tmp_path, 0)
    whole, parts = (SavedPolicy.load(tmp_path / each) for each in ("whole.npz", "parts.npz"))
    np.testing.assert_array_equal(whole.chances, parts.chances)


def test_matches_and_searches(tmp_path):
    match = ["match", "leduc", "random", "random", "-n", "200000", "--save"]
    (tmp_path / "parts.json").write_text("there before")
    draw = random.Random(2)
    for _ in range(3):
        if killed([*match, "parts.json"], tmp_path, draw.uniform(1.0, 6.0)):
            assert (tmp_path / "parts.json").read_text() == "there before"
    at_random([*match, "parts.json"], tmp_path, 0)
    search = ["search", "bidding", "drifting", "--table", "uniform,uniform", "--vary", "concentration=0.01..10"]
    search += ["--population", "6", "--deals", "6", "-n", "60", "--generations", "20", "--out"]
    at_random([*search, "parts.search.json"], tmp_path, 4)
    at_random([*search, "whole.search.json"], tmp_path, 0)
    assert (tmp_path / "parts.search.json").read_bytes() == (tmp_path / "whole.search.json").read_bytes()


def test_a_study(tmp_path):
    line = [
        "study",
        "bidding",
        "--games",
        "2000",
        "--only",
        "equilibria",
        "--only",
        "figure-2",
        "--only",
        "figure-6",
        "--out",
    ]
    at_random([*line, "parts"], tmp_path, 5)
    at_random([*line, "whole"], tmp_path, 0)
    for report in ("bidding.md", "bidding.html"):
        assert (tmp_path / "parts" / report).read_bytes() == (tmp_path / "whole" / report).read_bytes()


def test_a_game(tmp_path):
    """What was answered before the kill is not asked again."""
    env = ENV | {"XDG_DATA_HOME": str(tmp_path), "COLUMNS": "80"}
    line = [*FEINT, "play", "bluff", "--seats", "me,no-bluff", "--seed", "1"]
    playing = subprocess.Popen(
        line, cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1
    )
    playing.stdin.write("1\n\n")  # one card, and yes
    playing.stdin.flush()
    told = ""
    while "You lay 1 card" not in told:
        told += playing.stdout.read(1)
    playing.kill()
    playing.wait()
    resumed = subprocess.run(
        [*FEINT, "play", "--resume"], cwd=tmp_path, env=env, input="q\n", capture_output=True, encoding="utf-8"
    )
    assert resumed.returncode == 0, resumed.stderr
    assert "You lay 1 card as an Ace, 25 left." in resumed.stdout
    assert "Lay 1 to 4 cards as Aces" not in resumed.stdout


LONG = {
    "match": (["match", "leduc", "random", "random", "-n", "90000000", "--save", "it.json"], "The result it.json"),
    "solve": (["solve", "leduc", "--iterations", "9000000", "--out", "it.npz"], "The policy it.npz"),
    "search": (
        ["search", "bidding", "drifting", "--table", "uniform,uniform", "--generations", "9000", "--out", "it.json"],
        "The search it.json",
    ),
    "study": (["study", "bidding", "--out", "it"], "The study it/sections"),
    "train": (["train", "kuhn", "--out", "it", "--steps", "900000000"], "The run it/run.toml"),
}


@pytest.mark.parametrize("command", LONG)
def test_two_at_once(command, tmp_path):
    line, what = LONG[command]
    first = subprocess.Popen(
        [*FEINT, *line], cwd=tmp_path, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not list(tmp_path.rglob(".*.lock")):
            assert first.poll() is None
            time.sleep(0.05)
        again = ["train", "--resume", "it"] if command == "train" else line
        if command == "train":
            while not (tmp_path / "it" / "run.toml").exists():
                time.sleep(0.05)
        refused = subprocess.run([*FEINT, *again], cwd=tmp_path, env=ENV, capture_output=True, encoding="utf-8")
        assert refused.returncode == 2
        assert refused.stderr.startswith(f"feint: {what} is in use by another feint: ")
    finally:
        first.kill()
        first.wait()


def test_two_at_one_game(tmp_path):
    env = ENV | {"XDG_DATA_HOME": str(tmp_path)}
    first = subprocess.Popen(
        [*FEINT, "play", "kuhn", "--seed", "1"], env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        while not (saved := [*tmp_path.rglob("kuhn*.json")]):
            assert first.poll() is None
            time.sleep(0.05)
        refused = subprocess.run(
            [*FEINT, "play", "--resume", saved[0]], env=env, input="q\n", capture_output=True, encoding="utf-8"
        )
        assert refused.returncode == 2
        assert "is in use by another feint" in refused.stderr
    finally:
        first.kill()
        first.wait()
