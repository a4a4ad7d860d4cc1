"""The table of the hand solver: what runs in one colour make of every holding of it.

A holding of a colour has none, one or two of each number: a code in base 3, one of 3^13. For each code and each number of slots in runs, 3
to 14, the table tells the most tiles that runs of so many slots in all can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from feint.games.okey.packed import BITS, IN_WORD

NUMBERS = 13
CODES = 3**NUMBERS
SLOTS = range(3, 15)  # of the runs of one colour
MOST_RUNS = 5  # of 15 tiles


def windows(longest_run: int) -> Iterator[tuple[int, ...]]:
    """The numbers, from 0, of every run that cannot be cut into shorter ones. A run ends with the 1 after the 13 at the latest."""
    for length in range(3, longest_run + 1):
        for start in range(NUMBERS - length + 2):
            yield tuple((start + step) % NUMBERS for step in range(length))


def build(longest_run: int, progress: Callable[[float], None]) -> dict[str, np.ndarray]:
    """The tables, for runs of at most so many tiles (4 or 5; longer ones are two): `most`, int32[2, codes], packed by slots, and
    `run_points`, what whole runs are worth."""
    codes = np.arange(CODES, dtype=np.int32)
    held = [codes // 3**number % 3 > 0 for number in range(NUMBERS)]
    runs = [_run(shape, codes, held) for shape in windows(longest_run)]
    most = {0: np.zeros(CODES, np.int8)}
    words = np.zeros((len(SLOTS) // IN_WORD, CODES), np.int32)
    for place, slots in enumerate(SLOTS):
        fits = [matched + most[slots - length][left] for length, matched, left in runs if slots - length in most]
        most[slots] = np.max(fits, axis=0) if fits else np.zeros(CODES, np.int8)
        words[place // IN_WORD] |= most[slots].astype(np.int32) << BITS * (place % IN_WORD)
        progress((place + 1) / len(SLOTS))
    return {"most": words, "run_points": _points(runs)}


def _points(runs: list[tuple[int, np.ndarray, np.ndarray]]) -> np.ndarray:
    """What whole runs are worth at best, in tiles less runs, uint8[codes]."""
    points = np.zeros(CODES, np.uint8)
    whole = [
        (length, held, left[held]) for length, matched, left in runs for held in [np.flatnonzero(matched == length)]
    ]
    for _ in range(MOST_RUNS):
        before = points.copy()
        for length, held, left in whole:
            points[held] = np.maximum(points[held], before[left] + np.uint8(length - 1))
    return points


def _run(shape: tuple[int, ...], codes: np.ndarray, held: list[np.ndarray]) -> tuple[int, np.ndarray, np.ndarray]:
    """A run's length, how many of its tiles each code has, and the code without them; `held` is which numbers it has at all."""
    matched, left = np.zeros(CODES, np.int8), codes.copy()
    for number in shape:
        matched += held[number]
        left -= held[number] * np.int32(3**number)
    return len(shape), matched, left
