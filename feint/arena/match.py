"""A match: agents by name, so many games at each seating, and a result with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import jax
import numpy as np

from feint import registry
from feint.agent import Agent, is_compiled
from feint.arena import rollout, statistics
from feint.arena.result import Result
from feint.errors import UserError
from feint.game import Game

Seating = Sequence[int]  # the agent in each seat

# Tables at once, and matches handed over at a time: on a CPU what the caches hold, on a GPU what fills it.
LANES = {"cpu": 4096, "gpu": 2**18}
FEWEST = 64
PER_TABLE = 8  # matches a table plays at the least: the longest game of all is then a small part of the work
PER_CALL = 32  # matches a table plays before the host looks up: progress is shown, and Ctrl-C heeded


def match(
    game: Game[Any, Any],
    agents: Sequence[str | Agent],
    seatings: Sequence[Seating] | None = None,
    games: int = 1000,
    seed: int = 0,
    *,
    duplicate: bool = False,
    length: int = 1,
    level: float = statistics.LEVEL,
    lanes: int | None = None,
    progress: Callable[[int], None] | None = None,
    cut_short: bool = False,
) -> Result:
    """Play `games` games at each seating, by default the agents in the order given.

    With `duplicate` every seating plays the same deals. With `length` a table plays that many games in a row, through
    which agents keep their memory. `progress` is told how many games have been played since it was told last. With
    `cut_short`, Ctrl-C ends the match early and what has been played by then is the result.
    """
    playing = [_compiled(agent, game) for agent in agents]
    seatings = _checked(seatings or [range(len(agents))], len(agents), game)
    if games < 1 or games % length:
        raise UserError(f"A seating plays a whole number of matches of {length} games, one or more, not {games} games.")
    totals = _Totals(game, [_name(agent) for agent in agents], seatings, duplicate)
    matches = games // length
    tables = _tables(lanes or LANES.get(jax.default_backend(), LANES["gpu"]), matches)
    at_a_time = min(matches, max(1, tables * PER_CALL // length))
    try:
        for number, seating in enumerate(seatings):
            base = 0 if duplicate else number * matches
            for start in range(0, matches, at_a_time):
                count = min(at_a_time, matches - start)
                outcomes, _ = rollout.play(
                    game,
                    playing,
                    seating,
                    seed=seed,
                    first=base + start,
                    matches=count,
                    length=length,
                    lanes=tables,
                    capacity=at_a_time,
                )
                totals.add(number, jax.device_get(outcomes))
                if progress:
                    progress(count * length)
    except KeyboardInterrupt:
        if not cut_short or not totals.any():
            raise
    return totals.result(seed, level)


def _tables(most: int, matches: int) -> int:
    """Tables for so many matches: a power of two, so that matches of similar size share a compilation."""
    wanted = 1 << max(0, matches // PER_TABLE - 1).bit_length()
    return min(most, max(FEWEST, wanted))


def _compiled(agent: str | Agent, game: Game[Any, Any]) -> Agent:
    made = registry.make_agent(agent, game) if isinstance(agent, str) else agent
    if not is_compiled(made):
        raise UserError(
            f"{_name(agent)} is a plain Python agent: it can sit at a table (feint play), but not in the arena."
        )
    return made  # type: ignore[return-value]


def _name(agent: str | Agent) -> str:
    return agent if isinstance(agent, str) else type(agent).__name__


def _checked(seatings: Sequence[Seating], agents: int, game: Game[Any, Any]) -> list[tuple[int, ...]]:
    for seating in seatings:
        if len(seating) != game.players:
            raise UserError(
                f"{game.name} is played by {game.players} here, not by {len(seating)}; "
                f"{len(seating)} agents need players={len(seating)}."
            )
        if not all(0 <= agent < agents for agent in seating):
            raise UserError(f"A seating names agents from 0 to {agents - 1}, not {list(seating)}.")
    return [tuple(int(agent) for agent in seating) for seating in seatings]


class _Totals:
    """Sums over games, in the order of the games, so that they are the same to the last bit however they were played."""

    def __init__(
        self, game: Game[Any, Any], agents: list[str], seatings: list[tuple[int, ...]], duplicate: bool
    ) -> None:
        self.game, self.agents, self.seatings, self.duplicate = game, agents, seatings, duplicate
        self.payoffs: list[list[np.ndarray]] = [[] for _ in seatings]  # float32[games, seats] each
        self.winners: list[list[np.ndarray]] = [[] for _ in seatings]  # bool[games, seats] each
        self.moves = np.zeros(len(seatings), np.int64)
        self.counters: dict[str, np.ndarray] = {}

    def add(self, seating: int, outcomes: rollout.Outcomes) -> None:
        rewards = np.asarray(outcomes.rewards)
        self.payoffs[seating].append(rewards.reshape(-1, rewards.shape[-1]))
        self.winners[seating].append(np.asarray(outcomes.winners).reshape(-1, rewards.shape[-1]))
        self.moves[seating] += int(np.asarray(outcomes.moves, np.int64).sum())
        for name, counted in outcomes.events.items():
            counts = self.counters.setdefault(name, np.zeros((len(self.seatings), self.game.players), np.int64))
            counts[seating] += np.asarray(counted, np.int64).sum(axis=(0, 1))

    def any(self) -> bool:
        return any(self.payoffs)

    def result(self, seed: int, level: float) -> Result:
        """Seatings that were reached; for duplicate deals also what each agent made of each deal that all of them played."""
        reached = [number for number, played in enumerate(self.payoffs) if played]
        payoffs = [np.concatenate(self.payoffs[number]).astype(np.float64) for number in reached]
        winners = [np.concatenate(self.winners[number]) for number in reached]
        return Result.from_totals(
            game=self.game.name,
            options=asdict(self.game),
            agents=self.agents,
            seatings=[self.seatings[number] for number in reached],
            seeds=[seed],
            games=[len(each) for each in payoffs],
            draws=[int((~each).all(axis=1).sum()) for each in winners],
            moves=self.moves[reached],
            wins=[each.sum(axis=0) for each in winners],
            payoff_sum=[each.sum(axis=0) for each in payoffs],
            payoff_square_sum=[(each**2).sum(axis=0) for each in payoffs],
            counters={name: counts[reached] for name, counts in self.counters.items()},
            deal_payoffs=self._deal_payoffs(payoffs) if self.duplicate and len(reached) == len(self.seatings) else None,
            level=level,
        )

    def _deal_payoffs(self, payoffs: list[np.ndarray]) -> np.ndarray:
        """What each agent made of each deal, on average over all seatings, float64[deals, agents]."""
        deals = min(len(each) for each in payoffs)
        sums, seats = np.zeros((deals, len(self.agents))), np.zeros(len(self.agents))
        for seating, each in zip(self.seatings, payoffs, strict=True):
            for seat, agent in enumerate(seating):
                sums[:, agent] += each[:deals, seat]
                seats[agent] += 1
        return sums / seats
