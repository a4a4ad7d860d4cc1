"""Deals written down: for logs, hand-made positions and chance that comes from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from feint import chance
from feint.errors import UserError
from feint.game import Deal, Game


def written(deal: Deal) -> dict[str, Any]:
    """A deal as JSON can hold it: its fields by name, arrays as lists."""
    return {each.name: np.asarray(getattr(deal, each.name)).tolist() for each in fields(deal)}


def read(game: Game[Any, Any], given: Mapping[str, Any] | Deal) -> Deal:
    """A deal that was written down, or is given as one; `UserError` where the game has no such deal."""
    like = _blank(game)
    names = [each.name for each in fields(like)]
    values = given if isinstance(given, Mapping) else {name: getattr(given, name, None) for name in names}
    wanted = ", ".join(f"{name}, {getattr(like, name).dtype}{list(getattr(like, name).shape)}" for name in names)
    try:
        if set(values) != set(names):
            raise ValueError
        deal = type(like)(**{name: _array(values[name], getattr(like, name)) for name in names})
    except (TypeError, ValueError, OverflowError):
        raise UserError(f"{_short(given)} is not a deal of {game}: it takes {wanted}.") from None
    if not bool(_is_valid(game, deal)):
        raise UserError(f"{_short(given)} is not a deal of {game}: not everything is there once and in its place.")
    return deal


@lru_cache(maxsize=64)
def _blank(game: Game[Any, Any]) -> Any:
    """A deal of the game with shapes for arrays."""
    return jax.eval_shape(game.draw, chance.key(0))


@jax.jit
def _is_valid(game: Any, deal: Any) -> Any:
    return game.is_valid(game.deal(deal))


def _array(value: Any, like: Any) -> jax.Array:
    given = np.asarray(value)
    exact = given.astype(like.dtype)
    is_whole = given.dtype.kind in "iub" or not given.size  # a list without anything is of no kind
    if given.shape != like.shape or not is_whole or (exact != given).any():
        raise ValueError
    return jax.device_put(exact)


def _short(given: Any) -> str:
    text = str(given)
    return text if len(text) <= 80 else f"{text[:77]}..."
