"""Replay: what is kept, and that rows are drawn exactly as often as they should be."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from feint import chance
from feint.errors import UserError
from feint.learn.replay import Prioritised, Reservoir, Uniform

ROW = {"x": np.int32(0), "y": np.zeros(2, np.float32)}
DRAWS = 200_000
SURE = 1e-4  # the chance that a test of the distribution fails although all is well, with the seed once and for all


def rows(*numbers):
    x = np.array(numbers, np.int32)
    return {"x": x, "y": np.stack([x, -x], axis=1).astype(np.float32)}


# Compiled whole, as learners have them.
add = jax.jit(lambda replay, *given: replay.add(*given))
sample = jax.jit(lambda replay, *given: replay.sample(*given), static_argnums=2)
with_errors = jax.jit(lambda replay, *given: replay.with_errors(*given))


def filled(kind, numbers, capacity=8, **how):
    replay = jax.jit(lambda: kind.empty(ROW, capacity, **how))()
    return add(replay, rows(*numbers), np.ones(len(numbers), bool))


def fits(counts, chances):
    """Whether counts of draws agree with exact chances; what cannot be drawn must not have been."""
    counts, chances = np.asarray(counts), np.asarray(chances)
    assert counts[chances == 0].sum() == 0
    possible = chances > 0
    return stats.chisquare(counts[possible], chances[possible] * counts.sum()).pvalue > SURE


@pytest.mark.parametrize("kind", [Uniform, Prioritised])
def test_the_oldest_rows_give_way_and_masked_ones_are_not_kept(kind):
    replay = filled(kind, [1, 2, 3, 4, 5], capacity=8)
    replay = add(replay, rows(6, 7, 8, 9, 10, 11), np.array([True, False, True, True, False, True]))
    assert sorted(replay.rows["x"].tolist()) == [2, 3, 4, 5, 6, 8, 9, 11]
    np.testing.assert_array_equal(replay.rows["y"][:, 0], replay.rows["x"])
    assert (int(replay.count), int(replay.added)) == (8, 9)


@settings(max_examples=20)
@given(some.lists(some.lists(some.booleans(), min_size=5, max_size=5), min_size=1, max_size=8))
def test_it_holds_the_latest_rows_that_were_to_be_kept(masks):
    replay, all_kept = Uniform.empty(jnp.int32(0), 8), []
    for number, mask in enumerate(masks):
        values = np.arange(5) + 5 * number
        replay = add(replay, values, np.array(mask))
        all_kept += values[np.array(mask)].tolist()
    held = np.asarray(replay.rows)[: int(replay.count)].tolist()
    assert sorted(held) == all_kept[-8:]


def test_more_rows_than_there_is_room_for_are_refused():
    with pytest.raises(UserError, match="cannot take the 9 of an update"):
        filled(Uniform, range(9))


def test_evenly_drawn_rows_come_equally_often():
    replay = filled(Uniform, range(5))
    found = sample(replay, chance.key(1), DRAWS)
    assert fits(np.bincount(found.index, minlength=8), [0.2] * 5 + [0] * 3)
    np.testing.assert_array_equal(found.batch["x"], found.index)
    assert (found.weight == 1).all()


def test_rows_come_in_proportion_to_their_priorities():
    errors = np.array([0.0, 0.5, 1.0, 4.0, 9.0])
    replay = with_errors(filled(Prioritised, range(5), exponent=0.5), np.arange(5), errors)
    priorities = np.sqrt(errors + 1e-6)
    found = sample(replay, chance.key(2), DRAWS)
    assert fits(np.bincount(found.index, minlength=8), np.append(priorities / priorities.sum(), [0, 0, 0]))
    np.testing.assert_array_equal(found.batch["x"], found.index)


def test_weighted_means_are_those_of_an_even_draw():
    """With full correction, the weighted share of each row is exactly even: weight times chance is the same for all."""
    errors = np.float32([0.1, 0.5, 1.0, 4.0, 9.0])
    replay = with_errors(filled(Prioritised, range(5), exponent=1.0), np.arange(5), errors)
    found = jax.device_get(sample(replay, chance.key(3), DRAWS, 1.0))
    chances = errors + np.float32(1e-6)
    chances /= chances.sum()
    np.testing.assert_allclose(found.weight, (chances.min() / chances)[found.index], rtol=1e-4)
    share = np.bincount(found.index, found.weight) / found.weight.sum()
    # The standard error of a share is at most 0.2 times the relative error of its count, 1/sqrt(n p).
    np.testing.assert_allclose(share, 0.2, atol=5 * 0.2 / np.sqrt(DRAWS * chances.min()))
    none = sample(replay, chance.key(3), 16, 0.0)
    assert (none.weight == 1).all()


def test_new_rows_have_the_highest_priority_so_far():
    replay = filled(Prioritised, range(3), exponent=1.0)
    replay = with_errors(replay, np.array([0, 1]), np.float32([7.0, 0.25]))
    replay = jax.device_get(add(replay, rows(3), np.array([True])))
    np.testing.assert_allclose(replay.sums[-1][:4], [7, 0.25, 1, 7], rtol=1e-5)
    np.testing.assert_allclose(replay.sums[0], [15.25], rtol=1e-5)


def test_every_sum_of_the_tree_is_the_sum_of_what_is_below():
    replay = jax.jit(lambda: Prioritised.empty(np.int32(0), 100, exponent=0.7))()
    assert replay.capacity == 128

    @jax.jit
    def learn(replay, key):
        replay = replay.add(jnp.arange(40), jax.random.bernoulli(key, 0.7, (40,)))
        return replay.with_errors(replay.sample(key, 16).index, jax.random.normal(key, (16,)))

    for key in jax.random.split(chance.key(4), 12):
        replay = learn(replay, key)
        sums = jax.device_get(replay.sums)
        for above, below in pairwise(sums):
            np.testing.assert_allclose(above, below.reshape(-1, 2).sum(axis=1), rtol=1e-6)
    assert (sums[-1] > 0).sum() == replay.count


def test_a_reservoir_holds_every_row_equally_often():
    """4 of 10 rows, in batches of mixed sizes with gaps: each is held with chance 4/10, each pair with 4*3 / (10*9)."""
    batches = [(rows(0, 1, 2), [1, 1, 1]), (rows(3, 99, 4, 5), [1, 0, 1, 1]), (rows(6, 7, 8, 9), [1, 1, 1, 1])]

    def held(key):
        replay = Reservoir.empty(ROW, 4)
        for (batch, mask), one in zip(batches, jax.random.split(key, len(batches)), strict=True):
            replay = replay.add(batch, jnp.array(mask, bool), one)
        return replay.rows["x"]

    runs = 20_000
    found = np.asarray(jax.jit(jax.vmap(held))(jax.random.split(chance.key(5), runs)))
    assert all(len(set(row)) == 4 for row in found[:500].tolist())
    holds = (found[:, :, None] == np.arange(10)).any(axis=1)
    assert holds.sum() == 4 * runs  # no row twice, and nothing that was masked
    spread = np.sqrt(0.4 * 0.6 / runs)
    np.testing.assert_allclose(holds.mean(axis=0), 0.4, atol=4.5 * spread)
    pairs = (holds.T.astype(float) @ holds / runs)[np.triu_indices(10, 1)]
    np.testing.assert_allclose(pairs, 12 / 90, atol=4.5 * np.sqrt(12 / 90 / runs))


def test_a_reservoir_with_room_keeps_all():
    empty = jax.jit(lambda: Reservoir.empty(ROW, 8))()
    replay = add(empty, rows(1, 2, 3), np.array([True, False, True]), chance.key(0))
    assert replay.rows["x"].tolist()[:2] == [1, 3]
    assert int(replay.count) == 2
