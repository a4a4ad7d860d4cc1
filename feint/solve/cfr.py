"""Counterfactual regret minimisation over a whole tree at once: many iterations a call, on the device, in double precision.

Every player follows regret matching at each of its information sets. One player's update is: from the others' plans, what each
of its sequences earns (a sum over the ends of the tree); up its own tree of decisions, what each action is worth there; what it
regrets; down again, its new plan. No node of the game tree is visited: the ends and the decisions are all there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.errors import UserError
from feint.game import pytree, static
from feint.solve.sequence_form import Decisions, Policy, SequenceForm


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
class Sums:
    """Entries added up by their owner, as gathers: owners with about as many entries share one padded table."""

    tables: tuple[Array, ...]  # int32[owners, entries of each] by size, with one past the last entry for nothing
    place: Array  # int32[owners]: where an owner's sum is among those of all tables, the end for one without entries

    @classmethod
    def by(cls, owner: np.ndarray, owners: int) -> Sums:
        counts = np.bincount(owner, minlength=owners)
        order = np.argsort(owner, kind="stable")
        begin = np.cumsum(counts) - counts
        place = np.full(owners, (counts > 0).sum())
        tables, filled = [], 0
        widths = 2 ** np.ceil(np.log2(np.maximum(counts, 1))).astype(int)
        for width in np.unique(widths[counts > 0]):
            rows = np.flatnonzero((widths == width) & (counts > 0))
            slot = np.arange(width)
            there = slot < counts[rows, None]
            tables.append(
                np.where(there, np.append(order, 0)[np.where(there, begin[rows, None] + slot, 0)], len(owner))
            )
            place[rows] = filled + np.arange(len(rows))
            filled += len(rows)
        return cls(tuple(jnp.asarray(table, jnp.int32) for table in tables), jnp.asarray(place, jnp.int32))

    def __call__(self, entries: Array) -> Array:
        padded = jnp.append(entries, 0.0)
        sums = [padded[table].sum(axis=1) for table in self.tables]
        return jnp.concatenate([*sums, jnp.zeros(1, entries.dtype)])[self.place]


@pytree
class Seat:
    """One player's part of the game, on the device."""

    legal: Array  # bool[sets, actions]
    parents: tuple[Array, ...]  # int32[sets at a depth]: the sequence that leads to each, by depth
    children: tuple[Sums, ...]  # by depth: from values of the sets one deeper to sequences at this depth
    at_start: Sums  # from values of the first sets to the empty sequence
    ends: tuple[Array, ...]  # int32[ends]: the last sequence of every other player
    payoffs: Array  # float64[ends]
    earned: Sums  # from ends to sequences
    levels: tuple[int, ...] = static()

    @classmethod
    def of(cls, form: SequenceForm, player: int) -> Seat:
        own = form.players[player]
        steps = own.steps()
        children = []
        for step, deeper in zip(steps, steps[1:], strict=False):
            first, size = step.start * own.actions, (step.stop - step.start) * own.actions
            children.append(Sums.by(own.parent[deeper] - first, size))
        return cls(
            legal=jnp.asarray(own.legal),
            parents=tuple(jnp.asarray(own.parent[step], jnp.int32) for step in steps),
            children=tuple(children),
            at_start=Sums.by(np.zeros(steps[0].stop if steps else 0, int), 1),
            ends=tuple(
                jnp.asarray(form.ends[:, other], jnp.int32) for other in range(len(form.players)) if other != player
            ),
            payoffs=jnp.asarray(form.payoffs[:, player]),
            earned=Sums.by(form.ends[:, player], own.sequences),
            levels=tuple(map(int, own.levels)),
        )

    def plan(self, policy: Array) -> Array:
        """How likely the player's own choices lead along each sequence, float64[sequences]."""
        before: Array = jnp.ones(1, policy.dtype)
        parts, begin = [], policy.size
        for level, parent in enumerate(self.parents):
            reach = before[parent - begin][:, None] if level else jnp.ones((1, 1), policy.dtype)
            part = (reach * policy[self.levels[level] : self.levels[level + 1]]).ravel()
            parts.append(part)
            before, begin = part, self.levels[level] * policy.shape[1]
        return jnp.concatenate([*parts, jnp.ones(1, policy.dtype)])

    def regrets(self, policy: Array, plans: list[Array]) -> Array:
        """How much better each action would have been than the policy, float64[sets, actions], `plans` being the others'."""
        reach = self.payoffs
        for plan, ends in zip(plans, self.ends, strict=True):
            reach = reach * plan[ends]
        worth = self.earned(reach)[:-1].reshape(policy.shape)
        parts: list[Array] = []
        deeper = None
        for level in reversed(range(len(self.parents))):
            step = slice(self.levels[level], self.levels[level + 1])
            here = worth[step]
            if deeper is not None:
                here = here + self.children[level](deeper).reshape(here.shape)
            deeper = (policy[step] * here).sum(axis=1)
            parts.append(jnp.where(self.legal[step], here - deeper[:, None], 0.0))
        return jnp.concatenate(parts[::-1])


@pytree
class Progress:
    """Where a run stands: all it needs to go on."""

    iteration: Array  # int32: iterations done
    regrets: tuple[Array, ...]  # float64[sets, actions] of each player
    recent: tuple[Array, ...]  # float64[sets, actions]: the last regrets alone
    totals: tuple[Array, ...]  # float64[sequences]: the sum of plans, as the average weighs them


def _matched(legal: Array, regrets: Array) -> Array:
    """Choices in proportion to positive regrets, even where there are none."""
    positive = jnp.where(legal, jnp.maximum(regrets, 0.0), 0.0)
    total = positive.sum(axis=1, keepdims=True)
    even = legal / legal.sum(axis=1, keepdims=True)
    return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1.0), even)


@partial(jax.jit, static_argnames=("settings",))
def _iterate(seats: tuple[Seat, ...], progress: Progress, count: Array, settings: Settings) -> Progress:
    players = range(len(seats))

    def policy_of(player: int, regrets: Array, recent: Array) -> Array:
        return _matched(seats[player].legal, regrets + recent if settings.predict else regrets)

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
        seen = list(plans)  # what the others do when a player updates
        for p in players:
            others = (plans if settings.alternate else seen)[:p] + (plans if settings.alternate else seen)[p + 1 :]
            recent[p] = seats[p].regrets(policies[p], others)
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
        """So many iterations more."""
        with jax.enable_x64(True):
            self.progress = jax.block_until_ready(
                _iterate(self._seats, self.progress, jnp.int32(iterations), self.settings)
            )

    def average(self) -> Policy:
        """The average policy: the one that converges."""
        return self._joined(
            [own.policy(np.asarray(t)) for own, t in zip(self.form.players, self.progress.totals, strict=True)]
        )

    def current(self) -> Policy:
        """The policy the next iteration would play."""
        with jax.enable_x64(True):
            latest = self.progress.recent if self.settings.predict else [0.0] * len(self._seats)
            return self._joined(
                [
                    np.asarray(_matched(seat.legal, regrets + more))
                    for seat, regrets, more in zip(self._seats, self.progress.regrets, latest, strict=True)
                ]
            )

    def _joined(self, parts: list[np.ndarray]) -> Policy:
        out = np.empty(self.form.tree.infosets.legal.shape)
        for own, part in zip(self.form.players, parts, strict=True):
            out[own.rows] = part
        return out
