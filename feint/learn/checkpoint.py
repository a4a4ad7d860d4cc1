"""Checkpoints: a learner with everything that changes, so that a run goes on as if it had never stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.archive import Archive, Layout, packed
from feint.errors import UserError
from feint.files import write_whole
from feint.learn.renamed import todays_part
from feint.reading import opened


def save(path: Path, learner: Any) -> None:
    """Write a learner, whole or not at all."""
    arrays = {name: _plain(leaf) for name, leaf in _named(learner).items()}
    write_whole(path, packed(arrays, compressed=False), "The checkpoint")


def load(path: Path, like: Any) -> Any:
    """The learner that was saved; `like` has its structure, shapes and types."""
    if not path.exists():
        raise UserError(f"There is no checkpoint {path}: the run was stopped before its first.")
    expected = _named(like)
    with opened(path) as file:
        # What is not packed takes no more room once it is read than on the disk.
        size = path.stat().st_size
        arrays = Archive(file, f"{path} is not a checkpoint that feint saved, or it is damaged.", most=size)
        names = {name if name in expected else todays_part(name): name for name in arrays.layout}
        layout = {name: arrays.layout[kept] for name, kept in names.items()}
        if layout != {name: _layout(leaf) for name, leaf in expected.items()}:
            raise UserError(f"{path} does not fit the settings of its run, or it is of another version of feint.")
        leaves = [_restored(arrays[names[name]], leaf) for name, leaf in expected.items()]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def _named(tree: Any) -> dict[str, Any]:
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _plain(leaf: Any) -> np.ndarray:
    """A leaf as NumPy keeps it: keys and bfloat16 as the bits they are."""
    numbers = np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
    return numbers.view(np.uint16) if numbers.dtype == jnp.bfloat16 else numbers


def _layout(leaf: Any) -> Layout:
    """What `_plain` makes of a leaf."""
    if _is_key(leaf):
        return Layout.of(jax.eval_shape(jax.random.key_data, leaf))
    return Layout(leaf.shape, np.dtype(np.uint16 if leaf.dtype == jnp.bfloat16 else leaf.dtype))


def _restored(numbers: np.ndarray, leaf: Any) -> Any:
    if _is_key(leaf):
        return jax.random.wrap_key_data(jax.device_put(numbers), impl=jax.random.key_impl(chance.key(0)))
    # Not `jnp.asarray`, which is compiled for every shape.
    return jax.device_put(numbers.view(leaf.dtype) if leaf.dtype == jnp.bfloat16 else numbers)
