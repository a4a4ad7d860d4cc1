"""Cells for the views of a small game, found by a hash: each view that is met has one of its own.

Of 64 bits hashed from a view, 32 say where its cell may be and 32 whose it is. A view takes the first of a few cells in a row that is
empty, so a table twice as large as there are views has room for nearly all of them; a view without a cell is not learned.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array

from feint.game import pytree
from feint.hashing import digest

EMPTY = 0  # whose a cell is that belongs to no view yet
NEAR = 16  # cells among which a view finds its own


@pytree
class Place:
    """Where a view's cell is, and the sign that it is its own."""

    cell: Array  # int32; one past the last where all near it belong to others
    owner: Array  # uint32


@pytree
class Cells:
    """Whose each cell is. What is kept for views are arrays [cells, ...] beside it."""

    owner: Array  # uint32[cells]

    @classmethod
    def blank(cls, cells: int) -> Cells:
        return cls(jnp.zeros(cells, jnp.uint32))

    def place(self, view: Any) -> Place:
        """The cell that a view has; if it has none, the one that it may claim."""
        where, whose = digest(view)
        owner = jnp.maximum(whose, EMPTY + 1)
        near = ((where + jnp.arange(NEAR, dtype=jnp.uint32)) % self.owner.size).astype(jnp.int32)
        # A cell of its own comes before any empty one, and the end of the table, where nothing is, after all others.
        liked = jnp.append(2 * (self.owner[near] == owner) + (self.owner[near] == EMPTY), 0)
        return Place(jnp.append(near, self.owner.size)[jnp.where(liked.any(), liked.argmax(), NEAR)], owner)

    def claimed(self, place: Place, keep: Array) -> Cells:
        """With empty cells given to these views; of several one has it, and the others find another the next time."""
        empty = self.owner.at[place.cell].get(mode="fill", fill_value=EMPTY) == EMPTY
        return Cells(self.owner.at[place.cell].max(jnp.where(keep & empty, place.owner, EMPTY), mode="drop"))

    def owned(self, place: Place) -> Array:
        """The cell of each view, int32[...]: one past the last where it has none, so that what is kept there is nothing."""
        own = self.owner.at[place.cell].get(mode="fill", fill_value=EMPTY) == place.owner
        return jnp.where(own, place.cell, self.owner.size)


def gathered(numbers: Array, at: Any) -> Array:
    """The numbers that are kept for views, by their cells (and actions): 0 for views without a cell."""
    return numbers.at[at].get(mode="fill", fill_value=0)


def times(numbers: Array, at: Any) -> Array:
    """How often each of these cells (and actions) is among them, float32[views]."""
    return gathered(jnp.zeros_like(numbers).at[at].add(1.0, mode="drop"), at)
