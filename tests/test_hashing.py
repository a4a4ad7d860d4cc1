"""Hashes: saved policies and every seed's games stand or fall with their values."""

import jax.numpy as jnp
import numpy as np

from feint.hashing import chain, digest, mix


def test_hashes_are_what_they_always_were():
    tree = {"a": np.int8([-1, 3]), "b": np.float32([0.5])}
    assert mix(jnp.arange(3, dtype=jnp.uint32)).tolist() == [0, 1753845952, 3507691905]
    assert digest(tree).tolist() == [616961373, 2920182586]
    assert chain(digest(tree), jnp.full(2, 7, jnp.uint32)).tolist() == [3734698504, 2701844986]


def test_digests_are_of_values_not_of_types():
    narrow = {"a": np.int8([-1, 3]), "b": np.array([True, False])}
    wide = {"a": np.int32([-1, 3]), "b": np.int32([1, 0])}
    assert digest(narrow).tolist() == digest(wide).tolist()
    assert digest({"a": np.int8([3, -1])}).tolist() != digest({"a": np.int8([-1, 3])}).tolist()
    assert chain(digest(narrow), digest(wide)).tolist() != digest(narrow).tolist()
