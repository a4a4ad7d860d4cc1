"""Ratings of many agents from the games they played: Plackett-Luce by openskill, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike, NDArray
from openskill.models import PlackettLuce

import feint.engine  # noqa: F401  (settles the cache before anything is compiled)
from feint.arena import statistics
from feint.arena.show import NOTHING, as_text, grid
from feint.arena.statistics import Interval, normal_quantile
from feint.arena.totals import Totals, outcomes
from feint.errors import UserError

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

MOST_GAMES = 10_000
RESAMPLES = 200
LARGE = 10**9  # games, from where on NumPy cannot sample without replacement
WINNERS = "winners before the rest"
PAID_MORE = "whoever was paid more before whoever was paid less"

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Rating:
    """One agent's strength; everybody starts at 25, and in a game of two a difference of 8.2 wins 80%."""

    agent: str
    value: Interval
    games: int  # it was rated on


@dataclass(frozen=True)
class RatingList:
    """Agents from the strongest down."""

    ratings: tuple[Rating, ...]
    games: int  # played
    used: int  # rated, a random sample of them
    level: float
    before: str  # who counts as having finished before whom

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = grid("Ratings", ["Agent", "Rating", f"{100 * self.level:g}% interval", "Games"])
        for each in self.ratings:
            rating = each.value
            told = (f"{rating.estimate:.2f}", f"[{rating.low:.2f}, {rating.high:.2f}]") if each.games else NOTHING
            table.add_row(each.agent, *told, f"{each.games}")
        yield table
        sample = f"a random {self.used} of {self.games} games" if self.used < self.games else f"{self.games} games"
        yield (f"Plackett-Luce (openskill) on {sample} in random order, {self.before}; intervals by resampling games.")

    def __str__(self) -> str:
        return as_text(self)


def rate(
    agents: Sequence[str],
    players: ArrayLike,  # int[games, seats]: who sat where
    payoffs: ArrayLike,  # float[games, seats]: the more, the better; equal payoffs are ties
    *,
    seed: int = 0,
    level: float = statistics.LEVEL,
    most: int = MOST_GAMES,
    resamples: int = RESAMPLES,
    before: str = PAID_MORE,
) -> RatingList:
    """Rate agents from who finished before whom.

    The agents do not change, so nothing is added to the uncertainty between games (tau = 0), and the order of games is random.
    More than `most` games are sampled: ratings then move by less than their intervals. Each interval is the rating plus and minus
    normal quantiles of its spread over bootstrap samples of the games, which are rated together by the same formulas, compiled.
    """
    seated, paid = np.asarray(players, np.int64), np.asarray(payoffs, float)
    if seated.ndim != 2 or seated.shape != paid.shape or not len(seated):
        raise UserError("Ratings need at least one game, with as many payoffs as players in each.")
    if seated.min() < 0 or seated.max() >= len(agents):
        raise UserError(f"A game names a player beyond the {len(agents)} agents.")
    ranks = _ranks(paid)
    rng = np.random.default_rng(seed)
    sample = rng.permutation(len(seated))[:most]
    rated = _openskill(len(agents), seated[sample], ranks[sample])
    spread = _bootstrap(len(agents), seated[sample], ranks[sample], resamples, rng).std(axis=0, ddof=1)
    half = normal_quantile((1 + level) / 2) * spread
    often = np.bincount(seated[sample].ravel(), minlength=len(agents))
    listed = [
        Rating(
            agents[i], Interval(float(rated[i]), float(rated[i] - half[i]), float(rated[i] + half[i])), int(often[i])
        )
        for i in np.lexsort((-rated, often == 0))  # those who did not play come last
    ]
    return RatingList(tuple(listed), len(seated), len(sample), level, before)


def rate_result(totals: Totals, *, seed: int = 0, most: int = MOST_GAMES, resamples: int = RESAMPLES) -> RatingList:
    """Rate the agents of a match from its totals: by who won each game, or by who was paid more where that is the game's measure.

    Where totals do not tell the order of payoffs, winners are before the rest there too; those who did not win tie.
    """
    players, finished, before = sampled_games(totals, min(most, totals.played), seed)
    rated = rate(
        totals.labels, players, finished, seed=seed, level=totals.level, most=most, resamples=resamples, before=before
    )
    return replace(rated, games=totals.played)


def sampled_games(totals: Totals, count: int, seed: int = 0) -> tuple[Integers, Integers, str]:
    """A random sample of a match's games as far as totals tell them: players and how each did, the more the better, both
    int[games, seats]; and who counts as having finished before whom."""
    by_payoff = totals.measure == "payoff" and all(each.orders for each in totals.seated)
    tallies = [each.orders if by_payoff else each.winners for each in totals.seated]
    at, digits, often = outcomes(totals.seats, tallies)
    drawn = _drawn(np.random.default_rng(seed), often, count)
    finished = np.repeat(-digits if by_payoff else digits, drawn, axis=0)
    return np.repeat(totals.seatings[at], drawn, axis=0), finished, PAID_MORE if by_payoff else WINNERS


def _drawn(rng: np.random.Generator, often: Integers, count: int) -> Integers:
    """How many of each outcome are in a sample; out of a billion games, whether one is drawn twice makes no difference."""
    if often.sum() >= LARGE:
        return rng.multinomial(count, often / often.sum())
    return rng.multivariate_hypergeometric(often, count, method="marginals")


def _ranks(payoffs: Floats) -> Integers:
    """How many did better, int[games, seats]."""
    return (payoffs[:, None, :] > payoffs[:, :, None]).sum(axis=2)


def _model() -> PlackettLuce:
    return PlackettLuce(tau=0.0)


def _openskill(agents: int, players: Integers, ranks: Integers) -> Floats:
    model = _model()
    ratings = [model.rating() for _ in range(agents)]
    for seated, rank in zip(players.tolist(), ranks.tolist(), strict=True):
        before = [ratings[agent] for agent in seated]
        after = model.rate([[rating] for rating in before], ranks=rank)
        # An agent that sits twice learns from both seats.
        mu, sigma = {a: ratings[a].mu for a in seated}, {a: ratings[a].sigma for a in seated}
        for agent, old, (new,) in zip(seated, before, after, strict=True):
            mu[agent] += new.mu - old.mu
            sigma[agent] *= new.sigma / old.sigma
        for agent in mu:
            ratings[agent] = model.rating(mu[agent], sigma[agent])
    return np.array([rating.mu for rating in ratings])


def _bootstrap(agents: int, players: Integers, ranks: Integers, resamples: int, rng: np.random.Generator) -> Floats:
    """The ratings of many samples of the games, drawn with replacement and rated side by side, float[resamples, agents]."""
    drawn = rng.integers(len(players), size=(resamples, len(players)))
    rated = _rate_samples(
        agents, jnp.asarray(players, jnp.int32), jnp.asarray(ranks, jnp.int32), jnp.asarray(drawn, jnp.int32)
    )
    return np.asarray(rated, float)


@partial(jax.jit, static_argnums=0)
def _rate_samples(agents: int, players: Array, ranks: Array, drawn: Array) -> Array:
    model = _model()
    start = jnp.full(agents, model.mu), jnp.full(agents, model.sigma)

    def play(ratings: tuple[Array, Array], game: Array) -> tuple[tuple[Array, Array], None]:
        mu, sigma = ratings
        seated = players[game]
        up, shrink = plackett_luce(mu[seated], sigma[seated], ranks[game], model.beta, model.kappa)
        return (mu.at[seated].add(up), sigma.at[seated].multiply(shrink)), None

    return jax.vmap(lambda sample: jax.lax.scan(play, start, sample)[0][0])(drawn)


def plackett_luce(
    mu: Array, sigma: Array, rank: Array, beta: float, kappa: float
) -> tuple[Array, Array]:  # all [seats]
    """One update of openskill's Plackett-Luce for a game of single players: what mu gains, and what sigma is multiplied by."""
    variance = sigma**2
    c = jnp.sqrt((variance + beta**2).sum())
    strength = jnp.exp(mu / c)
    not_before = rank >= rank[:, None]  # [q, i]: i finished with q or after
    chance = strength / (not_before * strength).sum(
        axis=1, keepdims=True
    )  # [q, i]: that i is the one to take q's place
    weight = not_before / (rank == rank[:, None]).sum(axis=1, keepdims=True)  # those who tie share a place
    omega = jnp.diag(weight) - (weight * chance).sum(axis=0)
    delta = (weight * chance * (1 - chance)).sum(axis=0)
    return omega * variance / c, jnp.sqrt(jnp.maximum(1 - delta * (sigma / c) * variance / c**2, kappa))
