"""EHS looked up: how likely two cards win against a random hand, exactly, for every board of no, three or four cards.

The river is enumerated wherever it is needed. All else is added up once from all 134,459 rivers that differ by more than the names of suits, in
half a minute or so, and kept in the user's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from scipy.stats import rankdata

from feint import lookup
from feint.games.holdem.boards import HOLDINGS, RENAMINGS, alike, number, renamed, renamed_holdings
from feint.games.holdem.cards import CARDS, masks
from feint.games.holdem.evaluator import strength
from feint.games.holdem.strength import apart, hand_strength

ONE = 65_535  # a sure win, as it is kept
BATCH_SIZE = 256  # boards
RIVERS, TURNS = 0.8, 0.97  # the share of the work that is done when these are
KEPT = {3: "flop", 4: "turn"}  # boards by the number of their cards
FEWEST = 8  # boards of many that are enumerated at once, at the least
OTHERS = 990  # hands that an opponent can have on the river
SHARING = np.stack(
    [np.flatnonzero(np.equal(HOLDINGS, card).any(axis=1)) for card in range(CARDS)]
)  # int[52, 51]: holdings of each card
BEYOND = 2**31 - 1  # stronger than any hand


class Equities(lookup.Tables):
    """`preflop`, uint16[1326], `flop`, uint16[1755, 1326], `turn`, uint16[16432, 1326], and of every flop and turn which of them it is
    like, as `alike` has it, `flops`, int32[22100], and `turns`, int32[270725]."""

    name: ClassVar[str] = "holdem"
    version: ClassVar[int] = 1
    tables_name: ClassVar[str] = "equities"

    def build(self, progress: Callable[[float], None]) -> dict[str, np.ndarray]:
        return build(progress)

    def ehs(self, cards: Array, board: Array) -> Array:
        """Of two cards, int8[2], and a board of which some are seen, int8[cards], float32."""
        seen = (board >= 0).sum()
        kept = (0, *KEPT) if len(board) == 5 else (0,)
        found = _enumerated(cards, board, (seen != jnp.asarray(kept)).all())
        for number_seen in kept:
            found = jnp.where(seen == number_seen, self.when(cards, board, number_seen), found)
        return found

    def when(self, cards: Array, board: Array, seen: int) -> Array:
        """The same when so many cards of a board were seen. Of boards that are not turned up by three, one and one, HS must do."""
        if seen == 0:
            return self.tables["preflop"][number(cards)] / jnp.float32(ONE)
        if len(board) == 5 and seen in KEPT:
            name = KEPT[seen]
            return _found(self.tables[name], self.tables[f"{name}s"], cards, board[:seen]) / jnp.float32(ONE)
        return hand_strength(cards, board[:seen])


class KnownEquities(Equities):
    """EHS of every holding on one board, worked out for all at once; `own`, float32[1326], beside the tables."""

    @classmethod
    def of(cls, equities: Equities, board: Array) -> KnownEquities:
        """For a board of five of which none, three, four or all are seen."""
        seen, holdings = (board >= 0).sum(), jnp.asarray(HOLDINGS)
        found = _on_river(board)
        for count in (0, *KEPT):
            of_count = jax.vmap(lambda cards: equities.when(cards, board, count))(holdings)  # noqa: B023
            found = jnp.where(seen == count, of_count, found)
        return cls({**equities.tables, "own": found})

    def ehs(self, cards: Array, board: Array) -> Array:
        return self.tables["own"][number(cards)]


def _on_river(board: Array) -> Array:
    """HS of every holding on a whole board, float32[1326]; anything where they share a card. Whom each beats is counted among all, less
    those who share a card with it."""
    hands = masks(jnp.asarray(HOLDINGS).T)
    worth = jnp.where(apart(hands, masks(board)), strength(hands | masks(board)[:, None]), BEYOND)
    order = jnp.sort(worth)
    of_all = jnp.searchsorted(order, worth) + jnp.searchsorted(order, worth, side="right")
    sharing = worth[jnp.asarray(SHARING)][jnp.asarray(HOLDINGS)]  # int32[1326, 2, 51]
    own = worth[:, None, None]
    of_sharing = ((own > sharing).astype(jnp.int32) + (own >= sharing)).sum(axis=(1, 2))
    return (of_all - of_sharing + 1) / (2 * OTHERS)  # itself shares both its cards


def _found(equities: Array, places: Array, cards: Array, board: Array) -> Array:
    """What a table has for two cards and a board; anything where cards of it are hidden."""
    place = places[number(jnp.maximum(board, 0))]
    renaming = jnp.asarray(RENAMINGS)[place % len(RENAMINGS)]
    return equities[place // len(RENAMINGS), number(renamed(cards, renaming))]


@jax.custom_batching.custom_vmap
def _enumerated(cards: Array, board: Array, needed: Array) -> Array:  # noqa: ARG001 (only where there are many)
    """HS where it is needed. Of many on a CPU, it takes no longer than for those: on most boards the tables know."""
    return hand_strength(cards, board)


@_enumerated.def_vmap
def _some_enumerated(size: int, batched: list[bool], cards: Array, board: Array, needed: Array) -> tuple[Array, bool]:
    some = -(-size // 4)
    if not all(batched) or some < FEWEST or jax.default_backend() != "cpu":
        axes = [0 if each else None for each in batched[:2]]
        return jax.vmap(hand_strength, axes, axis_size=size)(cards, board), True

    def go_on(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        left, found = carry
        at = jnp.nonzero(left, size=some, fill_value=size)[0]
        strengths = jax.vmap(hand_strength)(cards.at[at].get(mode="clip"), board.at[at].get(mode="clip"))
        return left.at[at].set(False, mode="drop"), found.at[at].set(strengths, mode="drop")

    _, found = jax.lax.while_loop(lambda carry: carry[0].any(), go_on, (needed, jnp.zeros(size)))
    return found, True


# ---- how they are made


def build(progress: Callable[[float], None]) -> dict[str, np.ndarray]:
    """All tables; until they are rounded at the end they are whole numbers: twice the wins and the ties once, of all that can come."""
    boards, rivers = alike(5)
    river = np.empty((len(boards), len(HOLDINGS)), np.uint16)
    for begin in range(0, len(boards), BATCH_SIZE):
        river[begin : begin + BATCH_SIZE] = river_counts(boards[begin : begin + BATCH_SIZE])
        progress(RIVERS * begin / len(boards))
    boards, turns = alike(4)
    turn = before(river, rivers, boards, lambda share: progress(RIVERS + (TURNS - RIVERS) * share))
    boards, flops = alike(3)
    flop = before(turn, turns, boards, lambda share: progress(TURNS + (1 - TURNS) * share))
    holdings = renamed_holdings()
    preflop = sum(flop[place // len(RENAMINGS), holdings[place % len(RENAMINGS)]].astype(np.int64) for place in flops)
    return {
        "preflop": _rounded(preflop, 2 * OTHERS * 46 * 47 * comb(50, 3)),
        "flop": _rounded(flop, 2 * OTHERS * 46 * 47),
        "turn": _rounded(turn, 2 * OTHERS * 46),
        "flops": flops,
        "turns": turns,
    }


def _rounded(counts: np.ndarray, most: int) -> np.ndarray:
    return np.rint(counts * (ONE / most)).astype(np.uint16)


def before(after: np.ndarray, places: np.ndarray, boards: np.ndarray, progress: Callable[[float], None]) -> np.ndarray:
    """The counts of boards, int32[boards, 1326], from those of boards with one card more: the sum over all cards that can come."""
    holdings, counts = renamed_holdings(), np.empty((len(boards), len(HOLDINGS)), np.int32)
    cards = np.stack([np.setdiff1d(np.arange(CARDS, dtype=np.int8), board) for board in boards])  # [boards, cards]
    seen = np.broadcast_to(boards.T[:, :, None], (boards.shape[1], *cards.shape))
    found, renamings = np.divmod(places[_numbers(np.concatenate([seen, cards[None]]))], len(RENAMINGS))
    for row, (place, renaming) in enumerate(zip(found, renamings, strict=True)):
        # Those that are renamed alike are added up first, as they lie in memory, and renamed as one.
        alike_renamed = [(after[place[renaming == each]], holdings[each]) for each in np.unique(renaming)]
        counts[row] = sum(many.sum(axis=0, dtype=np.int32)[new_numbers] for many, new_numbers in alike_renamed)
        if row % BATCH_SIZE == 0:
            progress(row / len(boards))
    return counts


_numbers = jax.jit(number)


def river_counts(boards: np.ndarray) -> np.ndarray:
    """Of rivers, int8[boards, 5]: for each holding twice the hands that it beats and once those that it ties, [boards, 1326]; 0 where it is
    on the board. That is a rank among all holdings, less one among those that have a card of it, which no opponent can have."""
    strengths, with_cards = _river(boards)
    hidden = strengths < 0
    among_all = 2 * rankdata(strengths, axis=1) - 1 - 2 * hidden.sum(axis=1, keepdims=True)
    return np.where(hidden, 0, among_all - with_cards + 1)


# [52, 51]: the holdings with each card; and where among these each holding is, with either of its cards.
WITH_CARD = np.stack([np.flatnonzero((HOLDINGS - card == 0).any(axis=1)) for card in range(CARDS)])
LOWER, HIGHER = HOLDINGS.T.astype(np.int32)
IN_ROWS = (LOWER * (CARDS - 1) + HIGHER - 1, HIGHER * (CARDS - 1) + LOWER)


@jax.jit
def _river(boards: Array) -> tuple[Array, Array]:
    """The strength of each holding, int32[boards, 1326], -1 where it is on the board; and the same counts of those that have a card of it,
    itself included with either card."""
    holdings, board = masks(jnp.asarray(HOLDINGS.T))[:, None], masks(boards.T)[:, :, None]
    hidden = (holdings & board).any(axis=0)
    strengths = jnp.where(hidden, -1, strength(holdings | board))
    rows = strengths[:, WITH_CARD]

    def compared(place: Array, counts: Array) -> Array:
        other = jax.lax.dynamic_slice_in_dim(rows, place, 1, axis=2)
        return counts + jnp.where(other < 0, 0, (other < rows) + (other <= rows).astype(jnp.int32))

    counts = jax.lax.fori_loop(0, CARDS - 1, compared, jnp.zeros(rows.shape, jnp.int32)).reshape(len(boards), -1)
    return strengths, counts[:, IN_ROWS[0]] + counts[:, IN_ROWS[1]]
