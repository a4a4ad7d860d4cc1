"""A command as a user types it, run in this process: it sees the same, and nothing has to be imported or compiled anew."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from feint import cli


@dataclass(frozen=True)
class Done:
    code: int
    stdout: str
    stderr: str


def typed(*args: object, answers: str = "", together: bool = False) -> Done:
    """What `feint ARGS` prints, errors `together` with the rest or apart, and its exit code; `answers` are what is piped into it."""
    out = io.StringIO()
    err = out if together else io.StringIO()
    with (
        patch.object(sys, "argv", ["feint", *map(str, args)]),
        patch.object(sys, "stdin", io.StringIO(answers)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            cli.main()
            code = 0
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
    return Done(code, out.getvalue(), err.getvalue())
