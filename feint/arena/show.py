"""A result as tables a reviewer would accept, and as a plot."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from feint.arena import statistics
from feint.arena.comparison import Comparison
from feint.arena.result import Result
from feint.arena.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 80


def as_text(renderable: RenderableType, width: int = WIDTH) -> str:
    """Anything rich can print, as plain text without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(renderable)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def tables(result: Result) -> Iterator[RenderableType]:
    """Everything a result says, part by part."""
    yield heading(result)
    yield standings(result)
    if any(len(result.seats_of(agent)) > 1 for agent in range(len(result.agents))):
        yield _by_seat(result)
    if result.counters:
        yield _counters(result)
    yield from (Text(line) for line in _notes(result))
    if comparisons := result.comparisons():
        yield from _claims(result, comparisons)


def grid(title: str, columns: list[str], words: int = 1) -> Table:
    """An empty table in feint's style: the first `words` columns hold words, the others numbers."""
    table = Table(
        box=SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 1),
        collapse_padding=True,
    )
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i < words else "right", overflow="fold" if i < words else "ellipsis")
    return table


def percent(interval: Interval) -> tuple[str, str]:
    """A rate and its interval, in percent."""
    shown = interval.scaled(100)
    return f"{shown.estimate:.1f}", f"[{shown.low:.1f}, {shown.high:.1f}]"


def number(interval: Interval, places: int = 3) -> tuple[str, str]:
    """A mean and its interval, with signs. Games that all paid the same say nothing about how much others might."""
    if interval.low == interval.high:
        return f"{interval.estimate:+.{places}f}", "no spread seen"
    return f"{interval.estimate:+.{places}f}", f"[{interval.low:+.{places}f}, {interval.high:+.{places}f}]"


def p_value(p: float) -> str:
    """A probability as tables show it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def heading(result: Result) -> Text:
    """The game, how much of it was played and from which seeds."""
    seeds = ", ".join(map(str, result.seeds[:6])) + (", ..." if len(result.seeds) > 6 else "")
    seatings = f"{len(result.seatings):,} seating{'s' if len(result.seatings) > 1 else ''}"
    played = f"{result.played:,} games in {seatings}, seed{'s' if len(result.seeds) > 1 else ''} {seeds}"
    return Text(f"{result.title}\n{played}", style="bold")


def standings(result: Result) -> Table:
    """Every agent's wins and payoffs over all its seats."""
    level = f"{100 * result.level:g}% interval"
    one_seat = all(len(result.seats_of(agent)) <= 1 for agent in range(len(result.agents)))
    table = grid("", ["Agent", *(["Seat"] if one_seat else []), "Games", "Wins", "Win %", level, "Payoff", level])
    for agent, label in enumerate(result.labels):
        seat = [", ".join(str(seat + 1) for seat in result.seats_of(agent))] if one_seat else []
        rate = percent(result.win_rate(agent))
        counts = (f"{result.seat_games(agent)}", f"{result.seat_wins(agent)}")
        table.add_row(label, *seat, *counts, *rate, *number(result.payoff(agent)))
    return table


def _by_seat(result: Result) -> Table:
    level = f"{100 * result.level:g}% interval"
    table = grid("By seat", ["Agent", "Seat", "Games", "Wins", "Win %", level])
    for agent, label in enumerate(result.labels):
        seats = result.seats_of(agent)
        for seat in seats:
            rate = percent(result.win_rate(agent, seat))
            counts = (f"{result.seat_games(agent, seat)}", f"{result.seat_wins(agent, seat)}")
            name = label if seat == seats[0] else ""
            table.add_row(name, f"{seat + 1}", *counts, *rate)
    return table


def _counters(result: Result) -> Table:
    table = grid("Counted (in all, and a game)", ["Agent", "Counter", "In all", "A game"], words=2)
    for agent, label in enumerate(result.labels):
        for i, name in enumerate(result.counters):
            count, games = result.counter(name, agent), result.seat_games(agent)
            each = f"{count / games:.3f}" if games else "-"
            table.add_row(label if i == 0 else "", name.replace("_", " "), f"{count}", each)
    return table


def _notes(result: Result) -> Iterator[str]:
    games, draws = result.played, int(result.draws.sum())
    if not games:
        yield "No game was played."
        return
    drawn = percent(statistics.win_rate(draws, games, result.level))
    yield f"Draws: {draws} of {games} games, {drawn[0]}% {drawn[1]}. Moves a game: {result.moves.sum() / games:.1f}."
    fewest = min(count for count in map(result.seat_games, range(len(result.agents))) if count)
    half = 100 * statistics.precision(fewest, result.level)
    point = statistics.games_for_precision(0.01, result.level)
    yield (
        f"Intervals hold the truth in {100 * result.level:g}% of runs: Wilson's for rates, Clopper-Pearson's under "
        f"{statistics.FEW_GAMES} games or {statistics.FEW_WINS} wins, Student's for payoffs. {fewest} games give a rate to "
        f"within {half:.1f} points at worst; one point takes {point}."
    )
    if result.deal_payoffs is not None:
        yield f"Every deal was played in every seating: payoffs and comparisons are over {len(result.deal_payoffs)} deals."


def _claims(result: Result, comparisons: list[Comparison]) -> Iterator[RenderableType]:
    """Who did better than whom, as far as it is shown."""
    wins = comparisons[0].by == "wins"
    verb = "wins more often than" if wins else "earns more than"
    methods = " and ".join(dict.fromkeys(each.test.method for each in comparisons))
    correction = (
        f"Holm's correction over {len(comparisons)} pairs" if len(comparisons) > 1 else "one pair, no correction"
    )
    yield Text(f"\nWho {verb} whom", style="bold")
    yield Text(f"At {100 * result.level:g}%: {methods}, {correction}.")
    shown = sorted((each for each in comparisons if each.shown), key=lambda each: each.adjusted_p)
    if shown:
        unit = "By points" if wins else "By"
        table = grid("", ["Better", "Worse", unit, f"{100 * result.level:g}% interval", "Adjusted p"], words=2)
        for each in shown:
            mark = "" if each.same_seats else " *"
            apart, around = number(each.test.difference.scaled(100 if wins else 1), 1 if wins else 3)
            table.add_row(
                result.labels[each.better], result.labels[each.worse] + mark, apart, around, p_value(each.adjusted_p)
            )
        yield table
    unshown = [
        f"{result.labels[each.better]} and {result.labels[each.worse]}" for each in comparisons if not each.shown
    ]
    if unshown:
        yield Text(f"No difference shown: {'; '.join(unshown)}.")
    if any(not each.same_seats for each in shown):
        yield Text("* They did not sit in every seat equally often, so the difference includes the seats'.")


def plot(result: Result, axes: Axes | None = None) -> Axes:
    """Win rates with error bars, by agent; one bar a seat where agents changed seats. The dashed line is an equal share."""
    import matplotlib.pyplot as plt

    axes = axes or plt.subplots(figsize=(7, 4), layout="constrained")[1]
    groups: list[int | None] = list(range(result.seats)) if len(result.seatings) > 1 else [None]
    for i, seat in enumerate(groups):
        shift = (i - (len(groups) - 1) / 2) * 0.8 / len(groups)
        played = [agent for agent in range(len(result.agents)) if result.seat_games(agent, seat)]
        rates = [result.win_rate(agent, seat).scaled(100) for agent in played]
        axes.errorbar(
            [agent + shift for agent in played],
            [rate.estimate for rate in rates],
            [[rate.estimate - rate.low for rate in rates], [rate.high - rate.estimate for rate in rates]],
            fmt="o",
            capsize=3,
            label=None if seat is None else f"seat {seat + 1}",
        )
    axes.axhline(100 / result.seats, linestyle="--", linewidth=1, color="0.5", zorder=0)
    axes.set_xticks(range(len(result.agents)), result.labels)
    axes.set_ylabel(f"games won, % ({100 * result.level:g}% intervals)")
    axes.set_title(f"{result.game}: {result.played:,} games")
    if len(groups) > 1:
        axes.legend(frameon=False)
    return axes
