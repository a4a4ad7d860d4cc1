"""`feint solve` and `feint exploit`: what they print, save, resume and refuse."""

from dataclasses import replace

import numpy as np
import pytest

import feint
from feint import cli
from feint.commands.local_best_response import how_locally_exploitable
from feint.commands.solve import how_exploitable, solve
from feint.errors import UserError
from feint.learn.policy_file import load
from feint.solvers.plot import log_curve
from feint.solvers.policy import SavedPolicy

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
    from feint.solvers.cfr import Solver

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


def test_it_looks_for_ctrl_c_every_moment_however_long_it_has_run(tmp_path, monkeypatch):
    """By a clock on which an iteration takes a millisecond."""
    from feint.commands import solve as command
    from feint.solvers.cfr import Solver

    run, clock, moments = Solver.run, [0.0], []

    def timed(self, iterations):
        run(self, iterations)
        clock[0] += iterations * 1e-3
        moments.append(iterations * 1e-3)

    monkeypatch.setattr(Solver, "run", timed)
    monkeypatch.setattr(command.time, "monotonic", lambda: clock[0])
    solve(KUHN, "cfr+", iterations=5000, out=tmp_path / "kuhn.npz")
    assert max(moments) <= 0.2
    assert max(moments[len(moments) // 2 :]) > 0.05  # nor is it held up by looking


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
    assert "runs/policies/kuhn-players=3-cfr+.npz" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        cli.app(
            ["exploit", "kuhn", "--players", "3", "policy:runs/policies/kuhn-players=3-cfr+.npz", "random", "random"]
        )
    assert "NashConv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            lambda: solve(KUHN, "magic"),
            r"no algorithm 'magic'; there are: cfr, cfr\+, linear, dcfr, pcfr\+, mccfr, blueprint",
        ),
        (lambda: solve(KUHN, until=0), "--until"),
        (lambda: solve(KUHN, iterations=0), "--iterations"),
        (lambda: solve(feint.make("bluff")), "too many to list"),
        (
            lambda: solve(feint.make("leduc"), most=50),
            "positions, more than the 50.* --algorithm blueprint --seconds 300 makes",
        ),
        (lambda: how_exploitable(KUHN, ["random"] * 3), "one for each of the 2, not 3"),
        (lambda: how_exploitable(feint.make("bluff"), ["smart"]), r"too many to list; .* add --train STEPS\.$"),
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


def test_each_game_has_a_file_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    solve(feint.make("kuhn", players=3), iterations=2)
    solve(KUHN, iterations=2)
    solve(feint.make("leduc", suits=True), iterations=1)
    found = sorted(each.name for each in (tmp_path / "runs" / "policies").iterdir())
    assert found == ["kuhn-dcfr.npz", "kuhn-players=3-dcfr.npz", "leduc-suits=true-dcfr.npz"]


def with_run(path, **changed):
    """The file as if its run had stood elsewhere."""
    found = SavedPolicy.load(path)
    made = {**found.made, **changed.pop("made", {})}
    replace(found, run={n: each for n, each in {**found.run, **changed}.items() if each is not None}, made=made).save(
        path
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"iteration": np.array(np.nan)},
        {"iteration": np.int32(-1)},
        {"iteration": np.array([1, 2], np.int32)},
        {"regrets0": np.full((6, 2), np.inf)},
        {"regrets0": np.zeros((7, 2))},
        {"totals1": np.full(13, -1.0)},
        {"recent0": None},
        {"made": {"curve": [[1, "x"]]}},
        {"made": {"curve": [[-1, 1.0]]}},
        {"made": {"seconds": -1.0}},
        {"made": {"seconds": None}},
    ],
    ids=str,
)
def test_a_run_that_never_was_does_not_go_on(tmp_path, changed):
    path = tmp_path / "kuhn.npz"
    solve(KUHN, iterations=3, out=path)
    with_run(path, **changed)
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"does not say where its run stood: --fresh begins anew"):
        solve(KUHN, iterations=5, out=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [
        {"set_last": np.full(12, 99)},
        {"set_last": np.arange(12)},
        {"set_rows": np.zeros((12, 3), np.uint8)},
        {"set_player": np.full(12, 2)},
        {"set_legal": np.zeros((12, 2), bool)},
        {"totals": np.full((12, 2), -1.0)},
        {"regrets": np.full((12, 2), np.nan)},
        {"regrets": None},
        {"set_last": None},
    ],
    ids=str,
)
def test_a_run_of_samples_that_never_was_does_not_go_on(tmp_path, changed):
    path = tmp_path / "kuhn.npz"
    solve(KUHN, "mccfr", iterations=2, batch=64, out=path)
    assert len(SavedPolicy.load(path).run["set_last"]) == 12
    with_run(path, **changed)
    with pytest.raises(UserError, match=r"does not say where its run stood: --fresh begins anew"):
        solve(KUHN, "mccfr", iterations=5, batch=64, out=path)


def test_an_empty_or_damaged_file_is_refused_before_anything_is_built(tmp_path, monkeypatch):
    path = tmp_path / "kuhn.npz"
    solve(KUHN, iterations=3, out=path)
    whole = path.read_bytes()
    monkeypatch.setattr("feint.commands.solve.build", None)
    for damaged in (b"", whole[: len(whole) // 2], whole[:200] + b"0000" + whole[204:]):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="is not a policy that `feint solve` saved, or it is damaged"):
            solve(KUHN, iterations=5, out=path)
        assert path.read_bytes() == damaged


def test_samples_go_on_to_what_an_unbroken_run_has(tmp_path):
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    solve(KUHN, "mccfr", iterations=5, batch=64, out=whole)
    for iterations in (2, 5):
        solve(KUHN, "mccfr", iterations=iterations, batch=64, out=parts)
    one, other = SavedPolicy.load(whole), SavedPolicy.load(parts)
    np.testing.assert_array_equal(one.chances, other.chances)
    for name, each in one.run.items():
        np.testing.assert_array_equal(each, other.run[name])


def test_more_deals_than_a_pass_may_reach_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"One pass over 2,000,000,000 deals of kuhn.*positions that fit"):
        solve(KUHN, "mccfr", iterations=1, batch=2_000_000_000, out=tmp_path / "kuhn.npz")
    with pytest.raises(UserError, match="--batch must be a whole number from 1 to"):
        solve(KUHN, "mccfr", iterations=1, batch=99_999_999_999, out=tmp_path / "kuhn.npz")


def test_a_curve_can_be_drawn_with_plain_signs():
    drawn = log_curve([(1, 1.0), (10, 0.1)], width=20, plain=True)
    assert drawn.isascii()
    assert drawn.count("*") == 2


# ---- blueprints, and local best responses

LEDUC = feint.make("leduc")


def test_a_blueprint_goes_on_where_it_stood_and_plays_by_name(tmp_path, capsys):
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    solve(LEDUC, "blueprint", iterations=30, out=whole, batch=64)
    solve(LEDUC, "blueprint", iterations=10, out=parts, batch=64)
    solve(LEDUC, "blueprint", iterations=30, out=parts, batch=64)
    said = capsys.readouterr().out
    assert "36 decisions of betting, 49 ends" in said
    assert f"Going on from {parts} after 10 iterations." in said
    one, other = (load(path) for path in (whole, parts))
    assert one.made["command"] == "feint solve leduc --algorithm blueprint --batch 64 --seed 0 --iterations 30"
    for name in one.numbers:
        np.testing.assert_array_equal(one.numbers[name], other.numbers[name])
    assert feint.make_agent(f"policy:{parts}", LEDUC).chances.max() > 0
    with pytest.raises(UserError, match="was made with no --company, no --share"):
        solve(LEDUC, "blueprint", iterations=40, out=parts, batch=64, company="random")
    with pytest.raises(UserError, match="was made with batch 64: --fresh begins anew"):
        solve(LEDUC, "blueprint", iterations=40, out=parts, batch=32)
    parts.with_name("parts.npz.run").unlink()
    with pytest.raises(UserError, match="is not there, so that the run cannot go on: --fresh"):
        solve(LEDUC, "blueprint", iterations=40, out=parts, batch=64)


def test_a_blueprint_that_is_stopped_is_kept(tmp_path, capsys, monkeypatch):
    from feint.solvers.blueprint import Blueprint

    run = Blueprint.run

    def interrupted(self, iterations):
        run(self, iterations)
        if self.iterations > 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(Blueprint, "run", interrupted)
    with pytest.raises(SystemExit) as stopped:
        solve(LEDUC, "blueprint", seconds=100.0, out=tmp_path / "leduc.npz", batch=64)
    assert stopped.value.code == 130
    done = load(tmp_path / "leduc.npz").made["iterations"]
    assert done > 20
    assert f"Stopped; {done} iterations are kept in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: solve(KUHN, "blueprint", iterations=1), "kuhn is not a game of betting for a pot"),
        (lambda: solve(LEDUC, "blueprint"), "say when to stop by --iterations or --seconds"),
        (lambda: solve(LEDUC, "blueprint", until=0.1), "--until is not for blueprint"),
        (lambda: solve(LEDUC, "blueprint", iterations=1, buckets=5), "there are no buckets to choose"),
        (lambda: solve(LEDUC, "dcfr", seconds=5.0), "--seconds is for blueprint alone, not for dcfr"),
        (
            lambda: how_locally_exploitable(KUHN, ["random"], 64, 0),
            "--local is for games of betting, which kuhn is not",
        ),
        (
            lambda: how_locally_exploitable(feint.make("leduc", players=3), ["random"], 64, 0),
            "for 2 players, not for 3",
        ),
        (lambda: how_locally_exploitable(LEDUC, ["random"] * 2, 64, 0), "one agent with --local, not 2"),
    ],
)
def test_bad_input_of_blueprints_is_one_clear_sentence(wrong, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=says):
        wrong()


def test_what_a_local_best_response_wins_is_one_command(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.app(["exploit", "leduc", "random", "--local", "--hands", "128"])
    assert ended.value.code == 0
    said = capsys.readouterr().out.strip()
    assert said.startswith("A local best response wins +")
    assert said.endswith("antes a game from random, over 128 hands, at 99%.")
