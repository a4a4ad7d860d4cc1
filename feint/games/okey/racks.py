"""How tiles and racks look to a person: letters and numbers, arranged as somebody would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
from jax import Array

from feint.games.okey.runs import windows
from feint.games.okey.tiles import COLOURS, FACES, FALSE_JOKER, HAND, KINDS, NUMBERS

LETTERS = "YBKR"  # of the colours: B is blue, so black is K
JOKER, FALSE = "★", "☆"
MANY = 4  # pairs that are worth looking at as pairs
Group = list[int]  # kinds that stand together


def named(kind: int, okey: int) -> str:
    """A tile in words: "red 7", or what kind of joker it is."""
    if kind == FALSE_JOKER:
        return "a false joker"
    return "a joker" if kind == okey else f"{COLOURS[kind // NUMBERS]} {kind % NUMBERS + 1}"


def sign(kind: int, okey: int) -> str:
    """A tile as it stands on a rack: R7, or one of two stars."""
    if kind == FALSE_JOKER:
        return FALSE
    return JOKER if kind == okey else f"{LETTERS[kind // NUMBERS]}{kind % NUMBERS + 1}"


def signs(kinds: Iterable[int] | Array, okey: int) -> str:
    return " ".join(sign(int(kind), okey) for kind in kinds)


def held(rack: Any) -> list[int]:
    """The kinds of a rack, one for each tile."""
    return np.repeat(np.arange(KINDS), np.asarray(rack)).tolist()


@dataclass(frozen=True)
class Arrangement:
    """A rack in order."""

    melds: list[Group]  # sets and runs that are there, jokers standing in; or pairs
    begun: list[Group]  # those that lack a tile or two
    spare: Group
    missing: int  # tiles short of a finished hand, jokers counted

    def text(self, okey: int) -> str:
        """Melds in brackets, then what is begun, then the rest, with commas between."""
        rest = [signs(each, okey) for each in [*self.begun, self.spare] if each]
        return " ".join([*(f"[{signs(each, okey)}]" for each in self.melds), ", ".join(rest)]).strip()


def arranged(rack: Any, okey: int, longest_run: int, pairs: bool | None = None) -> Arrangement:
    """The best arrangement of a rack: in melds or in pairs; where nobody says which, in pairs if there are several and they are nearer to the
    end."""
    return _arranged(tuple(np.asarray(rack).tolist()), okey, longest_run, pairs)


@lru_cache(maxsize=256)  # of racks that are looked at turn by turn, few are new
def _arranged(rack: tuple[int, ...], okey: int, longest_run: int, pairs: bool | None) -> Arrangement:
    if pairs is None:
        of_melds, of_pairs = (_arranged(rack, okey, longest_run, each) for each in (False, True))
        if of_pairs.missing < of_melds.missing and len(of_pairs.melds) >= MANY:
            return of_pairs
        return replace(of_melds, missing=min(of_melds.missing, of_pairs.missing))
    jokers = rack[okey]
    faces = [rack[FALSE_JOKER] if face == okey else rack[face] for face in range(FACES)]
    matched, melds = _pairs(faces) if pairs else _melds(faces, jokers, longest_run)
    return _filled(faces, jokers, okey, melds, max(HAND - matched - jokers, 0))


def _pairs(faces: list[int]) -> tuple[int, list[Group]]:
    """How many tiles of seven pairs are there, and the pairs, those that are whole first."""
    best = sorted(range(FACES), key=lambda face: -faces[face])[: HAND // 2]
    return sum(min(faces[face], 2) for face in best), [[face, face] for face in best if faces[face]]


def _melds(faces: list[int], jokers: int, longest_run: int) -> tuple[int, list[Group]]:
    """The most tiles of a rack that melds of 14 slots can have, and such melds, those of which most are whole or lack one; those with a single
    tile are left out, as any tile begins one."""

    def gain(shape: Group, left: list[int]) -> int:
        return sum(left[face] > 0 for face in shape)

    shapes = sorted(_shapes(longest_run), key=lambda shape: -gain(shape, faces))
    shapes = [shape for shape in shapes if gain(shape, faces) > 1]
    gains = [gain(shape, faces) for shape in shapes]
    fills = {
        3 * threes + 4 * fours + (longest_run > 4) * 5 * fives for threes, fours, fives in product(range(5), repeat=3)
    }
    best: tuple[int, int] = (-1, 0)  # tiles matched, and how near their melds are to being whole
    chosen: list[Group] = []

    def search(first: int, slots: int, left: list[int], found: list[Group], matched: int, near: int) -> None:
        nonlocal best, chosen
        score = matched + min(slots // 3, sum(left)), near
        if slots in fills and score > best:
            best, chosen = score, found
        for index in range(first, len(shapes)):
            if matched + min(gains[index] * (slots // 3), slots) < best[0]:
                return  # those that follow have no more
            shape = shapes[index]
            there = gain(shape, left)
            if len(shape) <= slots and there > 1:
                after = left.copy()
                for face in shape:
                    after[face] = max(after[face] - 1, 0)
                lacks = len(shape) - there
                search(
                    index,
                    slots - len(shape),
                    after,
                    [*found, shape],
                    matched + there,
                    near + 4 * (lacks <= jokers) + (lacks == 1),
                )

    search(0, HAND, faces, [], 0, 0)
    return best[0], chosen


@cache
def _shapes(longest_run: int) -> list[Group]:
    """Every set and every run, as faces."""
    colours = range(len(COLOURS))
    sets = [
        [colour * NUMBERS + number for colour in chosen]
        for number in range(NUMBERS)
        for size in (3, 4)
        for chosen in combinations(colours, size)
    ]
    return sets + [[colour * NUMBERS + number for number in run] for colour in colours for run in windows(longest_run)]


def _filled(faces: list[int], jokers: int, okey: int, melds: Sequence[Group], missing: int) -> Arrangement:
    """Melds with the tiles of a rack in their places, and jokers where fewest are missing."""
    left, places = faces.copy(), []
    for meld in melds:
        there = []
        for face in meld:
            there.append(left[face] > 0)
            left[face] -= there[-1]
        places.append(list(zip(meld, there, strict=True)))
    gaps = [sum(not held for _, held in place) for place in places]
    melds, begun = [], []
    for place, lacking in sorted(zip(places, gaps, strict=True), key=lambda each: each[1]):
        if lacking <= jokers:
            jokers -= lacking
            melds.append([_tile(face, okey) if held else okey for face, held in place])
        elif len(place) - lacking > 1:
            begun.append([_tile(face, okey) for face, held in place if held])
        else:
            for face, held in place:
                left[face] += held
    spare = [_tile(face, okey) for face in np.repeat(np.arange(FACES), left).tolist()]
    return Arrangement(melds, begun, [*spare, *[okey] * jokers], missing)


def _tile(face: int, okey: int) -> int:
    """The kind of the tile that shows a face: of the joker's own, a false joker."""
    return FALSE_JOKER if face == okey else face
