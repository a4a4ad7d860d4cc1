"""Views as JSON and back, for pages and bots that speak over a wire."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.errors import UserError
from feint.game import Game

_WRITTEN = {"b": "b", "i": "i", "u": "iu", "f": "if"}  # how numbers of each kind may be written: 3.0 is no seat


def as_json(value: Any) -> Any:
    """A view as what `json` writes: named fields, arrays as lists. Choices, and lists of either, are written the same way."""
    if is_dataclass(value):
        return {each.name: as_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return np.asarray(value).tolist()


def from_json(game: Game[Any, Any], data: Any) -> Any:
    """The view that was written, as numpy arrays of the kinds and shapes the game gives its views."""
    return _restored(_blank(game), data, "the view")


@lru_cache(maxsize=64)
def _blank(game: Game[Any, Any]) -> Any:
    """A view of the game with shapes for arrays."""
    return jax.eval_shape(lambda key: game.observe(game.init(key), jnp.int32(0)), chance.key(0))


def _restored(blank: Any, data: Any, where: str) -> Any:
    if is_dataclass(blank) and not isinstance(blank, type):
        names = [each.name for each in fields(blank)]
        if not isinstance(data, dict) or set(data) != set(names):
            raise UserError(f"This is no view of the game: {where} has the fields {', '.join(names)}, and no others.")
        parts = {name: _restored(getattr(blank, name), data[name], name) for name in names}
        return replace(blank, **parts)
    if isinstance(blank, list | tuple):
        if not isinstance(data, list) or len(data) != len(blank):
            raise UserError(f"This is no view of the game: {where} is a list of {len(blank)}.")
        return type(blank)(_restored(each, part, where) for each, part in zip(blank, data, strict=True))
    return _array(blank, data, where) if isinstance(blank, jax.ShapeDtypeStruct) else blank


def _array(blank: jax.ShapeDtypeStruct, data: Any, where: str) -> np.ndarray:
    try:
        found, array = np.asarray(data), np.array(data, blank.dtype)
    except (TypeError, ValueError, OverflowError):
        found = array = np.asarray(None)
    written = not found.size or found.dtype.kind in _WRITTEN.get(array.dtype.kind, "")
    if not written or array.shape != blank.shape or (array.dtype.kind != "f" and (array != found).any()):
        shape = f"[{', '.join(map(str, blank.shape))}]" if blank.shape else ""
        raise UserError(f"This is no view of the game: {where} is not {blank.dtype}{shape}.")
    return array
