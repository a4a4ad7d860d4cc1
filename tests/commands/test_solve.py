"""`feint solve` and `feint exploit`: what they print, save, resume and refuse."""

import numpy as np
import pytest

import feint
from feint import cli
from feint.commands.solve import how_exploitable, solve
from feint.errors import UserError
from feint.solve.plot import log_curve
from feint.solve.policy import SavedPolicy

KUHN = feint.make("kuhn")


def test_a_game_is_solved_and_its_policy_saved(tmp_path, capsys):
    path = tmp_path / "kuhn.npz"
    assert solve(KUHN, "pcfr+", until=1e-5, out=path) == 0
    said = capsys.readouterr().out
    assert "24 decision nodes, 30 ends, 12 information sets" in said
    assert "Value by seat: -0.0555" in said
    assert f"feint play kuhn --seats me,policy:{path}" in said
    made = SavedPolicy.load(path).made
    assert made["exploitability"] <= 1e-5
    assert made["command"] == f"feint solve kuhn --algorithm pcfr+ --iterations {made['iterations']}"


def test_the_same_command_goes_on_where_it_stood(tmp_path, capsys):
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    solve(KUHN, "dcfr", iterations=50, out=whole)
    solve(KUHN, "dcfr", iterations=20, out=parts)
    solve(KUHN, "dcfr", iterations=50, out=parts)
    assert "Going on from" in capsys.readouterr().out
    one, other = SavedPolicy.load(whole), SavedPolicy.load(parts)
    np.testing.assert_array_equal(one.chances, other.chances)
    solve(KUHN, "dcfr", iterations=10, out=parts, fresh=True)
    assert SavedPolicy.load(parts).made["iterations"] == 10


def test_stopped_it_keeps_what_it_has(tmp_path, capsys, monkeypatch):
    from feint.solve.cfr import Solver

    run = Solver.run

    def interrupted(self, iterations):
        run(self, iterations)
        if self.iterations > 30:
            raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "run", interrupted)
    with pytest.raises(SystemExit) as stopped:
        solve(KUHN, "cfr+", until=1e-9, out=tmp_path / "kuhn.npz")
    assert stopped.value.code == 130
    done = SavedPolicy.load(tmp_path / "kuhn.npz").made["iterations"]
    assert done > 30
    said = f"Stopped; {done} iterations are kept in {tmp_path / 'kuhn.npz'}, and the same command goes on.\n"
    assert capsys.readouterr().err == said


def test_sampling_needs_no_tree(tmp_path, capsys):
    path = tmp_path / "leduc.npz"
    game = feint.make("leduc")
    assert solve(game, "mccfr", iterations=2, out=path, most=10, batch=16) == 0
    assert "exploitability" not in capsys.readouterr().out
    with pytest.raises(UserError, match="say when to stop by --iterations"):
        solve(game, "mccfr", until=0.1, out=tmp_path / "other.npz", most=10)
    assert solve(game, "mccfr", iterations=3, out=path, batch=16) == 0
    assert SavedPolicy.load(path).made["exploitability"] > 0


def test_how_exploitable_is_one_command(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.app(["exploit", "kuhn", "random"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "NashConv 0.916667, exploitability (the mean gain) 0.458333." in said


def test_the_command_line_solves(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        cli.app(["solve", "kuhn", "--players", "3", "--algorithm", "cfr+", "--iterations", "20"])
    assert ended.value.code == 0
    assert "runs/policies/kuhn-cfr+.npz" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.app(["exploit", "kuhn", "--players", "3", "policy:runs/policies/kuhn-cfr+.npz", "random", "random"])
    assert "NashConv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: solve(KUHN, "magic"), r"no algorithm 'magic'; there are: cfr, cfr\+, linear, dcfr, pcfr\+, mccfr"),
        (lambda: solve(KUHN, until=0), "--until"),
        (lambda: solve(KUHN, iterations=0), "--iterations"),
        (lambda: solve(feint.make("bluff")), "too many to list"),
        (lambda: solve(feint.make("leduc"), most=50), "positions, more than the 50"),
        (lambda: how_exploitable(KUHN, ["random"] * 3), "one for each of the 2, not 3"),
        (lambda: how_exploitable(KUHN, ["smart"]), "no kuhn agent called 'smart'"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    with pytest.raises(UserError, match=says):
        wrong()


def test_a_file_of_another_game_or_algorithm_is_left_alone(tmp_path):
    path = tmp_path / "kuhn.npz"
    solve(KUHN, "dcfr", iterations=1, out=path)
    with pytest.raises(UserError, match=r"made for kuhn\(players=2\)"):
        solve(feint.make("kuhn", players=3), out=path)
    with pytest.raises(UserError, match="made with algorithm dcfr: --fresh begins anew"):
        solve(KUHN, "cfr", out=path)


def test_a_curve_falls_from_the_upper_left_to_the_lower_right():
    text = log_curve([(1, 1.0), (10, 0.1), (100, 0.01)], width=21, height=5)
    marks = [(row, line.index("•")) for row, line in enumerate(text.splitlines()) if "•" in line]
    assert marks == sorted(marks)
    assert [column for _, column in marks] == [8, 18, 28]
    assert "1e+00" in text
    assert "1e-02" in text
    assert log_curve([]) == ""


def test_a_policy_that_cannot_be_saved_is_refused_before_anything_is_solved(tmp_path):
    with pytest.raises(UserError, match=r"The policy cannot be saved as .*: Is a directory\."):
        solve(KUHN, out=tmp_path)
