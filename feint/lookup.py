"""Large look-up tables of the rules: made once, with a bar that says how far it is, and kept in the user's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import BytesIO
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from feint.engine import program_store
from feint.interrupts import alone

ONCE = "These rules need look-up tables. They are made now, which may take a minute, and kept for later starts."
ALWAYS = (
    "These rules need look-up tables. They are made now, which may take a minute; without a cache they are not kept."
)
WAITING = "These rules need look-up tables, which another feint is making: this one waits for them."


class Tables:
    """Look-up tables that are no game's but an agent's or a solver's: made or loaded when something is compiled with them. In compiled code
    they are arguments, never constants; no policy file holds them."""

    name: ClassVar[str]
    version: ClassVar[int]
    tables_name: ClassVar[str]

    def __init__(self, tables: Any = None) -> None:
        self._tables = tables

    @property
    def tables(self) -> Any:
        """What `build` made, arrays by name."""
        return tables_of(self) if self._tables is None else self._tables

    def build(self, progress: Callable[[float], None]) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        jax.tree_util.register_pytree_node(cls, lambda kept: ((kept.tables,), None), lambda _, tables: cls(*tables))


_made: dict[tuple[type, str], dict[str, jax.Array] | None] = {}  # in this process


def tables_of(game: Any) -> dict[str, jax.Array] | None:
    """The look-up tables that a game's `build` makes, from the cache where they were made before; None where it has none."""
    known = type(game), game.tables_name
    if known not in _made:
        with jax.ensure_compile_time_eval():  # perhaps asked for while something else is being compiled
            arrays = _load(game)
            if arrays is None:
                arrays = _made_once(game)
            _made[known] = None if arrays is None else {name: jnp.asarray(each) for name, each in arrays.items()}
    return _made[known]


def _made_once(game: Any) -> dict[str, np.ndarray] | None:
    """What `build` makes, by one process at a time: whoever comes second finds it made."""
    with _turn(game):
        arrays = _load(game)
        if arrays is None:
            arrays = _built(game)
            if arrays is not None:
                _save(game, arrays)
    return arrays


def _turn(game: Any) -> AbstractContextManager[None]:
    from rich.console import Console

    store = program_store()
    console = Console(stderr=True)
    return store.making(_name(game), alone(console.status(WAITING))) if store else nullcontext()


def _built(game: Any) -> dict[str, np.ndarray] | None:
    with _bar(f"Making the look-up tables of {game.name}") as progress:
        made = game.build(progress)
    return None if made is None else {name: np.asarray(each) for name, each in made.items()}


@contextmanager
def _bar(doing: str) -> Iterator[Callable[[float], None]]:
    """A sentence and a bar on the terminal from the first share that is told; nothing else is shown beside them, and the sentence stays."""
    from rich.console import Console

    from feint.progress import Bar

    console = Console(stderr=True)
    with alone(Bar(console=console, transient=True, disable=not console.is_terminal)) as progress:
        task = progress.add_task(doing, total=1.0, visible=False)

        def tell(share: float) -> None:
            if not progress.tasks[task].visible and console.is_terminal:
                console.print(ONCE if program_store() else ALWAYS)
            progress.update(task, completed=share, visible=True)

        yield tell


def _name(game: Any) -> str:
    return f"tables {game.name} {game.version} {game.tables_name}"


def _load(game: Any) -> dict[str, np.ndarray] | None:
    """What was kept; None where there is nothing, or nothing whole."""
    store = program_store()
    found = store.get(_name(game)) if store else None
    if found is None:
        return None
    with np.load(BytesIO(found), allow_pickle=False) as file:
        return dict(file)


def _save(game: Any, arrays: dict[str, np.ndarray]) -> None:
    store = program_store()
    if store:
        buffer = BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **arrays)
        store.put(_name(game), buffer.getvalue())
