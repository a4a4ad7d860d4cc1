"""Runs in stages: each begins as the one before it ended, stopped and resumed they come out the same, and nothing is begun that cannot be run."""

import re
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest
import tomli_w

from feint import zoo
from feint.errors import UserError
from feint.learn import settings
from feint.learn.experiment import Experiment
from feint.learn.policy_file import PolicyFile
from feint.learn.stages import Staged, is_staged
from feint.learn.train import CHECKPOINT, POLICY, STAGED
from tests.commands.typed import typed

COMMON = {"game": "kuhn", "evaluations": 1, "games": 20, "algorithm": "ppo"}
SMALL = {"num_envs": 16, "num_steps": 8, "width": 16, "total_timesteps": 4 * 128}
FIRST = {"tables": ["random", "past", "me,me"]}
SECOND = {"tables": ["random", "past", "me,me"], "seed": 1, "settings": {"learning_rate": 1e-4}}
TWO = COMMON | {"settings": SMALL, "stages": [FIRST, SECOND]}
ROOT = Path(__file__).parents[2]


def never():
    return False


def same(one, other) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


def kept(path: Path) -> dict:
    with np.load(path) as file:
        return dict(file)


@pytest.fixture(scope="module")
def straight(tmp_path_factory) -> Staged:
    """Both stages, which nobody stopped."""
    staged = Staged(TWO, tmp_path_factory.mktemp("staged") / "run")
    staged.start()
    for nth in (1, 2):
        assert staged.run(nth).train(print, never)
    return staged


def test_a_stage_begins_as_the_one_before_it_ended_and_learns_more(straight, tmp_path):
    game = straight.experiments[0].game
    first, last = (PolicyFile.load(straight.part(nth) / POLICY).agent_for(game).network for nth in (1, 2))
    fresh = Staged(TWO, tmp_path)
    shutil.copytree(straight.part(1), fresh.part(1))
    begun = fresh.run(2)
    assert begun.experiment.algorithm.start == f"policy:{fresh.part(1) / POLICY}"
    assert same(first, begun.agent().network)
    assert not same(first, last)


def test_a_stage_has_what_is_said_of_all_and_of_itself(straight):
    first, second = (each.algorithm for each in straight.experiments)
    assert (first.width, second.width) == (16, 16)
    assert (first.learning_rate, second.learning_rate) == (1e-3, 1e-4)


def test_what_was_stopped_in_its_second_stage_ends_in_the_same_parameters(straight, tmp_path):
    stopped = Staged(TWO, tmp_path / "run")
    stopped.start()
    assert stopped.run(1).train(print, never)
    run = stopped.run(2)
    assert not run.train(print, lambda: run.updates == 2)
    resumed = Staged.resume((tmp_path / "run").rename(tmp_path / "moved"))
    assert resumed.run(1).done
    assert resumed.run(2).updates == 2
    assert resumed.run(2).train(print, never)
    one, other = kept(straight.part(2) / CHECKPOINT), kept(resumed.part(2) / CHECKPOINT)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_a_policy_tells_of_every_command_that_made_it(straight):
    made = PolicyFile.load(straight.part(2) / POLICY).made
    assert made["before"] == [straight.experiments[0].command()]
    assert f"--set start=policy:{straight.part(1) / POLICY}" in made["command"]
    assert PolicyFile.load(straight.part(1) / POLICY).made["before"] == []


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        ([], "stages must be tables"),
        ([5], "stages must be tables"),
        ([FIRST, SECOND | {"algorithm": "dqn", "settings": {}}], "A stage after the first is trained by ppo or mmd, not by dqn"),
        ([FIRST, SECOND | {"settings": {"start": "zoo:kuhn-1"}}], "begins as the one before it ended: leave out start"),
        ([FIRST, {"tables": ["random,random"], "options": {"players": 3}}], "All stages of a run are of the same game and options"),
        ([FIRST, SECOND | {"settings": 5}], "settings must be a table"),
        ([FIRST, SECOND | {"tables": ["nobody"]}], "nobody"),
        ([FIRST, SECOND | {"stages": [FIRST]}], "no entry 'stages'"),
    ],
)  # fmt: skip
def test_stages_that_cannot_be_run_are_refused_before_the_first(stages, sentence, tmp_path):
    with pytest.raises(UserError, match=sentence):
        Staged({**COMMON, "settings": {}, "stages": stages}, tmp_path)


def test_stages_may_differ_in_what_no_network_is_told(tmp_path):
    said = {"game": "bluff", "algorithm": "ppo", "evaluations": 0, "tables": ["no-bluff,smart,anxious"]}
    staged = Staged(said | {"stages": [{}, {"options": {"cap": 400}}]}, tmp_path)
    assert [each.game.cap for each in staged.experiments] == [2000, 400]


def test_a_folder_that_holds_stages_takes_no_other_run_and_no_altered_file(tmp_path):
    staged = Staged(TWO, tmp_path)
    staged.start()
    assert is_staged(tmp_path)
    with pytest.raises(UserError, match="already holds a run"):
        Staged(TWO, tmp_path).start()
    path = tmp_path / STAGED
    path.write_text(path.read_text().replace("seed = 1", "seed = 2"))
    with pytest.raises(UserError, match="was altered after its run began"):
        Staged.resume(tmp_path)


def test_the_command_trains_all_stages_and_refuses_what_the_file_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(tomli_w.dumps(TWO))
    done = typed("train", "--config", "two.toml", "--out", "run")
    assert done.code == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("Stage ")] == [
        "Stage 1 of 2.",
        "Stage 2 of 2.",
    ]
    assert "Saved in run/stage-2" in done.stdout
    refused = typed("train", "--config", "two.toml", "--out", "other", "--seed", 3)
    assert refused.code == 2
    assert "two.toml has stages and says all that is to be said of them: leave out seed." in refused.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("example", "shipped", "later"),  # stages after those that made the agent
    [
        ("bluff-any-company", "bluff-10", 1),
        ("bluff-any-company", "bluff-12", 0),
        ("bluff-any-table", "bluff-13", 0),
        ("bidding-any-table", "bidding-2", 0),
        ("bidding-any-purse", "bidding-3", 0),
    ],
)
def test_the_stages_of_the_examples_are_those_of_the_shipped_agents(example, shipped, later):
    stages = Staged(settings.read(ROOT / "examples" / f"{example}.toml"), Path("nowhere"))
    made = zoo.entry(shipped).commands
    for nth, command in enumerate(made, 1):
        assert command.endswith(f" --out stage-{nth}")
        assert re.findall("start=[^ ]+", command) == [f"start=policy:stage-{nth - 1}/policy.npz"] * (nth > 1)
    said = [re.sub(" --set start=[^ ]+| --out [^ ]+", "", command) for command in made]
    assert [each.command() for each in stages.experiments[: len(stages) - later]] == said


def test_the_example_of_a_single_stage_is_that_of_the_shipped_agent():
    said = settings.read(ROOT / "examples" / "bidding-any-match.toml")
    assert [Experiment.of(said).command()] == zoo.entry("bidding-4").commands
