"""Large tables of the rules: made once, with a bar that says how far it is, and kept in the user's cache."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np

from feint.engine import cache_folder
from feint.errors import UserError
from feint.files import write_whole

_made: dict[tuple[type, str], dict[str, jax.Array] | None] = {}  # in this process


def tables_of(game: Any) -> dict[str, jax.Array] | None:
    """The tables that a game's `build` makes, from the cache where they were made before; None where it has none."""
    known = type(game), game.tables_name
    if known not in _made:
        path = _path(game)
        arrays = _load(path) if path else None
        if arrays is None:
            arrays = _built(game)
            if arrays is not None and path:
                _save(path, arrays)
        with jax.ensure_compile_time_eval():  # perhaps asked for while something else is being compiled
            _made[known] = None if arrays is None else {name: jnp.asarray(each) for name, each in arrays.items()}
    return _made[known]


def _built(game: Any) -> dict[str, np.ndarray] | None:
    with _bar(f"Making the tables of {game.name}") as progress:
        made = game.build(progress)
    return None if made is None else {name: np.asarray(each) for name, each in made.items()}


@contextmanager
def _bar(doing: str) -> Iterator[Callable[[float], None]]:
    """A bar on the terminal from the first share that is told; it leaves no trace."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(doing, total=1.0, visible=False)
        yield lambda share: progress.update(task, completed=share, visible=True)


def _path(game: Any) -> Path | None:
    folder = cache_folder()
    of_rules = sha256(f"{game.name} {game.version} {game.tables_name}".encode()).hexdigest()[:16]
    return folder / "tables" / f"{game.name}-{of_rules}.npz" if folder else None


def _load(path: Path) -> dict[str, np.ndarray] | None:
    """What was kept; None where there is nothing, or nothing whole."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (OSError, ValueError, EOFError, BadZipFile, zlib.error):
        return None


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    with suppress(UserError):  # a full or read-only disk costs time, never the game
        write_whole(path, buffer.getvalue())
