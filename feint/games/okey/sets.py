"""Three sets and a run, and four sets: the most tiles that melds of 14 slots have when most are sets.

Of every number: how many of the (at most two) sets there get at least 1, 2 and 3 tiles, and the sets of three that have a fourth tile to
take. These counts are added up over numbers in fields of one whole number.
"""

from __future__ import annotations

from functools import partial, reduce

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.okey.runs import windows

AT_LEAST = (0, 5, 10)  # where the fields begin, 5 bits each
FOURTH = (15, 17, 19)  # sets of four that would take a tile from another set that gets 1, 2, 3; 2 bits each
SPARE = 21  # tiles that no other set gets; 3 bits
RUN = 24  # tiles in a run


def counts(colours: Array, tiles: Array) -> Array:
    """What sets get at a number held in so many colours, of so many tiles, in fields, int32."""
    first = jnp.minimum(colours, 3)
    second = jnp.minimum(tiles, 6) - first
    quad = colours == 4
    fields = {place: (first >= least).astype(jnp.int32) + (second >= least) for least, place in enumerate(AT_LEAST, 1)}
    fields |= {place: (quad & (tiles == least + 3)).astype(jnp.int32) for least, place in enumerate(FOURTH, 1)}
    fields[SPARE] = (quad & (tiles >= 7)).astype(jnp.int32) + (tiles == 8)
    return reduce(jnp.bitwise_or, [count << place for place, count in fields.items()])


def robbed(colours: Array, tiles: Array, held: Array) -> Array:
    """How these fields change when a run takes a tile of a colour of which so many are held."""
    without = counts(colours - (held == 1), tiles - (held > 0))
    return without - counts(colours, tiles) + ((held > 0).astype(jnp.int32) << RUN)


@partial(jax.jit, static_argnames=("sets", "fours"), inline=True)  # traced once, where it is asked for every run
def most(total: Array, sets: int, fours: int) -> Array:
    """The most tiles of so many sets, of which so many may have four slots, int32."""
    at_least = [total >> place & 31 for place in AT_LEAST]
    tiles = reduce(jnp.add, [jnp.minimum(count, sets) for count in at_least])
    spare = total >> SPARE & 7
    for place, count in zip(FOURTH, at_least, strict=True):
        spare += jnp.minimum(total >> place & 3, jnp.maximum(count - sets, 0))
    return tiles + jnp.minimum(spare, fours)


def three_and_a_run(total: Array, robbed: Array, longest_run: int, colour: Array) -> Array:
    """The most tiles of three sets and a run of a colour, [racks]; `robbed`, int32[13, 4, racks], tells what the run takes from sets."""
    lost = [row.at[colour].get(mode="promise_in_bounds", wrap_negative_indices=False) for row in robbed]
    after: dict[tuple[int, ...], Array] = {}
    for shape in windows(longest_run):
        shorter = after.get(shape[:-1])
        after[shape] = (total + lost[shape[0]] + lost[shape[1]] if shorter is None else shorter) + lost[shape[-1]]
    found = [(left >> RUN) + most(left, sets=3, fours=5 - len(shape)) for shape, left in after.items()]
    return reduce(jnp.maximum, found)
