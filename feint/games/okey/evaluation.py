"""A rack of 15 looked at by what may be discarded: how far each choice leaves from finished, and how many unseen tiles would help then."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.game import pytree
from feint.games.okey.hand import Solver, pairs_away
from feint.games.okey.tiles import FACES, HAND, NUMBERS, one, split

LOOKS = 6  # tiles, those that leave one nearest first, for which what helps is counted: of more, hardly ever would another be best


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


def helped(solver: Solver, seen: Choices, always: Array, unseen: Array, okey: Array) -> Array:
    """How many unseen tiles, int8[53], would bring one nearer to melds without each tile, float32[15]: counted for the LOOKS that leave one
    nearest, a tile of the kind `always` among them, and 0 for the others."""
    there, wild = split(unseen, okey)

    def helpful(faces: Array, jokers: Array, away: Array) -> Array:
        return (solver.helps(faces, jokers, away) * there).sum(dtype=jnp.int32) + wild  # a joker always helps

    first = jnp.argsort(seen.melds - (seen.kind == always))[:LOOKS]
    helps = jax.vmap(helpful)(seen.faces[first], seen.jokers[first], seen.melds[first])
    return jnp.zeros(len(seen.kind)).at[first].set(helps.astype(jnp.float32))


def paired(seen: Choices, unseen: Array, okey: Array) -> Array:
    """How many unseen tiles, int8[53], would bring one nearer to seven pairs without each tile, float32[15]."""
    there, wild = split(unseen, okey)
    return ((seen.faces == 1) * there).sum(axis=(1, 2), dtype=jnp.float32) + wild


def _beside() -> np.ndarray:
    """Which kinds could stand in one meld, float32[53, 53]: one number in two colours, or two numbers apart at most in one."""
    kinds = np.arange(FACES)
    colour, number = kinds // NUMBERS, kinds % NUMBERS
    apart = np.abs(number[:, None] - number)
    near = np.where(colour[:, None] == colour, (apart > 0) & (np.minimum(apart, NUMBERS - apart) <= 2), apart == 0)
    return np.pad(near, (0, 1)).astype(np.float32)


BESIDE = _beside()
