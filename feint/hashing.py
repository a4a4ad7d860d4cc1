"""Hashes of 32 bits and more: of numbers, of whole views, of sequences step by step.

Compiled code can take them all; `mix` and `chain` take numpy's arrays as well, for which nothing has to be compiled.
"""

from __future__ import annotations

from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

A = TypeVar("A", Array, np.ndarray)


def mix(bits: A) -> A:
    """A bijection of 32 bits in which every input bit moves every output bit with probability near one half."""
    bits = (bits ^ (bits >> 16)) * np.uint32(0x7FEB352D)
    bits = (bits ^ (bits >> 15)) * np.uint32(0x846CA68B)
    return bits ^ (bits >> 16)


def digest(tree: Any) -> Array:
    """64 bits of a view or any other tree, uint32[2]: of the numbers in it, not of the types they happen to have."""
    bits = jnp.concatenate([_bits(leaf) for leaf in jax.tree.leaves(tree)])
    place = jnp.arange(bits.size, dtype=jnp.uint32)
    return jnp.stack(
        [mix(mix(bits + mix(place + np.uint32(salt)))).sum(dtype=jnp.uint32) for salt in (0x2545F491, 0x9E3779B9)]
    )


def _bits(leaf: Any) -> Array:
    flat = jnp.ravel(jnp.asarray(leaf))
    if jnp.issubdtype(flat.dtype, jnp.floating):
        return jax.lax.bitcast_convert_type(flat.astype(jnp.float32), jnp.uint32)
    return flat.astype(jnp.int32).astype(jnp.uint32)


def chain(past: A, new: A) -> A:
    """The hash of a sequence with one thing more, uint32[..., 2]."""
    return mix(past * np.uint32(0x9E3779B1) + mix(new + np.uint32(0x5BD1E995)))
