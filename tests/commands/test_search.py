"""`feint search`: what it takes, prints, saves and refuses."""

import json

import pytest

from feint import cli
from feint.commands import search as command
from feint.errors import UserError
from feint.evolve.search import Table


def test_the_command_finds_says_saves_and_goes_on(tmp_path, capsys):
    path = tmp_path / "drifting.json"
    line = ["search", "bidding", "drifting(change=0.1)", "--table", "uniform,uniform"]
    line += ["--vary", "concentration=0.01..10"]
    line += ["--method", "cem", "--population", "6", "--deals", "6", "-n", "60", "--out", str(path)]
    cli.app([*line, "--generations", "1"], standalone_mode=False)
    cli.app([*line, "--generations", "2"], standalone_mode=False)
    said = capsys.readouterr().out
    assert "Going on from" in said
    found = json.loads(path.read_text())["found"]
    assert f"Found: drifting(change=0.1, concentration={found['concentration']:g})" in said
    assert "on 60 fresh games a table" in said
    with pytest.raises(UserError, match="other settings"):
        cli.app([*line, "--seed", "1"], standalone_mode=False)


def test_a_table_is_typed_with_its_weight():
    assert command.table("2.5*smart,anxious(2, 0.1)") == Table(("smart", "anxious(2, 0.1)"), 2.5)
    assert command.table("smart") == Table(("smart",))
    with pytest.raises(UserError, match="is not a weight"):
        command.table("1.2.3*smart")


def test_a_range_is_typed_with_its_ends():
    with pytest.raises(UserError, match="NAME=LOW"):
        command.parameter("win=3")


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(tmp_path):
    line = ["search", "bidding", "split", "--table", "uniform", "--out", str(tmp_path)]
    with pytest.raises(UserError, match=r"The search cannot be saved as .*: Is a directory\."):
        cli.app(line, standalone_mode=False)
