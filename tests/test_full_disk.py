"""A disk that is full: one sentence, nothing that was there before is lost, and with room again the same command goes on."""

import subprocess
from contextlib import suppress

import pytest

import feint
from feint import catalogue, cli
from feint.arena.result import Result
from feint.commands.solve import solve
from feint.commands.study import study
from feint.commands.train import train
from feint.errors import UserError
from feint.learn.train import Run
from feint.record import Record
from feint.solvers.policy import SavedPolicy
from feint.table import Table
from feint.terminal.screen import Screen
from feint.terminal.session import Session
from tests.studies.toys import Experiments

FULL = r": No space left on device\.$"


class Disk:
    """A small one of its own."""

    def __init__(self, folder):
        self.folder, self.filler = folder, folder / "filler"

    def fill(self):
        with self.filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(1000))

    def empty(self):
        self.filler.unlink()


@pytest.fixture
def disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("a disk cannot be mounted here")
    yield Disk(folder)
    subprocess.run(["umount", "-l", folder], check=True)


def files(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "filler"}


def test_a_training_run(disk, monkeypatch):
    given = {"game": "kuhn", "algorithm": "q-learning", "games": 4, "evaluations": 1}
    out, chosen = disk.folder / "run", ["num_envs=16", "num_steps=8", "total_timesteps=512", "table_size=64"]
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        train(given, chosen, None, out, None)
    disk.empty()
    with monkeypatch.context() as stopping:
        stopping.setattr("feint.commands.train.pressed", lambda: True)
        with pytest.raises(SystemExit):
            train(given, chosen, None, out, None)
    before = files(out)
    assert len(before) >= 4
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        train({}, [], None, None, out)
    assert files(out) == before
    disk.empty()
    assert train({}, [], None, None, out) == 0
    assert Run.resume(out).done


def test_a_solver(disk):
    out, game = disk.folder / "kuhn.npz", feint.make("kuhn")
    solve(game, "dcfr", iterations=20, out=out)
    before = files(disk.folder)
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        solve(game, "dcfr", iterations=50, out=out)
    assert files(disk.folder) == before
    disk.empty()
    solve(game, "dcfr", iterations=50, out=out)
    assert SavedPolicy.load(out).made["iterations"] == 50


def test_a_match(disk):
    line = ["match", "kuhn", "random", "random", "-n", "400", "--save", str(disk.folder / "kuhn.json")]
    cli.app(line, standalone_mode=False)
    before = files(disk.folder)
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        cli.app([*line, "--seed", "1"], standalone_mode=False)
    assert files(disk.folder) == before
    assert Result.load(disk.folder / "kuhn.json").seeds == (0,)


def test_a_study(disk, monkeypatch):
    toy = Experiments()
    monkeypatch.setitem(catalogue.STUDIES, "toy", "tests.studies.toys:TOY")
    monkeypatch.setattr("tests.studies.toys.TOY", toy.study(), raising=False)
    study("toy", only=["one"], out=disk.folder)
    before = files(disk.folder)
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        study("toy", out=disk.folder)
    assert files(disk.folder) == before
    disk.empty()
    assert study("toy", out=disk.folder) == 0


def test_a_game_at_the_keyboard_goes_on(disk, capsys):
    class Full(Screen):
        asked = 0

        def ask(self, prompt: str) -> str:
            self.asked += 1
            if self.asked == 1:
                disk.fill()
            return "c"  # to check, or to call

    path = disk.folder / "game.json"
    session = Session(Table(feint.make("kuhn"), ["me", "me"], 5), Full(), path, 0)
    assert session.run()
    assert capsys.readouterr().out.count("The game cannot be saved as") == 1
    assert not Record.load(path).over  # as it was when there was room


@pytest.mark.slow
def test_a_search(disk):
    line = [
        "search",
        "bidding",
        "drifting(change=0.1)",
        "--table",
        "uniform,uniform",
        "--vary",
        "concentration=0.01..10",
    ]
    line += ["--method", "cem", "--population", "6", "--deals", "6", "-n", "60"]
    line += ["--out", str(disk.folder / "search.json")]
    cli.app([*line, "--generations", "1"], standalone_mode=False)
    before = files(disk.folder)
    disk.fill()
    with pytest.raises(UserError, match=FULL):
        cli.app([*line, "--generations", "2"], standalone_mode=False)
    assert files(disk.folder) == before
    disk.empty()
    assert cli.app([*line, "--generations", "2"], standalone_mode=False) == 0
