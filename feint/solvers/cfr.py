"""Counterfactual regret minimisation over a whole tree at once: many iterations a call, on the device, in double precision.

Every player follows regret matching at each of its information sets. One player's update is: from the others' plans, what each
of its sequences earns (a sum over the ends of the tree); up its own tree of decisions, what each action is worth there; what it
regrets; down again, its new plan. No node of the game tree is visited: the ends and the decisions are all there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.archive import Layout
from feint.game import pytree, static
from feint.solvers.sequence_form import Policy, SequenceForm


@dataclass(frozen=True)
class Settings:
    """What tells the variants apart; a discount d means times t**d / (t**d + 1) after iteration t."""

    positive: float | None = None  # discount of positive regrets, None for none
    negative: float | None = None  # discount of negative regrets
    average: float = 0.0  # iteration t counts as t**average in the average policy
    clip: bool = False  # regrets never fall below zero
    predict: bool = False  # play as if the last regrets came once more
    alternate: bool = True  # players update in turn, each seeing the others' newest plans; else all at once


ALGORITHMS = {
    "cfr": Settings(),
    "cfr+": Settings(clip=True, average=1.0),
    "linear": Settings(positive=1.0, negative=1.0, average=1.0),
    "dcfr": Settings(positive=1.5, negative=0.0, average=2.0),
    "pcfr+": Settings(clip=True, predict=True, average=2.0),
}


@pytree
class Seat:
    """One player's part of the game, on the device."""

    legal: Array  # bool[sets, actions]
    parent: Array  # int32[sets]: the sequence that leads to each
    own_ends: Array  # int32[ends]: the last sequence of the player
    other_ends: tuple[Array, ...]  # int32[ends]: and of each other player
    payoffs: Array  # float64[ends]
    levels: tuple[int, ...] = static()  # where the sets with so many earlier actions begin, and the end

    @classmethod
    def of(cls, form: SequenceForm, player: int) -> Seat:
        own = form.players[player]
        order = np.argsort(form.ends[:, player], kind="stable")  # sums over neighbours are quicker
        ends = [jnp.asarray(each, jnp.int32) for each in form.ends[order].T]
        return cls(
            legal=jax.device_put(own.legal),
            parent=jnp.asarray(own.parent, jnp.int32),
            own_ends=ends[player],
            other_ends=tuple(ends[:player] + ends[player + 1 :]),
            payoffs=jax.device_put(form.payoffs[order, player]),
            levels=tuple(map(int, own.levels)),
        )

    def plan(self, policy: Array) -> Array:
        """How likely the player's own choices lead along each sequence, float64[sequences]."""
        parts: list[Array] = []
        begin = 0  # the first sequence of the level above
        for first, last in pairwise(self.levels):
            reach = parts[-1][self.parent[first:last] - begin] if parts else jnp.ones(last - first, policy.dtype)
            parts.append((reach[:, None] * policy[first:last]).ravel())
            begin = first * policy.shape[1]
        return jnp.concatenate([*parts, jnp.ones(1, policy.dtype)])

    def regrets(self, policy: Array, plans: list[Array]) -> Array:
        """How much better each action would have been than the policy, float64[sets, actions], `plans` being the others'."""
        reach = self.payoffs
        for plan, ends in zip(plans, self.other_ends, strict=True):
            reach = reach * plan[ends]
        worth = _summed(reach, self.own_ends, policy.size + 1)[:-1].reshape(policy.shape)
        parts = [policy[:0]]
        deeper: tuple[Array, Array] | None = None  # values of the sets one deeper, and the sequences that lead there
        for first, last in reversed(list(pairwise(self.levels))):
            here = worth[first:last]
            if deeper is not None:
                values, parent = deeper
                here = here + _summed(values, parent - first * policy.shape[1], here.size).reshape(here.shape)
            value = (policy[first:last] * here).sum(axis=1)
            parts.append(jnp.where(self.legal[first:last], here - value[:, None], 0.0))
            deeper = value, self.parent[first:last]
        return jnp.concatenate(parts[::-1])


def _summed(entries: Array, owner: Array, owners: int) -> Array:
    return jax.ops.segment_sum(entries, owner, owners, indices_are_sorted=True)


@pytree
class Progress:
    """Where a run stands: all it needs to go on."""

    iteration: Array  # int32: iterations done
    regrets: tuple[Array, ...]  # float64[sets, actions] of each player
    recent: tuple[Array, ...]  # float64[sets, actions]: the last regrets alone
    totals: tuple[Array, ...]  # float64[sequences]: the sum of plans, as the average weighs them


def matched(legal: Array, regrets: Array, axis: int = -1) -> Array:
    """Choices in proportion to positive regrets, even where there are none; actions are along an axis."""
    positive = jnp.where(legal, jnp.maximum(regrets, 0.0), 0.0)
    total = positive.sum(axis=axis, keepdims=True)
    even = legal / legal.sum(axis=axis, keepdims=True)
    return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1.0), even)


@partial(jax.jit, static_argnames=("settings",))
def _iterate(seats: tuple[Seat, ...], progress: Progress, count: Array, settings: Settings) -> Progress:
    players = range(len(seats))

    def policy_of(player: int, regrets: Array, recent: Array) -> Array:
        return matched(seats[player].legal, regrets + recent if settings.predict else regrets)

    def discounted(regrets: Array, time: Array) -> Array:
        if settings.clip:
            return jnp.maximum(regrets, 0.0)
        for discount, there in ((settings.positive, regrets > 0), (settings.negative, regrets < 0)):
            if discount is not None:
                regrets = jnp.where(there, regrets * (time**discount / (time**discount + 1)), regrets)
        return regrets

    def iterate(i: Array, carry: Any) -> Any:
        regrets, recent, totals, policies, plans = map(list, carry)
        time = (i + 1).astype(totals[0].dtype)
        seen = plans if settings.alternate else list(plans)  # by a player when it updates
        for p in players:
            recent[p] = seats[p].regrets(policies[p], [plan for other, plan in enumerate(seen) if other != p])
            regrets[p] = discounted(regrets[p] + recent[p], time)
            totals[p] = totals[p] * ((time - 1) / time) ** settings.average + plans[p]
            policies[p] = policy_of(p, regrets[p], recent[p])
            plans[p] = seats[p].plan(policies[p])
        return tuple(regrets), tuple(recent), tuple(totals), tuple(policies), tuple(plans)

    policies = tuple(policy_of(p, progress.regrets[p], progress.recent[p]) for p in players)
    plans = tuple(seat.plan(policy) for seat, policy in zip(seats, policies, strict=True))
    start = (progress.regrets, progress.recent, progress.totals, policies, plans)
    end = progress.iteration + count
    regrets, recent, totals, _, _ = jax.lax.fori_loop(progress.iteration, end, iterate, start)
    return Progress(end, regrets, recent, totals)


class Solver:
    """Iterates on one game: `run`, then read `average` or `current`."""

    def __init__(self, form: SequenceForm, settings: Settings) -> None:
        self.form, self.settings = form, settings
        with jax.enable_x64(True):
            self._seats = tuple(Seat.of(form, player) for player in range(len(form.players)))
            blank = tuple(jnp.zeros(seat.legal.shape) for seat in self._seats)
            totals = tuple(jnp.zeros(own.sequences) for own in form.players)
            self.progress = Progress(jnp.int32(0), blank, blank, totals)

    @property
    def iterations(self) -> int:
        return int(self.progress.iteration)

    def run(self, iterations: int) -> None:
        """So many iterations more. Where a run is cut in two makes no difference to what comes out."""
        with jax.enable_x64(True):
            after = _iterate(self._seats, self.progress, jnp.int32(iterations), self.settings)
            self.progress = jax.block_until_ready(after)

    def average(self) -> Policy:
        """The average policy: the one that converges."""
        plans = map(np.asarray, self.progress.totals)
        return np.concatenate([own.policy(plan) for own, plan in zip(self.form.players, plans, strict=True)])

    def current(self) -> Policy:
        """The policy that the next iteration plays."""
        with jax.enable_x64(True):
            regrets = self.progress.regrets
            if self.settings.predict:
                regrets = jax.tree.map(jnp.add, regrets, self.progress.recent)
            return np.concatenate([matched(seat.legal, own) for seat, own in zip(self._seats, regrets, strict=True)])

    def arrays(self) -> dict[str, np.ndarray]:
        """Where the run stands, to be kept in a file."""
        kept = {"iteration": np.asarray(self.progress.iteration)}
        for name in ("regrets", "recent", "totals"):
            kept |= {f"{name}{p}": np.asarray(part) for p, part in enumerate(getattr(self.progress, name))}
        return kept

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from where the run that gave these `arrays` stood; `ValueError` where none did."""
        check_run(arrays, self.arrays())
        with jax.enable_x64(True):
            players = range(len(self._seats))
            parts = [
                tuple(jax.device_put(arrays[f"{name}{p}"]) for p in players) for name in ("regrets", "recent", "totals")
            ]
            self.progress = Progress(jnp.int32(arrays["iteration"]), *parts)


def check_run(arrays: Mapping[str, np.ndarray], like: Mapping[str, np.ndarray]) -> None:
    """`ValueError` where arrays have other names, shapes or types than a run's, or numbers that none comes to."""
    if {name: Layout.of(each) for name, each in arrays.items()} != {n: Layout.of(each) for n, each in like.items()}:
        raise ValueError("arrays of another run")
    positive = (each for name, each in arrays.items() if name.startswith(("iteration", "totals")))
    if not all(np.isfinite(each).all() for each in arrays.values()) or not all((each >= 0).all() for each in positive):
        raise ValueError("numbers that no run comes to")
