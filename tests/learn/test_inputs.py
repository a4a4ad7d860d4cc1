"""Layouts: whatever pieces a game gives lie in one row and are found again, whatever JAX does to their order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import feint
from feint import chance
from feint.game import ByAction, Rows
from feint.learn.inputs import Layout, Piece

NUMBERS = st.one_of(
    arrays.arrays(
        np.float32, arrays.array_shapes(min_dims=0, max_dims=3, max_side=4), elements=st.floats(-9, 9, width=32)
    ),
    arrays.arrays(np.bool_, arrays.array_shapes(min_dims=0, max_dims=2, max_side=4)),
    arrays.arrays(np.int16, arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=4)),
)
SEQUENCES = arrays.arrays(
    np.float32, arrays.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.floats(-9, 9, width=32)
)
PIECES = st.dictionaries(
    st.text(min_size=1), st.one_of(NUMBERS, SEQUENCES.map(Rows), SEQUENCES.map(ByAction)), min_size=1, max_size=6
)


def layout_of(pieces):
    return Layout(tuple(Piece.of(name, piece) for name, piece in pieces.items()))


def values(piece):
    return np.asarray(piece.values if isinstance(piece, Rows | ByAction) else piece)


def compiled(function, pieces):
    """What a function makes of pieces in the order in which they are given, compiled whole."""
    return jax.jit(lambda given: function(dict(zip(pieces, given, strict=True))))(list(pieces.values()))


@settings(max_examples=25)
@given(PIECES)
@example({"one": np.int16(3), "none": np.zeros((2, 0), np.int16)})  # where XLA would abort
def test_any_pieces_are_found_again(pieces):
    layout, order = layout_of(pieces), []

    def there_and_back(given):
        row = layout.flat(given)
        again = layout.apart(row)
        order.extend(again)  # looked at while it is traced: what JAX hands out of here is sorted by name
        return row, again

    row, again = compiled(there_and_back, pieces)
    assert (row.shape, row.dtype) == ((layout.size,), jnp.float32)
    assert order == list(pieces)
    for name, piece in pieces.items():
        for kind in (Rows, ByAction):
            assert isinstance(again[name], kind) == isinstance(piece, kind)
        np.testing.assert_array_equal(values(again[name]), values(piece).astype(np.float32))
    assert Layout.read(layout.as_json()) == layout


@settings(max_examples=12)
@given(PIECES)
def test_the_order_is_the_layouts_not_the_dicts(pieces):
    layout = layout_of(pieces)

    def flat(given):
        sorted_by_jax = jax.tree.map(lambda leaf: leaf, dict(reversed(given.items())))
        return layout.flat(sorted_by_jax), layout.flat(given)

    np.testing.assert_array_equal(*compiled(flat, pieces))


@settings(max_examples=12)
@given(PIECES)
def test_nothing_is_lost_between_sequences_and_the_rest(pieces):
    layout = layout_of(pieces)

    def read(given):
        row = layout.flat(given)
        return row, *layout.sequences(row)

    row, plain, sequences = compiled(read, pieces)
    everything = np.concatenate([np.ravel(part) for part in (plain, *sequences)])
    np.testing.assert_array_equal(np.sort(everything), np.sort(row))
    lengths = [len(rows) for rows in sequences]
    assert len(set(lengths)) == len(lengths)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "liars-dice", "bidding", "bluff"])
def test_a_games_layout_is_in_the_order_in_which_it_gives_its_pieces(name):
    game = feint.make(name)
    view = jax.jit(lambda key: game.observe(game.init(key), jnp.int32(0)))(chance.key(0))
    order = []
    given = jax.jit(lambda view: order.extend(pieces := game.encode(view)) or pieces)(view)
    layout = Layout.of(game)
    assert [piece.name for piece in layout.pieces] == order
    assert [piece.shape for piece in layout.pieces] == [values(given[name]).shape for name in order]
    layout.check(game)
