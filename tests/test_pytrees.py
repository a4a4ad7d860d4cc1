"""Compiled code never takes one pytree for another."""

import jax

from feint.game import pytree, static


def test_compiled_functions_tell_types_of_the_same_shape_apart():
    """With `jax.tree_util.register_dataclass` about one type in seven of these gives another one's result."""
    types = [pytree(type(f"Agent{number}", (), {"number": number})) for number in range(60)]
    number_of = jax.jit(lambda zero, agent: zero + type(agent).number)
    assert [int(number_of(0, each())) for each in types] == list(range(60))


def test_static_fields_are_part_of_the_type():
    @pytree
    class Sized:
        values: float
        size: int = static(default=1)

    one, other = jax.tree.structure(Sized(1.0, 2)), jax.tree.structure(Sized(1.0, 3))
    assert one != other
    assert jax.tree.map(lambda leaf: leaf + 1, Sized(1.0, 2)) == Sized(2.0, 2)
    ((path, leaf),) = jax.tree_util.tree_leaves_with_path(Sized(1.0))
    assert jax.tree_util.keystr(path) == ".values"
    assert leaf == 1.0
