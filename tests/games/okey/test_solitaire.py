"""Okey as one player meets it: what comes and goes in a turn, and what it is worth by chances counted by hand."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.games.okey.solitaire import FINISHES, Alone, Left, offered_too
from feint.games.okey.tiles import okey_of
from tests.games.okey.positions import kind, tiles

GAME = feint.make("okey")
NEAR = "Y1-3 B4-6 R8 B8 Y8 K9-12 K1"  # finished with Y4, B3, B7, K8, K13 or a joker: any of twelve tiles


# Of those for whom nothing counts but to finish now.
NOTHING = jax.tree_util.Partial(lambda *_: jnp.float32(0))


@jax.jit
def turn(game, left: Left, key) -> tuple[jax.Array, Left]:
    return Alone(game).turn(NOTHING, left, 0.0, key)


def left(rack: str, indicator: str = "R11", after: int = 0) -> Left:
    held = tiles(rack)
    unseen = 2 - held - tiles(indicator)
    return Left(jnp.asarray(held), jnp.asarray(unseen), okey_of(jnp.int8(kind(indicator))), jnp.int16(after))


def test_a_game_begins_with_fourteen_of_the_tiles():
    begun = jax.vmap(Alone(GAME).begin)(jax.random.split(chance.key(0), 64))
    assert (begun.rack.sum(axis=1) == 14).all()
    assert ((begun.rack + begun.unseen).sum(axis=1) == 105).all()  # all but the indicator
    assert set(np.asarray(begun.turn)) == {-3, -2, -1, 0}  # before the first turn of each seat


def test_a_turn_keeps_fourteen_tiles_and_shows_a_tile_of_everybody():
    before = left("Y1 Y3 Y5 Y7 Y9 Y11 Y13 B2 B4 B6 B8 B10 B12 K1")
    for number in range(8):
        _, then = turn(GAME, before, chance.key(number))
        assert then.rack.sum() == 14
        assert (np.asarray(then.unseen) >= 0).all()
        # Two discards go by, and one tile is offered; where that is not taken, one of the centre is seen besides.
        assert 105 - 14 - then.unseen.sum() in (3, 4)
        assert then.turn == before.turn + 4


def test_nearly_finished_is_worth_the_chance_of_two_tiles():
    before = left(NEAR)
    found = [float(turn(GAME, before, chance.key(number))[0]) for number in range(16)]
    # Of 91 tiles two go by before one is offered and another drawn; none, one or both of the two may be among the twelve.
    expected = [1 - (1 - helpful / 89) ** 2 for helpful in (12, 11, 10)]
    assert {min(range(3), key=lambda gone: abs(value - expected[gone])) for value in found} >= {0, 1}
    assert all(min(abs(value - each) for each in expected) < 1e-6 for value in found)


def test_who_has_finished_begins_another_game():
    before = replace(left(NEAR), unseen=jnp.asarray(2 * tiles("K8 K13")), turn=jnp.int16(0))
    value, then = turn(GAME, before, chance.key(0))
    assert value == 1
    assert then.turn <= 0


def test_others_finish_more_often_later_and_nobody_before_the_first_turn():
    alone = Alone(GAME)
    assert alone.others_unfinished(jnp.int16(-3)) == 1
    assert alone.others_unfinished(jnp.int16(0)) == 1  # the three after the starter have their first turns
    # After the third turn of the first seat: three others in their third.
    assert alone.others_unfinished(jnp.int16(8)) == pytest.approx((1 - FINISHES[2]) ** 3)
    # After the third turn of the last seat: three in their fourth.
    assert alone.others_unfinished(jnp.int16(11)) == pytest.approx((1 - FINISHES[3]) ** 3)
    late = turn(GAME, left(NEAR, after=40), chance.key(3))[0] / turn(GAME, left(NEAR), chance.key(3))[0]
    assert late == pytest.approx((1 - FINISHES[10]) ** 3, rel=1e-5)
    assert turn(GAME, left(NEAR, after=56), chance.key(3))[0] == 0  # the centre is empty


def test_pairs_finish_where_they_may():
    before = left("Y1 Y1 Y4 Y4 Y7 Y7 B2 B2 B5 B5 K3 K3 K9 R1")
    before = replace(before, unseen=jnp.asarray(tiles("K9 R1 R12 R12")))  # whatever comes makes the seventh pair
    assert turn(GAME, before, chance.key(1))[0] == 1
    assert turn(feint.make("okey", pairs="none"), before, chance.key(1))[0] == 0


def test_colours_are_read_alike():
    alone = Alone(GAME)
    one, other = left("Y1-3 B4-6 R8 B8 Y8 K9-12 K1", "Y5"), left("B1-3 Y4-6 R8 B8 Y8 K9-12 K1", "B5")
    (rows, rest), (swapped, same) = alone.read(one), alone.read(other)
    np.testing.assert_allclose(rows[jnp.array([1, 0, 2, 3])], swapped, atol=1e-6)
    np.testing.assert_allclose(rest, same, atol=1e-6)


def test_a_tile_is_offered_and_another_drawn_in_its_place():
    # A half of the tiles is worth 1 and the other 0: 1/2 by the first alone, 3/4 by both.
    assert offered_too(jnp.array([1.0, 0.0]), jnp.array([5, 5])) == 0.75
