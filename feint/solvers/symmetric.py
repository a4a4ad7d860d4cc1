"""Symmetric games of any number of players: the same actions for all, and nothing depends on who is who."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement
from math import comb

import numpy as np
from scipy.special import gammaln

from feint.errors import UserError
from feint.solvers.normal_form import Profile, Vector, distinct, normal_form

MOST_COUNTS = 20_000_000  # numbers in a list of how the others can be spread
MOST_ACTIONS = 16  # of which every support can be searched


@dataclass(frozen=True)
class SymmetricGame:
    """A game in which all players have the same actions, and a payoff depends only on how many others choose each action."""

    payoffs: np.ndarray  # float64[actions, profiles]: of one player, by what the others do
    counts: np.ndarray  # int[profiles, actions]: how many of the others choose each action

    @classmethod
    def of_tensor(cls, payoffs: np.ndarray) -> SymmetricGame:
        """From a normal form, checked to be symmetric."""
        payoffs = normal_form(payoffs)
        players, actions = len(payoffs), payoffs.shape[1]
        if any(size != actions for size in payoffs.shape[1:]):
            raise UserError("In a symmetric game every player has the same actions.")
        own = [np.moveaxis(each, player, 0) for player, each in enumerate(payoffs)]
        swaps = [np.swapaxes(own[0], axis, axis + 1) for axis in range(1, players - 1)]
        if not all(np.allclose(own[0], each) for each in [*own[1:], *swaps]):
            raise UserError("The game is not symmetric: a payoff depends on who is who.")
        others = np.array(list(combinations_with_replacement(range(actions), players - 1)), int).reshape(
            -1, players - 1
        )
        counts = (others[:, :, None] == np.arange(actions)).sum(axis=1)
        return cls(own[0][(slice(None), *others.T)], counts)

    @classmethod
    def of_function(cls, players: int, actions: int, payoff: Callable[[np.ndarray], np.ndarray]) -> SymmetricGame:
        """From `payoff(counts)`: float64[profiles, actions], each action's payoff when so many others choose each action,
        int[profiles, actions]."""
        counts = opponent_counts(players, actions)
        return cls(np.asarray(payoff(counts), float).T, counts)

    @property
    def players(self) -> int:
        return int(self.counts[0].sum()) + 1

    @property
    def actions(self) -> int:
        return len(self.payoffs)

    def values(self, mixed: np.ndarray) -> np.ndarray:
        """What each action pays when all others play a mixed strategy, float64[..., actions] for strategies [..., actions]."""
        return self._chances(self.counts, mixed) @ self.payoffs.T

    def slopes(self, mixed: np.ndarray) -> np.ndarray:
        """How those values change with each probability, float64[..., actions, actions]: by action valued, by probability."""
        chances = self._chances(self._fewer, mixed)  # [..., profiles of one opponent less]
        return (self.players - 1) * np.einsum("...p,ajp->...aj", chances, self._one_more)

    @cached_property
    def _fewer(self) -> np.ndarray:
        """How all others but one can be spread, int[profiles, actions]."""
        return opponent_counts(self.players - 1, self.actions)

    @cached_property
    def _one_more(self) -> np.ndarray:
        """The payoffs when that one chooses each action, float64[actions, actions of the one, profiles]."""
        row = {tuple(counts): i for i, counts in enumerate(self.counts)}
        rows = [[row[tuple(counts + one)] for counts in self._fewer] for one in np.eye(self.actions, dtype=int)]
        return self.payoffs[:, np.array(rows)]

    def gain(self, mixed: Vector) -> float:
        """What one player could gain by leaving a strategy that everybody plays."""
        values = self.values(mixed)
        return float(values.max() - values @ mixed)

    @staticmethod
    def _chances(counts: np.ndarray, mixed: np.ndarray) -> np.ndarray:
        total = int(counts[0].sum())
        ways = np.exp(gammaln(total + 1) - gammaln(counts + 1).sum(axis=1))
        return ways * np.prod(mixed[..., None, :] ** counts, axis=-1)


def opponent_counts(players: int, actions: int) -> np.ndarray:
    """Every way in which players - 1 others can be spread over the actions, int[profiles, actions]."""
    others = players - 1
    size = comb(others + actions - 1, others)
    if size * actions > MOST_COUNTS:
        raise UserError(f"{players} players with {actions} actions have {size:,} profiles: too many to list.")
    every = chain.from_iterable(combinations(range(others + actions - 1), actions - 1))
    bars = np.fromiter(every, int, size * (actions - 1)).reshape(size, actions - 1)
    edges = np.hstack([np.full((size, 1), -1), bars, np.full((size, 1), others + actions - 1)])
    return np.diff(edges, axis=1) - 1


def symmetric_equilibria(game: SymmetricGame, starts: int = 16, seed: int = 0, tolerance: float = 1e-9) -> list[Vector]:
    """The symmetric equilibria found by solving every support with Newton's method from several starts, fewest actions first.

    With two players the equations are linear and a nondegenerate game's are all found; with more this is a search: what it
    finds are equilibria to the tolerance, and more starts miss less.
    """
    if game.actions > MOST_ACTIONS:
        raise UserError(
            f"At most {MOST_ACTIONS} actions can be searched, not {game.actions}: every set of them is one support."
        )
    random = np.random.default_rng(seed)
    found: list[Profile] = []
    for support in _supports(game.actions):
        for mixed in _on_support(game, support, starts, random):
            if game.gain(mixed) < tolerance * max(1.0, np.abs(game.payoffs).max()):
                found.append([mixed])
    return [mixed for (mixed,) in distinct(found)]


def _supports(actions: int) -> Iterator[np.ndarray]:
    for size in range(1, actions + 1):
        for support in combinations(range(actions), size):
            yield np.array(support)


def _on_support(game: SymmetricGame, support: np.ndarray, starts: int, random: np.random.Generator) -> np.ndarray:
    """Strategies with exactly this support that make all its actions equally good, float64[found, actions]."""
    size = len(support)
    if size == 1:
        return np.eye(game.actions)[support]
    part = _restricted(game, support)
    mixed = np.vstack([np.full((1, size), 1 / size), random.dirichlet(np.ones(size), starts - 1)])
    for _ in range(50):
        values, slopes = part.values(mixed), part.slopes(mixed)
        # Unknowns: the probabilities. Equations: every action as good as the first, and probabilities sum to one.
        error = np.concatenate([values[:, 1:] - values[:, :1], mixed.sum(axis=1, keepdims=True) - 1], axis=1)
        system = np.concatenate([slopes[:, 1:] - slopes[:, :1], np.ones((len(mixed), 1, size))], axis=1)
        change = (np.linalg.pinv(system) @ error[..., None])[..., 0]
        mixed = mixed - change
        inside = np.abs(mixed).max(axis=1) < 10  # a start that runs away never comes back
        mixed = mixed[inside]
        if not len(mixed) or np.abs(change).max() < 1e-14:
            break
    proper = mixed[(mixed > 1e-12).all(axis=1)]
    whole = np.zeros((len(proper), game.actions))
    whole[:, support] = proper / proper.sum(axis=1, keepdims=True)
    return whole


def _restricted(game: SymmetricGame, support: np.ndarray) -> SymmetricGame:
    """The game in which only some actions are there."""
    outside = np.ones(game.actions, bool)
    outside[support] = False
    inside = game.counts[:, outside].sum(axis=1) == 0
    return SymmetricGame(game.payoffs[np.ix_(support, inside)], game.counts[np.ix_(inside, support)])
