import json
from io import StringIO

import pytest
from rich.console import Console

from feint import catalogue, registry
from feint.errors import UserError
from feint.studies.run import Settings, run
from tests.studies.toys import Experiments


@pytest.fixture
def toy():
    return Experiments()


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
    sections = json.loads((tmp_path / "toy.json").read_text())["sections"]
    assert [each["key"] for each in sections] == ["one", "two", "three"]
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


def test_a_study_that_cannot_be_imported_is_told(monkeypatch):
    monkeypatch.setitem(catalogue.STUDIES, "gone", "feint.studies.gone:STUDY")
    with pytest.raises(UserError, match="cannot be imported"):
        registry.find_study("gone")
