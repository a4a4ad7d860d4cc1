"""What a match returns: its totals, with everything that can be done with them."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from feint.arena import comparison, show, storage
from feint.arena.comparison import Comparison
from feint.arena.totals import By, Totals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console, ConsoleOptions, RenderResult


class Result(Totals):
    """A match. Prints as a table, compares its agents, saves, loads, merges and plots."""

    @classmethod
    def of(cls, totals: Totals) -> Result:
        """The result with these totals."""
        return cls(**{each.name: getattr(totals, each.name) for each in fields(totals)})

    def comparisons(self, by: By | None = None) -> list[Comparison]:
        """Every two agents that met, with Holm's correction over all the pairs; by what the game is measured by unless told."""
        return comparison.comparisons(self, by or self.measure)

    def save(self, path: str | Path) -> None:
        """Save as JSON, CSV or Parquet, by the file's ending."""
        storage.save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """A saved result."""
        return cls.of(storage.load(Path(path)))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Win rates or payoffs with their intervals, by agent and seat."""
        return show.plot(self, axes)

    def __str__(self) -> str:
        return show.as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from show.tables(self)
