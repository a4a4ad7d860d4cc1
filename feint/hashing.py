"""Hashes of 32 bits and more that compiled code can take: of numbers, of whole views, of sequences step by step."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array


def mix(bits: Array) -> Array:
    """A bijection of 32 bits in which every input bit moves every output bit with probability near one half."""
    bits = (bits ^ (bits >> 16)) * jnp.uint32(0x7FEB352D)
    bits = (bits ^ (bits >> 15)) * jnp.uint32(0x846CA68B)
    return bits ^ (bits >> 16)


def digest(tree: Any) -> Array:
    """64 bits of a view or any other tree, uint32[2]: of the numbers in it, not of the types they happen to have."""
    bits = jnp.concatenate([_bits(leaf) for leaf in jax.tree.leaves(tree)])
    place = jnp.arange(bits.size, dtype=jnp.uint32)
    return jnp.stack(
        [mix(mix(bits + mix(place + jnp.uint32(salt)))).sum(dtype=jnp.uint32) for salt in (0x2545F491, 0x9E3779B9)]
    )


def _bits(leaf: Any) -> Array:
    flat = jnp.ravel(jnp.asarray(leaf))
    if jnp.issubdtype(flat.dtype, jnp.floating):
        return jax.lax.bitcast_convert_type(flat.astype(jnp.float32), jnp.uint32)
    return flat.astype(jnp.int32).astype(jnp.uint32)


def chain(past: Array, new: Array) -> Array:
    """The hash of a sequence with one thing more, uint32[..., 2]."""
    return mix(past * jnp.uint32(0x9E3779B1) + mix(new + jnp.uint32(0x5BD1E995)))
