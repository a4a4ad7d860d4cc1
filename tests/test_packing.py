"""Many arrays in one: what is packed comes out again, in compiled code and on the host."""

import jax
import jax.numpy as jnp
import numpy as np

from feint.packing import Packed

TREE = {
    "flags": jnp.array([True, False, True]),
    "small": jnp.array([[-1, 2], [3, -128]], jnp.int8),
    "none": jnp.zeros((0, 4), jnp.int32),
    "one": jnp.int32(-70_000),  # at an odd place
    "shares": (jnp.array([0.5, -1e30], jnp.float32), jnp.array([2**32 - 1], jnp.uint32)),
}


def same(one, other) -> None:
    assert jax.tree.structure(one) == jax.tree.structure(other)
    for left, right in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        assert (left.dtype, left.shape) == (right.dtype, right.shape)
        np.testing.assert_array_equal(left, right)


def test_what_is_packed_comes_out_again():
    shapes = jax.eval_shape(lambda: TREE)
    before = Packed({"head": jnp.int8(7)})
    after = Packed(shapes, start=before.end)
    row = jax.jit(lambda tree: Packed.write(({"head": jnp.int8(7)}, tree)))(TREE)
    assert row.dtype == jnp.uint8
    assert len(row) == after.end == 1 + 3 + 4 + 0 + 4 + 8 + 4
    same(after.read(np.asarray(row)), TREE)
    same(jax.jit(after.unpack)(row), TREE)
    assert int(before.read(np.asarray(row))["head"]) == 7
