"""The command line. Each command's work is done in `feint.commands`, which is imported only when it is asked for."""

from __future__ import annotations

import sys

from feint.cli.app import app
from feint.errors import UserError

# Commands are listed in the order in which they come to the application.
from feint.cli import tables, matches, equilibria, learning  # noqa: F401  # isort: skip


def main() -> None:
    """Run the command line: bad input costs one sentence and exit code 2."""
    try:
        app(prog_name="feint")
    except UserError as wrong:
        print(f"feint: {wrong}", file=sys.stderr)
        raise SystemExit(2) from None
