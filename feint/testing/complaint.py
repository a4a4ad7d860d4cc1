"""What a broken game hears, and comparing what should be the same."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np


class ConformanceError(AssertionError):
    """A game breaks the contract; the message says which part, where and how."""


def require(holds: Any, what: str) -> None:
    """Every entry of `holds`, bool[games], must be true."""
    failing = np.flatnonzero(~np.asarray(holds))
    if len(failing):
        raise ConformanceError(f"{capital(what)} (game {failing[0]}; {len(failing)} of {len(holds)}).")


def require_same(one: Any, other: Any, what: str) -> None:
    """Two trees must be the same."""
    different = first_difference(one, other)
    if different:
        raise ConformanceError(f"{capital(what)}, in {different}.")


def capital(sentence: str) -> str:
    """A sentence as it begins."""
    return f"{sentence[0].upper()}{sentence[1:]}"


def first_difference(one: Any, other: Any) -> str | None:
    """The name of the first leaf in which two trees differ."""
    others = named(other)
    for name, leaf in named(one).items():
        if leaf.dtype != others[name].dtype or not np.array_equal(leaf, others[name]):
            return name
    return None


def named(tree: Any) -> dict[str, Any]:
    """The leaves of a tree by their names."""
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def at(tree: Any, index: int | tuple[int, ...]) -> Any:
    """One of a stack of trees. Taken by numpy, for which nothing has to be compiled."""
    return jax.tree.map(lambda leaf: jax.device_put(np.asarray(leaf)[index]), tree)


def as_bytes(tree: Any, count: int | None = None) -> np.ndarray:
    """A stack of trees as bytes, one for each: object[...]; without a count, a single number among the leaves tells how they are stacked."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    stacked = (count,) if count else min((leaf.shape for leaf in leaves), key=len)
    out = np.empty(stacked, object)
    for index in np.ndindex(*stacked):
        out[index] = b"".join(leaf[index].tobytes() for leaf in leaves)
    return out
