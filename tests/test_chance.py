"""The generator: uniform, independent across keys, and the same everywhere."""

from functools import partial
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from feint import chance
from feint.errors import UserError

ALPHA = 1e-6


def mapped(function, axes=0):
    """A function over many keys or numbers, compiled whole; its result as numpy has it."""
    compiled = jax.jit(jax.vmap(function, axes))
    return lambda *given: np.asarray(compiled(*given))


def test_draws_are_uniform():
    draws = np.asarray(jax.random.uniform(chance.key(1), (200_000,)))
    assert stats.kstest(draws, "uniform").pvalue > ALPHA
    bits = np.asarray(jax.random.bits(chance.key(2), (50_000,)))
    ones = ((bits[:, None] >> np.arange(32, dtype=np.uint32)) & 1).sum(axis=0)
    assert stats.binomtest(int(ones.sum()), 50_000 * 32).pvalue > ALPHA
    assert np.abs(ones / 50_000 - 0.5).max() < 0.012


def test_neighbouring_games_and_tables_have_nothing_in_common():
    def first(seed, table, game):
        return jax.random.uniform(chance.move_key(chance.game_key(seed, table, game), 0))

    grid = mapped(jax.vmap(partial(first, 5), (None, 0)), (0, None))(jnp.arange(300), jnp.arange(300))
    assert stats.kstest(grid.ravel(), "uniform").pvalue > ALPHA
    for shifted in (np.roll(grid, 1, axis=0), np.roll(grid, 1, axis=1), grid.T):
        assert abs(np.corrcoef(grid.ravel(), shifted.ravel())[0, 1]) < 5 / 300
    cells, _, _ = np.histogram2d(grid[:-1].ravel(), grid[1:].ravel(), bins=16)
    assert stats.chisquare(cells.ravel()).pvalue > ALPHA


def test_no_two_games_share_a_key():
    def words(seed, table, game):
        return jax.random.key_data(chance.game_key(seed, table, game))

    games = mapped(jax.vmap(partial(words, 0), (None, 0)), (0, None))(jnp.arange(500), jnp.arange(500))
    assert len(np.unique(games.reshape(-1, 2), axis=0)) == 500 * 500
    seeds = mapped(lambda seed: words(seed, 1, 1))(jnp.arange(100_000))
    assert len(np.unique(seeds, axis=0)) == 100_000


def test_the_uses_of_a_games_key_differ():
    of_game = chance.game_key(0, 0, 0)
    keys = [
        chance.deal_key(of_game),
        *(chance.move_key(of_game, move) for move in range(50)),
        *(chance.begin_key(of_game, seat) for seat in range(8)),
        *(chance.finish_key(of_game, seat) for seat in range(8)),
    ]
    assert len({tuple(np.asarray(jax.random.key_data(key)).tolist()) for key in keys}) == len(keys)


def test_every_bit_of_a_key_matters():
    """Turning any one bit of a key or a counter turns each bit of a draw about half the time."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**32, (4000, 2), dtype=np.uint32)
    draw = mapped(lambda words: chance._draw(words, jnp.uint32(7)))
    base = draw(words)
    for word in range(2):
        for bit in range(0, 32, 5):
            changed = base ^ draw(words ^ np.uint32([1 << bit if word == at else 0 for at in range(2)]))
            share = ((changed[:, None] >> np.arange(32, dtype=np.uint32)) & 1).mean(axis=0)
            assert np.abs(share - 0.5).max() < 0.06


@pytest.mark.parametrize("size", [2, 13, 52, 104, 300])
def test_shuffle_is_a_permutation(size):
    order = np.asarray(jax.jit(lambda: chance.shuffle(chance.key(size), size))())
    assert sorted(order.tolist()) == list(range(size))


def test_shuffle_is_uniform():
    orders = mapped(lambda i: chance.shuffle(chance.game_key(3, i, 0), 4))(jnp.arange(48_000))
    index = {order: i for i, order in enumerate(permutations(range(4)))}
    counts = np.bincount([index[tuple(order)] for order in orders.tolist()], minlength=24)
    assert stats.chisquare(counts).pvalue > ALPHA
    decks = mapped(lambda i: chance.shuffle(chance.game_key(4, i, 0), 52))(jnp.arange(20_000))
    for place in (0, 25, 51):
        assert stats.chisquare(np.bincount(decks[:, place], minlength=52)).pvalue > ALPHA


def test_samples_are_uniform_and_distinct():
    pairs = mapped(lambda i: chance.sample(chance.game_key(3, i, 0), 2, 5))(jnp.arange(40_000))
    counts = np.bincount(5 * pairs[:, 0] + pairs[:, 1], minlength=25)
    assert not counts[::6].any()
    assert stats.chisquare(np.delete(counts, range(0, 25, 6))).pvalue > ALPHA
    # With a size that is not known before, and all of them: an order.
    sampled = mapped(lambda i, size: chance.sample(chance.game_key(4, i, 0), 4, size), (0, None))
    orders = sampled(jnp.arange(24_000), jnp.int32(4))
    index = {order: i for i, order in enumerate(permutations(range(4)))}
    assert stats.chisquare(np.bincount([index[tuple(order)] for order in orders.tolist()])).pvalue > ALPHA


def test_coarse_keys_draw_eight_values_and_both_ends():
    bits = mapped(lambda i: jax.random.bits(chance.coarse(chance.game_key(5, i, 0))))(jnp.arange(400))
    assert len(np.unique(bits)) == 8
    assert bits.min() == 0
    assert bits.max() == 2**32 - 1


def test_equal_and_extreme_draws_break_nothing():
    keys = jax.jit(jax.vmap(lambda i: chance.coarse(chance.game_key(6, i, 0))))(jnp.arange(400))
    for size in (4, 52):
        assert (np.sort(mapped(lambda key: chance.shuffle(key, size))(keys)) == np.arange(size)).all()  # noqa: B023
    among = np.array([False, True, False, True, False])
    assert set(mapped(lambda key: chance.choice(key, jnp.asarray(among)))(keys).tolist()) == {1, 3}
    weights = np.array([0, 2, 0, 5, 0])
    chosen = mapped(lambda key: chance.weighted_choice(key, jnp.asarray(weights)))(keys)
    assert (chosen.sum(axis=1) == 1).all()
    assert not chosen[:, [0, 2, 4]].any()
    drawn = mapped(chance.drawn, (0, None))
    for scale in (1e-30, 0.1, 1 / 3, 1e30):  # sums that are rounded
        assert set(drawn(keys, np.float32(weights * scale)).tolist()) == {1, 3}


def test_draws_by_weight_have_their_probabilities():
    weights = np.float32([0.1, 0.0, 0.6, 0.3])
    drawn = mapped(lambda i: chance.drawn(chance.game_key(8, i, 0), jnp.asarray(weights)))(jnp.arange(20_000))
    counts = np.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], [2_000, 12_000, 6_000]).pvalue > ALPHA


def test_draws_are_the_same_on_every_machine():
    """Written down once: a change here changes every recorded game."""
    assert np.asarray(jax.random.bits(chance.game_key(1, 2, 3), (4,))).tolist() == RECORDED
    assert np.asarray(chance.shuffle(chance.key(0), 8)).tolist() == SHUFFLED


RECORDED = [2678467459, 49132204, 3388255668, 333924398]
SHUFFLED = [4, 2, 6, 0, 5, 1, 7, 3]


@pytest.mark.parametrize("seed", [-1, 2**31, 2**32, 2**64])
def test_seeds_that_would_be_taken_for_others_are_refused(seed):
    with pytest.raises(UserError, match=f"The seed must be a whole number from 0 to 2147483647, not {seed}."):
        chance.key(seed)
