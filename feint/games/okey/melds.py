"""How many tiles of a rack the best melds can have: exact, for many racks at once.

A finished rack is 14 slots in melds: sets of 3 or 4 (one number, distinct colours) and runs (one colour). Runs of one colour are looked up
in a table; what ties colours together are sets. One and two sets are tried at all numbers where two colours are held, and the runs of the
four colours are added up around them; three sets leave room for one run, which is tried everywhere; then come four sets (`sets.py`). A set
with a single tile need not be tried: a run with that tile is as good.

A case, such as sets at two given numbers, is a long formula for whole rows of numbers, one for each rack. On a CPU cases are taken one after the
other: what one needs stays in registers, for several racks at once. Looking up cannot be done for several at once, and is done before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.games.okey import packed, sets
from feint.games.okey.packed import IN_WORD
from feint.games.okey.runs import NUMBERS, SLOTS
from feint.pytrees import pytree

COLUMNS = 7  # of 15 tiles, no more numbers are held in two colours
HEAVY = 3  # nor are there four tiles and more of more numbers
POWERS = 3 ** np.arange(NUMBERS)  # of a tile in the code of its colour
COUNT, PLACE = (
    20,
    28,
)  # where, in a word that tells of one number, the four colours' counts begin, 2 bits each, and what column it has
AGAIN = [(column, column, COLUMNS + column) for column in range(HEAVY)]  # two sets at one number
PAIRS = np.array([(first, second, second) for first, second in combinations(range(COLUMNS), 2)] + AGAIN, np.int32).T

Rows = dict[int, Array]  # the most tiles in runs, [racks], by slots
AFTER_NONE = (
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    14,
)  # slots of one or more colours that leave others what they can fill, without a set
AFTER_ONE = (3, 4, 5, 6, 7, 8, 10, 11)


@pytree
class Colours:
    """The four colours before sets are tried. A number where they are tried has a column, those of four tiles and more the first; `HEAVY`
    further columns are for a second set at the same number."""

    drop: Array  # int32[4, COLUMNS + HEAVY, racks]: by what the code is less without the tile that a set takes; 0: there is none
    base: Array  # int32[2, 4, racks]: the most tiles in runs by slots, packed, of all tiles
    single: Array  # int32[2, 4, COLUMNS, racks]: of the others, without one of a column
    double: Array  # int32[pairs, 4, racks]: without those for two sets, up to 8 slots


@partial(jax.jit, static_argnames="longest_run")  # so that all programs that ask about as many racks trace it once
def most_matched(most: Array, faces: Array, longest_run: int) -> Array:
    """The most tiles that melds of 14 slots can have, int8[racks], of faces, int8[4, 13, racks], at most 15 tiles; `most` is the table."""
    word, counts, robbed = _each(partial(_number, faces), (jnp.arange(NUMBERS), jnp.asarray(POWERS, jnp.int32)))
    colours = _colours(most, faces, _each(partial(_column, word), (jnp.arange(COLUMNS),)))
    total = reduce(jnp.add, list(counts))
    pairs = jnp.arange(PAIRS.shape[1])
    greatest = partial(_greatest, faces.shape[-1])
    return _most(
        _no_set(colours),
        greatest(partial(_one_set, colours), (jnp.arange(COLUMNS),)),
        greatest(partial(_two_sets, colours), (pairs, *jnp.asarray(PAIRS))),
        greatest(partial(sets.three_and_a_run, total, robbed, longest_run), (jnp.arange(4),)),
        sets.most(total, sets=4, fours=2),
    ).astype(jnp.int8)


def _vectorised() -> bool:
    """Whether all cases are taken at once, and not one after the other."""
    return jax.default_backend() != "cpu"


def _each(of: Callable[..., Any], cases: tuple[Array, ...]) -> Any:
    """What a function has of each case, stacked."""
    return jax.vmap(of)(*cases) if _vectorised() else jax.lax.map(lambda case: of(*case), cases)


def _greatest(racks: int, of: Callable[..., Array], cases: tuple[Array, ...]) -> Array:
    """The greatest, but at least 0, that a function has of any case, int32[racks]."""
    if _vectorised():
        return jax.vmap(of)(*cases).max(axis=0)

    def further(best: Array, case: tuple[Array, ...]) -> tuple[Array, None]:
        return jnp.maximum(best, of(*case)), None

    return jax.lax.scan(further, jnp.zeros(racks, jnp.int32), cases)[0]


def _most(*values: Array) -> Array:
    return reduce(jnp.maximum, values)


def _row(array: Array, *place: Any) -> Array:
    """One row of an array by its place, which is never negative."""
    return array.at[place].get(mode="promise_in_bounds", wrap_negative_indices=False)


# ---- what is known before sets are tried


def _number(faces: Array, number: Array, power: Array) -> tuple[Array, Array, Array]:
    """Of one number: a word that tells what is held, and whether sets are tried there; what sets could have of it, int32[racks]; and what of that
    is lost when a run takes the tile of a colour, int32[4, racks]."""
    tiles = jax.lax.dynamic_index_in_dim(faces, number, 1, keepdims=False).astype(jnp.int32)
    each = [_row(faces, colour, number).astype(jnp.int32) for colour in range(4)]
    many, colours = reduce(jnp.add, each), reduce(jnp.add, [(held > 0).astype(jnp.int32) for held in each])
    kind = jnp.where(many >= 4, 1, jnp.where(colours >= 2, 2, 0))
    word = reduce(jnp.bitwise_or, [held << COUNT + 2 * colour for colour, held in enumerate(each)])
    return word | power | kind << PLACE, sets.counts(colours, many), sets.robbed(colours, many, tiles)


def _column(words: Array, column: Array) -> Array:
    """The word of the number that has a column, int32[racks]: those of four tiles and more from the left, others from the right."""
    found, heavy, other = jnp.zeros_like(words[0]), column, COLUMNS - 1 - column
    for word in words:
        kind = word >> PLACE
        found |= jnp.where(((kind == 1) & (heavy == 0)) | ((kind == 2) & (other == 0)), word, 0)
        heavy, other = heavy - (kind == 1), other - (kind == 2)
    return found


def _colours(most: Array, faces: Array, columns: Array) -> Colours:
    code = reduce(jnp.add, [faces[:, number].astype(jnp.int32) * power for number, power in enumerate(POWERS.tolist())])
    held = columns >> COUNT + 2 * jnp.arange(4)[:, None, None] & 3
    power = columns & (1 << COUNT) - 1
    drop = [jnp.where(held > 0, power, 0), jnp.where(held > 1, power, 0)[:, :HEAVY]]
    both = jnp.concatenate(drop, axis=1)

    def double(first: Array, _: Array, second: Array) -> Array:
        return _row(most[0], code - both[:, first] - both[:, second])

    return Colours(
        both,
        jnp.stack([_row(table, code) for table in most]),
        jnp.stack([_row(table, code[:, None] - drop[0]) for table in most]),
        _each(double, tuple(jnp.asarray(PAIRS))),
    )


def _in_runs(words: list[Array] | Array, slots: int) -> Array:
    """The most tiles in runs of so many slots, of words of the table."""
    word, place = divmod(slots - SLOTS[0], IN_WORD)
    return packed.number(words[word], place)


# ---- no set, one set: the runs of several colours together


def _joined(one: Rows, other: Rows, slots: int) -> Array:
    """The most tiles in so many slots, some of one and the rest of the other."""
    return _most(*(one[first] + other[slots - first] for first in one if slots - first in other))


def _both(one: Rows, other: Rows) -> Rows:
    return {slots: _joined(one, other, slots) for slots in one}


def _larger(one: Rows, other: Rows) -> Rows:
    return {slots: jnp.maximum(one[slots], other[slots]) for slots in one}


def _no_set(colours: Colours) -> Array:
    runs = [
        {0: jnp.zeros_like(base[0])} | {slots: _in_runs(base, slots) for slots in AFTER_NONE}
        for base in colours.base.swapaxes(0, 1)
    ]
    return _joined(_both(runs[0], runs[1]), _both(runs[2], runs[3]), 14)


def _one_set(colours: Colours, column: Array) -> Array:
    """A set of three slots, or of four, and the runs of all colours, each of which gives the set its tile or keeps it. Where all four have one
    and the set has three slots, one of them keeps its tile for nothing."""
    drop = [_row(colours.drop, colour, column) for colour in range(4)]
    quad = reduce(jnp.bitwise_and, [each > 0 for each in drop])
    within: list[Rows] = []
    free: list[Rows] = []
    for colour in range(4):
        given = packed.ones_where(drop[colour] > 0)
        base = colours.base[:, colour]
        kept = [packed.greater(_row(colours.single, word, colour, column) + given, base[word]) for word in (0, 1)]
        spared = [jnp.where(quad, base[word] + given, kept[word]) for word in (0, 1)]
        for rows, words in ((within, kept), (free, spared)):
            rows.append(
                {0: (drop[colour] > 0).astype(jnp.int32)} | {slots: _in_runs(words, slots) for slots in AFTER_ONE}
            )
    full = [_both(within[0], within[1]), _both(within[2], within[3])]
    less = [_larger(_both(within[one], free[one + 1]), _both(free[one], within[one + 1])) for one in (0, 2)]
    three = _most(_joined(full[0], less[1], 11), _joined(less[0], full[1], 11))
    return _most(_joined(full[0], full[1], 10), three - quad)


# ---- two sets


def _two_sets(colours: Colours, pair: Array, first: Array, second: Array, taken: Array) -> Array:
    """Two sets and two runs, in one colour or in two: the other colours give both sets what they have.

    A colour with runs may keep a tile that a set has room for, at the cost of one. Where all four colours have one and the set has three
    slots, one colour keeps its tile for nothing, as the sets' tiles are counted as one less.
    """
    drop = [[_row(colours.drop, colour, place) for colour in range(4)] for place in (first, taken)]
    sizes = [reduce(jnp.add, [(each > 0).astype(jnp.int32) for each in drops]) for drops in drop]
    tiles, again = sizes[0] + sizes[1], first == second
    quads = jnp.where(again, tiles >= 7, sizes[0] == 4), jnp.where(again, tiles == 8, sizes[1] == 4)
    paid, first_free, second_free, free = [], [], [], []
    for colour in range(4):
        give = [packed.ones_where(drops[colour] > 0) for drops in drop]
        none, double = _row(colours.base, 0, colour), _row(colours.double, pair, colour)
        one, other = (_row(colours.single, 0, colour, place) for place in (first, second))
        # The greatest of what is collected by giving and keeping, then less what everybody was taken to give.
        keeps_first, keeps_second = packed.greater(other + give[1], none), packed.greater(one + give[0], none)
        gives_first = packed.greater(double + give[1], one) + give[0]
        paid.append(packed.greater(gives_first, keeps_first) - give[0] - give[1])
        first_free.append(jnp.where(quads[0], keeps_first - give[1], paid[-1]))
        second_free.append(jnp.where(quads[1], keeps_second - give[0], paid[-1]))
        free.append(jnp.where(quads[0] & quads[1], none, jnp.where(quads[0], first_free[-1], second_free[-1])))
    six = _two_runs(paid, paid, paid, 6)
    seven = [
        _two_runs(words, words, paid, 7) - quad for words, quad in zip((first_free, second_free), quads, strict=True)
    ]
    eight = _most(_two_runs(free, free, paid, 8), _two_runs(free, first_free, second_free, 8)) - quads[0] - quads[1]
    return tiles + _most(six, *seven, eight)


def _two_runs(alone: list[Array], one: list[Array], other: list[Array], slots: int) -> Array:
    """The most tiles of two runs in one colour, by the words `alone`, or in two, by `one` and `other`, either way about."""
    best = [_in_runs([word], slots) for word in alone]
    for length in range(3, slots - 2):
        a, b = ([_in_runs([word], run) for word in words] for words, run in ((one, length), (other, slots - length)))
        best += [a[0] + b[1], a[1] + b[0], a[2] + b[3], a[3] + b[2]]
        best += [_most(a[0], a[1]) + _most(b[2], b[3]), _most(a[2], a[3]) + _most(b[0], b[1])]
    return _most(*best)
