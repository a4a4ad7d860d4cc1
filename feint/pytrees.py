"""Frozen dataclasses that JAX sees through."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar, dataclass_transform

import jax

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def pytree(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields JAX sees as leaves, except those made by `static`."""
    made = dataclass(frozen=True)(cls)
    leaves = [each.name for each in fields(made) if not each.metadata.get("static")]  # type: ignore[arg-type]
    statics = [each.name for each in fields(made) if each.metadata.get("static")]  # type: ignore[arg-type]

    def flatten(tree: T) -> tuple[list[Any], tuple[Any, ...]]:
        return [getattr(tree, name) for name in leaves], tuple(getattr(tree, name) for name in statics)

    def flatten_with_keys(tree: T) -> tuple[list[Any], tuple[Any, ...]]:
        named = [(jax.tree_util.GetAttrKey(name), getattr(tree, name)) for name in leaves]
        return named, tuple(getattr(tree, name) for name in statics)

    def unflatten(fixed: tuple[Any, ...], children: Iterable[Any]) -> T:
        return made(**dict(zip(leaves, children, strict=True)), **dict(zip(statics, fixed, strict=True)))

    # Not by `register_dataclass`: JAX 0.10 takes two dataclasses with as many fields for the same type, and compiled
    # functions are then now and again run for the wrong one of two agents.
    jax.tree_util.register_pytree_with_keys(made, flatten_with_keys, unflatten, flatten)
    return made


def static(**how: Any) -> Any:
    """A field of a `pytree` that is part of its type: a size or a name, never an array."""
    return field(metadata={"static": True}, **how)


def is_pytree(value: object) -> bool:
    """Whether JAX sees into a value, so that it can be an argument of compiled code."""
    return not jax.tree_util.all_leaves([value])


def compiling_with(first: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compiles functions of `first`, a game with its look-up tables, and other things into functions of these. It is an argument of what is
    compiled, and is taken apart once: in every call, that would take as long as a move."""
    leaves, kind = jax.tree.flatten(first)

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return partial(jax.jit(lambda leaves, *given: function(jax.tree.unflatten(kind, leaves), *given)), leaves)

    return compiled
