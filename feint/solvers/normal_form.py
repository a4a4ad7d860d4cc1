"""Equilibria of games in normal form: everybody chooses once, at the same time.

Payoffs are float64[players, a1, ..., an]: `payoffs[i, x, y, z]` is what player i gets when the first player chooses x, the
second y and the third z. Symmetric games of many players are in `symmetric`. A profile is a list of mixed strategies, one float64[a_i] for each player.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog

from feint.errors import UserError

Vector = np.ndarray  # float64[actions]
Profile = list[Vector]  # a mixed strategy for each player


def normal_form(payoffs: Any) -> np.ndarray:
    """Payoffs as float64[players, a1, ..., an], refused where they are not the payoffs of a game."""
    array = np.asarray(payoffs, float)
    if array.ndim < 2 or array.shape[0] != array.ndim - 1:
        raise UserError(
            f"A normal form is an array [players, actions of the first, of the second, ...]; one of shape "
            f"{list(array.shape)} is not: {array.shape[0] if array.ndim else 0} players need as many axes of actions."
        )
    if 0 in array.shape or not np.isfinite(array).all():
        raise UserError("A normal form needs a finite payoff for every outcome, and an action for every player.")
    return array


def strategy(chances: Any, actions: int) -> Vector:
    """A mixed strategy, refused where it is not one."""
    array = np.asarray(chances, float)
    if array.shape != (actions,):
        raise UserError(f"A strategy over {actions} actions has {actions} probabilities, not {array.size}.")
    if not (array >= 0).all() or abs(array.sum() - 1) > 1e-6:
        raise UserError(f"A strategy's probabilities are not negative and sum to 1, not to {array.sum():g}.")
    return array / array.sum()


def action_values(payoffs: np.ndarray, profile: Sequence[Vector], player: int) -> Vector:
    """What each action of a player pays against the others' strategies, float64[a_i]."""
    value = payoffs[player]
    for other in reversed(range(len(profile))):
        if other != player:
            value = np.tensordot(value, profile[other], axes=(other, 0))
    return value


def expected(payoffs: np.ndarray, profile: Sequence[Vector]) -> np.ndarray:
    """What a profile pays each player, float64[players]."""
    return np.array([action_values(payoffs, profile, i) @ profile[i] for i in range(len(profile))])


def gains(payoffs: np.ndarray, profile: Sequence[Vector]) -> np.ndarray:
    """What each player could gain by the best change of its own strategy, float64[players]; zero in equilibrium."""
    values = [action_values(payoffs, profile, i) for i in range(len(profile))]
    return np.array([value.max() - value @ mixed for value, mixed in zip(values, profile, strict=True)])


def pure_equilibria(payoffs: np.ndarray, tolerance: float = 1e-9) -> np.ndarray:
    """Every pure equilibrium, one row of actions each, int[equilibria, players]. Complete."""
    payoffs = normal_form(payoffs)
    stable = np.ones(payoffs.shape[1:], bool)
    for player, own in enumerate(payoffs):
        stable &= own >= own.max(axis=player, keepdims=True) - tolerance
    return np.argwhere(stable)


def two_player_equilibria(payoffs: np.ndarray, method: str = "supports") -> list[Profile]:
    """Equilibria of a two-player game, pure and mixed; at least one.

    `supports` and `vertices` find all of a nondegenerate game; `lemke-howson` finds those reached from each first label, quickly.
    """
    import nashpy

    payoffs = normal_form(payoffs)
    if len(payoffs) != 2:
        raise UserError(f"Two-player equilibria are for two players, not {len(payoffs)}.")
    game = nashpy.Game(*payoffs)
    methods = {
        "supports": game.support_enumeration,
        "vertices": game.vertex_enumeration,
        "lemke-howson": game.lemke_howson_enumeration,
    }
    if method not in methods:
        raise UserError(f"Two-player games are solved by {', '.join(methods)}, not {method!r}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about degenerate games, for which the last line looks again
        found = _checked(payoffs, methods[method]())
        return found or _checked(payoffs, methods["lemke-howson"]())


def _checked(payoffs: np.ndarray, pairs: Iterable[Sequence[Any]]) -> list[Profile]:
    """The pairs that are equilibria, each once: a library's numbers are not taken on trust."""
    profiles = [[np.asarray(mixed, float) for mixed in pair] for pair in pairs]
    sized = [p for p in profiles if tuple(map(len, p)) == payoffs.shape[1:] and np.isfinite(np.concatenate(p)).all()]
    scale = max(1.0, np.abs(payoffs).max())
    return distinct([profile for profile in sized if gains(payoffs, profile).max() < 1e-8 * scale])


def gambit_equilibria(payoffs: np.ndarray) -> list[Profile]:
    """Every isolated equilibrium as Gambit finds them, where `pygambit` is installed: by extreme points for two players, by
    polynomial systems for more."""
    try:
        import pygambit
    except ImportError:
        raise UserError("This needs Gambit: `pip install pygambit` (it is built from source; minutes).") from None
    payoffs = normal_form(payoffs)
    game = pygambit.Game.from_arrays(*payoffs)
    if len(payoffs) == 2:
        found = pygambit.nash.enummixed_solve(game, rational=False)
    else:
        found = pygambit.nash.enumpoly_solve(game)
    players = list(game.players)
    return [[np.array([float(each[s]) for s in p.strategies]) for p in players] for each in found.equilibria]


def maximin(payoff: np.ndarray) -> tuple[Vector, float]:
    """The row strategy that pays most against the worst column, and what it pays, by linear programming."""
    rows, columns = payoff.shape
    # Maximise v subject to (payoff' x)_j >= v for every column j.
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return _normalised(found.x[:rows]), float(-found.fun)


def correlated_equilibrium(
    payoffs: np.ndarray, objective: np.ndarray | None = None, coarse: bool = False
) -> tuple[np.ndarray, float]:
    """The correlated equilibrium (coarse, if asked) that is best by an objective, and what it is worth.

    A distribution over outcomes, float64[a1, ..., an]; the objective, of the same shape, is by default the sum of all payoffs.
    """
    from scipy.sparse import csr_array, vstack

    payoffs = normal_form(payoffs)
    shape = payoffs.shape[1:]
    aim = payoffs.sum(axis=0) if objective is None else np.asarray(objective, float)
    if aim.shape != shape:
        raise UserError(f"The objective has one number for each outcome, {list(shape)}, not {list(aim.shape)}.")
    rules = []
    for player, own in enumerate(payoffs):
        told = np.arange(shape[player]).reshape([-1 if axis == player else 1 for axis in range(len(shape))])
        for instead in range(shape[player]):
            gain = own.take([instead], axis=player) - own  # by deviating to `instead`, whatever one was told
            if coarse:
                rules.append(csr_array(gain.ravel()[None]))
            else:
                rules += [csr_array((gain * (told == each)).ravel()[None]) for each in range(shape[player])]
    found = linprog(
        -aim.ravel(),
        A_ub=vstack(rules).tocsr(),
        b_ub=np.zeros(len(rules)),
        A_eq=np.ones((1, aim.size)),
        b_eq=[1.0],
        method="highs",
    )
    return _normalised(found.x).reshape(shape), float(-found.fun)


def regret_matching(
    payoffs: np.ndarray, iterations: int, start: Sequence[Vector] | None = None
) -> tuple[Profile, np.ndarray]:
    """Everybody plays in proportion to regret+ (predictive, alternating, averages weighted by time).

    Returns the average profile, an equilibrium in the limit for two players with opposed interests, and the average joint play,
    float64[a1, ..., an], a coarse correlated equilibrium in the limit for any game.
    """
    payoffs = normal_form(payoffs)
    shape = payoffs.shape[1:]
    profile = (
        [np.full(a, 1 / a) for a in shape]
        if start is None
        else [strategy(s, a) for s, a in zip(start, shape, strict=True)]
    )
    regrets = [np.zeros(a) for a in shape]
    average = [np.zeros(a) for a in shape]
    joint = np.zeros(shape)
    for time in range(1, iterations + 1):
        for i in range(len(shape)):
            value = action_values(payoffs, profile, i)
            regret = value - value @ profile[i]
            regrets[i] = np.maximum(regrets[i] + regret, 0)
            predicted = np.maximum(regrets[i] + regret, 0)
            if predicted.sum() > 0:
                profile[i] = predicted / predicted.sum()
            average[i] += time * profile[i]
        joint += time * _outer(profile)
    return [_normalised(each) for each in average], joint / joint.sum()


def replicator(payoffs: np.ndarray, start: Sequence[Vector], time: float, step: float = 0.01) -> Profile:
    """Where the replicator dynamics of n populations lead from a start: shares grow by how far their payoff is above average."""
    payoffs = normal_form(payoffs)
    profile = [strategy(s, a) for s, a in zip(start, payoffs.shape[1:], strict=True)]
    for _ in range(round(time / step)):
        values = [action_values(payoffs, profile, i) for i in range(len(profile))]
        grown = [share * np.exp(step * (value - value.max())) for share, value in zip(profile, values, strict=True)]
        profile = [each / each.sum() for each in grown]
    return profile


def distinct(profiles: list[Profile], apart: float = 1e-6) -> list[Profile]:
    """Profiles that are not the same up to rounding, in order."""
    kept: list[Profile] = []
    for profile in profiles:
        if not any(max(np.abs(a - b).max() for a, b in zip(profile, other, strict=True)) < apart for other in kept):
            kept.append(profile)
    return kept


def _outer(profile: Sequence[Vector]) -> np.ndarray:
    joint = np.ones(())
    for mixed in profile:
        joint = np.multiply.outer(joint, mixed)
    return joint


def _normalised(weights: np.ndarray) -> np.ndarray:
    weights = np.maximum(weights, 0)
    return weights / weights.sum()
