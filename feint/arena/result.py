"""What a match returns: a few totals per seating and seat, from which everything reported about it is worked out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from feint.arena import statistics
from feint.arena.statistics import Interval
from feint.errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console, ConsoleOptions, RenderResult

    from feint.arena.comparison import By, Comparison

PER_SEATING = ("games", "draws", "moves")
PER_SEAT = ("wins", "payoff_sum", "payoff_square_sum")
SUMS = PER_SEATING + PER_SEAT


@dataclass(frozen=True, eq=False)
class Result:
    """A match: exact totals for every seating and seat. Prints as a table, saves, loads, merges and plots.

    An agent's rate is over its seats: one that sits twice at a table counts two games for each game there. Intervals take games as
    independent. One that sits twice or deals played in every rotation make them, as a rule, too wide; agents that learn from game
    to game in a long match may make them too narrow, and several seeds show by how much.
    """

    game: str
    options: Mapping[str, Any]
    agents: tuple[str, ...]  # specifications
    level: float  # of confidence, for every interval and claim
    seeds: tuple[int, ...]
    seatings: NDArray[np.int64]  # [seatings, seats]: which agent sits there
    games: NDArray[np.int64]  # [seatings]
    draws: NDArray[np.int64]  # [seatings]: games nobody won
    moves: NDArray[np.int64]  # [seatings]
    wins: NDArray[np.int64]  # [seatings, seats]
    payoff_sum: NDArray[np.float64]  # [seatings, seats]
    payoff_square_sum: NDArray[np.float64]  # [seatings, seats]
    counters: Mapping[str, NDArray[np.int64]]  # what the game counts, each [seatings, seats]
    deal_payoffs: NDArray[np.float32] | None = None  # [deals, agents]: mean over all rotations of one deal

    @classmethod
    def from_totals(
        cls,
        *,
        game: str,
        options: Mapping[str, Any],
        agents: Sequence[str],
        seatings: Sequence[Sequence[int]],
        seeds: Sequence[int],
        games: ArrayLike,
        draws: ArrayLike,
        moves: ArrayLike,
        wins: ArrayLike,
        payoff_sum: ArrayLike,
        payoff_square_sum: ArrayLike,
        counters: Mapping[str, ArrayLike] | None = None,
        deal_payoffs: ArrayLike | None = None,
        level: float = statistics.LEVEL,
    ) -> Result:
        """The result with these totals, checked for shape and sense."""
        result = cls(
            game=game,
            options=dict(options),
            agents=tuple(agents),
            level=float(level),
            seeds=tuple(int(seed) for seed in seeds),
            seatings=np.asarray(seatings, np.int64),
            games=np.asarray(games, np.int64),
            draws=np.asarray(draws, np.int64),
            moves=np.asarray(moves, np.int64),
            wins=np.asarray(wins, np.int64),
            payoff_sum=np.asarray(payoff_sum, np.float64),
            payoff_square_sum=np.asarray(payoff_square_sum, np.float64),
            counters={name: np.asarray(counts, np.int64) for name, counts in (counters or {}).items()},
            deal_payoffs=None if deal_payoffs is None else np.asarray(deal_payoffs, np.float32),
        )
        _check(result)
        return result

    # ---- totals

    @property
    def title(self) -> str:
        """The game and its options."""
        return f"{self.game}({', '.join(f'{name}={value}' for name, value in self.options.items())})"

    @property
    def labels(self) -> tuple[str, ...]:
        """The agents' names, numbered where one plays more than once."""
        often, seen = Counter(self.agents), Counter[str]()
        labels = []
        for agent in self.agents:
            seen[agent] += 1
            labels.append(f"{agent} #{seen[agent]}" if often[agent] > 1 else agent)
        return tuple(labels)

    @property
    def seats(self) -> int:
        return self.seatings.shape[1]

    @property
    def played(self) -> int:
        """Games in all."""
        return int(self.games.sum())

    def seat_games(self, agent: int | str, seat: int | None = None) -> int:
        """How many games an agent played, in one seat or in all; twice a game where it sits twice."""
        return int((self.sits(agent, seat) * self.games[:, None]).sum())

    def seat_wins(self, agent: int | str, seat: int | None = None) -> int:
        """How many of them it won."""
        return int(self.wins[self.sits(agent, seat)].sum())

    def counter(self, name: str, agent: int | str, seat: int | None = None) -> int:
        """How often the game counted something of an agent."""
        return int(self.counters[name][self.sits(agent, seat)].sum())

    def win_rate(self, agent: int | str, seat: int | None = None) -> Interval:
        """The share of its games an agent won, in one seat or in all."""
        return statistics.win_rate(self.seat_wins(agent, seat), self.seat_games(agent, seat), self.level)

    def payoff(self, agent: int | str, seat: int | None = None) -> Interval:
        """What a game paid an agent on average; over deals where every deal was played in all rotations."""
        if self.deal_payoffs is not None and seat is None:
            return statistics.mean(self.deal_payoffs[:, self.index(agent)], self.level)
        sits = self.sits(agent, seat)
        total, squares = float(self.payoff_sum[sits].sum()), float(self.payoff_square_sum[sits].sum())
        return statistics.mean_of_sums(total, squares, self.seat_games(agent, seat), self.level)

    def seats_of(self, agent: int | str) -> list[int]:
        """The seats an agent sat in."""
        return [seat for seat in range(self.seats) if self.seat_games(agent, seat)]

    def index(self, agent: int | str) -> int:
        """Which agent is meant, by its label or its number."""
        if isinstance(agent, str):
            if agent not in self.labels:
                raise UserError(f"{agent!r} did not play; there are: {', '.join(self.labels)}.")
            return self.labels.index(agent)
        return agent

    def sits(self, agent: int | str, seat: int | None = None) -> NDArray[np.bool_]:
        """Where an agent sat, bool[seatings, seats]."""
        here = self.seatings == self.index(agent)
        return here if seat is None else here & (np.arange(self.seats) == seat)

    def comparisons(self, by: By | None = None) -> list[Comparison]:
        """Every two agents that met, with Holm's correction over all the pairs; by payoff for duplicate deals, else by wins."""
        from feint.arena.comparison import comparisons

        return comparisons(self, by or ("wins" if self.deal_payoffs is None else "payoff"))

    # ---- more of the same

    def merge(self, other: Result) -> Result:
        """Both runs as one; they must be of the same game and agents, and of different seeds."""
        _check_mergeable(self, other)
        seatings = dict.fromkeys(map(tuple, [*self.seatings.tolist(), *other.seatings.tolist()]))
        place = {seating: i for i, seating in enumerate(seatings)}

        def added(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
            total = np.zeros((len(place), *mine.shape[1:]), mine.dtype)
            for result, values in ((self, mine), (other, theirs)):
                np.add.at(total, [place[tuple(seating)] for seating in result.seatings.tolist()], values)
            return total

        totals: dict[str, Any] = {name: added(getattr(self, name), getattr(other, name)) for name in SUMS}
        deals = None
        if self.deal_payoffs is not None and other.deal_payoffs is not None:
            deals = np.concatenate([self.deal_payoffs, other.deal_payoffs])
        return replace(
            self,
            **totals,
            seeds=self.seeds + other.seeds,
            seatings=np.array(list(place), np.int64),
            counters={name: added(counts, other.counters[name]) for name, counts in self.counters.items()},
            deal_payoffs=deals,
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row per seating and seat, as saved in a CSV or Parquet file."""
        for i, seating in enumerate(self.seatings.tolist()):
            for seat, agent in enumerate(seating):
                yield {
                    "seating": i,
                    "seat": seat,
                    "agent": agent,
                    "name": self.agents[agent],
                    "games": int(self.games[i]),
                    "draws": int(self.draws[i]),
                    "moves": int(self.moves[i]),
                    "wins": int(self.wins[i, seat]),
                    "payoff_sum": float(self.payoff_sum[i, seat]),
                    "payoff_square_sum": float(self.payoff_square_sum[i, seat]),
                } | {name: int(counts[i, seat]) for name, counts in self.counters.items()}

    def save(self, path: str | Path) -> None:
        """Save as JSON, CSV or Parquet, by the file's ending."""
        from feint.arena.storage import save

        save(self, Path(path))

    @staticmethod
    def load(path: str | Path) -> Result:
        """A saved result."""
        from feint.arena.storage import load

        return load(Path(path))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Win rates with their intervals, by agent and seat."""
        from feint.arena.show import plot

        return plot(self, axes)

    def __str__(self) -> str:
        from feint.arena.show import as_text

        return as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from feint.arena.show import tables

        yield from tables(self)


def _check(result: Result) -> None:
    count, seats = result.seatings.shape if result.seatings.ndim == 2 else (0, 0)
    if not count:
        raise UserError("A result needs at least one seating: the agent that sits in each seat.")
    if result.seatings.min() < 0 or result.seatings.max() >= len(result.agents):
        raise UserError(f"A seating names an agent beyond the {len(result.agents)} that play.")
    for name in SUMS:
        shape = (count,) if name in PER_SEATING else (count, seats)
        if getattr(result, name).shape != shape:
            raise UserError(f"{name} has the shape {getattr(result, name).shape}; these seatings need {shape}.")
    for name, counts in result.counters.items():
        if counts.shape != (count, seats):
            raise UserError(f"The counter {name} has the shape {counts.shape}; these seatings need {(count, seats)}.")
    if (result.wins < 0).any() or (result.wins > result.games[:, None]).any():
        raise UserError("Wins are a number from 0 to the games played.")
    if result.deal_payoffs is not None and result.deal_payoffs.shape[1:] != (len(result.agents),):
        raise UserError(f"deal_payoffs has a column for each of the {len(result.agents)} agents.")


def _check_mergeable(one: Result, other: Result) -> None:
    if (one.game, dict(one.options)) != (other.game, dict(other.options)):
        raise UserError(f"Only results of the same game merge: {one.title} and {other.title} differ.")
    if one.agents != other.agents:
        raise UserError(
            f"Only results of the same agents merge: {', '.join(one.agents)} and {', '.join(other.agents)} differ."
        )
    if shared := set(one.seeds) & set(other.seeds):
        raise UserError(f"Both results played seed {min(shared)}: merging would count the same games twice.")
    if one.counters.keys() != other.counters.keys():
        raise UserError("The results count different things in the game, so they do not merge.")
    if (one.deal_payoffs is None) != (other.deal_payoffs is None):
        raise UserError("One result is of duplicate deals and the other is not, so they do not merge.")
