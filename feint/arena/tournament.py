"""Tournaments: everybody with everybody, the cross-table of everybody against everybody, and the rating list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from feint.arena import rating, statistics
from feint.arena.comparison import compare, discordant
from feint.arena.match import match
from feint.arena.result import Result
from feint.arena.seatings import Order, Seating, round_robin
from feint.arena.show import Fitting, as_text, grid, heading, paid, percent, ranked, standings
from feint.arena.statistics import Interval
from feint.arena.totals import By
from feint.game import Game

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

CELLS_ACROSS = 4


class Play(Protocol):
    """What plays a match: so many games in all, at each seating equally many."""

    def __call__(
        self, game: Game[Any, Any], agents: Sequence[str], seatings: Sequence[Seating], games: int, seed: int
    ) -> Result: ...


def tournament(
    game: Game[Any, Any],
    agents: Sequence[str],
    games: int = 1000,
    seed: int = 0,
    order: Order = "all",
    play: Play = match,
) -> Tournament:
    """Everybody against everybody: `games` games in all, at each seating of a round robin equally many."""
    return Tournament(play(game, agents, round_robin(len(agents), game.players, order), games, seed))


@dataclass(frozen=True)
class Tournament:
    """A tournament's result, read as a cross-table and a rating list."""

    result: Result

    def against(self, one: int | str, other: int | str, by: By | None = None) -> Interval:
        """How one agent did against another, by what the game is measured by unless told.

        By wins: of the games that only one of the two won, the share that the first won: one half between equals. By payoff: how
        much more a game paid the first than the second.
        """
        result, pair = self.result, (self.result.index(one), self.result.index(other))
        if (by or result.measure) == "payoff":
            return compare(result, *pair, "payoff").difference
        wins, losses = discordant(result, *pair)
        return statistics.win_rate(wins, wins + losses, result.level)

    def ratings(self, seed: int = 0) -> rating.RatingList:
        """The agents from the strongest down."""
        return rating.rate_result(self.result, seed=seed)

    def cross_tables(self, cells: int = CELLS_ACROSS) -> Iterator[Table]:
        """Everybody (rows) against everybody (columns), from the best down, so many columns at a time."""
        order, labels = ranked(self.result), self.result.labels
        count = len(order)
        compared = self.result.comparisons()
        met = {pair for each in compared for pair in _both(each.better, each.worse)}
        shown = {pair for each in compared if each.shown for pair in _both(each.better, each.worse)}
        for first in range(0, count, cells):
            across = range(first, min(first + cells, count))
            table = grid("" if first else "Cross-table", ["Agent", *(f"{other + 1}" for other in across)])
            for row, one in enumerate(order):
                pairs = [(one, order[column]) for column in across]
                told = [self._cell(*pair, pair in shown) if pair in met else "." for pair in pairs]
                table.add_row(f"{row + 1} {labels[one]}", *told)
            yield table

    def _cell(self, one: int, other: int, shown: bool) -> str:
        told = self.against(one, other)
        apart, around = percent(told) if self.result.measure == "wins" else paid(told, self.result.unit)
        return f"{apart}{'*' if shown else ' '}\n{around}"

    @property
    def legend(self) -> str:
        """What the cross-table's numbers are."""
        result, level = self.result, f"{100 * self.result.level:g}%"
        methods = " and ".join(dict.fromkeys(each.test.method for each in result.comparisons()))
        test = f"{methods} with Holm's correction over all pairs"
        if result.measure == "wins":
            return (
                "Of the games that only one of the two won, the percentage that the row's agent won, with its "
                f"{level} interval; * differs from 50 at {level}, {test}."
            )
        unit = f", in {result.unit.name}" if result.unit.name else ""
        return (
            f"How much more a game paid the row's agent than the column's{unit}, with its {level} interval; "
            f"* differs from 0 at {level}, {test}."
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield heading(self.result)
        yield standings(self.result)
        yield Fitting(*(list(self.cross_tables(cells)) for cells in range(CELLS_ACROSS, 0, -1)))
        yield self.legend
        yield ""
        yield self.ratings()

    def __str__(self) -> str:
        return as_text(self)


def _both(one: int, other: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (one, other), (other, one)
