"""Data sets: every decision as it was made, in files that are the same however often the making was stopped, and that any program reads."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import jax
import numpy as np
import pandas as pd
import polars as pl
import pytest

import feint
from feint.arena import decisions
from feint.dataset import Dataset, folder, make
from feint.dataset.columns import columns_of, views_of
from feint.errors import UserError
from tests.commands.typed import typed

KUHN = feint.make("kuhn")
AGENTS = ["random", "zoo:kuhn-1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Thirty games in files of eight."""
    return make(KUHN, AGENTS, 30, tmp_path_factory.mktemp("data") / "kuhn", seed=5, per_file=8)


@pytest.fixture(scope="module")
def rows(made):
    parts = [*made]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def files_of(dataset):
    return {path.name: path.read_bytes() for path in sorted(dataset.folder.iterdir())}


def test_rows_are_the_games_of_the_seed(rows):
    """A table of the same seed and number, with everybody in the same seat, decides the same."""
    at = 0
    for game in range(30):
        seats = [AGENTS[(seat - game) % 2] for seat in range(2)]
        table = feint.Table(KUHN, seats, seed=5, table=game)
        first = at
        while not table.over:
            view, legal, player = table.view(table.player), table.legal, table.player
            here = {name: column[at] for name, column in rows.items()}
            assert (here["game"], here["move"], here["seat"]) == (game, table.moves, player)
            assert AGENTS[here["agent"]] == seats[player]
            kept = views_of(KUHN, {name: column[at : at + 1] for name, column in rows.items()})
            for one, other in zip(jax.tree.leaves(view), jax.tree.leaves(kept), strict=True):
                assert np.array_equal(one, other[0])
            assert np.array_equal(legal, here["legal"])
            assert table.act() == here["action"]
            at += 1
        for row in range(first, at):
            assert rows["payoff"][row] == table.rewards[rows["seat"][row]]
            assert rows["won"][row] == table.winners[rows["seat"][row]]
            assert rows["moves"][row] == table.moves
    assert at == len(rows["action"])


def test_it_says_what_its_columns_are(made):
    told = json.loads((made.folder / "_dataset.json").read_text("utf-8"))
    assert (told["game"], told["agents"], told["games"], told["per_file"]) == ("kuhn", AGENTS, 30, 8)
    named = {column["name"]: (column["type"], column["shape"]) for column in told["columns"]}
    assert named["view.history"] == ("int32", [3])
    assert named["legal"] == ("bool", [2])
    assert all(column["meaning"] for column in told["columns"])
    assert [column.name for column in columns_of(KUHN)] == list(pl.read_parquet(made.path(0)).columns)


def test_others_read_it(made, rows):
    by_polars, by_pandas = pl.read_parquet(made.folder / "*.parquet"), pd.read_parquet(made.folder)
    assert by_polars["action"].to_list() == by_pandas["action"].tolist() == rows["action"].tolist()
    assert by_polars["view.history"].to_numpy().tolist() == rows["view.history"].tolist()
    assert np.stack(by_pandas["legal"].to_list()).tolist() == rows["legal"].tolist()
    assert by_polars["view.card"].dtype == pl.Int32
    assert by_polars.group_by("game").len().height == 30


def test_torch_reads_it(made, rows):
    """Where it is installed: a gigabyte is too much to set up for one test. docs/datasets.md says with which it was run."""
    torch = pytest.importorskip("torch")
    columns = pl.read_parquet(made.folder / "*.parquet").select("view.history", "legal", "action").to_dict()
    tensors = [torch.from_numpy(each.to_numpy().copy()) for each in columns.values()]
    assert tensors[0].dtype == torch.int32
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*tensors), batch_size=16)
    history, legal, action = (torch.cat(parts).numpy() for parts in zip(*loader, strict=True))
    assert np.array_equal(history, rows["view.history"])
    assert np.array_equal(legal, rows["legal"])
    assert np.array_equal(action, rows["action"])


class Stopped(Exception):
    pass


def test_stopped_it_goes_on_to_the_same_files(made, tmp_path, monkeypatch):
    """Whatever is there when it is stopped, and however many tables there are then."""

    def stop(*_):
        raise Stopped

    with pytest.raises(Stopped):
        make(KUHN, AGENTS, 30, tmp_path, seed=5, per_file=8, progress=stop)
    begun = Dataset.open(tmp_path)
    assert 0 < len(begun.missing()) < 4
    with pytest.raises(UserError, match=r"is not finished: \d of its 4 files are not there yet"):
        begun.check_whole()
    monkeypatch.setattr(decisions, "LANES", 7)
    written = []
    again = make(KUHN, AGENTS, 30, tmp_path, seed=5, per_file=8, progress=lambda *more: written.append(more))
    assert files_of(again) == files_of(made)
    assert sum(games for games, _ in written) == sum(begun.games(number)[1] for number in range(4)) - 8
    times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    make(KUHN, AGENTS, 30, tmp_path, seed=5, per_file=8)
    assert times == {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}


@pytest.mark.slow
def test_killed_it_goes_on_to_the_same_files(tmp_path):
    words = ["dataset", "kuhn", "--seats", "random,zoo:kuhn-1", "-n", "200000", "--per-file", "2000"]
    command = [sys.executable, "-m", "feint.cli", *words, "--out"]
    subprocess.run([*command, tmp_path / "whole"], check=True)
    running = subprocess.Popen([*command, tmp_path / "killed"])
    while len(list((tmp_path / "killed").glob("*.parquet"))) < 5:
        time.sleep(0.01)
        assert running.poll() is None, "It was over before it could be killed."
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    subprocess.run([*command, tmp_path / "killed"], check=True)
    assert files_of(Dataset.open(tmp_path / "killed")) == files_of(Dataset.open(tmp_path / "whole"))


def test_typed(made, tmp_path):
    words = ("dataset", "kuhn", "--seats", ",".join(AGENTS), "-n", 30, "--per-file", 8, "--out", tmp_path)
    done = typed(*words, "--seed", 5)
    assert done.code == 0, done.stderr
    assert "30 games of kuhn(players=2) in 4 files" in done.stdout.replace("\n", " ")
    assert files_of(Dataset.open(tmp_path)) == files_of(made)
    other = typed(*words)
    assert other.code == 2
    assert other.stderr == f"feint: {tmp_path} holds another data set, whose seed is 5, not 0: name another folder.\n"


@pytest.mark.parametrize(
    ("agents", "sentence"),
    [
        (["random"], "has 2 seats, not 1"),
        (["random", "nobody"], "no kuhn agent called 'nobody'"),
        (["random", "process:./bot"], "a program outside feint"),
    ],
)
def test_who_cannot_make_one(agents, sentence, tmp_path):
    with pytest.raises(UserError, match=sentence):
        make(KUHN, agents, 30, tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_not_one_is_refused(made, tmp_path):
    with pytest.raises(UserError, match="no data set in"):
        Dataset.open(tmp_path)
    about = tmp_path / "_dataset.json"
    about.write_text(made.about.text().replace('"seed": 5', '"seed": 6'), encoding="utf-8")
    with pytest.raises(UserError, match="was altered"):
        Dataset.open(tmp_path)
    about.write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match="not what feint wrote"):
        Dataset.open(tmp_path)
    other = replace(made.about, seed=6)
    about.write_text(other.text(), encoding="utf-8")
    found = Dataset.open(tmp_path)
    found.path(0).write_bytes(made.path(0).read_bytes())
    with pytest.raises(UserError, match="is not a part of the data set"):
        found.missing()
    found.path(0).write_bytes(b"PAR1")
    with pytest.raises(UserError, match="is damaged"):
        found.read(0)
    about.write_text(replace(other, version=99).text(), encoding="utf-8")
    with pytest.raises(UserError, match="version 99 of kuhn"):
        _ = Dataset.open(tmp_path).game
    about.unlink()
    with pytest.raises(UserError, match="holds other files"):
        make(KUHN, AGENTS, 30, tmp_path)


def test_without_pyarrow_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"pip install 'feint\[data\]'"):
        make(KUHN, AGENTS, 30, tmp_path)


@pytest.mark.parametrize("name", ["bluff", "holdem", "okey", "bidding", "leduc", "liars-dice"])
def test_every_game_has_columns_of_its_own(name):
    columns = columns_of(feint.make(name))
    assert len({column.name for column in columns}) == len(columns)
    assert all(
        column.size > 0 and column.type in ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float32")
        for column in columns
    )
    assert folder.About.of(feint.make(name), ["random"], 0, 1, 1).text()
