"""Which parts of what a loop carries can have a say in what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
from jax.interpreters import partial_eval


def live_parts(step: Callable[[Any], tuple[Any, Any]], carried: Any) -> Any:
    """For each leaf of a lane whether it matters, bool: for what a step reports beside the lane, or for the lane but its table.

    The rest (a log that none of the agents reads, say) need not be kept, which XLA does not find out by itself.
    """
    traced, (after, _) = jax.make_jaxpr(step, return_shape=True)(carried)
    reported = replace(jax.tree.map(lambda _: True, after), table=jax.tree.map(lambda _: False, after.table))
    live = jax.tree.leaves(reported)
    told = len(traced.jaxpr.outvars) - len(live)
    while True:
        _, needed = partial_eval.dce_jaxpr(traced.jaxpr, [*live, *[True] * told])
        grown = [old or new for old, new in zip(live, needed, strict=True)]
        if grown == live:
            return jax.tree.unflatten(jax.tree.structure(after), live)
        live = grown
