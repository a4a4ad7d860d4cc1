"""The agents of the Bluff thesis and its plain rivals. Each says which cards it lays and when it calls bluff."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key, move_key
from feint.game import Game, option, pytree
from feint.games.bluff.view import View, ranks_above


class Laying(Memoryless):
    """A base for agents that decide on a whole play at once and answer each claim by yes or no."""

    @abstractmethod
    def cards(self, view: View, key: Key) -> Array:
        """How many cards of each rank to lay, int8[ranks]; at least one card, at most `view.most`."""

    @abstractmethod
    def calls(self, view: View, key: Key) -> Array:
        """Whether to call bluff on the claim, bool."""

    def plays(self, view: View, key: Key, moves: Array) -> Array:
        """The same where a whole play is decided after so many moves of the game of a key."""
        return self.cards(view, move_key(key, moves))

    @property
    def remembers(self) -> bool:
        """Whether it keeps a memory; without one, whole turns can be played at once."""
        return False

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        answer = jnp.where(self.calls(view, key), view.ranks + 2, view.ranks + 1)
        return jnp.where(view.asked > 0, answer, next_pick(view, self.cards(view, key))), memory


class Sight(Protocol):
    """What agents of one rank look at, in a `View` or in less (`packed.Glance`)."""

    # How many cards one holds of each rank, from the rank due upwards, by index.
    @property
    def held_above(self) -> Any: ...
    @property
    def first_above(self) -> Array:
        """How many ranks one's first card is above the one due."""

    @property
    def true_cards(self) -> Array: ...
    @property
    def due(self) -> Array: ...
    @property
    def claim(self) -> Array: ...
    @property
    def left(self) -> Array: ...
    @property
    def players(self) -> int: ...
    @property
    def ranks(self) -> int: ...
    @property
    def copies(self) -> int: ...
    @property
    def most(self) -> int | Array: ...


class OneRank(Laying):
    """A base for agents that lay cards of one rank at a time.

    A class that looks at nothing but what `Sight` shows says so by `glances = True` of its own: the arena plays it several times faster.
    """

    glances: ClassVar[bool] = False

    @abstractmethod
    def play(self, view: Sight, key: Key) -> tuple[Array, Array]:
        """Which rank to lay, by how far it is above the one due, and how many cards of it."""

    @abstractmethod
    def calls(self, view: Sight, key: Key) -> Array:
        """Whether to call bluff on the claim, bool."""

    def cards(self, view: View, key: Key) -> Array:
        above, count = self.play(view, key)
        return jnp.where(ranks_above(view.due, view.ranks) == above, count, 0).astype(jnp.int8)


def next_pick(view: View, play: Array) -> Array:
    """The action that goes on towards a play, int8[ranks]; the last is to lay it down.

    A play drawn at random comes out differently at the next pick: a picked card that is not in it means the play is made.
    """
    picked = view.picked.sum(axis=0, dtype=jnp.int8)
    done = (picked > play).any() | (picked >= play).all()
    nearest = jnp.where(play > picked, ranks_above(view.due, view.ranks), view.ranks).min()
    return jnp.where(done & picked.any(), view.ranks, nearest)


def all_true(view: View) -> Array:
    """Every true card one may lay, int8[ranks]; all zero without one."""
    return jnp.where(view.is_due, jnp.minimum(view.held, view.most), 0).astype(jnp.int8)


def true_or(view: Sight, lie: Array) -> tuple[Array, Array]:
    """The play of all true cards one may lay, or without one that of one card so many ranks above."""
    true = view.true_cards
    return jnp.where(true > 0, 0, lie), jnp.clip(true, 1, view.most)


def latest_above(view: Sight, soon: Array | int) -> Array:
    """How far above the one due the rank is that one will have to lay last, leaving out the next `soon` turns of one's own; without
    one, the first card's."""
    need = turns_until_due(view.players, view.ranks)[0]
    held, latest = view.held_above, view.first_above
    for above in np.argsort(need).tolist():
        latest = jnp.where((held[above] > 0) & (need[above] > soon), above, latest)
    return latest


@cache
def turns_until_due(players: int, ranks: int) -> np.ndarray:
    """By rank due now: after how many turns of one's own each rank is due again, int8[ranks, ranks]; all different.

    Ranks that never come (where players and ranks share a factor) count as due after all others, the nearest above first.
    """
    turns = ranks + 1 + np.arange(ranks)  # by how many ranks it is above the one due
    for turn in range(ranks, 0, -1):
        turns[turn * players % ranks] = turn
    return np.stack([np.roll(turns, due) for due in range(ranks)]).astype(np.int8)


@pytree
class CountRule:
    """Call with probability `call_two` / `call_three` / 1 when holding two / three / all cards of the rank claimed."""

    call_two: float = option(0.25, "chance of a call when holding two of the rank claimed", least=0, most=1)
    call_three: float = option(0.75, "chance of a call when holding three", least=0, most=1)
    sharp: bool = option(False, "call whatever is proven to be a bluff")

    def calls(self, view: Sight, key: Key) -> Array:
        own = view.true_cards
        chance = jnp.where(own >= 3, self.call_three, jnp.where(own == 2, self.call_two, 0.0))
        counted = (own >= view.copies) | (jax.random.uniform(key) < chance)
        return counted | (self.sharp & provable_bluff(view))


def provable_bluff(view: Sight) -> Array:
    """Whether the claim and one's own cards together are more than there are of that rank, bool."""
    return view.claim + view.true_cards > view.copies


@pytree
class NoBluff(OneRank):
    """Lays all true cards, else its first card, and believes everybody."""

    glances: ClassVar[bool] = True

    def play(self, view: Sight, key: Key) -> tuple[Array, Array]:
        return true_or(view, view.first_above)

    def calls(self, view: Sight, key: Key) -> Array:
        return jnp.bool_(False)


@pytree
class Smart(OneRank):
    """Lays all true cards, else one it needs last; calls by what it holds of the rank claimed."""

    glances: ClassVar[bool] = True

    call_two: float = option(0.25, "chance of a call when holding two of the rank claimed", least=0, most=1)
    call_three: float = option(0.75, "chance of a call when holding three", least=0, most=1)
    sharp: bool = option(False, "call whatever is proven to be a bluff")
    soon: int = option(4, "turns ahead whose ranks it keeps", least=0, most=127)

    def play(self, view: Sight, key: Key) -> tuple[Array, Array]:
        return true_or(view, latest_above(view, self.soon))

    def calls(self, view: Sight, key: Key) -> Array:
        return CountRule(self.call_two, self.call_three, self.sharp).calls(view, key)


@pytree
class Anxious(OneRank):
    """Plays as smart, and calls on whoever has fewer than `threshold` cards left."""

    glances: ClassVar[bool] = True

    threshold: int = option(3, "call on whoever has fewer cards left", least=0, most=104)
    call_two: float = option(0.25, "chance of a call when holding two of the rank claimed", least=0, most=1)
    call_three: float = option(0.75, "chance of a call when holding three", least=0, most=1)
    sharp: bool = option(False, "call whatever is proven to be a bluff")
    soon: int = option(4, "turns ahead whose ranks it keeps", least=0, most=127)

    def play(self, view: Sight, key: Key) -> tuple[Array, Array]:
        return self._smart.play(view, key)

    def calls(self, view: Sight, key: Key) -> Array:
        return (view.left < self.threshold) | self._smart.calls(view, key)

    @property
    def _smart(self) -> Smart:
        return Smart(self.call_two, self.call_three, self.sharp, self.soon)


@pytree
class Dump(Laying):
    """Lays as many cards as it may, true ones first, then those needed last; calls only what it can prove."""

    count: int = option(4, "cards it lays", least=1, most=8)

    def cards(self, view: View, key: Key) -> Array:
        return latest_cards(view, jnp.minimum(self.count, view.most))

    def calls(self, view: View, key: Key) -> Array:
        return provable_bluff(view)


def latest_cards(view: View, count: Array | int) -> Array:
    """Up to `count` of one's own cards, int8[ranks]: true ones first, then those due latest."""
    need = jnp.where(view.is_due, jnp.int8(127), jnp.asarray(turns_until_due(view.players, view.ranks))[view.due])
    before = jnp.where(need[:, None] > need, view.held[:, None], 0).sum(axis=0, dtype=jnp.int8)
    return jnp.clip(count - before, 0, view.held).astype(jnp.int8)


@pytree
class Grudges:
    """Whom a tit-for-tat has yet to pay back, and up to which turn it has read the log."""

    against: Array  # bool[players]
    read: Array  # int32


@pytree
class TitForTat(NoBluff):
    """Plays as no-bluff; whoever called it is called back once, on the next play it is asked about, and forgiven."""

    @property
    def remembers(self) -> bool:
        return True

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
