"""Strengths of hands: by kind over all hands there are, in order beside phevaluator's, and on hands known by name."""

from itertools import combinations
from math import comb

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.holdem import cards
from feint.games.holdem.evaluator import (
    FLUSH,
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    TWO_PAIR,
    evaluate,
    kind,
    strength,
)

HANDS = {  # of all seven-card hands, so many are of each kind
    HIGH_CARD: 23_294_460,
    PAIR: 58_627_800,
    TWO_PAIR: 31_433_400,
    THREE_OF_A_KIND: 6_461_620,
    STRAIGHT: 6_180_020,
    FLUSH: 4_047_644,
    FULL_HOUSE: 3_473_184,
    FOUR_OF_A_KIND: 224_848,
    STRAIGHT_FLUSH: 41_584,
}
ROYAL = 4_324
KINDS = len(HANDS)

evaluated = jax.jit(evaluate)


def worth(text: str) -> int:
    """Hidden cards are added up to seven, so that all hands share a program."""
    held = cards.read(text)
    return int(evaluated(jnp.asarray([*held, *[cards.HIDDEN] * (7 - len(held))], jnp.int8)))


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("2c7d9hJsKc", HIGH_CARD),
        ("2c2d9hJsKc", PAIR),
        ("2c2d9h9sKc", TWO_PAIR),
        ("2c2d2h9sKc", THREE_OF_A_KIND),
        ("Ac2d3h4s5c", STRAIGHT),
        ("TcJdQhKsAc", STRAIGHT),
        ("2c5c9cJcKc", FLUSH),
        ("2c2d2h9s9c", FULL_HOUSE),
        ("2c2d2h9s9c9d", FULL_HOUSE),
        ("2c2d2h2s9c", FOUR_OF_A_KIND),
        ("As2s3s4s5s", STRAIGHT_FLUSH),
        ("QsKsAs2s3s", FLUSH),  # a straight does not go round the corner
        ("2c3d4h5s7c8d9h", HIGH_CARD),
        ("Ks2s3s4s5s6d", FLUSH),  # the straight is of another card than the flush
        ("AsKd", HIGH_CARD),
        ("AsAd", PAIR),
        ("AsAdKsKd", TWO_PAIR),
    ],
)
def test_kinds(hand, expected):
    assert kind(worth(hand)) == expected


@pytest.mark.parametrize(
    "better_to_worse",
    [
        ["AsAdKcKd9h", "AsAdQcQdKh", "KsKdQcQdAh"],
        ["AsAdKcKdQhQs2c", "AsAdKcKdJh"],  # the third pair is one card beside two
        ["AsAdAhKsKd", "AsAdAhQsQd", "KsKdKhAsAd"],
        ["6c5d4h3s2c", "5d4h3s2cAc"],
        ["AsAd9h8s7c3d2d", "AsAd9h8s6c5d4d", "KsKdAh8s6c5d4d"],
        ["2s2d2h2cKs", "2s2d2h2cQs"],
        ["As9s8s7s5s", "As9s8s7s4s", "Ks9s8s7s5s"],
    ],
)
def test_within_a_kind_the_higher_cards_win(better_to_worse):
    worths = [worth(hand) for hand in better_to_worse]
    assert worths == sorted(set(worths), reverse=True)


def test_cards_that_do_not_count_change_nothing():
    assert worth("AsAdKcKdQhQs2c") == worth("AsAdKcKdQh")
    assert worth("As9s8s7s5s4s2d") == worth("As9s8s7s5s")
    assert worth("2c2d2h9s9cAdKd") == worth("2c2d2h9s9c")
    assert worth("AsKdQh9c7d3c2c") == worth("AsKdQh9c7d")


def at_random(hands: int, size: int, seed: int) -> np.ndarray:
    """Hands of so many cards, int8[size, hands]."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.int8), (hands, 1)), axis=1)[:, :size].T


def same_order(hands: np.ndarray) -> bool:
    """Whether phevaluator, whose best hand is 1, has the same order, equal hands included."""
    peer = pytest.importorskip("phevaluator")
    theirs = [-peer.evaluate_cards(*hand) for hand in hands.T.tolist()]
    full = np.full((7, hands.shape[1]), cards.HIDDEN, np.int8)
    full[: len(hands)] = hands
    ours = np.asarray(evaluated(full))
    (_, our_place), (_, their_place) = (np.unique(each, return_inverse=True) for each in (ours, theirs))
    return np.array_equal(our_place, their_place)


@pytest.mark.parametrize("size", [5, 6, 7])
def test_the_order_is_phevaluators(size):
    assert same_order(at_random(4000, size, seed=size))


@pytest.mark.slow
def test_the_order_of_a_million_hands_is_phevaluators():
    assert same_order(at_random(1_000_000, 7, seed=0))


@jax.jit
def counted(low, high, lows, highs):
    """How many hands of each kind, and how many royal flushes, the first so many of `low` make with the first so many of `high`."""
    worth = strength(low[:, :, None] | high[:, None, :])
    there = (jnp.arange(low.shape[1]) < lows)[:, None] & (jnp.arange(high.shape[1]) < highs)
    kinds = [(there & (kind(worth) == each)).sum() for each in range(KINDS)]
    best = evaluate(jnp.asarray(cards.read("TsJsQsKsAs")))
    return jnp.stack([*kinds, (there & (worth == best)).sum()])


def sets_of(size: int) -> tuple[np.ndarray, np.ndarray]:
    """All sets of so many cards as ranks by suit, int32[4, sets], and their cards in rising order, int[sets, size]."""
    every = np.array(list(combinations(range(52), size)), np.int8)
    return np.asarray(cards.masks(jnp.asarray(every.T))), every


@pytest.mark.slow
def test_every_hand_of_seven_cards_is_of_its_kind():
    """Every hand is its three lowest cards and its four highest."""
    (low, lowest), (high, highest) = sets_of(3), sets_of(4)
    counts, rows, columns = np.zeros(KINDS + 1, np.int64), 64, 16_384
    for middle in range(52):
        below, above = low[:, lowest[:, -1] == middle], high[:, highest[:, 0] > middle]
        for row in range(0, below.shape[1], rows):
            for column in range(0, above.shape[1], columns):
                ours, theirs = below[:, row : row + rows], above[:, column : column + columns]
                padded = [
                    np.pad(part, ((0, 0), (0, size - part.shape[1])))
                    for part, size in ((ours, rows), (theirs, columns))
                ]
                counts += np.asarray(counted(*padded, ours.shape[1], theirs.shape[1]))
    assert counts[:KINDS].sum() == comb(52, 7)
    assert dict(enumerate(counts[:KINDS].tolist())) == HANDS
    assert counts[KINDS] == ROYAL
