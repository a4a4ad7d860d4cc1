"""Finite populations: the chance that a mutant takes one over (Moran), and where populations spend their time (alpha-Rank)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from feint.arena.statistics import Interval
from feint.errors import UserError
from feint.evolve.metagame import MetaGame

Floats = NDArray[np.float64]

POPULATION = 50
ALPHA = 100.0


def fixation(resident: ArrayLike, mutant: ArrayLike) -> float:
    """The chance that one mutant's offspring take over, from both sides' fitness at 1, 2, ... all but one mutants.

    A Moran process: one individual, chosen in proportion to its fitness, has a child that replaces a random individual.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        worse = np.log(np.asarray(resident, float)) - np.log(np.asarray(mutant, float))
    return float(np.exp(_log_fixation(np.nan_to_num(worse, nan=0.0, posinf=np.inf, neginf=-np.inf))))


def _log_fixation(worse: Floats) -> Floats:
    """The logarithm of the chance to take over, where each step down is exp(worse) times as likely as up, [..., steps]."""
    start = np.zeros((*worse.shape[:-1], 1))
    return -logsumexp(np.concatenate([start, np.cumsum(worse, axis=-1)], axis=-1), axis=-1)


def moran(meta: MetaGame, resident: str, mutant: str, population: int = POPULATION, selection: float = 1.0) -> float:
    """The chance that one mutant takes over a population of residents, with the meta-game's fitness.

    Selection mixes it with a fitness of 1 that all share: at 0 the mutant is neutral and takes over with 1 / population.
    """
    if not 0 <= selection <= 1:
        raise UserError(f"Selection must be a number from 0 to 1, not {selection}.")
    home, guest = meta.index(resident), meta.index(mutant)
    fitness = 1 - selection + selection * (_duel(meta, home, guest, population) * meta.rates).sum(axis=1)
    return fixation(fitness[:, home], fitness[:, guest])


def _duel(meta: MetaGame, resident: int, mutant: int, population: int) -> Floats:
    """The weights of everybody's fitness at 1, 2, ... all but one mutants, [population - 1, tables, strategies]."""
    counts = np.zeros((population - 1, len(meta.strategies)), int)
    counts[:, mutant] = np.arange(1, population)
    counts[:, resident] = population - counts[:, mutant]
    return np.array([meta.in_counts(each) for each in counts])


# ---- alpha-Rank


def alpha_rank(meta: MetaGame, population: int = POPULATION, alpha: float = ALPHA) -> Floats:
    """How much of its time a population under rare mutation spends at each strategy, [strategies].

    One population plays at tables drawn from it; an individual copies another with the Fermi rule of strength alpha.
    """
    return _rank(meta, _duels(meta, population), alpha)


def alpha_rank_intervals(
    meta: MetaGame, population: int = POPULATION, alpha: float = ALPHA, resamples: int = 200, seed: int = 0
) -> list[Interval]:
    """Alpha-Rank with the noise of the games: quantiles over meta-games that other runs might have given."""
    rng = np.random.default_rng(seed)
    duels = _duels(meta, population)
    drawn = [_rank(meta.resampled(rng), duels, alpha) for _ in range(resamples)]
    low, high = np.quantile(drawn, [(1 - meta.level) / 2, (1 + meta.level) / 2], axis=0)
    found = _rank(meta, duels, alpha)
    return [Interval(float(e), float(min(a, e)), float(max(b, e))) for e, a, b in zip(found, low, high, strict=True)]


Duels = dict[tuple[int, int], Floats]  # the weights of fitness, for each resident and mutant


def _duels(meta: MetaGame, population: int) -> Duels:
    return {pair: _duel(meta, *pair, population) for pair in permutations(range(len(meta.strategies)), 2)}


def _rank(meta: MetaGame, duels: Duels, alpha: float) -> Floats:
    chances = np.full((len(meta.strategies),) * 2, -np.inf)  # [resident, mutant], logarithms
    for (resident, mutant), weights in duels.items():
        fitness = (weights * meta.rates).sum(axis=1)
        chances[resident, mutant] = _log_fixation(alpha * (fitness[:, resident] - fitness[:, mutant]))
    return stationary(chances)


def alpha_rank_profiles(payoffs: ArrayLike, population: int = POPULATION, alpha: float = ALPHA) -> Floats:
    """Alpha-Rank where every seat has its own population and strategies: payoffs [seats, strategies of seat 1, of seat 2, ...].

    The time spent at each profile of strategies, [strategies of seat 1, of seat 2, ...].
    """
    paid = np.asarray(payoffs, float)
    shape = paid.shape[1:]
    if len(shape) != len(paid):
        raise UserError(f"Payoffs of {len(paid)} seats need an axis for each seat after the first, not {len(shape)}.")
    chances = np.full((*shape, *shape), -np.inf)
    for profile in np.ndindex(*shape):
        for seat, length in enumerate(shape):
            for other in set(range(length)) - {profile[seat]}:
                after = (*profile[:seat], other, *profile[seat + 1 :])
                worse = alpha * (paid[seat][profile] - paid[seat][after])
                chances[profile + after] = _log_fixation(np.full(population - 1, worse))
    size = int(np.prod(shape))
    return stationary(chances.reshape(size, size)).reshape(shape)


def stationary(chances: Floats) -> Floats:
    """Where a chain spends its time, from the logarithms of its chances to move (times any constant), [states, states].

    Grassmann, Taksar and Heyman's elimination: it never subtracts, so that chances of any size keep their precision.
    """
    log, size = chances.copy(), len(chances)
    for last in range(size - 1, 0, -1):
        log[:last, last] -= logsumexp(log[last, :last])
        log[:last, :last] = np.logaddexp(log[:last, :last], log[:last, last, None] + log[last, :last])
    time = np.zeros(size)
    for state in range(1, size):
        time[state] = logsumexp(time[:state] + log[:state, state])
    return np.exp(time - logsumexp(time))
