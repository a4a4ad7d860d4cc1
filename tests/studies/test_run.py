from io import StringIO

import pytest
from rich.console import Console

from feint import registry
from feint.errors import UserError
from feint.studies.command import study as command
from feint.studies.report import Section, Text, Verdict
from feint.studies.run import Settings, Step, Study, run


class Experiments:
    """A study whose sections say how often they were run, and which can be stopped in the middle."""

    def __init__(self):
        self.runs = []
        self.stop_at = None

    def step(self, key):
        def section(settings, tell):
            if key == self.stop_at:
                raise KeyboardInterrupt
            tell(0.5)
            self.runs.append(key)
            return Section(
                f"Title of {key}",
                (Text(f"{key}: {settings.games} games, seed {settings.seed}"), Verdict("holds", "Yes.")),
            )

        return Step(key, f"Title of {key}", section)

    def study(self):
        return Study(
            "toy", "Toy", "A toy.", "Nobody.", tuple(self.step(key) for key in ("one", "two", "three")), games=50
        )


@pytest.fixture
def toy(monkeypatch, tmp_path):
    experiments = Experiments()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(registry.STUDIES, "toy", f"{__name__}:TOY")
    monkeypatch.setitem(globals(), "TOY", experiments.study())
    return experiments


def quiet():
    return Console(file=StringIO())


def test_a_stopped_study_goes_on_where_it_was(toy, tmp_path):
    toy.stop_at = "two"
    with pytest.raises(KeyboardInterrupt):
        run(toy.study(), Settings(), tmp_path, console=quiet())
    assert toy.runs == ["one"]
    toy.stop_at = None
    page, summary = run(toy.study(), Settings(), tmp_path, console=quiet())
    assert toy.runs == ["one", "two", "three"]
    for file in (page, summary):
        assert all(f"{key}: 20000 games, seed 0" in file.read_text() for key in ("one", "two", "three"))
    before = page.read_text()
    run(toy.study(), Settings(), tmp_path, console=quiet())
    assert toy.runs == ["one", "two", "three"]
    assert page.read_text() == before


def test_other_settings_are_run_again_and_broken_files_too(toy, tmp_path):
    run(toy.study(), Settings(), tmp_path, console=quiet())
    run(toy.study(), Settings(seed=1), tmp_path, console=quiet())
    assert len(toy.runs) == 6
    (tmp_path / "sections" / "two.json").write_text("{")
    run(toy.study(), Settings(seed=1), tmp_path, console=quiet())
    assert toy.runs[6:] == ["two"]
    page, _ = run(toy.study(), Settings(games=7, seed=1), tmp_path, console=quiet())
    assert len(toy.runs) == 10
    assert "--games 7 --seed 1" in page.read_text()


def test_only_some_sections(toy, tmp_path):
    page, _ = run(toy.study(), Settings(), tmp_path, ["three"], console=quiet())
    assert toy.runs == ["three"]
    assert "Title of one" not in page.read_text()
    page, _ = run(toy.study(), Settings(), tmp_path, ["one"], console=quiet())
    assert toy.runs == ["three", "one"]
    assert page.read_text().index("one: 20000") < page.read_text().index("three: 20000")
    with pytest.raises(UserError, match="no section 'four'; it has: one, two, three"):
        run(toy.study(), Settings(), tmp_path, ["four"], console=quiet())


def test_a_place_that_cannot_be_written_is_told(toy, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="The study cannot be saved"):
        run(toy.study(), Settings(), tmp_path / "file", console=quiet())


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
    assert command("toy", seed=8) == 130
    assert "Stopped" in capsys.readouterr().out


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


def test_a_study_that_cannot_be_imported_is_told(monkeypatch):
    monkeypatch.setitem(registry.STUDIES, "gone", "feint.studies.gone:STUDY")
    with pytest.raises(UserError, match="cannot be imported"):
        registry.find_study("gone")
