"""A result as tables a reviewer would accept, and as a plot."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from math import isnan
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from feint.arena import statistics
from feint.arena.comparison import Comparison, comparisons
from feint.arena.statistics import Interval
from feint.arena.totals import By, Totals
from feint.game import Unit
from feint.visible import shortened, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 80
ANY_WIDTH = 10_000
LONGEST = 200  # that a cell or a label is: more would be pages


def as_text(renderable: RenderableType, width: int = WIDTH) -> str:
    """Anything rich can print, as plain text without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(renderable)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def tables(totals: Totals) -> Iterator[RenderableType]:
    """Everything a result says, part by part."""
    yield heading(totals)
    yield standings(totals)
    if any(len(totals.seats_of(agent)) > 1 for agent in range(len(totals.agents))):
        yield _by_seat(totals)
    if totals.counters:
        yield _counters(totals)
    yield from (Text(line) for line in _notes(totals))
    if compared := comparisons(totals, totals.measure):
        yield from _claims(totals, compared)


class Grid(Table):
    """A table that shows its cells as they are: what looks like markup in somebody's name is part of the name."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        super().add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in cells), **how)


class Paper(Console):
    """Where commands print: nothing in a path or a name is taken for markup, or does anything to the terminal."""

    def __init__(self, **how: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **how)

    def print(self, *objects: Any, **how: Any) -> None:
        super().print(*(visible(each, keep="\n") if isinstance(each, str) else each for each in objects), **how)


def plain(text: str) -> Text:
    """Text for a table."""
    return Text(shortened(visible(text, keep="\n"), LONGEST))


def drawn(text: str) -> str:
    """Text for a figure, in which dollars would stand around formulas."""
    return shortened(visible(text), LONGEST).replace("$", r"\$")


def grid(title: str, columns: list[str], words: int = 1) -> Table:
    """An empty table in feint's style: the first `words` columns hold words, the others numbers."""
    table = Grid(
        box=SIMPLE_HEAD,
        title=Text(visible(title), style="bold"),
        title_justify="left",
        pad_edge=False,
        padding=(0, 1),
        collapse_padding=True,
    )
    for i, column in enumerate(columns):
        table.add_column(
            plain(column), justify="left" if i < words else "right", overflow="fold" if i < words else "ellipsis"
        )
    return table


NOTHING = ("-", "")  # said of nobody's games, as of those who had not played yet when a tournament was stopped


def percent(interval: Interval) -> tuple[str, str]:
    """A rate and its interval, in percent."""
    if isnan(interval.estimate):
        return NOTHING
    shown = interval.scaled(100)
    return f"{shown.estimate:.1f}", f"[{shown.low:.1f}, {shown.high:.1f}]"


def number(interval: Interval, places: int = 3) -> tuple[str, str]:
    """A mean and its interval, with signs. Games that all paid the same say nothing about how much others might."""
    if isnan(interval.estimate):
        return NOTHING
    if interval.low == interval.high:
        return f"{interval.estimate:+.{places}f}", "no spread seen"
    return f"{interval.estimate:+.{places}f}", f"[{interval.low:+.{places}f}, {interval.high:+.{places}f}]"


def paid(interval: Interval, unit: Unit) -> tuple[str, str]:
    """A mean payoff and its interval, in the unit of the game."""
    return number(interval.scaled(unit.scale), unit.places)


def a_game(unit: Unit) -> str:
    """What a mean payoff is a number of: "antes a game"; a unit such as mbb/h says by itself of what."""
    return f"{unit.name} a game" if unit.name and "/" not in unit.name else unit.name or "Payoff"


def p_value(p: float) -> str:
    """A probability as tables show it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def heading(totals: Totals) -> Text:
    """The game, how much of it was played and from which seeds."""
    seeds = ", ".join(map(str, totals.seeds[:6])) + (", ..." if len(totals.seeds) > 6 else "")
    seatings = f"{len(totals.seatings):,} seating{'s' if len(totals.seatings) > 1 else ''}"
    played = f"{totals.played:,} games in {seatings}, seed{'s' if len(totals.seeds) > 1 else ''} {seeds}"
    return Text(f"{visible(totals.title)}\n{played}", style="bold")


Columns = list[tuple[str, str]]  # what stands above a column, and in it


class Fitting:
    """The first of several layouts whose tables all fit the width; the last one where none does."""

    def __init__(self, *layouts: list[Table]) -> None:
        self.layouts = layouts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.update(width=ANY_WIDTH)
        widths = [max(console.measure(table, options=wide).maximum for table in layout) for layout in self.layouts]
        fits = [layout for layout, width in zip(self.layouts, widths, strict=True) if width <= options.max_width]
        yield from (fits or self.layouts[-1:])[0]


def ranked(totals: Totals) -> list[int]:
    """The agents from the best down, by what the game is measured by; those who did not play come last."""
    return sorted(
        range(len(totals.agents)),
        key=lambda agent: -totals.score(agent).estimate if totals.seat_games(agent) else float("inf"),
    )


def standings(totals: Totals) -> RenderableType:
    """Every agent's wins and payoffs over all its seats, from the best down, first what the game is measured by."""
    one_seat = all(len(totals.seats_of(agent)) <= 1 for agent in range(len(totals.agents)))
    other: By = "payoff" if totals.measure == "wins" else "wins"
    who, first, second = [], [], []
    for agent in ranked(totals):
        seat = ", ".join(str(seat + 1) for seat in totals.seats_of(agent))
        games = ("Games", f"{totals.seat_games(agent)}")
        who.append([("Agent", totals.labels[agent]), *([("Seat", seat)] if one_seat else []), games])
        first.append(_scored(totals, totals.measure, agent))
        second.append(_scored(totals, other, agent))
    return Fitting([_side_by_side(who, first, second)], [_side_by_side(who, first), _side_by_side(who, second)])


def _side_by_side(*blocks: list[Columns]) -> Table:
    """A table of blocks of columns side by side."""
    return _lined("", [[column for block in lines for column in block] for lines in zip(*blocks, strict=True)])


def _scored(totals: Totals, by: By, agent: int, seat: int | None = None) -> Columns:
    """The columns that tell what an agent won, or what it was paid."""
    level = f"{100 * totals.level:g}% interval"
    if by == "wins":
        rate, around = percent(totals.win_rate(agent, seat))
        return [("Wins", f"{totals.seat_wins(agent, seat)}"), ("Win %", rate), (level, around)]
    mean, around = paid(totals.payoff(agent, seat), totals.unit)
    return [(a_game(totals.unit), mean), (level, around)]


def _lined(title: str, lines: list[Columns]) -> Table:
    table = grid(title, [above for above, _ in lines[0]])
    for line in lines:
        table.add_row(*(cell for _, cell in line))
    return table


def _by_seat(totals: Totals) -> Table:
    lines = []
    for agent in ranked(totals):
        label = totals.labels[agent]
        seats = totals.seats_of(agent)
        for seat in seats:
            line = [("Agent", label if seat == seats[0] else ""), ("Seat", f"{seat + 1}")]
            games = ("Games", f"{totals.seat_games(agent, seat)}")
            lines.append([*line, games, *_scored(totals, totals.measure, agent, seat)])
    return _lined("By seat", lines)


def _counters(totals: Totals) -> Table:
    table = grid("Counted (in all, and a game)", ["Agent", "Counter", "In all", "A game"], words=2)
    for agent in ranked(totals):
        label = totals.labels[agent]
        for i, name in enumerate(totals.counters):
            count, games = totals.counter(name, agent), totals.seat_games(agent)
            each = f"{count / games:.3f}" if games else "-"
            table.add_row(label if i == 0 else "", name.replace("_", " "), f"{count}", each)
    return table


def _notes(totals: Totals) -> Iterator[str]:
    games, draws = totals.played, int(totals.draws.sum())
    drawn = percent(statistics.win_rate(draws, games, totals.level))
    _, won, often = totals.winner_sets
    several = int(often[won.sum(axis=1) > 1].sum())
    shared = f" Several won {several} games." if several else ""
    moves = f"Moves a game: {totals.moves.sum() / games:.1f}."
    yield f"Draws: {draws} of {games} games, {drawn[0]}% {drawn[1]}.{shared} {moves}"
    fewest = min(count for count in map(totals.seat_games, range(len(totals.agents))) if count)
    half = 100 * statistics.precision(fewest, totals.level)
    point = statistics.games_for_precision(0.01, totals.level)
    yield (
        f"Intervals hold the truth in {100 * totals.level:g}% of runs: Wilson's for rates, Clopper-Pearson's under "
        f"{statistics.FEW_GAMES} games or {statistics.FEW_WINS} wins, Student's for payoffs. {fewest} games give a rate to "
        f"within {half:.1f} points at worst; one point takes {point}."
    )
    deals = totals.deal_scores(totals.measure)
    if deals is not None:
        yield f"Every deal was played in every seating: payoffs and comparisons are over {len(deals)} deals."


def _claims(totals: Totals, compared: list[Comparison]) -> Iterator[RenderableType]:
    """Who did better than whom, as far as it is shown."""
    wins = compared[0].by == "wins"
    verb = "wins more often than" if wins else "earns more than"
    methods = " and ".join(dict.fromkeys(each.test.method for each in compared))
    correction = f"Holm's correction over {len(compared)} pairs" if len(compared) > 1 else "one pair, no correction"
    yield Text(f"\nWho {verb} whom", style="bold")
    yield Text(f"At {100 * totals.level:g}%: {methods}, {correction}.")
    shown = sorted((each for each in compared if each.shown), key=lambda each: each.adjusted_p)
    if shown:
        by = "By points" if wins else f"By {totals.unit.name}".strip()
        table = grid("", ["Better", "Worse", by, f"{100 * totals.level:g}% interval", "Adjusted p"], words=2)
        for each in shown:
            mark = "" if each.same_seats else " *"
            apart, around = difference(each, totals.unit)
            table.add_row(
                totals.labels[each.better], totals.labels[each.worse] + mark, apart, around, p_value(each.adjusted_p)
            )
        yield table
    unshown = [f"{totals.labels[each.better]} and {totals.labels[each.worse]}" for each in compared if not each.shown]
    if unshown:
        yield Text(visible(f"No difference shown: {'; '.join(unshown)}."))
    if any(not each.same_seats for each in shown):
        yield Text("* They did not sit in every seat equally often, so the difference includes the seats'.")


def difference(compared: Comparison, unit: Unit) -> tuple[str, str]:
    """By how much one did better, with its interval: points of percentage, or the unit of the game."""
    apart = compared.test.difference
    return number(apart.scaled(100), 1) if compared.by == "wins" else paid(apart, unit)


def plot(totals: Totals, axes: Axes | None = None) -> Axes:
    """Win rates or payoffs with error bars, by agent; one bar a seat where agents changed seats. The dashed line is what
    everybody made on average."""
    import matplotlib.pyplot as plt

    axes = axes or plt.subplots(figsize=(7, 4), layout="constrained")[1]
    wins = totals.measure == "wins"
    scale = 100 if wins else totals.unit.scale
    groups: list[int | None] = list(range(totals.seats)) if len(totals.seatings) > 1 else [None]
    for i, seat in enumerate(groups):
        shift = (i - (len(groups) - 1) / 2) * 0.8 / len(groups)
        played = [agent for agent in range(len(totals.agents)) if totals.seat_games(agent, seat)]
        scores = [totals.score(agent, seat).scaled(scale) for agent in played]
        axes.errorbar(
            [agent + shift for agent in played],
            [score.estimate for score in scores],
            [[score.estimate - score.low for score in scores], [score.high - score.estimate for score in scores]],
            fmt="o",
            capsize=3,
            label=None if seat is None else f"seat {seat + 1}",
        )
    made = totals.wins if wins else totals.payoff_sum
    axes.axhline(scale * made.sum() / totals.played / totals.seats, linestyle="--", linewidth=1, color="0.5", zorder=0)
    axes.set_xticks(range(len(totals.agents)), [drawn(label) for label in totals.labels])
    what = "games won, %" if wins else a_game(totals.unit)
    axes.set_ylabel(f"{what} ({100 * totals.level:g}% intervals)")
    axes.set_title(drawn(f"{totals.game}: {totals.played:,} games"))
    if len(groups) > 1:
        axes.legend(frameon=False)
    return axes
