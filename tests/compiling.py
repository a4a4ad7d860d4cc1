"""How tests are compiled: quickly, unless they compute for long."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

HURRIED = "jax_disable_most_optimizations"


@contextmanager
def optimised() -> Iterator[None]:
    """For what computes for longer than its programs take to be compiled well, here or in processes that are started."""
    import jax

    before = jax.config.values[HURRIED]
    with patch.dict(os.environ, {HURRIED.upper(): "false"}):
        jax.config.update(HURRIED, False)
        try:
            yield
        finally:
            jax.config.update(HURRIED, before)
