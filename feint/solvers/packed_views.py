"""Views as rows of bytes: packed on the device, told apart exactly, and unpacked again."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


def pack(tree: Any) -> Array:
    """All leaves of one tree as bytes, uint8[width]."""

    def as_bytes(leaf: Array) -> Array:
        whole = leaf.astype(jnp.uint8) if leaf.dtype == bool else leaf
        return jax.lax.bitcast_convert_type(whole, jnp.uint8).ravel()

    return jnp.concatenate([as_bytes(jnp.asarray(leaf)) for leaf in jax.tree.leaves(tree)])


def unpack(rows: np.ndarray, like: Any) -> Any:
    """Rows of bytes, uint8[count, width], as a stack of trees with the leaves of `like` (arrays or their shapes)."""
    leaves, structure = jax.tree.flatten(like)
    out, start = [], 0
    for leaf in leaves:
        kind = np.dtype(leaf.dtype)
        size = int(np.prod(leaf.shape)) * kind.itemsize
        part = np.ascontiguousarray(rows[:, start : start + size])
        out.append(part.view(kind).reshape(len(rows), *leaf.shape))
        start += size
    return jax.tree.unflatten(structure, out)


def distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which rows are the same: the first of each kind, int[kinds], and each row's kind, int[count].

    Rows are sorted by a hash, which is much faster than by their bytes, and then compared, so the answer is exact.
    """
    count, width = rows.shape
    words = np.zeros((count, -(-width // 8) * 8), np.uint8)
    words[:, :width] = rows
    numbers = words.view(np.uint64)
    draw = np.random.default_rng(0)
    while True:
        hashes = np.zeros(count, np.uint64)
        odd = draw.integers(2**63, size=numbers.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
        for column, factor in zip(numbers.T, odd, strict=True):
            hashes = (hashes ^ column) * factor
            hashes ^= hashes >> np.uint64(29)
        _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
        if (numbers == numbers[first[kind]]).all():
            return first, kind


def as_bytes(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers as rows of bytes, uint8[count, 8]."""
    return np.ascontiguousarray(numbers, np.int64).view(np.uint8).reshape(-1, 8)
