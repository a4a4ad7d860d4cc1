"""Cells of means over runs, which are independent where the games of one run are not."""

from __future__ import annotations

import numpy as np
from scipy import stats

from feint.arena.statistics import LEVEL
from feint.studies.report import Cell

NORMAL = float(stats.norm.ppf((1 + LEVEL) / 2))


def mean_cell(values: np.ndarray, unit: str = "", places: int = 1) -> Cell:
    """A mean with its interval."""
    return around(float(values.mean()), float(values.std(ddof=1)) / len(values) ** 0.5, unit, places)


def around(mean: float, error: float, unit: str = "", places: int = 1) -> Cell:
    """A mean with the interval that its standard error gives."""
    return Cell(None, mean, mean - NORMAL * error, mean + NORMAL * error, unit=unit, places=places)
