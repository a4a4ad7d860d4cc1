"""What a model of players foretold, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from feint.arena.show import grid
from feint.learn.forecasts import BINS, Forecast, Guesses
from feint.visible import visible


def tables(forecast: Forecast, who: str) -> Iterator[RenderableType]:
    """Of those at one table: how much was foretold, by what was done, and how sure the model was of it; with what is hidden, and without."""
    yield _title(f"Foretold of {who}, {forecast.decisions} decisions in {forecast.games} games")
    yield _summary(forecast)
    for guesses, how in ((forecast.seen, "With what is hidden"), (forecast.unseen, "From what is public")):
        yield _title(f"{how}: done (rows) and foretold (columns), % of all decisions")
        yield _confusion(guesses)
        yield _title(f"{how}: how sure it was, and how often right")
        yield _reliability(guesses)


def _title(words: str) -> Text:
    return Text(visible(words), style="bold")


def _summary(forecast: Forecast) -> Table:
    table = grid("", ["", "With what is hidden", "From what is public"])
    both = (forecast.seen, forecast.unseen)
    table.add_row("Foretold, %", *(f"{100 * each.accuracy.estimate:.1f}" for each in both))
    table.add_row("Always the most frequent action, %", *[f"{100 * forecast.majority:.1f}"] * 2)
    table.add_row("Surprise, nats a decision", *(f"{each.surprise:.3f}" for each in both))
    table.add_row("Calibration error, %", *(f"{100 * each.calibration_error:.1f}" for each in both))
    table.add_row("Error of what is hidden", "", f"{forecast.strength_error:.3f}")
    table.add_row("The same of guessing its mean", "", f"{forecast.strength_spread:.3f}")
    return table


def _confusion(guesses: Guesses) -> Table:
    """Of actions that were taken or foretold."""
    columns = [sum(row[number] for row in guesses.confusion) for number in range(len(guesses.confusion))]
    told = [number for number, row in enumerate(guesses.confusion) if sum(row) or columns[number]]
    table = grid("", ["Action", *(f"{each}" for each in told), "All"])
    for number in told:
        row = [guesses.confusion[number][each] for each in told]
        table.add_row(f"{number}", *(f"{100 * each / guesses.decisions:.2f}" for each in [*row, sum(row)]))
    return table


def _reliability(guesses: Guesses) -> Table:
    table = grid("", ["Sure, %", "Decisions", "On average, %", "Right, %"])
    for tenth, (count, total, hits) in enumerate(guesses.sure):
        if count:
            shares = (f"{100 * each / count:.1f}" for each in (total, hits))
            table.add_row(f"{100 * tenth // BINS} to {100 * (tenth + 1) // BINS}", f"{count}", *shares)
    return table
