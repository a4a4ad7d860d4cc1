"""Ranks packed eight to a 32-bit number: how many cards there are of each, and which card came after which.

A number for each table is what compiled code works on fastest: with hands in this form a turn of Bluff takes a quarter of the
time that it takes with an array of cards (docs/performance.md). What is done several times in a turn is jitted, so that it is traced once.
"""

from __future__ import annotations

from itertools import pairwise

import jax
import jax.numpy as jnp
from jax import Array
from jax.lax import select  # `jnp.where` takes several times as long to trace

from feint.game import pytree, static

BITS = 4
EIGHT = 32 // BITS  # entries to a number
EACH = 0x11111111  # a one in every entry


def _word(number: Array | int) -> Array:
    return jnp.asarray(number).astype(jnp.uint32)


def _place(index: Array) -> tuple[Array, Array]:
    """Which number an entry is in, and by how many bits it is moved up there, uint32 each."""
    index = _word(index)
    return index >> 3, (index & 7) * BITS


def _entry(words: tuple[Array, ...], index: int) -> Array:
    """One entry, int32."""
    return ((words[index // EIGHT] >> (BITS * (index % EIGHT))) & 15).astype(jnp.int32)


@pytree
class Counts:
    """How many cards of each rank, from the rank due upwards; 15 of each at most."""

    words: tuple[Array, ...]  # uint32 each
    ranks: int = static()

    @classmethod
    def none(cls, ranks: int) -> Counts:
        return cls((jnp.uint32(0),) * -(-ranks // EIGHT), ranks)

    @classmethod
    def of(cls, above: Array, count: Array, ranks: int) -> Counts:
        """So many cards of the rank that far above the one due."""
        word, shift = _place(above)
        entry = _word(count) << shift
        return cls(tuple(select(word == i, entry, none) for i, none in enumerate(cls.none(ranks).words)), ranks)

    def __getitem__(self, above: int) -> Array:
        return _entry(self.words, above)

    def __add__(self, other: Counts) -> Counts:
        return Counts(tuple(a + b for a, b in zip(self.words, other.words, strict=True)), self.ranks)

    def __sub__(self, other: Counts) -> Counts:
        return Counts(tuple(a - b for a, b in zip(self.words, other.words, strict=True)), self.ranks)

    def only_if(self, condition: Array) -> Counts:
        """These, or none."""
        return Counts(tuple(select(condition, word, jnp.uint32(0)) for word in self.words), self.ranks)

    @jax.jit
    def next_due(self) -> Counts:
        """The same cards once the next rank is due: every entry moves down by one, and the first to the end."""
        last = BITS * ((self.ranks - 1) % EIGHT)
        first, *rest = self.words
        above = [*((word & 15) << (32 - BITS) for word in rest), (first & 15) << last]
        return Counts(tuple((word >> BITS) | top for word, top in zip(self.words, above, strict=True)), self.ranks)


@pytree
class Line:
    """Cards in the order they came, each as its rank plus one; nothing but zeros after the last."""

    words: tuple[Array, ...]  # uint32 each

    @classmethod
    def empty(cls, cards: int) -> Line:
        return cls((jnp.uint32(0),) * -(-cards // EIGHT))

    @classmethod
    def alike(cls, rank: Array, count: Array) -> Line:
        """Up to eight cards of one rank."""
        # Shifted twice, since no shift by all 32 bits is defined.
        beyond = (~jnp.uint32(0) << _word(2 * count)) << _word(2 * count)
        return cls((_word(rank + 1) * jnp.uint32(EACH) & ~beyond,))

    @property
    def first(self) -> Array:
        """The rank of the first card, int32."""
        return _entry(self.words, 0) - 1

    def only_if(self, condition: Array) -> Line:
        """This line, or an empty one."""
        return Line(tuple(select(condition, word, jnp.uint32(0)) for word in self.words))

    @jax.jit
    def without(self, rank: Array, condition: Array) -> Line:
        """The line less the first card of a rank, or the same line."""
        # Nothing is alike to 15.
        wanted = select(condition, _word(rank + 1), jnp.uint32(15)) * jnp.uint32(EACH)
        found = jnp.bool_(False)
        left = []
        for place, word in enumerate(self.words):
            unlike = word ^ wanted
            # The highest bit of every entry that is alike, and perhaps of some after the first of them.
            alike = (unlike - jnp.uint32(EACH)) & ~unlike & jnp.uint32(8 * EACH)
            lowest = alike & (~alike + jnp.uint32(1))
            before = select(found, jnp.uint32(0), (lowest >> (BITS - 1)) - jnp.uint32(1))  # the bits that stay
            following = self.words[place + 1] if place + 1 < len(self.words) else jnp.uint32(0)
            closed = (word >> BITS) | (following << (32 - BITS))
            left.append((word & before) | (closed & ~before))
            found |= alike != 0
        return Line(tuple(left))

    @jax.jit
    def followed_by(self, other: Line, size: Array) -> Line:
        """This line of so many cards and then another one."""
        return Line(tuple(a | b for a, b in zip(self.words, other._moved(size, len(self.words)), strict=True)))

    def _moved(self, entries: Array, words: int) -> list[Array]:
        """The line moved up by so many entries, in so many numbers."""
        nothing = jnp.uint32(0)
        padded = [nothing, *self.words, *[nothing] * (words - len(self.words))]
        whole, shift = _place(entries)
        # What a number loses at its top comes in at the bottom of the next; shifted twice, as above.
        moved = [
            (word << shift) | ((below >> BITS) >> (jnp.uint32(32 - BITS) - shift)) for below, word in pairwise(padded)
        ]
        step = 1
        while step < words:
            moved = [
                select((whole & step) != 0, moved[place - step] if place >= step else nothing, moved[place])
                for place in range(words)
            ]
            step *= 2
        return moved
