"""Games written out are played as they are computed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.connect.written_out import WrittenOut
from feint.learn.inputs import Layout


@pytest.mark.parametrize(
    ("name", "options", "positions"),
    [
        ("kuhn", {}, 6 * 9),  # the deals, of each the 4 places where somebody acts and the 5 ends
        ("leduc", {}, 2040),
        pytest.param(
            "bidding", {"players": 3, "coins": 2}, None, marks=pytest.mark.slow
        ),  # all bid before anybody knows
    ],
)
def test_a_game_written_out_is_the_game(name, options, positions):
    game = feint.make(name, **options)
    layout = Layout.of(game)
    written = WrittenOut.of(game, layout)
    assert written is not None
    assert positions in (None, len(written.after))

    @jax.jit
    def play(game, key):
        """The whole game of a key with any actions, illegal ones among them."""
        actions = jax.random.randint(key, (game.max_moves + 1,), 0, feint.make(name, **options).actions)
        return jax.lax.scan(lambda state, action: (game.step(state, action),) * 2, game.init(key), actions)[1]

    for seed in range(20):
        key = chance.key(seed)
        told, spots = play(game, key), play(written, key)
        assert told.terminated[-1]
        for field in ("current_player", "legal_action_mask", "rewards", "terminated"):
            np.testing.assert_array_equal(getattr(spots, field), getattr(told, field))
        for move in range(len(told.terminated)):
            state, spot = (jax.tree.map(lambda leaf: leaf[move], states) for states in (told, spots))  # noqa: B023
            for seat in map(jnp.int32, range(game.players)):
                view = game.observe(state, seat)
                jax.tree.map(np.testing.assert_array_equal, written.observe(spot, seat), view)
                np.testing.assert_array_equal(written.shown[spot.number, seat], layout.see(game, view))


@pytest.mark.parametrize(
    ("name", "options"), [("bidding", {"players": 10, "coins": 50}), ("bluff", {}), ("leduc", {"players": 3})]
)
def test_a_game_with_too_many_positions_is_not(name, options):
    game = feint.make(name, **options)
    assert WrittenOut.of(game, Layout.of(game)) is None
