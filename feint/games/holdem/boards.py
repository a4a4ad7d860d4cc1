"""Sets of cards by number, and boards as if suits had no names: of 22,100 flops 1,755 are left, of 270,725 turns 16,432."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from math import comb
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.games.holdem.cards import CARDS, RANKS, SUITS

CHOICES = np.array([[comb(card, size) for card in range(CARDS)] for size in range(6)], np.int32)  # sets of lower cards
RENAMINGS = np.array(list(permutations(range(len(SUITS)))), np.int8)  # [24, 4]: the new name of each suit


@cache
def sets(size: int) -> np.ndarray:
    """All sets of so many cards, int8[sets, size], each in rising order: those of lower cards come first, so that the sets of the lowest
    cards are the same whatever the size of the deck."""
    if size == 0:
        return np.zeros((1, 0), np.int8)
    smaller = sets(size - 1)
    by_highest = [smaller[: comb(highest, size - 1)] for highest in range(CARDS)]
    highest = np.repeat(np.arange(CARDS, dtype=np.int8), [len(each) for each in by_highest])
    return np.column_stack([np.concatenate(by_highest), highest])


def number(cards: Array) -> Array:
    """The number of a set among `sets` of its size, int32[...]; cards, int[size, ...], in any order."""
    cards = cards.astype(jnp.int32)
    lower = (cards[:, None] > cards).sum(axis=1)
    return jnp.asarray(CHOICES)[lower + 1, cards].sum(axis=0)


def renamed(cards: Any, renaming: Any) -> Any:
    """Cards, int[...], with the suits' names changed by one of `RENAMINGS`, int8[4]."""
    return (cards & ~3) | renaming[cards & 3]


HOLDINGS = sets(2)  # int8[1326, 2]


def renamed_holdings() -> np.ndarray:
    """The number of each holding after each renaming, int16[24, 1326]."""
    new = [renamed(HOLDINGS.T, each) for each in RENAMINGS]
    return np.stack([np.asarray(number(jnp.asarray(cards))) for cards in new]).astype(np.int16)


def alike(size: int) -> tuple[np.ndarray, np.ndarray]:
    """One board for all that differ by the names of suits alone, int8[boards, size]; and for every set of so many cards by number, int32:
    24 times the number of the board that it is like, and the number of a renaming that makes it that board."""
    every = sets(size)
    ranks = np.stack(
        [((every & 3 == suit) * (1 << (every >> 2).astype(np.int64))).sum(axis=1) for suit in range(4)], axis=1
    )
    order = np.argsort(-ranks, axis=1, kind="stable")  # suits by their cards
    key = (np.take_along_axis(ranks, order, axis=1) << len(RANKS) * np.arange(4)).sum(axis=1)
    _, first, board = np.unique(key, return_index=True, return_inverse=True)
    new_names = np.argsort(order, axis=1) @ 4 ** np.arange(4)
    by_name = np.zeros(4**4, np.int64)
    by_name[RENAMINGS @ 4 ** np.arange(4)] = np.arange(len(RENAMINGS))
    renaming = by_name[new_names]
    boards = [renamed(every[index], RENAMINGS[renaming[index]]) for index in first]
    return np.stack(boards), (board * len(RENAMINGS) + renaming).astype(np.int32)
