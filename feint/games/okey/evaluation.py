"""A rack of 15 looked at by what may be discarded: how far each choice leaves from finished, and how many unseen tiles would help then."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import pytree
from feint.games.okey.hand import Solver, pairs_away
from feint.games.okey.tiles import HAND, KINDS, one, split


@pytree
class Choices:
    """The tiles of a rack, one by one, and the rack without each; arrays [15]."""

    kind: Array  # int8: its kind; KINDS where the rack has fewer tiles
    faces: Array  # int8[15, 4, 13]: the others as the solver reads them
    jokers: Array  # int8
    melds: Array  # int8: tiles they are short of 14 in melds
    pairs: Array  # int8: and of seven pairs


def choices(solver: Solver, rack: Array, okey: Array) -> Choices:
    """What may be discarded of a rack, int8[53], of at most 15 tiles."""
    place = jnp.cumsum(rack, dtype=jnp.int32)
    kind = (place <= jnp.arange(HAND + 1)[:, None]).sum(axis=1, dtype=jnp.int8)
    faces, jokers = jax.vmap(lambda kind: split(rack - one(kind), okey))(kind)
    melds = jax.vmap(solver.melds_away)(faces, jokers)
    return Choices(kind, faces, jokers, melds, jax.vmap(pairs_away)(faces, jokers))


def helpful(solver: Solver, faces: Array, jokers: Array, unseen: Array, okey: Array) -> Array:
    """How many unseen tiles, int8[53], would bring a rack nearer to melds, int32: a joker always would."""
    there, wild = split(unseen, okey)
    return (solver.helps(faces, jokers) * there).sum(dtype=jnp.int32) + wild


def by_kind(kind: Array, value: Array, otherwise: float) -> Array:
    """What is told of tiles as told of kinds, [53]; of kinds that are not there, something else."""
    return jnp.full(KINDS, otherwise, value.dtype).at[kind].set(value, mode="drop")
