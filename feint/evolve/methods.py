"""Two ways to search a cube for its highest point by sampling: the cross-entropy method and CMA-ES.

Both keep a normal distribution over points of [0, 1]^n: points are drawn from it, judged, and it moves towards the better ones.
Only their order counts, so it does not matter in which unit they are judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ELITE = 0.25  # the share of points that the cross-entropy method learns from
PACE = 0.8  # how far it moves towards them
NARROWEST = 0.005  # the spread, as a share of each side, that it always keeps


class Method(Protocol):
    """A distribution over points, [dimensions] each, that moves towards the better ones."""

    name: ClassVar[str]

    @property
    def centre(self) -> Floats: ...

    @classmethod
    def around(cls, centre: Floats, spread: float) -> Method:
        """A distribution around a point, as wide as this share of each side."""
        ...

    def ask(self, rng: np.random.Generator, count: int) -> Floats:
        """Points to judge, [count, dimensions]."""
        ...

    def tell(self, points: Floats, fitness: Floats) -> Method:
        """The distribution after points were judged; the higher, the better."""
        ...


@dataclass(frozen=True, eq=False)
class CrossEntropy:
    """Each dimension on its own: centre and spread go to those of the best quarter."""

    name: ClassVar[str] = "cem"

    centre: Floats
    spread: Floats

    @classmethod
    def around(cls, centre: Floats, spread: float) -> CrossEntropy:
        return cls(centre, np.full(len(centre), spread))

    def ask(self, rng: np.random.Generator, count: int) -> Floats:
        return np.clip(self.centre + self.spread * rng.standard_normal((count, len(self.centre))), 0, 1)

    def tell(self, points: Floats, fitness: Floats) -> CrossEntropy:
        best = points[_ranked(fitness)[: max(2, round(ELITE * len(points)))]]
        centre = (1 - PACE) * self.centre + PACE * best.mean(axis=0)
        spread = (1 - PACE) * self.spread + PACE * best.std(axis=0)
        return CrossEntropy(centre, np.maximum(spread, NARROWEST))


@dataclass(frozen=True, eq=False)
class CovarianceAdaptation:
    """CMA-ES as in Hansen's tutorial (2016), without its negative weights: dimensions that go together are learned."""

    name: ClassVar[str] = "cma"

    centre: Floats
    sigma: Floats  # [] : the length of a step
    covariance: Floats  # [dimensions, dimensions]
    path: Floats  # the way the centre went lately, for the covariance
    whitened: Floats  # the same with the covariance taken out, for the length of a step
    generation: Floats  # []

    @classmethod
    def around(cls, centre: Floats, spread: float) -> CovarianceAdaptation:
        still = np.zeros(len(centre))
        return cls(centre, np.array(spread), np.eye(len(centre)), still, still, np.array(0.0))

    def ask(self, rng: np.random.Generator, count: int) -> Floats:
        scale, axes = self._axes()
        steps = rng.standard_normal((count, len(self.centre))) * scale @ axes.T
        return np.clip(self.centre + self.sigma * steps, 0, 1)

    def _axes(self) -> tuple[Floats, Floats]:
        """The covariance's standard deviations and the axes they are along."""
        values, axes = np.linalg.eigh(self.covariance)
        return np.sqrt(np.maximum(values, 1e-20)), axes

    def tell(self, points: Floats, fitness: Floats) -> CovarianceAdaptation:
        n, count = len(self.centre), len(points)
        weights = np.log((count + 1) / 2) - np.log(np.arange(1, count // 2 + 1))
        weights /= weights.sum()
        mass = 1 / (weights**2).sum()
        for_path, for_sigma = (4 + mass / n) / (n + 4 + 2 * mass / n), (mass + 2) / (n + mass + 5)
        rank_one = 2 / ((n + 1.3) ** 2 + mass)
        rank_mu = min(1 - rank_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
        damping = 1 + 2 * max(0.0, np.sqrt((mass - 1) / (n + 1)) - 1) + for_sigma
        expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))  # the length of a standard normal vector

        steps = (points[_ranked(fitness)[: count // 2]] - self.centre) / self.sigma
        step = weights @ steps
        scale, axes = self._axes()
        whitened = (1 - for_sigma) * self.whitened + np.sqrt(for_sigma * (2 - for_sigma) * mass) * (
            axes @ ((axes.T @ step) / scale)
        )
        length = np.linalg.norm(whitened)
        settled = np.sqrt(1 - (1 - for_sigma) ** (2 * (self.generation + 1)))
        stalled = length / settled >= (1.4 + 2 / (n + 1)) * expected  # then the path would blow the covariance up
        path = (1 - for_path) * self.path + (not stalled) * np.sqrt(for_path * (2 - for_path) * mass) * step
        lost = rank_one * stalled * for_path * (2 - for_path)
        covariance = (
            (1 - rank_one - rank_mu + lost) * self.covariance
            + rank_one * np.outer(path, path)
            + rank_mu * (steps.T * weights) @ steps
        )
        return replace(
            self,
            centre=self.centre + self.sigma * step,
            sigma=np.minimum(self.sigma * np.exp(for_sigma / damping * (length / expected - 1)), 1.0),
            covariance=(covariance + covariance.T) / 2,
            path=path,
            whitened=whitened,
            generation=self.generation + 1,
        )


def _ranked(fitness: Floats) -> NDArray[np.intp]:
    return np.argsort(-fitness, kind="stable")


METHODS: dict[str, type[CrossEntropy] | type[CovarianceAdaptation]] = {
    each.name: each for each in (CrossEntropy, CovarianceAdaptation)
}
