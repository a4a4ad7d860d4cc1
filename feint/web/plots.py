"""What the result of an experiment looks like drawn: rows of estimates, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from math import isfinite
from pathlib import Path
from typing import Any

from feint.arena.result import Result
from feint.arena.show import a_game, ranked
from feint.arena.statistics import Interval
from feint.arena.tournament import Tournament
from feint.errors import UserError

MOST_PAIRS = 28  # of agents: more would be no picture
FILE = "result.json"


@dataclass(frozen=True)
class Row:
    label: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Plot:
    """Estimates with their intervals, on one scale."""

    title: str
    says: str  # what the numbers are, in a sentence
    unit: str
    places: int  # behind the point
    rows: list[Row]
    usual: float | None  # where a line is drawn: what is to be expected of equals


def plots(folder: Path, kind: str) -> list[dict[str, Any]]:
    """What a match or a tournament that was kept in a folder has shown so far; nothing where it has kept no result."""
    try:
        return _drawn(folder / FILE, (folder / FILE).stat().st_mtime_ns, kind == "tournament")
    except (OSError, UserError):
        return []


@lru_cache(64)
def _drawn(path: Path, _changed: int, everybody: bool) -> list[dict[str, Any]]:
    result = Result.load(path)
    found = [_scores(result)]
    if everybody:
        found += _tournament(Tournament(result))
    elif len(result.seatings) > 1:
        found += [_scores(result, seat) for seat in range(result.seats)]
    return [asdict(each) for each in found if each.rows]


def _scores(result: Result, seat: int | None = None) -> Plot:
    """What every agent made, in one seat or in all."""
    wins, level = result.measure == "wins", f"{100 * result.level:g}%"
    scale = 100 if wins else result.unit.scale
    who = [agent for agent in ranked(result) if result.seat_games(agent, seat)]
    made = float((result.wins if wins else result.payoff_sum).sum()) / result.played / result.seats
    where = "" if seat is None else f" in seat {seat + 1}"
    what = "Games won" if wins else "Payoff"
    unit = "per cent of its games" if wins else a_game(result.unit)
    return Plot(
        f"{what}{where}",
        f"{what} by each agent{where}, {unit}, with {level} intervals; the line is what everybody made on average.",
        "%" if wins else "",
        1 if wins else result.unit.places,
        _rows((result.labels[agent], result.score(agent, seat).scaled(scale)) for agent in who),
        scale * made,
    )


def _tournament(tournament: Tournament) -> Iterator[Plot]:
    """The rating list, and everybody against everybody."""
    result, rated = tournament.result, tournament.ratings()
    level = f"{100 * rated.level:g}%"
    yield Plot(
        "Ratings",
        f"How strong each agent is, from all games together, with {level} intervals; everybody starts at 25, the line.",
        "",
        1,
        _rows((each.agent, each.value) for each in rated.ratings if each.games),
        25.0,
    )
    wins = result.measure == "wins"
    met = {frozenset((each.better, each.worse)) for each in result.comparisons()}
    pairs = [pair for pair in combinations(ranked(result), 2) if frozenset(pair) in met]
    if len(pairs) <= MOST_PAIRS:
        says = "Of the games that one of the two won and the other did not, the per cent that the first won"
        more = f"How much more a game paid the first than the second, {a_game(result.unit)}"
        yield Plot(
            "One against another",
            f"{says if wins else more}, with {level} intervals; the line is what equals would have.",
            "%" if wins else "",
            1 if wins else result.unit.places,
            _rows(
                (
                    f"{result.labels[one]} against {result.labels[other]}",
                    tournament.against(one, other).scaled(100 if wins else result.unit.scale),
                )
                for one, other in pairs
            ),
            50.0 if wins else 0.0,
        )


def _rows(told: Iterable[tuple[str, Interval]]) -> list[Row]:
    """Without those of whom nothing is known."""
    rows = [Row(label, each.estimate, each.low, each.high) for label, each in told]
    return [row for row in rows if isfinite(row.value) and isfinite(row.low) and isfinite(row.high)]
