"""Evolutionary stability: whether a population beats back mutants, and how sure that is from the games played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from rich.text import Text
from scipy.stats import norm

from feint.arena import statistics
from feint.arena.show import as_text, grid, number, p_value
from feint.arena.statistics import Interval
from feint.errors import UserError
from feint.evolve.metagame import MetaGame, Scale
from feint.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Floats = NDArray[np.float64]
Population = str | Sequence[float]  # one strategy, or shares of all
Verdict = Literal["stable", "invaded", "undecided"]

SHARES = (0.0, 0.01, 0.05, 0.1, 0.2)  # of mutants; 0 is a single one in a population without end


@dataclass(frozen=True)
class Invasion:
    """Residents and a share of mutants: how much fitter residents are."""

    mutant: str
    share: float
    margin: Interval  # residents' fitness less mutants'
    p_beaten: float  # that a margin so high would come up if residents were no fitter
    p_invades: float  # that a margin so low would come up if mutants were no fitter


@dataclass(frozen=True)
class Stability:
    """Whether a population is stable against some mutants, with the confidence of the claim."""

    resident: str
    invasions: tuple[Invasion, ...]
    verdict: Verdict
    level: float
    games: int  # the fewest at any table the verdict rests on
    invaders: tuple[str, ...]  # mutants shown to be fitter somewhere, Holm's correction over all
    told: Scale  # how margins are told

    @property
    def statement(self) -> str:
        """The verdict in a sentence."""
        mutants = ", ".join(dict.fromkeys(each.mutant for each in self.invasions))
        most = max(each.share for each in self.invasions)
        range_ = f"up to {100 * most:g}% of the population" if most else "a single mutant at a time"
        basis = f"at {100 * self.level:g}% confidence, {self.games} games or more a table"
        if self.verdict == "stable":
            return f"{self.resident} is stable against {mutants} ({range_}), {basis}; nothing is claimed about other mutants."
        if self.verdict == "invaded":
            return f"{self.resident} is not stable: {', '.join(self.invaders)} can invade, {basis}."
        return f"Whether {self.resident} is stable against {mutants} ({range_}) is not decided {basis}."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [
            "Mutant",
            "Share %",
            f"Margin, {self.told.unit}",
            f"{100 * self.level:g}% interval",
            "p beaten",
            "p invades",
        ]
        table = grid(f"Mutants among {self.resident}", columns)
        for each in self.invasions:
            margin = number(each.margin.scaled(self.told.factor), self.told.places)
            table.add_row(
                each.mutant, f"{100 * each.share:g}", *margin, p_value(each.p_beaten), p_value(each.p_invades)
            )
        yield table
        yield Text(visible(self.statement))

    def __str__(self) -> str:
        return as_text(self)


def invasion(meta: MetaGame, resident: Population, mutant: Population, share: float) -> Invasion:
    """Residents against a share of mutants; each side is one strategy or a mixture of individuals of several."""
    margin, error = meta.measured(_margin(meta, resident, mutant, share))
    half = float(norm.ppf((1 + meta.level) / 2)) * error
    return Invasion(
        mutant=_name(meta, mutant),
        share=share,
        margin=Interval(margin, margin - half, margin + half),
        p_beaten=float(norm.sf(margin / error)) if error else float(margin <= 0),
        p_invades=float(norm.cdf(margin / error)) if error else float(margin >= 0),
    )


def stability(
    meta: MetaGame,
    resident: Population,
    mutants: Sequence[Population] | None = None,
    shares: Sequence[float] = SHARES,
) -> Stability:
    """Test residents against mutants (every other strategy unless given), each at several shares of the population.

    "Stable" is claimed only when residents are shown to be fitter against every mutant at every share; as all of these tests must
    succeed, each at the level is enough. "Invaded" needs only one success, so those are corrected for their number (Holm).
    """
    mutants = mutants or [each for each in meta.strategies if each != resident]
    if not mutants:
        raise UserError("Stability needs at least one mutant.")
    cases = list(product(mutants, shares))
    found = [invasion(meta, resident, *case) for case in cases]
    alpha = 1 - meta.level
    invades = statistics.holm([each.p_invades for each in found]) < alpha
    invaders = tuple(dict.fromkeys(each.mutant for each, shown in zip(found, invades, strict=True) if shown))
    beaten = all(each.p_beaten < alpha for each in found)
    verdict: Verdict = "invaded" if invaders else "stable" if beaten else "undecided"
    used = np.any([_margin(meta, resident, *case) != 0 for case in cases], axis=(0, 2))  # [tables]
    return Stability(
        _name(meta, resident), tuple(found), verdict, meta.level, int(meta.games[used].min()), invaders, meta.told
    )


def barrier(meta: MetaGame, resident: Population, mutant: Population, points: int = 1001) -> float:
    """The share of mutants from which residents are no longer fitter: 0 where one already invades, 1 where none do."""
    for share in np.linspace(0, 1, points)[:-1]:
        if (_margin(meta, resident, mutant, share) * meta.rates).sum() <= 0:
            return float(share)
    return 1.0


def _margin(meta: MetaGame, resident: Population, mutant: Population, share: float) -> Floats:
    """The weights of residents' fitness less mutants', [tables, strategies]."""
    if not 0 <= share < 1:
        raise UserError(f"The mutants' share must be a number from 0 to below 1, not {share}.")
    x, y = _shares(meta, resident), _shares(meta, mutant)
    return meta.in_shares((1 - share) * x + share * y) * (x - y)


def _shares(meta: MetaGame, population: Population) -> Floats:
    if isinstance(population, str):
        return np.eye(len(meta.strategies))[meta.index(population)]
    return np.asarray(population, float)


def _name(meta: MetaGame, population: Population) -> str:
    if isinstance(population, str):
        return population
    parts = zip(np.asarray(population, float), meta.strategies, strict=True)
    return " + ".join(f"{100 * share:.3g}% {strategy}" for share, strategy in parts if share)
