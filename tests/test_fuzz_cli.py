"""Whatever is typed, a command does it (0), refuses it in a sentence (2) or was stopped (130): never a traceback."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feint.errors import UserError
from tests.commands.typed import typed

ALLOWED = (0, 2, 130)
ODD = [
    "",
    " ",
    "0",
    "-1",
    "1e999",
    "nan",
    "-inf",
    "0.9999999999999999",
    str(2**31),
    "99999999999",
    "9" * 5000,
    "٣",
    "x",
    "-",
    "--",
    ".",
    "/",
    "/proc/x.json",
    "missing/x.txt",
    "x.xyz",
    "x" * 300 + ".json",
    "[/x]",
    "[red]",
    "$^$",
    "\x1b[2J",
    "\u202emoc",
    "two\nlines",
    "\udcff.json",
    "'",
    "=",
    "=1",
    "players=",
    "players=99999999999",
    "num_envs=-1",
    "width=1e9",
    ",",
    "random,",
    "0*random",
    "1e9*random",
    "random(",
    "random)",
    "random(1)",
    "random(" + "-" * 5000,
    "random(" + "[" * 5000,
    "random({[]:1})",
    "policy:",
    "policy:.",
    "policy:[/x]/p.npz",
    "zoo:",
    "zoo:../x",
    "me",
    "me:\x1b[2J",
    "me:" + "x" * 1000,
    "1/0",
    "2/1",
    "9" * 5000 + "/1",
    "value=0..inf",
    "3..2",
]

COMMANDS = {
    "play": (
        ["kuhn"],
        ["--seats", "--opponents", "--players", "--option", "--seed", "--watch", "--lies", "--pause", "--resume"],
    ),
    "replay": (["x.json"], ["--all"]),
    "records": (["x.jsonl"], ["--read"]),
    "agents": (["kuhn"], ["--players", "--option"]),
    "zoo": (["leduc-1"], []),
    "check": (["kuhn"], ["--players", "--option", "--seed"]),
    "match": (
        ["kuhn", "random", "random"],
        [
            "--games",
            "--seats",
            "--duplicate",
            "--length",
            "--players",
            "--option",
            "--seed",
            "--level",
            "--part",
            "--limit",
            "--fault",
            "--save",
            "--plot",
            "--on",
        ],
    ),
    "tournament": (
        ["kuhn", "random", "random"],
        ["--games", "--seats", "--players", "--option", "--seed", "--level", "--limit", "--fault", "--save", "--on"],
    ),
    "bot-test": (["./nobody"], ["--game", "--players", "--option", "--games", "--limit"]),
    "dataset": (
        ["kuhn", "--games", "2", "--out", "data"],
        ["--seats", "--games", "--per-file", "--players", "--option", "--seed", "--out"],
    ),
    "merge": (["x.json"], ["--save"]),
    "search": (
        ["bidding", "split", "--table", "uniform,uniform"],
        [
            "--table",
            "--vary",
            "--method",
            "--generations",
            "--population",
            "--deals",
            "--seats",
            "--by",
            "--spread",
            "--games",
            "--players",
            "--option",
            "--seed",
            "--level",
            "--out",
            "--fresh",
        ],
    ),
    "study": (["bluff"], ["--list", "--only", "--games", "--seed", "--out"]),
    "solve": (
        ["kuhn", "--iterations", "2"],
        [
            "--algorithm",
            "--until",
            "--iterations",
            "--players",
            "--option",
            "--out",
            "--fresh",
            "--most",
            "--seed",
            "--batch",
            "--abstraction",
        ],
    ),
    "exploit": (
        ["kuhn", "random"],
        [
            "--players",
            "--option",
            "--draws",
            "--seed",
            "--most",
            "--train",
            "--seeds",
            "--games",
            "--set",
            "--out",
            "--fresh",
        ],
    ),
    "gallery": (
        ["kuhn", "random"],
        ["--table", "--games", "--players", "--option", "--seed", "--save", "--fresh"],
    ),
    "train": (
        ["kuhn"],
        [
            "--algorithm",
            "--table",
            "--seats",
            "--length",
            "--set",
            "--config",
            "--steps",
            "--seed",
            "--against",
            "--evaluations",
            "--games",
            "--bar",
            "--exploiters",
            "--exploiter-steps",
            "--exploiter-delay",
            "--restarts",
            "--also",
            "--serve",
            "--players",
            "--option",
            "--out",
            "--resume",
            "--from",
            "--settings",
        ],
    ),
    "curves": (["x"], ["--out"]),
}
FLAGS = {"--watch", "--read", "--lies", "--resume", "--all", "--duplicate", "--fresh", "--list", "--settings"}
FITTING = {
    "--seats": ["all", "given", "random,random", "me:Ann,random"],
    "--players": ["2", "3"],
    "--opponents": ["strong", "random"],
    "--option": ["players=2", "coins=4"],
    "--table": ["random", "uniform,uniform", "2*split(1),share"],
    "--against": ["random"],
    "--vary": ["concentration", "concentration=0.1..10"],
    "--set": ["num_envs=4", "network=mlp", "learning_rate=0", "total_timesteps=-1"],
    "--algorithm": ["dcfr", "mccfr", "ppo", "dqn"],
    "--method": ["cem"],
    "--by": ["wins"],
    "--save": ["r.json", "r.csv"],
    "--plot": ["r.svg"],
    "--out": ["out/r.svg", "r.json"],
    "--part": ["1/2"],
    "--only": ["none"],
}


@st.composite
def lines(draw):
    """A command with what it needs, and options with values that fit or do not."""
    command = draw(st.sampled_from(sorted(COMMANDS)))
    needed, options = COMMANDS[command]
    line = [command, *needed]
    if draw(st.integers(0, 3)) == 0:  # something odd in place of what it needs
        line[draw(st.integers(0, len(line) - 1))] = draw(st.sampled_from(ODD))
    for option in draw(st.lists(st.sampled_from(options), max_size=3)) if options else ():
        odd = st.sampled_from(ODD) | st.text(max_size=8)
        fitting = st.sampled_from(FITTING.get(option, ["1", "2", "0.5"]))
        flag = option in FLAGS and not (option == "--resume" and command == "train")
        line += [option] if flag else [option, draw(odd | fitting)]
    return [each.replace("\0", "") for each in line]


def run(line):
    """A command leaves no traceback, and says one thing where it exits with 2."""
    done = typed(*line)
    assert done.code in ALLOWED, line
    assert "Traceback" not in done.stderr, line
    (done.stdout + done.stderr).encode()  # what could not be written would cost a traceback
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]", done.stdout + done.stderr), (line, done)
    assert done.code != 2 or re.fullmatch(r"feint: .+\n", done.stderr), (line, done)


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def idle(monkeypatch):
    """Commands that begin no work: what they would refuse, they have refused by then."""

    def begun(*_, **__):
        raise UserError("It would begin.")

    for work in (
        "feint.commands.match.match",
        "feint.commands.check.check_game",
        "feint.commands.solve.build",
        "feint.solvers.mccfr.Sampler.run",
        "feint.commands.search.Search.step",
        "feint.commands.train.Run.start",
        "feint.commands.dataset.begun",
        "feint.commands.gallery.Gallery.step",
        "feint.studies.run._cached",
        "feint.terminal.play.Table",
    ):
        monkeypatch.setattr(work, begun)


HOW = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


@pytest.mark.usefixtures("nowhere", "idle")
@given(line=lines())
@settings(max_examples=100, derandomize=True, **HOW)
def test_whatever_is_typed_is_refused_in_a_sentence_or_begins(line):
    run(line)


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(COMMANDS))
@pytest.mark.usefixtures("nowhere", "idle")
def test_every_option_takes_or_refuses_everything_odd(command):
    needed, options = COMMANDS[command]
    for odd in ODD:
        for place in range(len(needed)):
            run([command, *needed[:place], odd, *needed[place + 1 :]])
        for option in options:
            run([command, *needed, f"{option}={odd}"])


@pytest.mark.slow
@pytest.mark.usefixtures("nowhere")
@given(line=lines())
@settings(max_examples=500, derandomize=True, **HOW)
def test_whatever_is_typed_is_done_or_refused(line):
    if line[0] not in ("study", "train"):  # minutes, where all of it fits
        run(line)
