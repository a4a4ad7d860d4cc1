"""Views as JSON and back, for pages and bots that speak over a wire."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import KeyPath, keystr, tree_map_with_path

from feint import chance
from feint.errors import UserError
from feint.game import Game

_WRITTEN = {"b": "b", "i": "i", "u": "iu", "f": "if"}  # how numbers of each kind may be written: 3.0 is no seat


def as_json(value: Any) -> Any:
    """A view as what `json` writes: named fields, arrays as lists. Choices, and lists of either, are written the same way."""
    if is_dataclass(value):
        return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {name: as_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return np.asarray(value).tolist()


def from_json(game: Game[Any, Any], data: Any) -> Any:
    """The view that was written, as numpy arrays of the kinds and shapes the game gives its views."""
    return tree_map_with_path(lambda path, like: _array(like, data, path), blank(game))


@lru_cache(maxsize=64)
def blank(game: Game[Any, Any]) -> Any:
    """A view of the game with shapes for arrays."""
    return jax.eval_shape(lambda key: game.observe(game.init(key), jnp.int32(0)), chance.key(0))


def _array(like: jax.ShapeDtypeStruct, data: Any, path: KeyPath) -> np.ndarray:
    """What stands at a place in a view, as an array of the kind and shape that belongs there."""
    named = keystr(path, simple=True, separator=".")
    try:
        for step in named.split("."):
            data = data[step] if isinstance(data, dict) else data[int(step)]
        found, array = np.asarray(data), np.array(data, like.dtype)
    except (LookupError, TypeError, ValueError, OverflowError):
        found = array = np.asarray(None)
    written = not found.size or found.dtype.kind in _WRITTEN.get(array.dtype.kind, "")
    if not written or array.shape != like.shape or (array.dtype.kind != "f" and (array != found).any()):
        shape = f"[{', '.join(map(str, like.shape))}]" if like.shape else ""
        raise UserError(f"That is not a view of this game: {named} is missing or not {like.dtype}{shape}.")
    return array
