"""The conformance suite: what every game must keep, run on feint's own games by its tests and by anyone on theirs.

from feint.testing import check_game
check_game(MyGame())
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from feint.game import Game
from feint.testing import chances, many, moves, payoffs, random_play, seen
from feint.testing.random_play import Played

# Each says what it looked at, or raises `ConformanceError`.
CHECKS: dict[str, Callable[[Played], str]] = {
    "payoffs add up": payoffs.check_payoffs,
    "somebody wins, or nobody": payoffs.check_winners,
    "a finished game stays as it is": moves.check_finished,
    "deals and steps are deterministic": moves.check_deterministic,
    "the mask is exact": moves.check_mask,
    "nothing leaks": seen.check_leaks,
    "spectators see what everybody knows": seen.check_spectators,
    "finished games show what they may": seen.check_shown,
    "views are remembered": seen.check_recall,
    "moves can be taken back": seen.check_rewound,
    "every action has words": moves.check_words,
    "deals can be written down": chances.check_written,
    "deals agree with draws": chances.check_deals,
    "redeals agree with deals": chances.check_redeals,
}


@dataclass
class Report:
    """What was checked, and on how much play."""

    game: str
    passed: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join([f"{self.game} keeps the contract:", *(f"  {name}: {what}" for name, what in self.passed)])


def check_game(game: Game[Any, Any], seed: int = 0, games: int = 64, positions: int = 0) -> Report:
    """Check a game against the whole contract, and as many positions besides; raise `ConformanceError` at the first breach."""
    report = check_played(random_play.play(game, seed, games))
    if positions:
        report.passed.append(("so do many positions", many.check_positions(game, seed, positions)))
    return report


def check_played(played: Played) -> Report:
    """The same, of games that were played."""
    ends = ("every game ends", f"{played.games} random games, {played.moves.mean():.0f} moves on average")
    return Report(str(played.game), [ends, *((name, check(played)) for name, check in CHECKS.items())])
