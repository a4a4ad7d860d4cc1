"""Populations over time, and the triangle of three strategies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from feint.arena.show import drawn
from feint.errors import UserError
from feint.evolve.replicator import Fitness, Generation, Trajectory, growth, replicate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def population_over_time(trajectory: Trajectory, strategies: Sequence[str], axes: Axes | None = None) -> Axes:
    """Shares of an infinite population, stacked."""
    axes = axes or _axes()
    axes.stackplot(trajectory.times, 100 * trajectory.shares.T, labels=[drawn(each) for each in strategies], alpha=0.85)
    axes.set(xlabel="time", ylabel="share of the population, %", xlim=trajectory.times[[0, -1]], ylim=(0, 100))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return axes


def generations(history: Sequence[Generation], axes: Axes | None = None) -> Axes:
    """A population the size of a table: how many seats each strategy has, generation by generation."""
    axes = axes or _axes()
    tables = [each.population for each in history] + [history[-1].heirs]
    bottom = np.zeros(len(tables))
    for strategy in dict.fromkeys(tables[0]):
        seats = np.array([table.count(strategy) for table in tables])
        axes.bar(range(1, len(tables) + 1), seats, bottom=bottom, label=drawn(strategy), width=0.8)
        bottom += seats
    axes.set(xlabel="generation", ylabel="seats", xticks=range(1, len(tables) + 1), yticks=range(len(tables[0]) + 1))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return axes


def simplex(
    fitness: Fitness,
    strategies: Sequence[str],
    starts: Sequence[ArrayLike] = (),
    until: float = 200.0,
    axes: Axes | None = None,
) -> Axes:
    """Three strategies: arrows show where a population of any mixture goes, lines follow it from chosen starts."""
    if len(strategies) != 3:
        raise UserError(f"The triangle is for three strategies, not {len(strategies)}.")
    axes = axes or _axes()
    axes.fill(*CORNERS.T, facecolor="none", edgecolor="0.4", linewidth=1)
    grid = np.array([(i, j, 14 - i - j) for i in range(1, 13) for j in range(1, 14 - i)]) / 14
    flow = np.array([growth(point, fitness(point)) for point in grid])
    length = np.linalg.norm(flow @ CORNERS, axis=1)
    heading = flow @ CORNERS / np.where(length > 0, length, 1)[:, None]
    arrows = axes.quiver(*(grid @ CORNERS).T, *heading.T, length, cmap="viridis", scale=32, width=0.005, pivot="mid")
    axes.figure.colorbar(arrows, ax=axes, label="speed of change", shrink=0.7)
    for start in starts:
        path = replicate(fitness, start, until).shares @ CORNERS
        axes.plot(*path.T, color="C3", linewidth=1.4)
        axes.plot(*path[0], "o", color="C3", markersize=4)
    for strategy, corner, below in zip(strategies, CORNERS, (True, True, False), strict=True):
        axes.annotate(
            drawn(strategy),
            corner,
            (0, -6 if below else 6),
            textcoords="offset points",
            ha="center",
            va="top" if below else "bottom",
        )
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.margins(0.12)
    return axes


def _axes() -> Axes:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(7, 4.2), layout="constrained")[1]
