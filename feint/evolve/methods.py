"""Two ways to search a cube for its highest point by sampling: the cross-entropy method and CMA-ES.

Both keep a normal distribution over points of [0, 1]^n: points are drawn from it, judged, and it moves towards the better ones.
Only their order counts, so it does not matter in which unit they are judged. Where a search stands follows from the
generators it drew with and the fitness of what it drew: told the same again, it stands there again.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ELITE = 0.25  # the share of points that the cross-entropy method learns from
PACE = 0.8  # how far it moves towards them
NARROWEST = 0.005  # the spread, as a share of each side, that it always keeps


class Method(Protocol):
    """A distribution over points, [dimensions] each, that moves towards the better ones."""

    name: ClassVar[str]

    def __init__(self, centre: Floats, spread: float, count: int) -> None:
        """A distribution around a point, as wide as this share of each side; `count` points are a generation."""

    @property
    def centre(self) -> Floats: ...

    def ask(self, rng: np.random.Generator) -> Floats:
        """The points of a generation to judge, [count, dimensions]."""
        ...

    def tell(self, points: Floats, fitness: Floats) -> None:
        """Learn from a generation that was judged; the higher, the better."""


class CrossEntropy:
    """Each dimension on its own: centre and spread go to those of the best quarter."""

    name: ClassVar[str] = "cem"

    def __init__(self, centre: Floats, spread: float, count: int) -> None:
        self.centre, self.spread, self.count = centre, np.full(len(centre), spread), count

    def ask(self, rng: np.random.Generator) -> Floats:
        return np.clip(self.centre + self.spread * rng.standard_normal((self.count, len(self.centre))), 0, 1)

    def tell(self, points: Floats, fitness: Floats) -> None:
        best = points[np.argsort(-fitness, kind="stable")[: max(2, round(ELITE * len(points)))]]
        self.centre = (1 - PACE) * self.centre + PACE * best.mean(axis=0)
        self.spread = np.maximum((1 - PACE) * self.spread + PACE * best.std(axis=0), NARROWEST)


class CovarianceAdaptation:
    """CMA-ES, by the package `cmaes`: dimensions that go together are learned."""

    name: ClassVar[str] = "cma"

    def __init__(self, centre: Floats, spread: float, count: int) -> None:
        # Without its bounds: it would draw until a point is within, and come near an edge, where chances are often best,
        # more slowly than if points beyond are moved to it.
        self.cma = CMA(centre, spread, seed=0, population_size=count)

    @property
    def centre(self) -> Floats:
        return self.cma.mean

    def ask(self, rng: np.random.Generator) -> Floats:
        # Seeded for every generation: what is drawn does not depend on how much was drawn before.
        self.cma.reseed_rng(int(rng.integers(2**32)))
        return np.clip([self.cma.ask() for _ in range(self.cma.population_size)], 0, 1)

    def tell(self, points: Floats, fitness: Floats) -> None:
        self.cma.tell([(point, -height) for point, height in zip(points, fitness, strict=True)])


METHODS: dict[str, type[Method]] = {each.name: each for each in (CrossEntropy, CovarianceAdaptation)}
