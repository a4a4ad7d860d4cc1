"""Racks to try the hand solver with: any tiles, tiles that belong together, and racks a few tiles from finished."""

from __future__ import annotations

import numpy as np

from tests.games.okey.search import melds


def racks(count: int, tiles: int, seed: int) -> np.ndarray:
    """So many racks of so many tiles, none a joker, int8[racks, 4, 13]; a third of each kind."""
    random = np.random.default_rng(seed)
    kinds = (_any, _together, _near)
    return np.stack([kinds[number % 3](random, tiles) for number in range(count)])


def _drawn(random: np.random.Generator, tiles: int, left: np.ndarray, rack: np.ndarray) -> np.ndarray:
    """A rack filled up from what is left, int[4, 13]."""
    bag = np.repeat(np.arange(52), left.ravel())
    for face in random.permutation(bag)[: tiles - rack.sum()]:
        rack[divmod(face, 13)] += 1
    return rack.astype(np.int8)


def _any(random: np.random.Generator, tiles: int) -> np.ndarray:
    return _drawn(random, tiles, np.full((4, 13), 2), np.zeros((4, 13), int))


def _together(random: np.random.Generator, tiles: int) -> np.ndarray:
    """Of few colours, or few numbers."""
    colours = random.permutation(4)[: random.integers(1, 5)]
    numbers = random.permutation(13)[: random.integers(max(3, -(-tiles // (2 * len(colours)))), 14)]
    start = random.integers(13)
    if random.random() < 0.5:
        numbers = (start + np.arange(len(numbers))) % 13
    left = np.zeros((4, 13), int)
    left[np.ix_(colours, numbers)] = 2
    return _drawn(random, tiles, left, np.zeros((4, 13), int))


def _near(random: np.random.Generator, tiles: int) -> np.ndarray:
    """Melds, of which some tiles are missing."""
    shapes = sorted({meld for of_face in melds(5).values() for meld in of_face})
    rack = np.zeros((4, 13), int)
    for _ in range(4):
        for face in shapes[random.integers(len(shapes))]:
            if rack.sum() < tiles and rack[face] < 2 and random.random() < 0.85:
                rack[face] += 1
    return _drawn(random, tiles, 2 - rack, rack)
