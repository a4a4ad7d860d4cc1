"""`feint train` and `feint curves`: stopped by Ctrl-C, a run goes on; what cannot be saved is refused at once."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields

import pytest

from feint.commands.train import _heading, curves, train
from feint.errors import UserError
from feint.learn.experiment import Experiment
from feint.learn.ppo import PPO
from feint.learn.train import CURVES, METRICS, Run
from tests.commands.typed import typed
from tests.terminals import Terminal

SMALL = {"num_envs": 16, "num_steps": 8, "table_size": 64, "total_timesteps": 10**5 * 128}


def typed_settings(settings: dict[str, object]) -> list[str]:
    return [f"--set={name}={value}" for name, value in settings.items()]


def test_ctrl_c_keeps_the_run_and_the_command_goes_on(tmp_path, monkeypatch):
    command = [sys.executable, "-m", "feint.cli", "train"]
    chosen = typed_settings(SMALL)
    env = os.environ | {"COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(
        [*command, "kuhn", "--algorithm", "q-learning", *chosen, "--out", "run", "--games", "4"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        # Tests that run in the background of a script have Ctrl-C ignored, and would hand that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    metrics = tmp_path / "run" / METRICS
    deadline = time.monotonic() + 300
    while not (metrics.exists() and metrics.read_text().count("\n") >= 2) and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=300)
    assert running.returncode == 130, printed
    assert json.loads(metrics.read_text().splitlines()[0])["updates"] == 0
    run = Run.resume(tmp_path / "run")
    assert run.updates >= 100
    assert printed.endswith(f"Stopped; {run.steps:,} steps are kept; feint train --resume run goes on from there.\n")
    monkeypatch.chdir(tmp_path)
    clash = typed("train", "kuhn", "--resume", "run")
    assert (clash.code, clash.stderr) == (2, "feint: --resume goes on with a run as it was: leave out game.\n")


def test_a_run_says_who_plays_how_good_it_is_and_what_it_saved(tmp_path):
    out = tmp_path / "run"
    chosen = typed_settings(SMALL | {"total_timesteps": 256})
    shown = typed(
        "train", "kuhn", "--algorithm", "q-learning", "--table", "random", *chosen, "--games", "20", "--out", out
    )
    assert shown.code == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == "Training at kuhn(players=2) with q-learning, against random: 256 steps."
    assert any("steps: exploitability" in line and line.endswith(" against random") for line in lines)
    assert lines[-2].startswith(f"Saved in {out}: ")
    assert lines[-1].startswith(f"Play against it: feint play kuhn --seats me,policy:{out}")


SMALL_BLUFF = ["bluff", "--table", "no-bluff", "-o", "players=2", "-o", "cap=20"]


@pytest.mark.parametrize(
    ("asked", "evaluations", "said"),
    [(SMALL_BLUFF, 1, "policy.npz is the last policy (wins "), (["kuhn"], 0, "policy.npz is the last policy.")],
    ids=["a large game", "never evaluated"],
)
def test_where_nothing_is_known_at_first_a_terminal_shows_the_rest(tmp_path, asked, evaluations, said):
    chosen = typed_settings(SMALL | {"total_timesteps": 256})
    how = ["--algorithm", "q-learning", "--games", "4", "--evaluations", str(evaluations), "--out", f"{tmp_path}/run"]
    code, lines = Terminal("-m", "feint.cli", "train", *asked, *chosen, *how).end()
    assert code == 0, lines
    assert any(said in line for line in lines), lines
    assert (tmp_path / "run" / CURVES).exists() == (evaluations > 0)


def test_a_run_that_is_not_evaluated_has_no_curve(tmp_path):
    never = Run.start(Experiment.of({"game": "kuhn", "evaluations": 0}), tmp_path / "run")
    large = {"game": "bluff", "options": {"ranks": 3, "suits": 2}, "algorithm": "q-learning", "evaluations": 1}
    at_once = Run.start(Experiment.of(large | {"settings": SMALL}), tmp_path / "large" / "run")
    at_once.train(lambda _: None, stop=lambda: True)  # before its first update
    for run in (never, at_once):
        with pytest.raises(UserError, match="run was not evaluated yet, so that there is no curve to draw"):
            curves([run.folder], tmp_path / "curve.png")
    with pytest.raises(UserError, match="Bars and restarts go by evaluations: leave out --bar and --restarts"):
        Experiment.of({"game": "kuhn", "algorithm": "ppo", "evaluations": 0, "restarts": 1})


def test_many_tables_are_counted_not_named(tmp_path, monkeypatch):
    told = {"game": "kuhn", "algorithm": "ppo", "also": ["players=3"], "tables": ["random", "me,me", "random,past"]}
    run = Run.start(Experiment.of(told | {"settings": SMALL}), tmp_path / "run")
    named = "against random or against itself or against random, past"
    begins = "Training at kuhn(players=2) and players=3 with ppo, "
    assert _heading(run).startswith(f"{begins}{named}: ")
    monkeypatch.setattr("feint.commands.train.MOST_NAMED", 2)
    assert _heading(run).startswith(f"{begins}at 3 kinds of tables: ")


def test_what_cannot_be_saved_is_refused_before_anything_is_learned(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"The run cannot be saved as .*run\.toml: Not a directory\."):
        train({"game": "kuhn"}, [], None, tmp_path / "file", None)
    with pytest.raises(UserError, match=r"The figure cannot be saved as .*: Is a directory\."):
        curves([], tmp_path)


def test_other_machines_train_exploiters_alone(tmp_path):
    said = typed("train", "kuhn", "--on", "ray", "--out", tmp_path / "run")
    told = "feint: --on is for a run with --exploiters: they are trained elsewhere, while the learner goes on here.\n"
    assert (said.code, said.stdout, said.stderr, (tmp_path / "run").exists()) == (2, "", told, False)
    assert typed("train", "--from", tmp_path, "--on", "ray").stderr.endswith("were played: leave out on.\n")


def test_an_early_collapse_is_said_once(tmp_path):
    """Steps so long that every logit saturates: one action is taken everywhere before the run is through a fifth."""
    reckless = {"learning_rate": 10, "ent_coef": 0.0001, "final_ent_coef": 0.0001, "magnet_coef": 0}
    small = {"width": 8, "num_envs": 16, "num_steps": 8, "update_epochs": 1, "total_timesteps": 50 * 128}
    chosen = typed_settings(small | reckless)
    few = ["--evaluations", "1", "--games", "4", "--out", tmp_path / "run"]
    shown = typed("train", "kuhn", "--algorithm", "ppo", *chosen, *few)
    assert shown.code == 0, shown.stderr
    told = [line for line in shown.stdout.splitlines() if line.startswith("The policy has collapsed: after ")]
    assert len(told) == 1
    assert "steps it takes one action nearly everywhere (entropy " in told[0]
    assert int(re.search(r"after ([\d,]+) steps", told[0])[1].replace(",", "")) < small["total_timesteps"] / 5


def test_settings_are_explained_whole_however_long():
    shown = " ".join(typed("train", "--algorithm", "ppo", "--settings").stdout.split())
    assert "..." not in shown
    for each in fields(PPO):
        assert each.name in shown


def test_settings_are_those_of_the_game():
    shown = " ".join(typed("train", "holdem", "--settings").stdout.split())
    assert shown.startswith("Settings of ppo ")
    assert " teacher tanh a named agent that is imitated at first" in shown
    assert typed("train", "kuhn", "--settings").stdout.startswith("Settings of mmd ")
