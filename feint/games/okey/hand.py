"""The hand solver: how far a rack is from finished, exactly, and which tiles would bring it nearer. Everybody asks here: rules, agents, people."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.okey import melds
from feint.games.okey.runs import NUMBERS
from feint.pytrees import pytree, static

TILES = 14  # of a finished rack
PAIRS = 7
CHUNK = {"cpu": 512, "gpu": 2**18}  # racks at once, of many: as many as the nearest memory holds all numbers of


@pytree
class Solver:
    """Asked about one rack, and mapped over many. Faces, int8[4, 13], are its tiles, false jokers as the face they stand for; jokers, int8,
    are apart. Racks have 14 tiles, or 15, of which one is to go; fewer are answered for too."""

    most: Array  # int32[2, codes]: the table of runs, packed
    longest_run: int = static()

    def melds_away(self, faces: Array, jokers: Array) -> Array:
        """How many tiles must come for 14 in melds, int8; 0: it is finished."""
        matched = _matcher(self.longest_run)(self.most, faces)
        return jnp.maximum(TILES - jokers - matched.astype(jnp.int32), 0).astype(jnp.int8)

    def helps(self, faces: Array, jokers: Array, away: Array) -> Array:
        """Which tiles would make less of that number, `away`, bool[4, 13]; nobody can hold a third tile of a face, but as a joker."""
        one = jnp.eye(4 * NUMBERS, dtype=jnp.int8).reshape(-1, 4, NUMBERS)
        then = jax.vmap(lambda tile: self.melds_away(faces + tile, jokers))(one * (faces < 2))
        return (then < away).reshape(4, NUMBERS)


def pairs_away(faces: Array, jokers: Array) -> Array:
    """How many tiles must come for seven pairs, int8."""
    # Not in int8, of which somebody may take the least: see CONTRIBUTING.
    pairs = jnp.minimum((faces >= 2).sum(dtype=jnp.int32), PAIRS)
    alone = jnp.minimum((faces > 0).sum(dtype=jnp.int32), PAIRS) - pairs
    return jnp.maximum(TILES - jokers - 2 * pairs - alone, 0).astype(jnp.int8)


@cache
def _matcher(longest_run: int) -> Callable[[Array, Array], Array]:
    """`most_matched` for one rack that, mapped, takes all racks at once in the form it likes: the last axis."""

    # Compiled by itself, so that it is traced once for as many racks, and not again wherever and however often it is mapped.
    solve = jax.jit(partial(melds.most_matched, longest_run=longest_run))

    @jax.custom_batching.custom_vmap
    def matched(most: Array, faces: Array) -> Array:  # faces[4, 13, ...] -> int8[...]
        racks = faces.reshape(4, NUMBERS, -1)
        count = racks.shape[-1]
        chunk = CHUNK.get(jax.default_backend(), count)
        if count <= 2 * chunk:
            return solve(most, racks).reshape(faces.shape[2:])
        parts = -(-count // chunk)
        padded = jnp.pad(racks, ((0, 0), (0, 0), (0, parts * chunk - count))).reshape(4, NUMBERS, parts, chunk)
        found = jax.lax.map(lambda part: solve(most, part), jnp.moveaxis(padded, 2, 0))
        return found.reshape(-1)[:count].reshape(faces.shape[2:])

    @matched.def_vmap
    def mapped(_: int, is_mapped: list[bool], most: Array, faces: Array) -> tuple[Any, Any]:
        if is_mapped[0]:
            raise ValueError("One table serves all racks: map over racks, not over tables.")
        return jnp.moveaxis(matched(most, jnp.moveaxis(faces, 0, -1)), -1, 0), True

    return matched
