"""Lines out and answers in, with what the terminal can do."""

import io
import re
import sys

import pytest

from feint.games.bluff.words import BluffNarration
from feint.games.small.dice_words import LiarsDiceNarration
from feint.terminal.screen import Screen, called
from feint.words import Narration
from tests.terminals import Terminal


class Written(io.TextIOWrapper):
    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()


@pytest.fixture
def output(monkeypatch):
    def to(encoding: str = "utf-8", terminal: bool = False) -> Written:
        stream = Written(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stdin", io.StringIO("3 7\n"))
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")
        return stream

    return to


def test_suits_are_letters_where_they_cannot_be_shown(output):
    stream = output("ascii")
    screen = Screen(BluffNarration)
    screen.say("Ré shows A♠ 10♥ 3♦ Q♣")
    assert screen.ask("A♥? ") == "3 7"
    assert stream.text() == "R? shows As 10h 3d Qc\nAh? 3 7\n"


def test_columns_hang_where_they_do_not_fit(output, monkeypatch):
    stream = output()
    monkeypatch.setenv("COLUMNS", "16")
    Screen(BluffNarration).say("Two hands:\nAnn\tA♠ 2♠ 3♠ 4♠ 5♠\nNo-Bluff\tK♠")
    assert stream.text().splitlines() == [
        "Two hands:",
        "Ann       A♠ 2♠",
        "          3♠ 4♠",
        "          5♠",
        "No-Bluff  K♠",
    ]


def test_only_signs_that_cannot_be_shown_are_spelled(output):
    for encoding, shown in (("ascii", "2 x 3, A?\n"), ("latin-1", "2 × 3, A?\n"), ("utf-8", "2 × 3, A♠\n")):
        stream = output(encoding)
        Screen(LiarsDiceNarration).say("2 × 3, A♠")
        stream.flush()
        assert stream.buffer.getvalue().decode(encoding) == shown


def test_a_pipe_has_no_colour_and_wraps_at_80(output):
    stream = output()
    Screen(BluffNarration).say("A♥ is red, [bold]brackets[/bold] and :smile: stay. " * 4)
    lines = stream.text().splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in stream.text()
    assert lines[0].startswith("A♥ is red, [bold]brackets[/bold] and :smile: stay.")


def test_red_suits_are_red_on_a_terminal_unless_colour_is_unwanted(output, monkeypatch):
    stream = output(terminal=True)
    Screen(BluffNarration).say("A♥ K♠")
    assert "\x1b[1;31mA♥\x1b[0m" in stream.text()
    stream = output(terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    Screen(BluffNarration).say("A♥ K♠")
    assert "31m" not in stream.text()
    stream = output(terminal=True)
    monkeypatch.setenv("TERM", "dumb")
    Screen(BluffNarration).say("A♥ K♠")
    assert stream.text() == "A♥ K♠\n"


def test_a_lie_is_striking_where_the_game_says_so(output):
    for speech, shown in ((BluffNarration, "\x1b[1;33ma lie\x1b[0m!\n"), (Narration, "a lie!\n")):
        stream = output(terminal=True)
        Screen(speech).say("a lie!")
        assert stream.text() == shown


def test_hiding_leaves_nothing_to_scroll_back_to(output, monkeypatch):
    stream = output(terminal=True)
    assert Screen().hide()
    assert stream.text() == "\x1b[2J\x1b[3J\x1b[H"
    stream = output(terminal=True)
    monkeypatch.setenv("TERM", "dumb")
    assert Screen().hide()
    assert set(stream.text()) == {"\n"}
    assert len(stream.text()) > 20
    stream = output()
    assert not Screen().hide()
    assert stream.text() == ""


def test_the_end_of_the_answers_is_told(output):
    stream = output()
    screen = Screen()
    screen.ask("first? ")
    with pytest.raises(EOFError):
        screen.ask("second? ")
    assert stream.text() == "first? 3 7\nsecond? \n"


@pytest.mark.parametrize(
    ("argv", "found", "said"),
    [
        ("/home/ann/feint/.venv/bin/feint", None, ".venv/bin/feint"),
        ("/home/ann/feint/.venv/bin/feint", "/usr/bin/feint", "feint"),
        ("/home/ann/feint/feint/cli/__main__.py", None, "feint"),
    ],
)
def test_how_feint_is_called_again(monkeypatch, argv, found, said):
    monkeypatch.setattr("sys.argv", [argv])
    monkeypatch.setattr("os.getcwd", lambda: "/home/ann/feint")
    monkeypatch.setattr("feint.terminal.screen.which", lambda _: found)
    assert called() == said


def test_what_one_typed_cannot_be_brought_up_by_the_next_at_the_keyboard():
    program = (
        "from feint.terminal.screen import Screen; screen = Screen(shared=True); screen.ask('Ann? ');"
        "screen.hide(); screen.ask('Ben? '); print('done')"
    )
    at = Terminal("-c", program)
    at.until(r"Ann\? ")
    at.write("a lie\x15the truth\r")  # one is cut out, which line editing would remember as well
    at.until(r"Ben\? ")
    before = len(at.seen)
    at.write("\x1b[A\x10\x19\x1b.\r")  # the line before, in two ways, what was cut out, the last word
    at.until("done")
    assert not {"lie", "truth"} & set(re.findall(r"[a-z]+", at.seen[before:]))
    assert at.seen.rindex("\x1b[3J") > at.seen.rindex("truth")
    assert at.end()[0] == 0
