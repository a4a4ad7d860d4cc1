"""What is said and asked at a terminal or through a pipe, with colour and signs where there can be."""

from __future__ import annotations

import os
import sys
import termios
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shutil import which
from textwrap import fill
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from feint.game import Game
from feint.interrupts import interruptible, shown
from feint.visible import visible
from feint.words import Narration, speech

STYLES = {  # how each emphasis of a narration looks
    "red": "bold red",
    "yellow": "yellow",
    "blue": "bold blue",
    "strong": "bold",
    "striking": "bold yellow",
}
CLEAR = "\x1b[2J\x1b[3J\x1b[H"  # the screen, what has scrolled off it, the cursor home


def called() -> str:
    """How feint is called again from here: by its name where the shell finds it, else by its path."""
    path = Path(sys.argv[0])
    return os.path.relpath(path) if path.name == "feint" and not which("feint") else "feint"


def titled(game: Game) -> str:
    """A game's name as people write it."""
    return speech(game).title or game.name.replace("-", " ").title()


class Screen:
    """Lines out and answers in. Through a pipe, answers are echoed, so that a transcript reads like the screen."""

    def __init__(self, speech: type[Narration] = Narration, shared: bool = False) -> None:
        for stream in (sys.stdin, sys.stdout):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        self._speech = speech
        self._console = Console()
        self._spelled = str.maketrans({sign: text for sign, text in speech.signs.items() if not self._shows(sign)})
        self.typed_at = sys.stdin.isatty()  # whether somebody sits at a keyboard
        self.watched = self._console.is_terminal
        # Line editing, which remembers what was typed and cut out: where people share a keyboard, nobody may bring that up again.
        if self.typed_at and self.watched and not shared:
            import readline  # noqa: F401

    @property
    def width(self) -> int:
        return self._console.width

    def say(self, text: str, whole: bool = False) -> None:
        """Print text, its lines wrapped to the screen unless they must stay whole to be copied."""
        text = visible(text, keep="\n\t")
        pieces = self._speech.spans(text if whole else _wrapped(text, self.width))
        styled = [(piece.translate(self._spelled), STYLES.get(style, "")) for piece, style in pieces]
        self._console.print(Text.assemble(*styled), soft_wrap=True)

    def ask(self, prompt: str) -> str:
        """The line typed in answer; EOFError when there are no more."""
        prompt = visible(prompt).translate(self._spelled)
        if self.typed_at:
            try:
                with interruptible():
                    return input(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                print()  # what follows stands on a line of its own
                raise
        with interruptible():
            line = sys.stdin.readline()
        print(prompt + visible(line.strip()), flush=True)
        if not line:
            raise EOFError
        return line.strip()

    def hide(self) -> bool:
        """Take away what was on the screen, if there is one, and what was typed ahead; whether there was a screen."""
        if self.typed_at:
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        if self.watched and self._console.is_dumb_terminal:
            print("\n" * self._console.height)
        elif self.watched:
            print(CLEAR, end="", flush=True)
        return self.watched

    def busy(self, doing: str) -> AbstractContextManager[Any]:
        """A sign of life while something takes a moment."""
        return shown(self._console.status(doing, spinner="line")) if self.watched else nullcontext()

    def wait(self, seconds: float) -> None:
        with interruptible():
            time.sleep(seconds)

    def _shows(self, sign: str) -> bool:
        """Whether a sign can be written to the output."""
        try:
            sign.encode(self._console.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def _wrapped(text: str, width: int) -> str:
    """Lines no wider than that; those with a tab have what follows it in a column of its own."""
    lines = [line.partition("\t") for line in text.split("\n")]
    margin = max((cell_len(head) + 2 for head, tab, _ in lines if tab), default=0)

    def wrapped(head: str, tab: str, rest: str) -> str:
        whole, indent = (head + " " * (margin - cell_len(head)) + rest, " " * margin) if tab else (head, "")
        return fill(whole, width, subsequent_indent=indent, break_on_hyphens=False)

    return "\n".join(wrapped(*line) for line in lines)
