"""Ctrl-C at a real terminal: one sentence and exit code 130, whatever the process is in the midst of, which would take minutes more."""

import os
import re

import pytest

import feint
from feint.games.holdem import definition
from feint.games.holdem.game import Holdem
from feint.record import Record
from feint.table import Table
from tests.terminals import Terminal

DICE = feint.make("liars-dice")

PROGRAM = """
import sys, threading, time
from feint import interrupts
from feint.errors import UserError

def busy():
    print("busy", flush=True)
    while True: pass

def full(): raise UserError("The disk is full.")

with interrupts.listening():
    exec({!r})
print("not stopped")
"""


def stopped(program: str, **how: bool) -> tuple[int, list[str]]:
    """What comes of pressing Ctrl-C in a program that says when it is busy."""
    at = Terminal("-c", PROGRAM.format(program), **how)
    at.until("busy")
    at.press_ctrl_c()
    return at.end()


def test_a_process_that_never_looks_up_is_ended_with_a_sentence():
    code, said = stopped("busy()")
    assert (code, said) == (130, ["Stopped; the same command begins again."])


def test_what_was_done_is_kept_before_it_ends():
    code, said = stopped("with interrupts.on_ctrl_c(lambda: print('kept') or 'Stopped here.'): busy()")
    assert (code, said) == (130, ["kept", "Stopped here."])
    code, said = stopped("with interrupts.on_ctrl_c(full): busy()")
    assert (code, said) == (2, ["feint: The disk is full."])


def test_a_process_that_looks_up_leaves_by_itself():
    check = "print('busy', flush=True); [time.sleep(0.05) or interrupts.check() for _ in range(10_000)]"
    wait = "with interrupts.interruptible(): print('busy', flush=True); time.sleep(600)"
    # The other thread would end it only after this has been through.
    begin = "interrupts.GRACE = 900; words = lambda: f'Left by {threading.current_thread().name}.'"
    for busy in (check, wait):
        code, said = stopped(f"{begin}\nwith interrupts.on_ctrl_c(words):\n    {busy}")
        assert (code, said) == (130, ["Left by MainThread."])


def test_a_process_that_left_by_itself_ends_with_its_own_code_and_takes_nothing_down():
    leave = "print('busy', flush=True)\nwhile not interrupts.pressed(): time.sleep(0.01)\nraise SystemExit({})"
    down = "interrupts.GRACE = 900; import atexit; atexit.register(print, 'taken down')"
    for code in (0, 7):
        assert stopped(f"{down}\n{leave.format(code)}") == (code, [])


def test_pressed_again_it_ends_at_once():
    keep = "print('keeping', flush=True) or time.sleep(600) or 'late'"
    at = Terminal("-c", PROGRAM.format(f"with interrupts.on_ctrl_c(lambda: {keep}): busy()"))
    at.until("busy")
    at.press_ctrl_c()
    at.until("keeping")
    at.press_ctrl_c()
    code, said = at.end()
    assert (code, said) == (130, ["Stopped at once: what was not kept by then is lost."])


def test_a_display_is_taken_off_the_screen_and_the_cursor_comes_back():
    at = Terminal(
        "-c",
        PROGRAM.format("from rich.console import Console\nwith interrupts.shown(Console().status('Turning')): busy()"),
    )
    at.until("busy")
    at.until("Turning")
    at.press_ctrl_c()
    code, said = at.end()
    assert (code, said[-1]) == (130, "Stopped; the same command begins again.")
    assert at.seen.rindex("\x1b[?25h") > at.seen.rindex("\x1b[?25l")
    assert at.seen.rindex("\x1b[2K") > at.seen.rindex("Turning")


ANOTHERS_TERMINAL = """
import os, signal, subprocess, sys
job = subprocess.Popen([sys.executable, "-c", {program!r}], stdout=subprocess.PIPE, text=True, {how})
job.stdout.readline()
os.kill(job.pid, signal.SIGINT)
_, status = os.waitpid(job.pid, os.WUNTRACED)
print("stopped for touching the terminal" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status))
job.kill()
print(job.stdout.read())
"""


@pytest.mark.parametrize("how", ["start_new_session=True", "process_group=0"])
def test_a_job_at_a_terminal_that_is_not_its_own_ends_as_well(how):
    """In the background, whoever sets the terminal is stopped for it instead; in another session it has none to set."""
    leave = "interrupts.GRACE = 900; print('busy', flush=True); [time.sleep(0.05) or interrupts.check() for _ in range(10_000)]"
    keep = "with interrupts.on_ctrl_c(lambda: 'Stopped.'), interrupts.undone(lambda: print('undone', flush=True))"
    for busy in ("busy()", leave):
        program = ANOTHERS_TERMINAL.format(program=PROGRAM.format(f"{keep}: {busy}"), how=how)
        assert Terminal("-c", program).end() == (0, ["Stopped.", "130", "undone"])


def test_where_ctrl_c_is_ignored_it_stays_ignored():
    code, said = stopped("print('busy', flush=True); time.sleep(0.8)", ignored=True)
    assert (code, said) == (0, ["not stopped"])


def test_where_nobody_listens_it_is_an_exception_as_ever():
    from feint import interrupts

    interrupts.check()
    assert not interrupts.pressed()
    with interrupts.interruptible(), interrupts.on_ctrl_c(lambda: "Stopped."):
        pass
    with pytest.raises(SystemExit) as left, interrupts.on_ctrl_c(lambda: "Stopped."):
        raise KeyboardInterrupt
    assert left.value.code == 130


AGAIN = r"Stopped.*; the same command begins again\."
UNPLAYED = r"Stopped before any games were through; the same command begins again\."
GAMES = rf"{AGAIN}|Stopped after .* of 20000000\d games; with --save FILE they would be kept to go on from\."
TABLES = rf"{AGAIN}|Stopped after .* of .* tables; with --save FILE they would be kept to go on from\."
ON = r"Stopped.*, and the same command goes on\."
COMMANDS = {
    "play bluff --seats me,smart --seed 1": ("Dealing", AGAIN),
    "match bluff no-bluff smart anxious -n 200000000": ("0 of", GAMES),
    "tournament leduc random random random -n 200000000": ("0 of", GAMES),
    "search bluff counter --table smart,smart --generations 100000": ("generation", f"{AGAIN}|{ON}"),
    "solve leduc --iterations 100000000": ("Building", f"{AGAIN}|{ON}"),
    "exploit leduc random --players 3 --option suits=true": ("Building", AGAIN),
    "check bluff": ("", AGAIN),
    "study bidding": (
        ":",
        r"Stopped; the sections .* are kept in runs/studies/bidding, and the same command goes on\.",
    ),
    "train kuhn": ("Dealing", r"Stopped.*; feint train --resume runs/train/kuhn-mmd-0 goes on from there\."),
    "train leduc --algorithm opponent-model --table random,random": (
        "Dealing",
        r"Stopped.*; feint train --resume runs/train/leduc-opponent-model-0 goes on from there\.",
    ),
    "solve leduc --algorithm blueprint --iterations 100000000": ("Listing", f"{AGAIN}|{ON}"),
    "exploit leduc random --local --hands 100000000": (
        "Compiling",
        r"Stopped before enough hands were played\.|A local best response .*%\.",
    ),
    "exploit leduc random --train 10000000": ("Dealing", ON),
    "gallery bluff smart": ("0 of", TABLES),
    "dataset bluff --out set": ("0 of", r"Stopped after .*; the same command goes on\."),
    "replay game.json --analyse --play-outs 100000": ("Playing out", AGAIN),
    "acpc deal --game two.game --hands 100000 --seat 1=always-call --seat 2=random": (
        "hands",
        r"Stopped after .*; the same command goes on\.",
    ),
}


@pytest.mark.parametrize(
    "wait", [0.0, pytest.param(2.0, marks=pytest.mark.slow), pytest.param(6.0, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "line",
    [line if line.startswith("match") else pytest.param(line, marks=pytest.mark.slow) for line in COMMANDS],
)
def test_every_long_command_stops_while_it_compiles(line, wait, tmp_path, monkeypatch):
    begun, sentence = COMMANDS[line]
    if line.startswith("match") and not wait:  # whoever waited for the compiler would have played
        sentence = UNPLAYED
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.game").write_text(definition.written(Holdem()))
    table = Table(DICE, ["random", "me"], seed=3)
    while not table.over:
        table.play(int(table.legal.argmax()))
    Record.of(table).save(tmp_path / "game.json")
    nothing_compiled = {"FEINT_CACHE": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    root = os.path.dirname(os.path.dirname(__file__))
    at = Terminal("-m", "feint.cli", *line.split(), env={"PYTHONPATH": root, **nothing_compiled})
    if begun:
        at.until(begun)
    else:
        at.wait(4)
    at.wait(wait)
    at.press_ctrl_c()
    code, said = at.end()
    assert code == 130, at.seen
    assert re.fullmatch(sentence, said[-1]) or line.startswith("play"), at.seen
    assert "Traceback" not in at.seen
    if line.startswith("train kuhn") and wait and (tmp_path / "runs").exists():
        again = Terminal("-m", "feint.cli", "train", "--resume", "runs/train/kuhn-mmd-0", env={"PYTHONPATH": root})
        again.until("at kuhn")
        again.press_ctrl_c()
        assert again.end()[0] == 130
