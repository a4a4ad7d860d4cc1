"""What play-outs show of the worth of choices, and how surely: games played on from one world count as one world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from feint.arena.statistics import LEVEL, Interval, win_rate


@dataclass(frozen=True)
class Sample:
    """What came of choices in worlds drawn by their weight, a world perhaps several times."""

    values: np.ndarray  # float[draws, choices]
    picked: np.ndarray  # int[draws]: which world it was
    wins: bool  # whether values are wins

    def value(self, choice: int, level: float = LEVEL) -> Interval:
        """What a choice was worth."""
        values = self.values[:, choice]
        if not self.wins:
            return clustered(values, self.picked, level)
        # As many games as there were worlds that differ, for what their weights are worth.
        often = np.bincount(self.picked)
        games = int(len(values) ** 2 / (often**2).sum())
        rate = float(values.mean())
        found = win_rate(round(rate * games), games, level)
        return Interval(rate, min(found.low, rate), max(found.high, rate))

    def cost(self, choice: int, level: float = LEVEL) -> tuple[Interval, bool]:
        """How much more the best choice was worth, and whether that is sure: also where each of the others might look the best by chance."""
        means = self.values.mean(axis=0)
        best, others = int(means.argmax()), max(self.values.shape[1] - 1, 1)
        if best == choice:
            return Interval(0.0, 0.0, 0.0), False
        apart = clustered(self.values[:, best] - self.values[:, choice], self.picked, 1 - (1 - level) / others)
        return apart, apart.low > 0


def clustered(values: np.ndarray, groups: np.ndarray, level: float = LEVEL) -> Interval:
    """Student's interval of a mean of values, float[n], of which those of one group, int[n], are not independent."""
    mean = float(values.mean())
    often = np.bincount(groups)
    there = int((often > 0).sum())
    if there < 2:
        return Interval(mean, -np.inf, np.inf)
    apart = np.bincount(groups, weights=values - mean)
    error = np.sqrt((apart**2).sum() * there / (there - 1)) / len(values)
    half = float(special.stdtrit(there - 1, (1 + level) / 2)) * float(error)
    return Interval(mean, mean - half, mean + half)
