"""Behaviour cloning: a network that does what a data set shows, kept like any other policy."""

import pytest

import feint
from feint.dataset import Dataset, make
from feint.errors import UserError
from feint.learn.cloning import CHECKPOINT, POLICY, Cloning, Run
from tests.commands.typed import typed

KUHN = feint.make("kuhn")
HOW = {"epochs": 3, "batch_size": 64, "width": 16, "learning_rate": 0.01}
SET = [word for name, value in HOW.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "kuhn"
    make(KUHN, ["random", "zoo:kuhn-1"], 600, folder, seed=5, per_file=300)
    return folder


@pytest.fixture(scope="module")
def trained(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    done = typed("train", "kuhn", "--from", data, *SET, "--set", "agent=zoo:kuhn-1", "--seed", 1, "--out", out)
    assert done.code == 0, done.stderr
    return out, done.stdout


def test_it_learns_what_was_done(trained, data):
    out, printed = trained
    assert printed.count("Epoch ") == 3
    run = Run(Dataset.open(data), Cloning(**HOW, agent="zoo:kuhn-1"), 1, out)
    first, *_, last = run.epochs
    assert last.loss < first.loss
    assert last.held_out_loss < 0.85 * last.even  # the agent bets and calls with good cards, mostly
    everything = sum(len(part["action"]) for part in Dataset.open(data))
    assert 0.3 * everything < last.decisions < 0.6 * everything  # its own, less those held out


def test_its_policy_plays_like_any_other(trained):
    out, _ = trained
    agent = feint.make_agent(f"policy:{out / POLICY}", KUHN)
    assert float(feint.exploitability(KUHN, [agent, agent])) < float(feint.exploitability(KUHN, ["random", "random"]))


def test_stopped_it_goes_on_to_the_same_policy(trained, data, tmp_path):
    how = Cloning(**HOW, agent="zoo:kuhn-1")
    run = Run(Dataset.open(data), how, 1, tmp_path)
    assert not run.train(print, stop=lambda: bool(run.epochs))
    assert (tmp_path / CHECKPOINT).exists()
    assert not (tmp_path / POLICY).exists()
    again = Run(Dataset.open(data), how, 1, tmp_path)
    assert len(again.epochs) == 1
    assert again.train(print)
    assert (tmp_path / POLICY).read_bytes() == (trained[0] / POLICY).read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("leduc",), "holds decisions of kuhn(players=2), not of leduc"),
        (("kuhn", "--players", 3), "not of kuhn(players=3)"),
        (("kuhn", "--algorithm", "ppo"), "leave out algorithm"),
        (("kuhn", "--set", "agent=smart"), "Nobody in"),
        (("kuhn", "--set", "epoch=1"), "Did you mean epochs?"),
        (("--players", 2), "go with the name of the game"),
    ],
)
def test_what_does_not_go_together_is_refused(words, sentence, data, tmp_path):
    done = typed("train", *words, "--from", data, "--out", tmp_path / "run")
    assert done.code == 2
    assert sentence in done.stderr
    assert not (tmp_path / "run" / POLICY).exists()


def test_a_folder_of_another_run_is_refused(trained, data):
    with pytest.raises(UserError, match="already holds a run with another data set or other settings"):
        Run(Dataset.open(data), Cloning(), 1, trained[0])


def test_settings_are_listed():
    done = typed("train", "--from", "anywhere", "--settings")
    assert done.code == 0
    assert "Settings of cloning" in done.stdout
