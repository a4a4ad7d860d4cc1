"""What a hand is worth, without tables: integers of which the greater wins, for the best five of up to seven cards.

Everything is done to whole sets of ranks, 13 bits for each suit, so that one hand and millions of them take the same few operations. A
strength is, from its highest bits down, the kind of hand, the ranks that make it, and those that count beside them: of two pairs, the
set of their two ranks and that of the fifth card. Such sets compare as numbers just as their cards do from the highest down. Of a straight
the rank is that of its lowest card, from the ace up.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.holdem.cards import masks

(
    HIGH_CARD,
    PAIR,
    TWO_PAIR,
    THREE_OF_A_KIND,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR_OF_A_KIND,
    STRAIGHT_FLUSH,
) = range(9)
BITS = 13  # ranks in a set


def evaluate(cards: Array) -> Array:
    """The strength of a hand of two to seven cards, int[cards, ...], int32[...]; hidden ones count for nothing."""
    return strength(masks(cards))


@jax.jit  # traced once, as `masks` is
def strength(suits: Array) -> Array:
    """The same of ranks by suit, int32[4, ...]."""
    clubs, diamonds, hearts, spades = suits
    two_low, one_low = clubs & diamonds, clubs | diamonds
    two_high, one_high = hearts & spades, hearts | spades
    some = one_low | one_high  # the ranks that are there, twice, three times and four times at least
    twice = two_low | two_high | (one_low & one_high)
    thrice = (two_low & one_high) | (two_high & one_low)
    fours = two_low & two_high

    sizes = [jax.lax.population_count(suit) for suit in (clubs, diamonds, hearts, spades)]
    cards = sizes[0] + sizes[1] + sizes[2] + sizes[3]
    flush, flush_size = jnp.zeros_like(some), jnp.zeros_like(some)
    for suit, size in zip((clubs, diamonds, hearts, spades), sizes, strict=True):
        flush, flush_size = jnp.where(size > 4, suit, flush), jnp.where(size > 4, size, flush_size)

    three = highest(thrice)
    pairs = twice & ~three  # beside three of a kind, what makes a full house
    second = without_lowest(pairs)  # not 0 where there are two pairs
    two = jnp.where(without_lowest(second) != 0, second, pairs)  # the highest two of at most three
    straight, straight_flush = straights(some), straights(flush)

    def hand(kind: Array | int, ranks: Array, beside: Array | int = 0) -> Array:
        return jnp.int32(kind) << 2 * BITS | ranks << BITS | beside

    one_kind = jnp.where(three != 0, THREE_OF_A_KIND, jnp.where(twice != 0, PAIR, HIGH_CARD))
    worth = hand(one_kind, twice, best_of(some & ~twice, cards))
    worth = jnp.where((second != 0) & (three == 0), hand(TWO_PAIR, two, highest(some & ~two)), worth)
    worth = jnp.where(straight != 0, hand(STRAIGHT, highest(straight)), worth)
    worth = jnp.where(flush != 0, hand(FLUSH, best_of(flush, flush_size)), worth)
    worth = jnp.where((three != 0) & (pairs != 0), hand(FULL_HOUSE, three, highest(pairs)), worth)
    worth = jnp.where(fours != 0, hand(FOUR_OF_A_KIND, fours, highest(some & ~fours)), worth)
    return jnp.where(straight_flush != 0, hand(STRAIGHT_FLUSH, highest(straight_flush)), worth)


def kind(strength: Array) -> Array:
    """The kind of hand, HIGH_CARD to STRAIGHT_FLUSH, int32."""
    return strength >> 2 * BITS


def highest(ranks: Array) -> Array:
    """The highest of some ranks alone."""
    for reach in (1, 2, 4, 8):
        ranks = ranks | ranks >> reach
    return ranks ^ ranks >> 1


def without_lowest(ranks: Array) -> Array:
    return ranks & (ranks - 1)


def best_of(ranks: Array, size: Array) -> Array:
    """Ranks less the lowest of them, one for each card of a hand beyond five."""
    ranks = jnp.where(size > 5, without_lowest(ranks), ranks)
    return jnp.where(size > 6, without_lowest(ranks), ranks)


def straights(ranks: Array) -> Array:
    """The lowest cards of all straights among some ranks, the ace counting as the lowest as well: 10 bits, from A2345 up."""
    low = ranks << 1 | ranks >> 12
    pairs = low & low >> 1
    return pairs & pairs >> 2 & low >> 4
