"""The body of `feint check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from feint.terminal.seating import chosen_game
from feint.testing import ConformanceError, check_game

BROKEN = 1  # the exit code where a game breaks the contract


def check(name: str, options: Sequence[str], seed: int, positions: int = 0) -> int:
    """Check that a game keeps the contract and say what was checked, or what is broken. The exit code."""
    game = chosen_game(name, options)
    try:
        print(check_game(game, seed=seed, positions=positions))
    except ConformanceError as broken:
        print(f"{game} fails: {broken}", file=sys.stderr)
        return BROKEN
    return 0
