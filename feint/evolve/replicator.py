"""Replicator dynamics: strategies that do better than average grow, in small populations step by step and in large ones smoothly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from feint.arena import statistics
from feint.arena.comparison import compare
from feint.arena.tournament import Play
from feint.errors import UserError
from feint.game import Game

Floats = NDArray[np.float64]
Fitness = Callable[[Floats], ArrayLike]  # of each strategy, given everybody's shares of the population


def average_fitness(shares: ArrayLike, fitness: ArrayLike) -> float:
    """The population's: each strategy's fitness times its share. The shares already divide; nothing is divided again."""
    return float(np.asarray(shares, float) @ np.asarray(fitness, float))


def growth(shares: ArrayLike, fitness: ArrayLike) -> Floats:
    """What each share gains: itself times how far its fitness is above the average. Gains and losses add up to nothing."""
    x, f = np.asarray(shares, float), np.asarray(fitness, float)
    return x * (f - average_fitness(x, f))


# ---- a population the size of a table


@dataclass(frozen=True)
class Seats:
    """What each seat of a table made, and how likely two equal seats would have come as far apart as two of them."""

    scores: tuple[float, ...]  # games won, or the mean payoff
    p: Callable[[int, int], float]


def counted(wins: Sequence[int]) -> Seats:
    """From the games that each seat won, where one at most wins a game: two seats are compared by the exact sign test."""
    return Seats(tuple(wins), lambda one, other: statistics.sign_test(int(wins[one]), int(wins[other])))


SeatScores = Callable[
    [tuple[str, ...], int], Seats | Sequence[int]
]  # given who sits there and the generation; or games won


@dataclass(frozen=True)
class Generation:
    """One step of elimination and replication: a table that was played, who left it and who took the seat."""

    population: tuple[str, ...]
    scores: tuple[float, ...]  # of each seat: games won, or the mean payoff
    growth: tuple[float, ...]  # by the replicator equation, each seat being an equal share
    eliminated: int  # the seat of the lowest score, the first of them
    replicated: int  # the seat of the highest
    p: float  # how likely two equal seats would have come apart so far, whichever seats they were

    @property
    def heirs(self) -> tuple[str, ...]:
        """The next population: the strongest also sits where the weakest did."""
        after = list(self.population)
        after[self.eliminated] = self.population[self.replicated]
        return tuple(after)


def eliminate_and_replicate(play: SeatScores, start: Sequence[str], generations: int) -> list[Generation]:
    """Play, replace the weakest seat's strategy by the strongest's, and again, until one strategy is left or time is up."""
    if len(start) < 2:
        raise UserError("A population needs at least two seats.")
    population, history = tuple(start), []
    for number in range(generations):
        made = play(population, number)
        history.append(_generation(population, made if isinstance(made, Seats) else counted(made)))
        population = history[-1].heirs
        if len(set(population)) == 1:
            break
    return history


def _generation(population: tuple[str, ...], made: Seats) -> Generation:
    scores = np.asarray(made.scores)
    seats = len(population)
    weakest, strongest = int(scores.argmin()), int(scores.argmax())
    # The two were picked for being furthest apart, so every pair of seats had its chance: Bonferroni.
    pairs = seats * (seats - 1) / 2
    p = min(made.p(strongest, weakest) * pairs, 1.0) if strongest != weakest else 1.0
    gains = growth(np.full(seats, 1 / seats), scores)
    return Generation(population, tuple(scores.tolist()), tuple(gains.tolist()), weakest, strongest, p)


def seat_scores(play: Play, game: Game[Any, Any], games: int, seed: int = 0) -> SeatScores:
    """What each seat wins, or is paid where the game is measured so, by playing: another generation has other deals, the seats are
    taken as the population lists them."""

    def made(population: tuple[str, ...], generation: int) -> Seats:
        result = play(game, population, [tuple(range(len(population)))], games, seed + generation)
        scores = result.wins[0] if result.measure == "wins" else result.payoff_sum[0] / result.played
        return Seats(tuple(scores.tolist()), lambda one, other: compare(result, one, other, result.measure).p)

    return made


# ---- an infinite population


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Shares of a population over time."""

    times: Floats  # [points]
    shares: Floats  # [points, strategies]


def replicate(fitness: Fitness, start: ArrayLike, until: float, points: int = 201) -> Trajectory:
    """The replicator equation from a starting population; fitness may be any function of the shares, such as a meta-game's."""
    x = np.asarray(start, float)
    if (x < 0).any() or abs(x.sum() - 1) > 1e-6:
        raise UserError(f"Shares must be numbers from 0 that add up to 1, not {x}.")

    def change(_: float, shares: Floats) -> Floats:
        inside = np.maximum(shares, 0) / np.maximum(shares, 0).sum()  # the solver may step a hair outside
        return growth(inside, fitness(inside))

    times = np.linspace(0, until, points)
    found = solve_ivp(change, (0, until), x, t_eval=times, method="LSODA", rtol=1e-8, atol=1e-10)
    if not found.success:
        raise UserError(f"The replicator equation could not be followed to {until:g}: {found.message}")
    shares = np.maximum(found.y.T, 0)
    return Trajectory(times, shares / shares.sum(axis=1, keepdims=True))
