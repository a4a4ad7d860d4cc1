"""The hand solver against a search that shares nothing with it, and against racks worked out by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.okey import melds
from feint.games.okey.game import Okey
from feint.games.okey.hand import Solver, pairs_away
from tests.games.okey.racks import racks
from tests.games.okey.search import most_matched

SIZE = 52  # racks asked about at once: one program for all tests


def solver(longest_run: int) -> Solver:
    return Okey(longest_run=longest_run).solver


@jax.jit
def all_away(solver: Solver, faces: jax.Array, jokers: jax.Array) -> jax.Array:
    return jax.vmap(solver.melds_away)(faces, jokers)


def away(longest_run: int, faces: np.ndarray, jokers: np.ndarray) -> np.ndarray:
    filled = np.zeros((-(-len(faces) // SIZE) * SIZE, 4, 13), np.int8)
    filled[: len(faces)] = faces
    wild = np.zeros(len(filled), np.int8)
    wild[: len(faces)] = jokers
    parts = [
        all_away(solver(longest_run), filled[start : start + SIZE], wild[start : start + SIZE])
        for start in range(0, len(filled), SIZE)
    ]
    return np.concatenate(parts)[: len(faces)]


def check(count: int, seed: int, longest_run: int) -> None:
    for tiles in (14, 15):
        for jokers in (0, 1, 2):
            some = racks(count, tiles - jokers, seed + jokers)
            found = away(longest_run, some, np.full(count, jokers))
            expected = [max(0, 14 - jokers - most_matched(rack, longest_run)) for rack in some]
            assert found.tolist() == expected


@pytest.mark.parametrize("longest_run", [5, 4])
def test_distance_is_that_of_a_search(longest_run):
    check(30, 10 * longest_run, longest_run)


def test_all_cases_at_once_are_the_same(monkeypatch):
    """As programs for GPUs take them."""
    faces = np.moveaxis(racks(SIZE, 14, 7), 0, -1)
    expected = melds.most_matched(solver(5).most, faces, longest_run=5)
    monkeypatch.setattr(melds, "_vectorised", lambda: True)
    assert (
        jax.jit(melds.most_matched.__wrapped__, static_argnames="longest_run")(solver(5).most, faces, longest_run=5)
        == expected
    ).all()


@pytest.mark.slow
@pytest.mark.parametrize("longest_run", [5, 4])
def test_distance_is_that_of_a_search_for_many(longest_run):
    check(1000, 1000 + longest_run, longest_run)


def rack(*melds: str) -> np.ndarray:
    """Tiles such as "y1-5" or "y7 b7 r7", a colour's letter and numbers."""
    faces = np.zeros((4, 13), np.int8)
    for tile in " ".join(melds).split():
        first, _, last = tile[1:].partition("-")
        for number in range(int(first), int(last or first) + 1):
            faces["ybkr".index(tile[0]), (number - 1) % 13] += 1
    return faces


def of(faces: np.ndarray, jokers: int = 0, longest_run: int = 5) -> int:
    return int(away(longest_run, faces[None], np.array([jokers]))[0])


def test_racks_worked_out_by_hand():
    assert of(rack("y1-3", "b4-6", "r7 b7 y7 k7", "k9-12")) == 0
    assert of(rack("y12-14", "b4-6", "r7 b7 y7 k7", "k9-12")) == 0  # 12-13-1 is a run
    assert of(rack("y13-15", "b4-6", "r7 b7 y7 k7", "k9-12")) == 1  # 13-1-2 is none
    assert of(rack("y1-5", "b1-5", "r7 b7 y7 k7")) == 0  # 5 + 5 + 4
    assert of(rack("y1-5", "b1-5", "r7 b7 y7 k7"), longest_run=4) > 0
    assert of(rack("y1-6", "b4-7", "r7 k7 y7 b7")) == 0  # a run of six is two of three
    assert of(rack("y1-6", "b4-7", "r7 k7 y7 b7"), longest_run=4) == 0
    assert of(rack("y1-3 y1-3", "b9-12 b9-12")) == 0  # the same run twice
    assert of(rack("y5 b5 k5", "y5 b5 r5", "y8 b8 k8 r8", "k1-4")) == 0  # two sets of one number
    assert of(rack("y1-3", "b4-6", "r7 b7 y7", "k9-12"), 1) == 0  # the joker is the black 7
    assert of(rack("y1", "y3", "b4-6", "r7 b7 y7 k7", "k10-12"), 2) == 0  # one joker within a run, one at its end
    assert of(rack("y5 y5", "b4-6", "r7 b7 y7 k7", "k9-12"), 1) == 1  # a joker makes no set of two equal tiles
    assert of(rack("y1-13"), 1) == 0  # 14 of one colour: the joker is a second tile
    assert of(rack("y1-13 y1")) == 0  # and so is the 1 after the 13


def test_a_fifteenth_tile_may_go():
    finished = rack("y1-3", "b4-6", "r7 b7 y7 k7", "k9-12")
    assert of(finished + rack("r1")) == 0
    assert of(finished, 1) == 0
    assert of(finished - rack("y1") + rack("r1 r2")) == 1


def test_tiles_that_help():
    faces = rack("y1-3", "b4-6", "r7 b7 y7", "k9-11", "r1 r13")
    helps = np.asarray(jax.jit(Solver.helps)(solver(5), jnp.asarray(faces), jnp.int8(0), jnp.int8(2)))
    expected = away(5, np.stack([faces + tile for tile in np.eye(52, dtype=np.int8).reshape(-1, 4, 13)]), np.zeros(52))
    assert of(faces) == 2
    assert (helps == (expected < 2).reshape(4, 13)).all()
    assert (helps[3, 11], helps[2, 7], helps[1, 12]) == (True, True, False)  # red 12, black 8; a blue 13 is no use


def test_pairs():
    assert (
        int(pairs_away(jnp.asarray(rack("y1 y1", "b2 b2", "k3 k3", "r4 r4", "y5 y5", "b6 b6", "k7 k7")), jnp.int8(0)))
        == 0
    )
    assert int(pairs_away(jnp.asarray(rack("y1 y1", "b2 b2", "k3 k3", "r4 r4", "y5 y5", "b6", "k7")), jnp.int8(2))) == 0
    assert int(pairs_away(jnp.asarray(rack("y1-13 b1")), jnp.int8(0))) == 7
    assert int(pairs_away(jnp.asarray(rack("y1-6", "y1-6", "b1", "b2", "b3")), jnp.int8(0))) == 1
