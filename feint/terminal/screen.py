"""What is said and asked at a terminal or through a pipe, with colour and card suits where there can be."""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from shutil import which
from textwrap import fill
from typing import Any

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.theme import Theme

PLAIN = str.maketrans("♠♥♦♣", "shdc")
CLEAR = "\x1b[2J\x1b[3J\x1b[H"  # the screen, what has scrolled off it, the cursor home


def called() -> str:
    """How feint is called again from here: by its name where the shell finds it, else by its path."""
    path = Path(sys.argv[0])
    return os.path.relpath(path) if path.name == "feint" and not which("feint") else "feint"


class _Cards(RegexHighlighter):
    base_style = "feint."
    highlights = [r"(?P<red>\b\w+[♥♦])", r"(?P<black>\b\w+[♠♣])", r"(?P<lie>\ba lie\b)"]  # noqa: RUF012 (rich's way)


class Screen:
    """Lines out and answers in. Through a pipe, answers are echoed, so that a transcript reads like the screen."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        theme = Theme({"feint.red": "bold red", "feint.black": "bold", "feint.lie": "bold yellow"})
        self._console = Console(highlighter=_Cards(), theme=theme, markup=False, emoji=False)
        self.typed_at = sys.stdin.isatty()  # whether somebody sits at a keyboard
        self.watched = self._console.is_terminal
        if self.typed_at and self.watched:
            import readline  # noqa: F401  (gives `input` its line editing)

    @property
    def width(self) -> int:
        return self._console.width

    def say(self, text: str, whole: bool = False) -> None:
        """Print text, its lines wrapped to the screen unless they must stay whole to be copied."""
        lines = [line if whole else fill(line, self.width, break_on_hyphens=False) for line in text.split("\n")]
        self._console.print(self._drawable("\n".join(lines)), soft_wrap=True)

    def ask(self, prompt: str) -> str:
        """The line typed in answer; EOFError when there are no more."""
        prompt = self._drawable(prompt)
        if self.typed_at:
            try:
                return input(prompt).strip()
            except (EOFError, KeyboardInterrupt):
                print()  # what follows stands on a line of its own
                raise
        line = sys.stdin.readline()
        print(prompt + line.strip(), flush=True)
        if not line:
            raise EOFError
        return line.strip()

    def hide(self) -> bool:
        """Take away what was on the screen, if there is one; whether there was."""
        if self.watched and self._console.is_dumb_terminal:
            print("\n" * self._console.height)
        elif self.watched:
            print(CLEAR, end="", flush=True)
        return self.watched

    def busy(self, doing: str) -> AbstractContextManager[Any]:
        """A sign of life while something takes a moment."""
        return self._console.status(doing, spinner="line") if self.watched else nullcontext()

    def wait(self, seconds: float) -> None:
        if seconds > 0:
            time.sleep(seconds)

    def _drawable(self, text: str) -> str:
        """Suits as letters where the output cannot show them."""
        try:
            "♠".encode(self._console.encoding)
        except (UnicodeEncodeError, LookupError):
            return text.translate(PLAIN)
        return text
