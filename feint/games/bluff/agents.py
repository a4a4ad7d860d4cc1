"""The agents of the Bluff thesis and its plain rivals. Each says which cards it lays and when it calls bluff."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import Game, pytree
from feint.games.bluff.rules import LONGEST_STAMP
from feint.games.bluff.view import View


class Laying(Memoryless):
    """A base for agents that decide on a whole play at once and answer each claim by yes or no.

    Ranks are counted upwards from the one due, so entry 0 of a play is the true cards.
    """

    def cards(self, view: View, key: Key) -> Array:
        """How many cards of each rank to lay, int[ranks]; at least one card, at most `view.most`."""
        raise NotImplementedError

    def calls(self, view: View, key: Key) -> Array:
        """Whether to call bluff on the claim, bool."""
        raise NotImplementedError

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        answer = jnp.where(self.calls(view, key), view.ranks + 2, view.ranks + 1)
        return jnp.where(view.asked > 0, answer, next_pick(view, self.cards(view, key))), memory


def next_pick(view: View, play: Array) -> Array:
    """The action that goes on towards a play, int[ranks]; the last is to lay it down.

    A play drawn at random comes out differently at the next pick: a picked card that is not in it means the play is made.
    """
    picked = jnp.roll(view.picked.sum(axis=1), -view.due)
    done = (picked > play).any() | (picked >= play).all()
    return jnp.where(done & picked.any(), view.ranks, jnp.argmax(play > picked))


def all_true(view: View) -> Array:
    """Every true card one may lay, int[ranks]; all zero without one."""
    return jnp.minimum(view.held, view.most) * (jnp.arange(view.ranks) == 0)


def first_card(view: View) -> Array:
    """One card of the rank that stands first in the hand, int[ranks]."""
    arrival = jnp.where(view.hand | view.picked, view.stamp, LONGEST_STAMP).min(axis=1)
    return _one(view, (jnp.argmin(arrival) - view.due) % view.ranks)


def farthest_card(view: View, soon: int) -> Array:
    """One card of the rank one will have to lay last, leaving out the next `soon` turns of one's own; without one, the first card."""
    need = jnp.asarray(turns_until_due(view.players, view.ranks))
    late = jnp.where((view.held > 0) & (need > soon), need, 0)
    return jnp.where(late.any(), _one(view, jnp.argmax(late)), first_card(view))


def _one(view: View, rank: Array) -> Array:
    return (jnp.arange(view.ranks) == rank).astype(jnp.int32)


@cache
def turns_until_due(players: int, ranks: int) -> np.ndarray:
    """After how many turns of one's own each rank is due, counted upwards from the one due now, int[ranks].

    A rank that never comes (where players and ranks share a factor) counts as due after all others; the rank due now, last.
    """
    turns = np.full(ranks, ranks + 1)
    for turn in range(ranks, 0, -1):
        turns[turn * players % ranks] = turn
    return turns


@pytree
class CountRule:
    """Call with probability `two` / `three` / 1 when holding two / three / all cards of the rank claimed."""

    two: float = 0.25
    three: float = 0.75
    sharp: bool = False

    def calls(self, view: View, key: Key) -> Array:
        own = view.held[0]
        chance = jnp.where(own >= 3, self.three, jnp.where(own == 2, self.two, 0.0))
        counted = (own >= view.copies) | (jax.random.uniform(key) < chance)
        return counted | (self.sharp & provable_bluff(view))


def provable_bluff(view: View) -> Array:
    """Whether the claim and one's own cards together are more than there are of that rank, bool."""
    return view.claim + view.held[0] > view.copies


@pytree
class NoBluff(Laying):
    """Lays all true cards, else its first card, and believes everybody."""

    def cards(self, view: View, key: Key) -> Array:
        return jnp.where(view.held[0] > 0, all_true(view), first_card(view))

    def calls(self, view: View, key: Key) -> Array:
        return jnp.bool_(False)


@pytree
class Smart(Laying):
    """Lays all true cards, else one it needs last; calls by what it holds of the rank claimed."""

    two: float = 0.25
    three: float = 0.75
    sharp: bool = False
    soon: int = 4

    def cards(self, view: View, key: Key) -> Array:
        return jnp.where(view.held[0] > 0, all_true(view), farthest_card(view, self.soon))

    def calls(self, view: View, key: Key) -> Array:
        return CountRule(self.two, self.three, self.sharp).calls(view, key)


@pytree
class Anxious(Smart):
    """Plays as smart, and calls on whoever has fewer than `threshold` cards left."""

    threshold: int = 3

    def calls(self, view: View, key: Key) -> Array:
        return (view.sizes[view.player] < self.threshold) | super().calls(view, key)


@pytree
class Dump(Laying):
    """Lays as many cards as it may, true ones first, then those needed last; calls only what it can prove."""

    count: int = 4

    def cards(self, view: View, key: Key) -> Array:
        return latest_cards(view, view.held, jnp.minimum(self.count, view.most))

    def calls(self, view: View, key: Key) -> Array:
        return provable_bluff(view)


def latest_cards(view: View, held: Array, count: Array) -> Array:
    """Up to `count` of the cards held, int[ranks]: true ones first, then those due latest."""
    need = turns_until_due(view.players, view.ranks).copy()
    need[0] = 2 * view.ranks  # true cards before all others
    order = np.argsort(-need, kind="stable")
    in_order = held[order]
    before = jnp.cumsum(in_order) - in_order
    return jnp.clip(count - before, 0, in_order)[np.argsort(order)]


@pytree
class Grudges:
    """Whom a tit-for-tat has yet to pay back, and up to which turn it has read the log."""

    against: Array  # bool[players]
    read: Array  # int32


@pytree
class TitForTat(NoBluff):
    """Plays as no-bluff; whoever called it is called back once, on the next play it is asked about, and forgiven."""

    def begin(self, game: Game, seat: Array, key: Key) -> Grudges:
        return Grudges(jnp.zeros(game.players, bool), jnp.int32(0))

    def act(self, memory: Grudges, view: View, legal: Array, key: Key) -> tuple[Array, Grudges]:
        grudges = self._read(memory, view)
        paid_back = grudges.against[view.player] & (view.asked > 0)
        answer = jnp.where(paid_back, view.ranks + 2, view.ranks + 1)
        action = jnp.where(view.asked > 0, answer, next_pick(view, self.cards(view, key)))
        forgiven = (jnp.arange(view.players) == view.player) & paid_back
        return action, replace(grudges, against=grudges.against & ~forgiven)

    def finish(self, memory: Grudges, view: View, rewards: Array, key: Key) -> Grudges:
        return Grudges(jnp.zeros_like(memory.against), jnp.zeros_like(memory.read))

    def _read(self, memory: Grudges, view: View) -> Grudges:
        log = view.log
        newest = view.turn - (view.asked == 0)
        turn = newest - jnp.arange(len(log.player))
        wronged = (log.player == view.seat) & (log.caller >= 0) & (turn >= memory.read)
        callers = (wronged[:, None] & (log.caller[:, None] == jnp.arange(view.players))).any(axis=0)
        return Grudges(memory.against | callers, jnp.asarray(newest + 1, jnp.int32) - (view.asked > 0))
