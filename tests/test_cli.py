"""The command line as a user has it: a process of its own, through pipes and at a terminal."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

import feint
from feint import cli
from feint.testing import ConformanceError
from tests.commands.typed import typed
from tests.terminals import Terminal

FEINT = [sys.executable, "-m", "feint.cli"]


@pytest.fixture
def env(tmp_path) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return plain | {"XDG_DATA_HOME": str(tmp_path), "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def command(env):
    def run(*args: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*FEINT, *args], input=answers, capture_output=True, encoding="utf-8", env=env, timeout=300
        )

    return run


def test_help_does_not_wait_for_jax():
    script = "import sys, feint.cli\ntry: feint.cli.app(['play', '--help'])\nfinally: assert 'jax' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "--seats" in done.stdout


def test_every_option_has_another_word_than_its_name_for_its_value():
    """typer 0.27 leaves out an option whose value is called as the option is, in capitals."""
    commands = typer.main.get_command(cli.app).commands
    options = [each for command in commands.values() for each in command.params if each.param_type_name == "option"]
    assert len(options) > 100
    assert [each.name for each in options if each.metavar == each.name.upper()] == []


def test_the_version(command):
    assert command("--version").stdout == f"feint {feint.__version__}\n"


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        (("play",), "Play which game?"),
        (("play", "blufff"), "Did you mean bluff?"),
        (("play", "bluff", "--seats", "me,smort"), "Did you mean smart?"),
        (("play", "--resume", "--seed", "3"), "leave out --seed"),
        (("play", "--resume"), "There is no unfinished game"),
        (("play", "kuhn", "--resume"), "There is no unfinished game of kuhn in"),
        (("play", "--resume", "nowhere.json"), "There is no file nowhere.json"),
        (("replay", "nowhere.json"), "There is no file nowhere.json"),
        (("replay",), "There is no saved game in"),
        (("play", "bluff", "--lies"), "--lies goes with --watch"),
        (("play", "bluff", "--opponents", "hard"), "--opponents must be easy, fair or strong"),
        (("play", "bluff", "--opponents", "fair", "--seats", "me,smart"), "leave out --opponents, or --seats"),
        (
            ("match", "kuhn", "random", "random", "--players", "3"),
            "--players asks for 3, but you named 2 agents: a match seats all of them.",
        ),
        (("train", "kuhn", "--players", "3", "-o", "players=2"), "players cannot be both 2 and 3: give one of them."),
        (("agents", "chess"), "There is no game called 'chess'"),
        (("match", "kuhn", "random", "random", "--games", "abc"), "--games must be a whole number, not 'abc'."),
        (("match", "kuhn", "random", "random", "--level", "x"), "--level must be a number, not 'x'."),
        (
            ("match", "kuhn", "random", "random", "--gmaes", 3),
            "feint match has no option --gmaes. Did you mean --games?",
        ),
        (("match", "kuhn", "random", "random", "-n"), "-n needs a value."),
        (("match", "kuhn", "random", "random", "--duplicate=1"), "--duplicate takes no value."),
        (("match", "kuhn", "random", "random", "--save", ""), "--save must be the name of a file or folder"),
        (("match", "kuhn", "random"), "One player makes no game: name everybody at the table of kuhn."),
        (("dataset", "kuhn"), "--out is missing: the folder of the data set."),
        (("match",), "The game is missing: a game, or a preset of one"),
        (("match", "kuhn"), "The agents are missing: who plays, such as no-bluff"),
        (("mach", "kuhn"), "feint has no command called 'mach'. Did you mean match?"),
        (("acpc", "xyzzy"), "feint acpc has no command called 'xyzzy'. feint acpc --help lists them."),
        (("games", "kuhn", "leduc"), "feint games does not take kuhn leduc: feint games --help says what it takes."),
        (("lab", "--port", 0, "--games", ""), "There is no game called ''"),
        (("lab", "--port", 0, "--database", ""), "'' is not the address of a database"),
    ],
)
def test_bad_input_costs_one_sentence_and_code_2(args, wrong, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = typed(*args)
    assert done.code == 2
    assert done.stdout == ""
    assert re.fullmatch(rf"feint: .*{re.escape(wrong)}.*\n", done.stderr)


def test_a_scripted_game_is_left_and_gone_on_with(command, tmp_path, monkeypatch):
    first = command("play", "bluff", "--seats", "me,no-bluff", "--seed", "1", answers="#1\n\nq\n")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.startswith("Bluff with seed 1: You, No-Bluff.\n")
    assert first.stdout.endswith("The game is saved; go on with: feint play --resume\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    again = typed("play", "--resume", answers="n\n")
    assert (again.code, again.stderr) == (0, "")
    assert "Going on with bluff, seed 1, after 6 moves.\nYou lay 1 card as an Ace, 25 left.\n" in again.stdout
    [path] = (tmp_path / "feint" / "games").iterdir()
    back = typed("replay", path)
    assert (back.code, back.stderr) == (0, "")
    assert "Player 1: 1 play, " in back.stdout
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    other = typed("replay", path)
    assert other.code == 2
    assert re.search(r"feint: .* is damaged, or was altered: it is not the game that was saved\.\n", other.stderr)


def test_at_a_terminal_ctrl_c_loses_nothing(env, tmp_path):
    game = Terminal(*FEINT[1:], "play", "bluff", "--seats", "me,no-bluff", "--seed", "1", env=env)
    assert "\x1b[1;31m" in game.until("Lay 1 to 4 cards as Aces: ")  # red cards are red
    game.write("#1 #2\r")
    game.until("u to take back: ")
    game.write("y\r")
    game.until(r"Call bluff\? \[y/N\] ")
    time.sleep(0.5)  # as a person would: only once the prompt is being listened to
    game.press_ctrl_c()
    code, lines = game.end()
    assert code == 130
    assert lines[-1] == "The game is saved; go on with: feint play --resume"
    assert "Traceback" not in game.seen

    again = Terminal(*FEINT[1:], "play", "--resume", env=env)
    assert "You lay 2 cards as Aces, 24 left." in again.until(r"Call bluff\? \[y/N\] ")
    again.write("q\r")
    assert again.end()[0] == 0
    assert len(list((tmp_path / "feint" / "games").iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("feint play bl", ["bluff"]),
        ("feint match bluff no", ["no-bluff"]),
        ("feint play leduc --seats me,r", ["me,random"]),
        ("feint play leduc --opponents st", ["strong"]),
        ("feint zoo led", ["leduc-1", "leduc-2"]),
    ],
)
def test_a_shell_completes_names(words, offered, monkeypatch):
    for name, value in {
        "_FEINT_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }.items():
        monkeypatch.setenv(name, value)
    assert typed().stdout.split() == offered


def test_a_process_of_its_own_says_the_same(command):
    done = command("play", "blufff")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == typed("play", "blufff").stderr


def test_every_command_is_told_in_a_whole_sentence():
    assert "..." not in typed("--help").stdout.partition("Commands:")[2]


def test_lists_and_checks():
    games = typed("games").stdout
    assert re.search(r"^bluff +Lay cards face down", games, re.M)
    assert re.search(r"^leduc +Leduc hold'em\. Two cards", games, re.M)
    assert re.search(r"^    most=4 +the most cards laid in one turn \(1 to 8\)$", games, re.M)
    agents = typed("agents", "bluff").stdout
    assert re.search(r"^zoo:bluff-12 +Bluff for four: for the players", agents, re.M)
    assert re.search(r"^--opponents strong  zoo:bluff-10, ", agents, re.M)
    assert re.findall(r"^zoo:\S+", typed("agents", "Bluff", "--players", "3").stdout, re.M) == [
        "zoo:bluff-13"
    ]  # the others play four
    assert re.search(r"^anxious +Plays as smart, and calls.*\n +.*\n? +threshold=3, call_two=0.25, .*$", agents, re.M)
    checked = typed("check", "kuhn")
    assert checked.code == 0
    assert checked.stdout.startswith("kuhn(players=2) keeps the contract:\n")


def test_a_game_that_breaks_the_contract_exits_with_1(monkeypatch, capsys):
    def breaks(game, seed, **_):
        raise ConformanceError(f"{game.name} is odd, as is {seed}")

    monkeypatch.setattr("feint.commands.check.check_game", breaks)
    with pytest.raises(SystemExit) as left:
        cli.app(["check", "kuhn", "--seed", "3"])
    assert left.value.code == 1
    assert capsys.readouterr().err == "kuhn(players=2) fails: kuhn is odd, as is 3\n"


def test_a_closed_pipe_is_no_error(env, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    typed("play", "kuhn", "--seats", "random,random", "--watch", "--seed", "1")
    [path] = (tmp_path / "feint" / "games").iterdir()
    shell = f"{' '.join(FEINT)} replay {Path(path)} | head -1"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, encoding="utf-8", env=env, timeout=300)
    assert done.stdout == "Kuhn poker with seed 1: Random 1, Random 2.\n"
    assert done.stderr == ""
