"""What a row of a data set holds: a decision, as columns of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from feint.errors import UserError
from feint.game import Game
from feint.views import blank

VIEW = "view."


@dataclass(frozen=True)
class Column:
    """One column: so many numbers of a kind, in rows of `shape` where there are several."""

    name: str
    type: str  # as NumPy calls it
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@lru_cache(maxsize=64)
def columns_of(game: Game[Any, Any]) -> tuple[Column, ...]:
    """The columns of a game's data sets: where a decision is, what was seen, what could be done and was, and what came of it."""
    seen = [
        Column(VIEW + name, str(leaf.dtype), leaf.shape, "of the view: the page of the game says what it is")
        for name, leaf in _leaves(game)
        if math.prod(leaf.shape)
    ]
    return (
        Column("game", "int32", (), "number of the game, which is the table of the same number at the seed"),
        Column("move", "int32", (), "moves made in the game before this one"),
        Column("seat", "int32", (), "position of the player who decides"),
        Column("agent", "int32", (), "who that is: a number into agents"),
        *seen,
        Column("legal", "bool", (game.actions,), "what the player may do"),
        Column("action", "int32", (), "what the player does"),
        Column("payoff", "float32", (), "what the player is paid by the end of the game"),
        Column("won", "bool", (), "whether the player wins the game"),
        Column("moves", "int32", (), "moves of the whole game"),
    )


def view_columns(view: Any) -> dict[str, np.ndarray]:
    """The columns of views, every array [rows, ...]; what has no numbers in it is left out."""
    parts = jax.tree_util.tree_flatten_with_path(view)[0]
    return {VIEW + _name(path): np.asarray(leaf) for path, leaf in parts if math.prod(leaf.shape[1:])}


def views_of(game: Game[Any, Any], columns: Mapping[str, np.ndarray]) -> Any:
    """The views again."""
    rows = len(columns["action"])
    leaves = [columns.get(VIEW + name, np.zeros((rows, *leaf.shape), leaf.dtype)) for name, leaf in _leaves(game)]
    return jax.tree.unflatten(jax.tree.structure(blank(game)), leaves)


def to_arrow(columns: tuple[Column, ...], arrays: Mapping[str, np.ndarray]) -> Any:
    """Columns as a table of Arrow's; several numbers in a row are a list of fixed size, in the order in which NumPy lays them out."""
    arrow = pyarrow()

    def made(column: Column) -> Any:
        flat = arrow.array(np.ascontiguousarray(arrays[column.name], column.type).ravel())
        return arrow.FixedSizeListArray.from_arrays(flat, column.size) if column.shape else flat

    return arrow.table({column.name: made(column) for column in columns})


def from_arrow(column: Column, found: Any) -> np.ndarray:
    """A column of a table of Arrow's as an array, [rows, ...]."""
    whole = found.combine_chunks()
    flat = whole.flatten() if column.shape else whole
    return flat.to_numpy(zero_copy_only=False).astype(column.type, copy=False).reshape(-1, *column.shape)


def pyarrow() -> Any:
    """pyarrow with its Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("Data sets need pyarrow: pip install 'feint[data]'.") from None
    return pyarrow


def _leaves(game: Game[Any, Any]) -> list[tuple[str, Any]]:
    return [(_name(path), leaf) for path, leaf in jax.tree_util.tree_flatten_with_path(blank(game))[0]]


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")
