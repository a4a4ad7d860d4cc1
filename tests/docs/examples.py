"""Examples in Markdown, and what running them prints.

A page's blocks run from top to bottom in one folder. ```python blocks share their names, and a ```text block right after one is
what it prints. In ```console blocks, each line after `$ ` is a command and what follows is its output, errors included; `...`
stands for any lines. Commands of other tools than feint are in ```sh blocks, which are not run. Words after `console`:
`slow` leaves a block to `make test-slow`; `typing: A A | | q` is what is typed, line by line.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

from feint.engine import cache_folder
from tests.commands.typed import typed

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<how>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"typing: (.*)")


@dataclass(frozen=True)
class Example:
    """Something to run, and the part of its page that says what it prints."""

    page: Path
    line: int
    kind: str  # python or console
    text: str  # the code, or one command
    typed: str
    slow: bool
    output: tuple[int, int] | None  # where the output stands in the page; None where it is not shown

    @property
    def expected(self) -> str:
        start, end = self.output or (0, 0)
        return self.page.read_text(encoding="utf-8")[start:end]

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def examples(page: Path) -> Iterator[Example]:
    """All that can be run on a page, in order."""
    source = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(source))
    for i, block in enumerate(blocks):
        line = source[: block.start("text")].count("\n") + 1
        slow = "slow" in block["how"]
        if block["kind"] == "python":
            after = blocks[i + 1] if i + 1 < len(blocks) else None
            shown = after and after["kind"] == "text" and not source[block.end() : after.start()].strip()
            yield Example(
                page, line, "python", block["text"], "", slow, after.span("text") if after and shown else None
            )
        elif block["kind"] == "console":
            typed = TYPED.search(block["how"])
            lines = "".join(f"{each.strip()}\n" for each in typed[1].split("|")) if typed else ""
            for command in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block["text"], re.MULTILINE):
                shift = block.start("text")
                span = (shift + command.start(2), shift + command.end(2)) if command[2] else None
                at = line + block["text"][: command.start()].count("\n")
                yield Example(page, at, "console", command[1], lines, slow, span)


class Reader:
    """Somebody who runs a page's examples in an empty folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.module = ModuleType("example")
        sys.modules["example"] = self.module  # dataclasses look their module up

    def run(self, example: Example) -> str:
        """What an example prints; an exit code other than 0, or 2 for bad input, is an error."""
        return self._python(example) if example.kind == "python" else self._console(example)

    def _python(self, example: Example) -> str:
        code = compile("\n" * (example.line - 1) + example.text, str(example.page), "exec")
        before, printed = Path.cwd(), io.StringIO()
        os.chdir(self.folder)
        try:
            with redirect_stdout(printed):
                exec(code, self.module.__dict__)
        finally:
            os.chdir(before)
        return printed.getvalue()

    def _console(self, example: Example) -> str:
        run = self._shell if set(example.text) & set("|<>$&;*") else self._typed
        code, printed = run(example)
        expected = 2 if example.expected.startswith("feint: ") else 0
        assert code == expected, f"{example}: {example.text} exits with {code}:\n{printed}"
        return printed

    def _typed(self, example: Example) -> tuple[int, str]:
        """In this process, where whatever an earlier example had compiled is at hand."""
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            with patch.dict(os.environ, self.env, clear=True):
                done = typed(*shlex.split(example.text)[1:], answers=example.typed, together=True)
        finally:
            os.chdir(before)
        return done.code, done.stdout

    def _shell(self, example: Example) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", example.text],
            input=example.typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            cwd=self.folder,
            env=self.env,
            timeout=600,
        )
        return done.returncode, done.stdout

    @property
    def env(self) -> dict[str, str]:
        """A terminal of 80 columns without colour, and the folder for a home."""
        others = ("FORCE_COLOR", "TTY_COMPATIBLE", "LINES", "XDG_DATA_HOME")
        plain = {name: value for name, value in os.environ.items() if name not in others}
        return plain | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "HOME": str(self.folder),
            "FEINT_CACHE": str(cache_folder() or "off"),
            "COLUMNS": "80",
        }


def tidy(text: str) -> str:
    """Without blanks at the ends of lines and empty lines at the end."""
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())


def agrees(expected: str, printed: str) -> bool:
    """Whether output is as expected, `...` alone on a line standing for any lines."""
    pattern = re.escape(tidy(expected)).replace(re.escape("...\n"), r"(?:.*\n)*?")
    return re.fullmatch(pattern, tidy(printed)) is not None
