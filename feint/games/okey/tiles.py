"""The tiles of Okey: two of every kind, 106 in all.

Kinds 0 .. 51 are colour * 13 + number - 1; kind 52 is the false joker. The joker of a hand, the okey, is the face above the indicator: both
tiles of that kind are wild, and the false jokers stand for the face itself.
"""

from __future__ import annotations

from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance

K = TypeVar("K", Array, int)

COLOURS = ("yellow", "blue", "black", "red")
NUMBERS = 13
FACES = len(COLOURS) * NUMBERS
FALSE_JOKER = FACES
KINDS = FACES + 1
TILES = 2 * KINDS
KIND_OF_TILE = np.repeat(np.arange(KINDS, dtype=np.int8), 2)
HAND = 14  # tiles in a rack between turns


def okey_of(indicator: K) -> K:
    """The kind that is wild, of an array or a plain number: the next number of the indicator's colour, 1 after 13."""
    return indicator // NUMBERS * NUMBERS + (indicator + 1) % NUMBERS


def split(rack: Array, okey: Array) -> tuple[Array, Array]:
    """A rack, int8[53], as the hand solver reads it: tiles of each face, int8[4, 13], false jokers under the face they stand for, and how
    many wild ones, int8."""
    wild = jnp.arange(FACES, dtype=jnp.int8) == okey
    faces = jnp.where(wild, rack[FALSE_JOKER], rack[:FACES])
    return faces.reshape(len(COLOURS), NUMBERS), jnp.where(wild, rack[:FACES], 0).sum(dtype=jnp.int8)


def one(kind: Array) -> Array:
    """A single tile as counts of kinds, int8[..., 53]."""
    return (kind[..., None] == jnp.arange(KINDS, dtype=jnp.int8)).astype(jnp.int8)


def counts(kinds: Array) -> Array:
    """How many of each kind there are, [..., tiles] as int8[..., 53]."""
    return one(kinds).sum(axis=-2, dtype=jnp.int8)


def listed(counts: Array) -> Array:
    """Which of the 106 tiles, sorted by kind, there are of so many of each kind, bool[106]."""
    return jnp.stack([counts > 0, counts > 1], axis=1).ravel()


def shuffled(key: chance.Key) -> Array:
    """The kinds of all tiles in a random order, int8[106], the indicator first: every order as likely as the others in which that is not
    a false joker, since one that is turned up goes back and another tile is turned."""
    first_key, rest_key = jax.random.split(key)
    first = jax.random.randint(first_key, (), 0, 2 * FACES)
    rest = jnp.arange(TILES - 1)
    kinds = jnp.asarray(KIND_OF_TILE)
    places = chance.shuffle(rest_key, TILES - 1) + 1
    return jnp.zeros(TILES, jnp.int8).at[0].set(kinds[first]).at[places].set(kinds[rest + (rest >= first)])
