"""How many tiles of a rack the best melds can have: exact, for many racks at once.

A finished rack is 14 slots in melds: sets of 3 or 4 (one number, distinct colours) and runs (one colour). Runs of one colour are looked up
in a table; what ties colours together are sets. One and two sets are tried at all numbers where two colours are held, and the runs of the
four colours are added up around them; three sets leave room for one run, which is tried everywhere; then come four sets. A set with a
single tile need not be tried: a run with that tile is as good.

Arrays have the racks as their last axis, and the four colours are four arrays: so all is done to whole rows of numbers, which takes a
fifth of the time that slices of larger arrays do.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.games.okey.runs import IN_WORD, NUMBERS, SLOTS, windows
from feint.pytrees import pytree

CANDIDATES = 7  # of 15 tiles, no more numbers are held in two colours
QUADS = 3  # nor more in all four
QUAD, OTHER = slice(0, QUADS), slice(QUADS, CANDIDATES)
NEVER = -20
SMALL = jnp.int16  # not int8: see CONTRIBUTING on the greatest of sums

T = TypeVar("T")
Rows = dict[int, Array]  # the most tiles in runs, by slots
Free = tuple[int, int]  # of two sets, to which a colour need not give its tile


@pytree
class Colour:
    """What is known of one colour before sets are tried."""

    held: Array  # [7, racks]: how many there are at each number where sets are tried
    without: Array  # int32[7, racks]: the code without one of these
    base: Rows  # [racks]: runs of all tiles
    single: Rows  # [7, racks]: runs of the others


@partial(jax.jit, static_argnames="longest_run")  # so that all programs that ask about as many racks trace it once
def most_matched(most: Array, faces: Array, longest_run: int) -> Array:
    """The most tiles that melds of 14 slots can have, int8[racks], of faces, int8[4, 13, racks], at most 15 tiles; `most` is the table."""
    held, power = _apart(faces, _columns(faces))

    def colour(tiles: Array, held: Array) -> Colour:
        code = (tiles * jnp.asarray(3 ** np.arange(NUMBERS), jnp.int32)[:, None]).sum(axis=0)
        without = code - jnp.where(held > 0, power, 0)
        return Colour(held, without, _rows(most, code, 14), _rows(most, without, 11))

    colours = _apart(faces, [colour(faces[number].astype(SMALL), held[number]) for number in range(4)])
    cases = [_no_set(colours), _one_set(colours), _many_sets(faces, longest_run)]
    for first, second in ((QUAD, QUAD), (QUAD, OTHER), (OTHER, OTHER)):
        cases.append(_two_sets(most, power, colours, first, second))
    return _most(*cases).astype(jnp.int8)


def _apart(faces: Array, values: T) -> T:
    """The same values, computed once: compilers for CPUs put together all that is read in one place, and would compute these again wherever
    they are read, which takes half as long again in all. They cannot know that this branch is always taken."""
    if jax.default_backend() != "cpu":
        return values
    return jax.lax.cond(faces[0, 0, 0] >= 0, lambda: values, lambda: jax.tree.map(jnp.zeros_like, values))


def _columns(faces: Array) -> tuple[Array, Array]:
    """Where sets are tried, the numbers of all four colours first: how many of each colour are held there, [4, 7, racks], and what one is
    in a code, int32[7, racks]."""
    colours = (faces > 0).sum(axis=0, dtype=SMALL)  # [13, racks]
    quad, other = colours == 4, (colours >= 2) & (colours < 4)
    after = quad.sum(axis=0, dtype=SMALL) + jnp.cumsum(other, axis=0, dtype=SMALL)
    rank = jnp.where(quad, jnp.cumsum(quad, axis=0, dtype=SMALL), jnp.where(other, after, 0))
    chosen = rank == jnp.arange(1, CANDIDATES + 1, dtype=SMALL)[:, None, None]  # bool[7, 13, racks]
    power = jnp.where(chosen, jnp.asarray(3 ** np.arange(NUMBERS), jnp.int32)[:, None], 0).sum(axis=1)
    held = reduce(
        jnp.add, [jnp.where(chosen[:, number], faces[:, None, number], 0).astype(SMALL) for number in range(NUMBERS)]
    )
    return held, power


def _rows(most: Array, codes: Array, last: int) -> Rows:
    words = [most[word][codes] for word in range(1 + (last - SLOTS[0]) // IN_WORD)]
    rows = {0: jnp.zeros(codes.shape, SMALL)}
    for place, slots in enumerate(range(SLOTS[0], last + 1)):
        rows[slots] = (words[place // IN_WORD] >> 4 * (place % IN_WORD) & 15).astype(SMALL)
    return rows


def _most(*values: Array) -> Array:
    return reduce(jnp.maximum, values)


# ---- no set, one set: the runs of several colours together


def _joined(one: Rows, other: Rows, slots: int) -> Array:
    """The most tiles in so many slots, some of one and the rest of the other."""
    return _most(*(one[first] + other[slots - first] for first in one if slots - first in other))


def _both(one: Rows, other: Rows) -> Rows:
    return {slots: _joined(one, other, slots) for slots in one}


def _larger(one: Rows, other: Rows) -> Rows:
    return {slots: jnp.maximum(one[slots], other[slots]) for slots in one}


def _no_set(colours: list[Colour]) -> Array:
    base = [colour.base for colour in colours]
    return _joined(_both(base[0], base[1]), _both(base[2], base[3]), 14)


def _one_set(colours: list[Colour]) -> Array:
    """A set of three slots, which leaves out a colour, or of four, where all four are held."""
    within = [
        {slots: jnp.maximum(each.base[slots], row + (each.held > 0)) for slots, row in each.single.items()}
        for each in colours
    ]  # [7, racks]
    three = [{slots: row[OTHER] for slots, row in rows.items()} for rows in within]
    four = [{slots: row[QUAD] for slots, row in rows.items()} for rows in within]
    out = [{slots: jnp.broadcast_to(each.base[slots], four[0][slots].shape) for slots in four[0]} for each in colours]
    full = [_both(four[0], four[1]), _both(four[2], four[3])]
    less = [_larger(_both(four[a], out[a + 1]), _both(out[a], four[a + 1])) for a in (0, 2)]
    return _most(
        _joined(_both(three[0], three[1]), _both(three[2], three[3]), 11).max(axis=0),
        _most(_joined(full[0], full[1], 10), _joined(full[0], less[1], 11), _joined(less[0], full[1], 11)).max(axis=0),
    )


# ---- two sets


def _two_sets(most: Array, power: Array, colours: list[Colour], first: slice, second: slice) -> Array:
    """Two sets, one in each part of the columns, and up to 8 slots of runs, in one colour or in two: the other colours give both sets
    what they have.

    A colour with runs may keep a tile that a set has room for, at the cost of one. Where all four colours are held and the set has
    three slots, one colour keeps its tile for nothing.
    """
    places = jnp.arange(CANDIDATES)
    again = (places[first, None] == places[second])[..., None]  # bool[columns, columns, 1]: two sets at one number
    flags = (first == QUAD, second == QUAD)
    has = _sizes([colour.held for colour in colours], first, second, again)
    free = [jnp.where(size == 4, 0, NEVER).astype(SMALL) for size in has]

    def kept(colour: Colour) -> dict[int, dict[Free, Array]]:
        give = [(colour.held[first, None] > 0).astype(SMALL), (colour.held[second] > again).astype(SMALL)]
        both = _rows(most, colour.without[first, None] - give[1] * power[second], 8)
        one, other = ({slots: row[which] for slots, row in colour.single.items()} for which in ((first, None), second))
        return {
            slots: _kept(colour.base[slots], one[slots], other[slots], both[slots], give, free, flags)
            for slots in range(3, 9)
        }

    runs = [kept(colour) for colour in colours]
    totals = []
    for chosen in runs[0][3]:
        slots = 8 - sum(flags) + sum(chosen)
        sizes = [4 - (flag <= which) for flag, which in zip(flags, chosen, strict=True)]
        best = _most(_in_two(runs, chosen, slots), *(colour[slots][chosen] for colour in runs))
        totals.append(jnp.minimum(has[0], sizes[0]) + jnp.minimum(has[1], sizes[1]) + best)
    return _most(*totals).max(axis=(0, 1))


def _sizes(held: list[Array], first: slice, second: slice, again: Array) -> tuple[Array, Array]:
    """The tiles that two sets could have with four slots each. Two at one number share them as suits them."""
    colours, tiles = reduce(jnp.add, [(each > 0).astype(SMALL) for each in held]), reduce(jnp.add, held)
    many = tiles[first, None]
    return (
        jnp.where(again, jnp.where(many < 7, jnp.minimum(many, 3), 4), colours[first, None]),
        jnp.where(again, jnp.where(many < 7, jnp.maximum(many - 3, 0), many - 4), colours[second]),
    )


def _kept(
    none: Array, one: Array, other: Array, both: Array, give: list[Array], free: list[Array], flags: tuple[bool, bool]
) -> dict[Free, Array]:
    """The most tiles in runs of a colour that gives no tile, one or two to sets, less what the sets lose by it, [pairs, racks]."""
    best = _most(both, other - give[0], one - give[1], none - give[0] - give[1])
    found = {(0, 0): best}
    if flags[0]:
        found[1, 0] = _most(best, _most(other, none - give[1]) + free[0])
    if flags[1]:
        found[0, 1] = _most(best, _most(one, none - give[0]) + free[1])
    if all(flags):
        found[1, 1] = _most(found[1, 0], found[0, 1], none + free[0] + free[1])
    return found


def _in_two(runs: list[dict[int, dict[Free, Array]]], free: Free, slots: int) -> Array:
    """The most tiles of a run each in two colours."""
    fits = []
    for length in (3, 4, 5):
        for share in runs[0][3]:
            rest = (free[0] - share[0], free[1] - share[1])
            if min(rest) >= 0 and 3 <= slots - length <= 5:
                one = [colour[length][share] for colour in runs]
                other = [colour[slots - length][rest] for colour in runs]
                fits += [one[0] + other[1], one[2] + other[3], _most(one[0], one[1]) + _most(other[2], other[3])]
    return _most(*fits)


# ---- three sets and a run, four sets

# Of every number: how many of the (at most two) sets there get at least 1, 2 and 3 tiles, and the sets of three that have a fourth tile to
# take. These counts are added up in fields of one whole number.
AT_LEAST = (0, 5, 10)  # where the fields begin, 5 bits each
FOURTH = (15, 18, 21)  # sets of four that would take a tile from another set that gets 1, 2, 3; 3 bits each
SPARE = 24  # tiles that no other set gets


def _many_sets(faces: Array, longest_run: int) -> Array:
    tiles = faces.transpose(1, 0, 2).astype(SMALL)  # [13, 4, racks]
    colours, all_tiles = (
        (tiles > 0).sum(axis=1, keepdims=True, dtype=SMALL),
        tiles.sum(axis=1, keepdims=True, dtype=SMALL),
    )
    counts = _counts(colours, all_tiles)  # int32[13, 1, racks]
    robbed = _counts(colours - (tiles == 1), all_tiles - (tiles > 0)) - counts  # int32[13, 4, racks]
    robbed, one = jax.lax.optimization_barrier((robbed, (tiles > 0).astype(jnp.int32)))
    total = counts.sum(axis=(0, 1))
    best = [
        reduce(jnp.add, [one[number] for number in shape])
        + _in_sets(total + reduce(jnp.add, [robbed[number] for number in shape]), 3, 5 - len(shape))
        for shape in windows(longest_run)
    ]
    return jnp.maximum(_in_sets(total, 4, 2), _most(*best).max(axis=0)).astype(SMALL)


def _counts(colours: Array, tiles: Array) -> Array:
    """What sets get at a number held in so many colours, of so many tiles, in fields, int32."""
    first = jnp.minimum(colours, 3)
    second = jnp.minimum(tiles, 6) - first
    quad = colours == 4
    fields = {place: (first >= least).astype(jnp.int32) + (second >= least) for least, place in enumerate(AT_LEAST, 1)}
    fields |= {place: (quad & (tiles == least + 3)).astype(jnp.int32) for least, place in enumerate(FOURTH, 1)}
    fields[SPARE] = (quad & (tiles >= 7)).astype(jnp.int32) + (tiles == 8)
    return reduce(jnp.bitwise_or, [count << place for place, count in fields.items()])


def _in_sets(counts: Array, sets: int, fours: int) -> Array:
    """The most tiles of so many sets, of which so many may have four slots, int32."""
    at_least = [counts >> place & 31 for place in AT_LEAST]
    tiles = reduce(jnp.add, [jnp.minimum(count, sets) for count in at_least])
    spare = counts >> SPARE
    for place, count in zip(FOURTH, at_least, strict=True):
        spare += jnp.minimum(counts >> place & 7, jnp.maximum(count - sets, 0))
    return tiles + jnp.minimum(spare, fours)
