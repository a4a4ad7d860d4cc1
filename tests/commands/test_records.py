"""`feint records`: saved games as lines of one file, and back."""

import json

import pytest

import feint
from feint.record import Record, earlier_games, games_folder, read_lines
from tests.commands.typed import typed

KUHN = feint.make("kuhn")


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A match of two games, and another game."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    records = []
    for seed, games in ((1, 2), (2, 1)):
        table = feint.Table(KUHN, ["random", "random"], seed=seed)
        for number in range(games):
            if number:
                table.next_game()
            while not table.over:
                table.act()
            records.append(Record.of(table))
            name = f"kuhn-{seed}{f'-game-{number + 1}' * bool(number)}.json"
            records[-1].save(games_folder() / name)
    (games_folder() / "other.json").write_text("{}", encoding="utf-8")
    return records


def test_games_are_written_and_read(saved, tmp_path, monkeypatch):
    out = tmp_path / "games.jsonl"
    done = typed("records", out)
    assert (done.code, done.stdout.replace("\n", "")) == (0, f"3 games written: {out}")
    lines = out.read_text("utf-8").splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [1, 1, 2]
    assert sorted(map(str, read_lines(out))) == sorted(map(str, saved))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert typed("records", out, "--read").code == 0
    paths = sorted(games_folder().glob("*.json"))
    assert sorted(str(Record.load(path)) for path in paths) == sorted(map(str, saved))
    second = next(path for path in paths if Record.load(path).number == 1)
    assert earlier_games(second, Record.load(second)) == [saved[0]]  # the match is one again
    assert typed("records", tmp_path / "one.jsonl", second).stdout.startswith("1 game written")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"record": 1}\n', "Line 1 of .* has format 1"),
        ("\n[]\n", "Line 2 of .* is not a record"),
        ("{", "Line 1 of .* is not valid JSON"),
    ],
)
def test_a_line_that_is_no_game_is_named_and_nothing_is_saved(text, sentence, saved, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(text + saved[0].line(), encoding="utf-8")
    before = sorted(games_folder().iterdir())
    done = typed("records", path, "--read")
    assert done.code == 2
    with pytest.raises(AssertionError, match=sentence):
        raise AssertionError(done.stderr.replace("\n", " "))
    assert sorted(games_folder().iterdir()) == before


def test_an_altered_line_is_noticed(saved, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(saved[0].line().replace('"seed":1', '"seed":3'), encoding="utf-8")
    done = typed("records", path, "--read")
    assert (done.code, "was altered" in done.stderr.replace("\n", " ")) == (2, True)


def test_nothing_saved_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "There is no saved game in" in typed("records", tmp_path / "x.jsonl").stderr
