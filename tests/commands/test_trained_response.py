"""`feint exploit --train`: near what a best response wins and not above it; stopped, it comes to the same bytes."""

import json
from dataclasses import replace

import pytest

import feint
from feint import workers
from feint.learn import away
from feint.learn.response import experiment
from feint.learn.train import read_news
from tests.commands.typed import typed
from tests.learn.learning import share_of_best

SMALL = ["--seeds", 2, "--games", 4000, "--set", "width=16", "--set", "num_envs=64", "--set", "learning_rate=0.003"]


def test_a_trained_response_is_near_the_best_and_goes_on_to_the_same_result(tmp_path, monkeypatch):
    command = ["exploit", "kuhn", "random", "--train", 30720, *SMALL, "--out"]
    whole = typed(*command, tmp_path / "whole.json")
    assert whole.code == 0, whole.stderr
    assert "a lower bound of its exploitability" in whole.stdout
    told = json.loads((tmp_path / "whole.json").read_text())
    best = share_of_best(feint.registry.make_agent("random", feint.make("kuhn")), "kuhn", "random")[1]
    gain, low, _ = told["gain"]
    assert low <= best
    assert gain > 0.85 * best

    asked = iter(range(10**6))
    monkeypatch.setattr("feint.commands.train.pressed", lambda: next(asked) > 20)  # in the second run
    stopped = typed(*command, tmp_path / "parts.json")
    assert stopped.code == 130
    assert stopped.stderr.endswith("and the same command goes on.\n")
    monkeypatch.undo()
    assert typed(*command, tmp_path / "parts.json").code == 0
    assert (tmp_path / "parts.json").read_bytes() == (tmp_path / "whole.json").read_bytes()

    monkeypatch.setattr(workers, "elsewhere", lambda: True)  # as on other machines, but that these are none
    monkeypatch.setattr(away, "SPAN", 0.1)
    sent = typed(*command, tmp_path / "sent.json")
    assert (sent.code, sent.stderr) == (0, "")
    assert sent.stdout.count("Response 2 of 2,") == 6  # evaluations
    assert (tmp_path / "sent.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    for seed in ("seed-0", "seed-1"):
        ours, theirs = (read_news(tmp_path / name / seed) for name in ("whole", "sent"))
        assert [replace(each, seconds=0) for each in theirs] == [replace(each, seconds=0) for each in ours]
    monkeypatch.undo()

    other = typed("exploit", "kuhn", "random", "--train", 2048, *SMALL, "--out", tmp_path / "whole.json")
    assert (other.code, "holds a run of other settings: --fresh begins anew" in other.stderr) == (2, True)
    (tmp_path / "whole" / "agent").write_text("another")
    assert "holds responses to another agent of that name" in typed(*command, tmp_path / "whole.json").stderr


def test_a_response_begins_as_the_agent_with_its_network_or_by_imitation():
    leduc = feint.make("leduc")
    assert experiment(leduc, "zoo:leduc-1", 10**6).algorithm.start == "zoo:leduc-1"
    assert experiment(leduc, "random", 10**6).algorithm.teacher == "random"
    assert experiment(leduc, "random", 10**6, length=50).length == 50
    assert [experiment(leduc, "random", steps).algorithm.num_envs for steps in (1, 10**6, 10**9)] == [32, 256, 8192]


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text").write_text("of years")
    done = typed("exploit", "kuhn", "random", "--train", 100, "--fresh", "--out", tmp_path / "thesis.json")
    assert (done.code, "is something else than a folder of responses" in done.stderr) == (2, True)
    assert (tmp_path / "thesis" / "text").exists()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["kuhn", "random", "random", "--train", 100], "Name one agent with --train, not 2"),
        (["kuhn", "random", "--train", 100, "--local"], "one kind of response at a time: --local or --train"),
        (["kuhn", "random", "--set", "width=16"], "--set, --out and --fresh are for --train STEPS"),
        (["kuhn", "random", "--games", 100], "--seeds, --games, --length"),
        (["kuhn", "random", "--seeds", 3], "--seeds, --games, --length"),  # as it is by default
        (["kuhn", "random", "--hands", 8192], "--hands is for --local"),
        (["kuhn", "random", "--train", 100, "--most", 10], "--draws and --most are for exact answers"),
        (["kuhn", "random", "--train", 100, "--out", "x.npz"], "The result must be a .json file, not x.npz."),
        (["kuhn", "random", "--train", 100, "--set", "wdith=1"], "ppo has no setting 'wdith'"),
        (["kuhn", "random", "--on", "ray"], "--on is for --train STEPS"),
        (
            ["kuhn", "random", "--train", 100, "--on", "there"],
            "--on must be here, ray or ray://HOST:PORT, not 'there'.",
        ),
        (["kuhn", "random", "--train", 0], "--train must be a whole number from 1"),
        (["kuhn", "random", "--train", 100, "--seed", 10**9], "--seed must be a whole number from 0 to 100000000"),
    ],
)
def test_bad_input_is_one_clear_sentence(wrong, says):
    refused = typed("exploit", *wrong)
    assert refused.code == 2
    assert says in refused.stderr
