"""Racks arranged for points: the best arrangement against one found by trying, the hasty one at racks worked out by hand."""

from functools import cache

import jax
import numpy as np
import pytest

import feint
from feint.games.okey.arranging import best, left_to_right
from tests.games.okey.racks import racks
from tests.games.okey.search import FACES, melds
from tests.games.okey.test_hand import rack

GAME = feint.make("okey:thesis")


def most_points(faces: np.ndarray) -> int:
    """The tile that comes first is left over, or in one of the melds that have its face."""
    of_face = melds(4)

    @cache
    def most(tiles: tuple[tuple[int, int], ...]) -> int:
        if not tiles:
            return 0
        found = most(tiles[1:])
        for meld in of_face[tiles[0]]:
            left = list(tiles)
            if all(left.count(face) for face in meld):
                for face in meld:
                    left.remove(face)
                found = max(found, 5 * (len(meld) - 1) + most(tuple(left)))
        return found

    return most(tuple(face for face in FACES for _ in range(faces[face])))


def test_the_best_arrangement_is_found_and_so_is_what_it_does_not_need():
    tried = racks(300, 15, seed=3)
    found = jax.jit(jax.vmap(best, (None, 0)))(GAME.tables["run_points"], tried)
    assert found.points.tolist() == [most_points(each) for each in tried]
    for faces, without in zip(tried[::20], np.asarray(found.without)[::20], strict=True):
        for face in FACES:
            if faces[face]:
                fewer = faces.copy()
                fewer[face] -= 1
                assert without[face] == most_points(fewer)
            else:
                assert without[face] < 0


@pytest.mark.parametrize(
    ("tiles", "points", "left"),
    [
        ("y1-3 b4-7 r8 b8 y8 k2 r10", 10 + 15 + 10, "k2 r10"),
        ("y1-5 b9", 15, "y5 b9"),  # four tiles before three
        ("y1-3 b3 k3 r3", 20, ""),  # the run has its 3, and three others make a set
        ("y1-3 b3 k3", 10, "b3 k3"),  # the run comes first, whatever is left
        ("y12 y13 y1", 0, "y12 y13 y1"),  # what the game calls a run, and hasty eyes do not
    ],
)
def test_the_hasty_arrangement(tiles, points, left):
    faces = rack(tiles)
    used, found = jax.jit(left_to_right)(faces)
    assert int(found) == points
    assert (faces - np.asarray(used)).tolist() == rack(left).tolist()
