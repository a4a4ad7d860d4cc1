"""Matches, tournaments and merging from the command line."""

import json

import pytest

import feint.commands.match as command
from feint import cli
from feint.arena.result import Result
from feint.errors import UserError

KUHN = ["match", "kuhn", "random", "random", "-n", "400"]


def run(*line):
    """The exit code of a command."""
    return cli.app([*map(str, line)], standalone_mode=False)


def test_parts_saved_anywhere_merge_to_the_file_of_the_whole(tmp_path, capsys):
    paths = [tmp_path / f"{part}.json" for part in (1, 2, 3)]
    for part, path in enumerate(paths, 1):
        run(*KUHN, "--part", f"{part}/3", "--save", path)
    run(*KUHN, "--save", tmp_path / "whole.json")
    capsys.readouterr()
    run("merge", paths[2], paths[0], paths[1], "--save", tmp_path / "merged.json")
    assert "400 games in 2 seatings, seed 0" in capsys.readouterr().out
    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    with pytest.raises(
        UserError, match=r"Matches 66 to 132 of seed 0 with random #1, random #2 would be counted twice"
    ):
        run("merge", tmp_path / "whole.json", paths[1])
    run("match", "kuhn", "random", "random", "random", "-n", "6", "--save", tmp_path / "three.json")
    with pytest.raises(UserError, match="same game"):
        run("merge", tmp_path / "whole.json", tmp_path / "three.json")
    told = json.loads(paths[1].read_text())
    paths[1].write_text(json.dumps(told | {"version": 7}))
    with pytest.raises(UserError, match="damaged, or was altered"):
        run("merge", paths[0], paths[1])
    paths[1].write_text(json.dumps(told | {"version": 7, "format": "feint result 2"}))  # of before there were seals
    with pytest.raises(UserError, match="version 1, the other of 7"):
        run("merge", paths[0], paths[1])


def test_what_was_played_is_saved_before_it_is_shown(tmp_path, monkeypatch):
    def closed():
        raise BrokenPipeError

    monkeypatch.setattr(command, "_console", closed)
    with pytest.raises(BrokenPipeError):
        run(*KUHN, "--save", tmp_path / "kuhn.json", "--plot", tmp_path / "kuhn.svg")
    assert Result.load(tmp_path / "kuhn.json").played == 400
    assert (tmp_path / "kuhn.svg").exists()


def test_games_with_several_winners_are_played_saved_and_shown(tmp_path, capsys):
    line = ["tournament", "leduc", "random", "random", "random", "-o", "players=3", "-n", "600"]
    assert run(*line, "--save", tmp_path / "leduc.json") == 0
    said = capsys.readouterr().out
    assert "antes a game" in said
    assert "Ratings" in said
    played = Result.load(tmp_path / "leduc.json")
    assert played.wins.sum() > played.played


@pytest.mark.parametrize("line", [KUHN, ["tournament", "kuhn", "random", "random", "-n", "400"]])
def test_a_match_that_is_stopped_is_shown_and_goes_on(line, tmp_path, capsys, monkeypatch):
    def interrupted(*given, progress, **more):
        def stop(count):
            progress(count)
            raise KeyboardInterrupt

        return played(*given, progress=stop, **more)

    path, unfinished = tmp_path / "kuhn.json", tmp_path / "kuhn.unfinished.json"
    path.write_text("what was there before")
    played = command.match
    monkeypatch.setattr(command, "match", interrupted)
    with pytest.raises(SystemExit) as stopped:
        run(*line, "--save", path)
    assert stopped.value.code == 130
    said = capsys.readouterr()
    assert "192 games in 1 seating" in said.out
    assert said.err == f"Stopped after 192 of 400 games, kept in {unfinished}; the same command goes on.\n"
    assert path.read_text() == "what was there before"
    with pytest.raises(UserError, match="The match to go on with is another one"):
        run(*line, "--seed", "1", "--save", path)
    monkeypatch.setattr(command, "match", played)
    assert run(*line, "--save", path) == 0
    assert "Going on from" in capsys.readouterr().out
    assert [each.name for each in tmp_path.iterdir()] == ["kuhn.json"]
    assert run(*line, "--save", tmp_path / "whole.json") == 0
    assert path.read_bytes() == (tmp_path / "whole.json").read_bytes()


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        (["--save", "kuhn.txt"], "A result must be a .json, .csv or .parquet file, not kuhn.txt"),
        (["--save", "there/kuhn.json"], "The result cannot be saved as there/kuhn.json: Not a directory"),
        (["--plot", "kuhn.gif"], "A figure must be a .png, .svg or .pdf file, not kuhn.gif"),
        (["--plot", "there/kuhn.svg"], "The figure cannot be saved as there/kuhn.svg"),
        (["--part", "3/2"], "--part must be one of so many equal parts, such as 2/4, not '3/2'"),
        (["--part", "half"], "such as 2/4, not 'half'"),
        (["--part", "1/900"], "--part 1/900 is empty: each seating has only 200 matches"),
    ],
)
def test_bad_input_is_refused_before_anything_is_played(more, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "match", lambda *_, **__: pytest.fail("it was played"))
    (tmp_path / "there").write_text("a file")
    with pytest.raises(UserError) as refused:
        run(*KUHN, *more)
    assert wrong in str(refused.value)
