"""Nothing that was read starts a program or opens a connection: only what somebody types, or hands over in Python, does."""

import json
from dataclasses import replace

import pytest

import feint
from feint import registry
from feint.commands.match import _unfinished
from feint.connect.guest import Guest
from feint.errors import UserError
from feint.learn.tables import compiled_agent
from feint.seating import sat_down
from feint.web.company import seated
from feint.web.jobs import QUEUED, Jobs
from tests.commands.typed import typed

KUHN = feint.make("kuhn")
SENTENCE = "is a program outside feint"


@pytest.fixture
def canary(tmp_path):
    """The specification of a program, and the file that is there once it was started."""
    trace = tmp_path / "started"
    yield f"process:touch {trace}"
    assert not trace.exists()


@pytest.mark.parametrize(
    "spec", ["process:true", " PROCESS:true", "http://localhost:1", "https://x", "ws://x", "WSS://x"]
)
@pytest.mark.parametrize(
    "make", [registry.make_agent, sat_down, compiled_agent, lambda spec, game: Guest(game, spec, 0)]
)
def test_no_name_makes_one(make, spec):
    with pytest.raises(UserError, match=SENTENCE):
        make(spec, KUHN)


def test_matches_and_tables_in_python_take_bots_and_not_their_names(canary):
    with pytest.raises(UserError, match=SENTENCE):
        feint.match(KUHN, [canary, "random"], games=2)
    with pytest.raises(UserError, match=SENTENCE):
        feint.Table(KUHN, [canary, "random"])


def test_a_record_is_looked_at_but_not_gone_on_with(canary, tmp_path):
    table = feint.Table(KUHN, ["me", "random"], seed=1)
    path = tmp_path / "game.json"
    replace(feint.Record.of(table), seats=["me", canary]).save(path)
    done = typed("play", "--resume", path)
    assert (done.code, SENTENCE in done.stderr) == (2, True)
    assert typed("replay", path, "--all").code == 0


def test_a_result_names_it_alone(canary, tmp_path):
    """Of a match that was stopped, and goes on: who plays is what is typed, or there is no match."""
    save = tmp_path / "result.json"
    result = replace(feint.match(KUHN, ["random", "random"], games=2), agents=(canary, "random"))
    result.save(_unfinished(save))
    done = typed("match", "kuhn", "random", "random", "-n", 4, "--save", save)
    assert done.code == 2
    result.save(save)
    assert typed("merge", save).code == 0


@pytest.mark.parametrize(
    "entry",
    [
        'tables = ["{}"]',
        'against = ["{}"]',
        'algorithm = "ppo"\n[settings]\nteacher = "{}"',
        'algorithm = "ppo"\n[settings]\nstart = "{}"',
    ],
)
def test_a_run_is_refused(canary, entry, tmp_path):
    config = tmp_path / "run.toml"
    config.write_text('game = "kuhn"\n' + entry.format(canary), encoding="utf-8")
    done = typed("train", "--config", config, "--out", tmp_path / "run")
    assert (done.code, SENTENCE in done.stderr) == (2, True), done.stderr
    folder = tmp_path / "left"
    folder.mkdir()
    config.rename(folder / "run.toml")
    assert typed("train", "--resume", folder).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("train", "kuhn", "--table", "{}"),
        ("search", "bluff", "smart", "--table", "{},smart,smart"),
        ("exploit", "kuhn", "{}"),
    ],
)
def test_commands_that_take_no_bots_say_so(canary, words):
    done = typed(*(word.format(canary) for word in words))
    assert (done.code, SENTENCE in done.stderr) == (2, True), done.stderr


def test_the_lab_seats_none(canary):
    with pytest.raises(UserError, match="is not an agent that goes by its name"):
        seated(canary, KUHN)


def test_an_experiment_whose_file_was_altered_is_not_run(canary, tmp_path):
    folder = tmp_path / "jobs" / "abc"
    folder.mkdir(parents=True)
    kept = {"words": ["match", "kuhn", "random", canary], "status": QUEUED}
    (folder / "job.json").write_text(json.dumps(kept), encoding="utf-8")
    jobs = Jobs(tmp_path / "jobs")
    jobs.look()
    assert not jobs.known
    assert not jobs.running
