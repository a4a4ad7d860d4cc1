"""Tournaments: everybody with everybody, the cross-table of everybody against everybody, and the rating list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from feint.arena import rating, statistics
from feint.arena.result import Result
from feint.arena.seatings import Order, Seating, round_robin
from feint.arena.statistics import Interval
from feint.game import Game

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

CELLS_ACROSS = 4


class Play(Protocol):
    """What plays a match: so many games at each seating."""

    def __call__(
        self, game: Game[Any, Any], agents: Sequence[str], seatings: Sequence[Seating], games: int, seed: int
    ) -> Result: ...


def tournament(
    play: Play, game: Game[Any, Any], agents: Sequence[str], games: int, seed: int = 0, order: Order = "all"
) -> Tournament:
    """Everybody against everybody: `games` games at each seating of a round robin."""
    return Tournament(play(game, agents, round_robin(len(agents), game.players, order), games, seed))


@dataclass(frozen=True)
class Tournament:
    """A tournament's result, read as a cross-table and a rating list."""

    result: Result

    def against(self, one: int | str, other: int | str) -> Interval:
        """Of the games in which both sat and one of the two won, the share that the first won: one half between equals."""
        result, seats = self.result, [self.result.sits(each) for each in (one, other)]
        met = seats[0].any(axis=1) & seats[1].any(axis=1)
        wins, losses = (int(result.wins[met][sits[met]].sum()) for sits in seats)
        return statistics.win_rate(wins, wins + losses, result.level)

    def ratings(self, seed: int = 0) -> rating.RatingList:
        """The agents from the strongest down."""
        return rating.rate_result(self.result, seed=seed)

    def cross_tables(self) -> Iterator[Table]:
        """Everybody (rows) against everybody (columns), as many columns at a time as a terminal holds."""
        from feint.arena.show import grid, percent

        count, labels = len(self.result.agents), self.result.labels
        shown = {
            pair for each in self.result.comparisons("wins") if each.shown for pair in _both(each.better, each.worse)
        }
        for first in range(0, count, CELLS_ACROSS):
            across = range(first, min(first + CELLS_ACROSS, count))
            table = grid("" if first else "Cross-table", ["Agent", *(f"{other + 1}" for other in across)])
            for one in range(count):
                cells = []
                for other in across:
                    rate, around = percent(self.against(one, other))
                    mark = "*" if (one, other) in shown else " "
                    cells.append("." if one == other else f"{rate}{mark}\n{around}")
                table.add_row(f"{one + 1} {labels[one]}", *cells)
            yield table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from feint.arena.show import heading, standings

        level = f"{100 * self.result.level:g}%"
        yield heading(self.result)
        yield standings(self.result)
        yield from self.cross_tables()
        yield (
            f"Of the games that either of the two won, the percentage the row's agent won, with its {level} interval; "
            f"* differs from 50 at {level}, exact sign test with Holm's correction over all pairs."
        )
        yield ""
        yield self.ratings()

    def __str__(self) -> str:
        from feint.arena.show import as_text

        return as_text(self)


def _both(one: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one, other), (other, one)
