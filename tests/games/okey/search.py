"""How many tiles melds of 14 slots can have, by trying: no table, no sums over colours, nothing of the solver's."""

from __future__ import annotations

from functools import cache

import numpy as np

FACES = [(colour, number) for colour in range(4) for number in range(13)]


@cache
def melds(longest_run: int) -> dict[tuple[int, int], list[tuple[tuple[int, int], ...]]]:
    """All melds that have a face, by face."""
    found = []
    for number in range(13):
        everywhere = [(colour, number) for colour in range(4)]
        found += [tuple(everywhere)] + [tuple(face for face in everywhere if face != out) for out in everywhere]
    for colour in range(4):
        for length in range(3, longest_run + 1):
            for start in range(13 - length + 2):
                found.append(tuple((colour, (start + step) % 13) for step in range(length)))
    return {face: [meld for meld in found if face in meld] for face in FACES}


def most_matched(faces: np.ndarray, longest_run: int) -> int:
    """The tile that comes first is left over, or in one of the melds that have its face."""
    of_face = melds(longest_run)

    @cache
    def best(tiles: tuple[tuple[int, int], ...], slots: int) -> int:
        if not tiles or slots < 3:
            return 0 if slots in fillable else -99
        most, after = best(tiles[1:], slots), len(tiles) - 1
        for meld in of_face[tiles[0]]:
            if len(meld) > slots or most >= min(slots, after + 1):
                continue
            left = list(tiles)
            for face in meld:
                if face in left:
                    left.remove(face)
            most = max(most, len(tiles) - len(left) + best(tuple(left), slots - len(meld)))
        return most

    fillable = {0, *range(3, 15)} - ({5} if longest_run == 4 else set())
    tiles = tuple(face for face in FACES for _ in range(faces[face]))
    return best(tiles, 14)
