"""What is typed for an option, checked before anything else is done: one sentence says what it may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import typer

from feint.errors import UserError
from feint.options import Number, ranged
from feint.registry import game_names

T = TypeVar("T", int, float, int | None, float | None)
MOST = 2**31 - 1  # what 32 bits hold: games, deals and seeds are counted in them


def within(least: Number, most: Number) -> Callable[[typer.CallbackParam, T], T]:
    """A callback that refuses numbers outside a range, ends included."""
    words = "a whole number" if isinstance(least, int) and isinstance(most, int) else "a number"

    def check(param: typer.CallbackParam, value: T) -> T:
        if value is not None and not least <= value <= most:
            raise UserError(f"{max(param.opts, key=len)} must be {ranged(words, least, most)}, not {value}.")
        return value

    return check


def game_name(text: str | None) -> str | None:
    """The name of a game in any case, as Bluff; what follows a colon, as in Okey:Thesis, and anything else stays as it is."""
    name, colon, preset = (text or "").partition(":")
    return f"{name.lower()}{colon}{preset}" if name.lower() in game_names() else text


def path(text: Any) -> Path:
    """The path of a file or folder, which has a name."""
    if not str(text).strip():
        raise typer.BadParameter("the name of a file or folder, and not empty")
    return Path(text)
