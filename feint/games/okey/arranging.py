"""Racks arranged for points: 10 for a meld of three tiles, 15 of four, 20 of five. As somebody does it without a second thought, or at best."""

from __future__ import annotations

from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.games.okey.runs import NUMBERS
from feint.pytrees import pytree

EACH = 5  # points for every tile of a meld but the first
PLACES = 5  # of sets among 15 tiles
CHUNK = 32  # choices of sets that are looked at together
NEVER = -100


def left_to_right(faces: Array) -> tuple[Array, Array]:
    """The tiles of a rack, int8[4, 13], that are in melds put together one after the other, and the points of these, int32: runs from the
    left, of four tiles before three, then sets of what is left. Without jokers, and no run ends with a 1."""
    numbers = np.arange(NUMBERS)
    once, twice = (((faces > least) << numbers).sum(axis=1) for least in (0, 1))  # int32[4]: numbers held, as bits
    points = jnp.int32(0)
    for start in range(NUMBERS - 2):
        for length in (4, 3):
            if start + length <= NUMBERS:
                run = (1 << length) - 1 << start
                taken = jnp.where(once & run == run, run, 0)
                once, twice = once & ~(taken & ~twice), twice & ~taken
                points += EACH * (length - 1) * (taken > 0).sum(dtype=jnp.int32)
    rest = (once[:, None] >> numbers & 1) + (twice[:, None] >> numbers & 1)
    colours = (rest > 0).sum(axis=0)
    several = (rest > 0) & (colours >= 3)
    points += EACH * jnp.where(colours >= 3, colours - 1, 0).sum(dtype=jnp.int32)
    return (faces - rest + several).astype(faces.dtype), points


# ---- the best arrangement: every choice of sets is tried, and the runs of what it leaves are looked up


def _subsets() -> tuple[np.ndarray, np.ndarray]:
    """The colours, as bits, that a set can have of those held at a number, int32[16, 6], the empty set first; and how many such choices there
    are, int32[16]."""
    listed, counts = np.zeros((16, 6), np.int32), np.zeros(16, np.int32)
    for held in range(16):
        colours = [1 << colour for colour in range(4) if held >> colour & 1]
        found = [0, *(sum(each) for size in (3, 4) for each in combinations(colours, size))]
        listed[held, : len(found)], counts[held] = found, len(found)
    return listed, counts


SUBSETS, CHOICES = _subsets()
COLOURS = np.arange(4)
POWERS = 3 ** np.arange(NUMBERS, dtype=np.int32)


@pytree
class Best:
    """The best arrangement of a rack, in points."""

    points: Array  # int32
    without: Array  # int32[4, 13]: those of the rack without a tile of each face; less than 0 where there is none


def best(run_points: Array, faces: Array) -> Best:
    """The most points of melds that a rack of at most 15 tiles, int8[4, 13], can be arranged in without jokers; `run_points` is the table of what
    runs of one colour are worth."""
    held = ((faces > 0) << COLOURS[:, None]).sum(axis=0)  # int32[13]
    possible = jnp.asarray(CHOICES)[held] > 1
    # A number has a second place where there may be two sets.
    places = jnp.cumsum(jnp.concatenate([possible, possible & (faces.sum(axis=0) >= 6)]))
    place = (places <= jnp.arange(PLACES)[:, None]).sum(axis=1)
    at = (place[:, None] % NUMBERS == np.arange(NUMBERS)) & (place < 2 * NUMBERS)[:, None]  # bool[5, 13]
    there = (at * held).sum(axis=1)
    radix = jnp.asarray(CHOICES)[there]
    powers = jnp.asarray(POWERS)[:, None]

    def look(first: Array) -> Best:
        """The best of some choices."""
        digits, rest = [], first + jnp.arange(CHUNK)
        for base in radix:
            digits.append(rest % base)
            rest //= base
        chosen = jnp.asarray(SUBSETS)[there[:, None], jnp.stack(digits)]  # int32[5, choices]
        left = faces[..., None] - (((chosen >> COLOURS[:, None, None]) & 1)[:, :, None] * at[..., None]).sum(axis=1)
        sets = jnp.maximum(jax.lax.population_count(chosen) - 1, 0).sum(axis=0)
        codes = (left * powers).sum(axis=1)
        runs = run_points[codes].astype(jnp.int32)  # [4, choices]
        points = jnp.where((left >= 0).all(axis=(0, 1)), sets + runs.sum(axis=0), NEVER)
        fewer = run_points[codes[:, None] - powers].astype(jnp.int32)  # [4, 13, choices]
        without = jnp.where(left > 0, points - runs[:, None] + fewer, NEVER)
        return Best(points.max(), without.max(axis=2))

    def further(carry: tuple[Array, Best]) -> tuple[Array, Best]:
        first, found = carry
        return first + CHUNK, jax.tree.map(jnp.maximum, found, look(first))

    nothing = Best(jnp.int32(0), jnp.full((4, NUMBERS), NEVER))
    total = radix.prod()
    found = jax.lax.while_loop(lambda carry: carry[0] < total, further, (jnp.int32(0), nothing))[1]
    return jax.tree.map(lambda each: EACH * each, found)
