"""Who is strong: agents as the tournaments that were run here rate them, and how people fare against each. `ratings.json` has the lists of
tournaments that were run before feint was published, each with its command (`python -m benchmarks.ratings`)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from feint.arena import statistics
from feint.arena.result import Result
from feint.arena.tournament import Tournament
from feint.errors import UserError
from feint.web.jobs import DONE, Jobs

SHIPPED = Path(__file__).parent / "ratings.json"
Played = tuple[
    str, Sequence[str | None], Sequence[bool]
]  # a finished game: its name; by chair the agent, None for a person, and who won


def listed(jobs: Jobs, played: Iterable[Played]) -> dict[str, list[dict[str, Any]]]:
    """By game, agents from the strongest down by the latest tournament; those that none has rated come last."""
    people = against_people(played)
    tables: dict[str, list[dict[str, Any]]] = {}
    for name, job in reversed(jobs.known.items()):  # the latest first
        if job.status == DONE and job.words[0] == "tournament" and job.words[1] not in tables:
            tables[job.words[1]] = rated(jobs.folder / name / "result.json")
    tables = {
        game: [*rows] for game, rows in (shipped() | {name: rows for name, rows in tables.items() if rows}).items()
    }
    for game, fared in people.items():
        known = {row["agent"] for row in tables.setdefault(game, [])}
        tables[game] += [_row(agent) for agent in sorted(fared) if agent not in known]
    return {
        game: [row | {"people": people.get(game, {}).get(row["agent"])} for row in rows]
        for game, rows in tables.items()
        if rows
    }


@cache
def shipped() -> dict[str, list[dict[str, Any]]]:
    """By game, agents as they were rated before feint was published."""
    return {game: told["ratings"] for game, told in json.loads(SHIPPED.read_text("utf-8")).items()}


@lru_cache(64)
def rated(result: Path) -> list[dict[str, Any]]:
    """The rating list of a tournament that was saved."""
    try:
        found = Tournament(Result.load(result)).ratings()
    except (OSError, UserError):
        return []
    return [
        _row(each.agent, each.value.estimate, each.value.low, each.value.high, each.games) for each in found.ratings
    ]


def _row(
    agent: str, rating: float | None = None, low: float | None = None, high: float | None = None, games: int = 0
) -> dict[str, Any]:
    return {"agent": agent, "rating": rating, "low": low, "high": high, "games": games}


def against_people(played: Iterable[Played]) -> dict[str, dict[str, dict[str, float]]]:
    """By game and agent: games that people played at a table with it, how many of them they won, and the share with its 99% interval."""
    games: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    for game, agents, winners in played:
        for person in (chair for chair, agent in enumerate(agents) if agent is None):
            for agent in {agent for agent in agents if agent is not None}:
                games[game, agent] += 1
                won[game, agent] += bool(winners[person])
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (game, agent), count in games.items():
        share = statistics.win_rate(won[game, agent], count)
        found.setdefault(game, {})[agent] = {
            "games": count,
            "won": won[game, agent],
            "share": share.estimate,
            "low": share.low,
            "high": share.high,
        }
    return found
