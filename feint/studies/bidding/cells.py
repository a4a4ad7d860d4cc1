"""Cells of means over runs, which are independent where the games of one run are not."""

from __future__ import annotations

import numpy as np

from feint.studies.report import Cell


def mean_cell(values: np.ndarray, unit: str = "", places: int = 1) -> Cell:
    """A mean with its interval."""
    error = float(values.std(ddof=1)) / len(values) ** 0.5
    return Cell.around(float(values.mean()), error, unit=unit, places=places)
