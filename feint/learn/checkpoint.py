"""Checkpoints: a learner with everything that changes, so that a run goes on as if it had never stopped."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.errors import UserError
from feint.files import write_whole


def save(path: Path, learner: Any) -> None:
    """Write a learner, whole or not at all."""
    arrays = {name: _plain(leaf) for name, leaf in _named(learner).items()}
    buffer = BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    write_whole(path, buffer.getvalue(), "The checkpoint")


def load(path: Path, like: Any) -> Any:
    """The learner that was saved; `like` has its structure, shapes and types."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
    except FileNotFoundError:
        raise UserError(f"There is no checkpoint {path}: the run was stopped before its first.") from None
    except (OSError, ValueError, EOFError, BadZipFile, zlib.error):
        raise UserError(f"{path} is no checkpoint that feint saved, or it is damaged.") from None
    wanted = _named(like)
    if wanted.keys() != arrays.keys() or any(_shape(wanted[name]) != arrays[name].shape for name in wanted):
        raise UserError(f"{path} does not fit the settings of its run, or it is of another version of feint.")
    leaves = [_restored(arrays[name], leaf) for name, leaf in wanted.items()]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def _named(tree: Any) -> dict[str, Any]:
    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _plain(leaf: Any) -> np.ndarray:
    """A leaf as NumPy keeps it: keys and bfloat16 as the bits they are."""
    numbers = np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf)
    return numbers.view(np.uint16) if numbers.dtype == jnp.bfloat16 else numbers


def _shape(leaf: Any) -> tuple[int, ...]:
    return jax.eval_shape(jax.random.key_data, leaf).shape if _is_key(leaf) else leaf.shape


def _restored(numbers: np.ndarray, leaf: Any) -> Any:
    if _is_key(leaf):
        return jax.random.wrap_key_data(jnp.asarray(numbers), impl=jax.random.key_impl(chance.key(0)))
    return jnp.asarray(numbers.view(leaf.dtype) if leaf.dtype == jnp.bfloat16 else numbers)
