"""The command line. Each command's work is done in `feint.commands`, which is imported only when it is asked for."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import NoReturn

import typer

from feint import interrupts
from feint.cli import usage
from feint.cli.app import app
from feint.errors import UserError
from feint.visible import shortened, visible

# Commands are listed in the order in which they come to the application.
from feint.cli import tables, lab, matches, data, equilibria, learning, acpc  # noqa: F401  # isort: skip


def main() -> None:
    """Run the command line: bad input costs one sentence and exit code 2, Ctrl-C one sentence and 130."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what cannot be written is spelled out
    try:
        with interrupts.listening():
            raise SystemExit(app(prog_name="feint", standalone_mode=False))
    except UserError as wrong:
        _refuse(str(wrong))
    except usage.UsageError as wrong:
        if type(wrong).__name__ == "NoArgsIsHelpError":
            wrong.show()  # type: ignore[attr-defined]
            raise SystemExit(2) from None
        _refuse(usage.sentence(wrong))
    except typer.Abort:
        _refuse("There is nothing more to read.", 1)
    except OSError as failed:  # of the system's: no such device, no room, a name that is too long
        named = f"{failed.filename}: " if failed.filename else ""
        _refuse(f"{named}{failed.strerror or failed}.")
    except Exception as failed:
        if not _is_lack_of_memory(failed):
            raise
        _refuse("This takes more of the computer's memory than there is: smaller numbers would do.")


def _refuse(why: str, code: int = 2) -> NoReturn:
    print(f"feint: {shortened(visible(why), 2000)}", file=sys.stderr)
    raise SystemExit(code) from None


def _is_lack_of_memory(failed: Exception) -> bool:
    return isinstance(failed, MemoryError) or "RESOURCE_EXHAUSTED" in str(failed)
