"""`feint study`: what it runs, lists and refuses."""

import pytest

from feint import catalogue
from feint.commands.study import study as command
from feint.errors import UserError
from tests.studies.toys import Experiments


@pytest.fixture
def toy(monkeypatch, tmp_path):
    experiments = Experiments()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(catalogue.STUDIES, "toy", "tests.studies.toys:TOY")
    monkeypatch.setattr("tests.studies.toys.TOY", experiments.study(), raising=False)
    return experiments


def test_the_command_runs_lists_and_stops(toy, tmp_path, capsys):
    assert command("toy") == 0
    assert "50 games, seed 0" in (tmp_path / "runs/studies/toy/toy.md").read_text()
    assert "runs/studies/toy/toy.html" in capsys.readouterr().out
    assert command("toy", games=9, seed=3, out=tmp_path / "here", only=["two"]) == 0
    assert "9 games, seed 3" in (tmp_path / "here/toy.html").read_text()
    command(listing=True)
    listed = capsys.readouterr().out
    assert "A toy." in listed
    command("toy", listing=True)
    assert "Title of three" in capsys.readouterr().out
    toy.stop_at = "one"
    with pytest.raises(SystemExit) as stopped:
        command("toy", seed=8)
    assert stopped.value.code == 130
    assert "Stopped; the sections that were finished are kept in runs/studies/toy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": None}, "Run which study"),
        ({"name": "tyo"}, "Did you mean toy"),
        ({"name": "toy", "games": 0}, "--games"),
        ({"name": "toy", "seed": -1}, "--seed"),
        ({"name": "toy", "only": ["x"]}, "no section"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_bad_input_is_told_in_a_sentence(given, message):
    with pytest.raises(UserError, match=message):
        command(**given)
