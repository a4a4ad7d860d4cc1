"""Several small numbers in one word, so that one operation serves them all: six, each of 0 to 15, in five bits.

The fifth bit of a number is 0 between operations; it is there to tell which of two numbers is greater.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

IN_WORD = 6
BITS = 5
ONES = sum(1 << BITS * place for place in range(IN_WORD))
TOPS = ONES << BITS - 1


def greater(one: Array, other: Array) -> Array:
    """The greater of two words' numbers, place by place."""
    not_less = ((one | TOPS) - other) & TOPS
    return other ^ ((one ^ other) & (not_less - (not_less >> BITS - 1)))


def number(word: Array, place: int) -> Array:
    """One number of a word, as an ordinary one."""
    shifted = word >> BITS * place
    return shifted if place == IN_WORD - 1 else shifted & 15


def ones_where(true: Array) -> Array:
    """A word with a 1 in every place where something is true, else with 0."""
    return jnp.where(true, ONES, 0)
