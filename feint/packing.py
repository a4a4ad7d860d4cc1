"""Many arrays in one. A call of a compiled function costs by the number of its arrays: with one it is several times as fast as with thirty
(`python -m benchmarks.neighbours`), and that is what a table which is stepped from Python spends its time on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


@dataclass(frozen=True, eq=False)
class Packed:
    """Where the arrays of a pytree lie in one array of bytes."""

    shapes: Any  # a pytree of shapes and kinds
    start: int = 0

    @cached_property
    def places(self) -> list[tuple[int, int, Any]]:
        """The first byte, the end, and what lies there, of every array."""
        found, at = [], self.start
        for leaf in jax.tree.leaves(self.shapes):
            size = math.prod(leaf.shape) * leaf.dtype.itemsize
            found.append((at, at + size, leaf))
            at += size
        return found

    @property
    def end(self) -> int:
        return self.places[-1][1] if self.places else self.start

    @cached_property
    def _read(self) -> tuple[Any, list[tuple[int, int, np.dtype, tuple[int, ...]]]]:
        on_host = [(first, end, np.dtype(like.dtype), like.shape) for first, end, like in self.places]
        return jax.tree.structure(self.shapes), on_host

    @staticmethod
    def write(tree: Any) -> Array:
        """The arrays one after another, uint8[bytes]. In compiled code."""
        parts = [jnp.zeros(0, jnp.uint8)]
        for leaf in jax.tree.leaves(tree):
            plain = leaf.astype(jnp.uint8) if leaf.dtype == bool else leaf
            parts.append(jax.lax.bitcast_convert_type(plain, jnp.uint8).ravel())
        return jnp.concatenate(parts)

    def unpack(self, packed: Array) -> Any:
        """The arrays again. In compiled code."""

        def leaf(place: tuple[int, int, Any]) -> Array:
            first, end, like = place
            kind = jnp.dtype(jnp.uint8) if like.dtype == bool else like.dtype
            wide = (*like.shape, kind.itemsize) if kind.itemsize > 1 else like.shape
            return jax.lax.bitcast_convert_type(packed[first:end].reshape(wide), kind).astype(like.dtype)

        return jax.tree.unflatten(jax.tree.structure(self.shapes), [leaf(place) for place in self.places])

    def read(self, packed: np.ndarray) -> Any:
        """The arrays again, on the host; they are parts of the same memory."""
        structure, places = self._read
        return structure.unflatten([packed[first:end].view(kind).reshape(shape) for first, end, kind, shape in places])
