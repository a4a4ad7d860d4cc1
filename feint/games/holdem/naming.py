"""Cards as they look, and hands by their names."""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
from jax import Array

from feint.games.holdem.cards import HIDDEN
from feint.games.holdem.evaluator import (
    BITS,
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
)

SIGNS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = "♣♦♥♠"
RANKS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")

_evaluate = jax.jit(evaluate)


def face(card: int) -> str:
    """A card as it looks: its rank and its suit."""
    return SIGNS[card >> 2] + SUITS[card & 3]


def faces(cards: Iterable[int] | Array) -> str:
    """Cards in the order they are given; those that are hidden are left out."""
    return " ".join(face(int(card)) for card in cards if card >= 0)


def strength(cards: Iterable[int]) -> int:
    """What up to seven cards are worth; those that are hidden count for nothing."""
    seven = [*(int(card) for card in cards), *[HIDDEN] * 7][:7]
    return int(_evaluate(jnp.asarray(seven)))


def named(strength: int, whole: bool = False) -> str:
    """What a hand is called: "two pair, kings and fours"; `whole` adds the cards that count beside what gives it the name."""
    kind, ranks, beside = strength >> 2 * BITS, _ranks(strength >> BITS), _ranks(strength)
    if kind in (STRAIGHT, STRAIGHT_FLUSH):  # the rank is that of the lowest card, the ace's being 0
        top = ranks[0] + 3
        if top == len(RANKS) - 1 and kind == STRAIGHT_FLUSH:
            return "a royal flush"
        return f"a {'straight flush' if kind == STRAIGHT_FLUSH else 'straight'}, {RANKS[top]} high"
    if kind in (HIGH_CARD, FLUSH):
        first, *beside = beside if kind == HIGH_CARD else ranks
        name = f"{'a flush, ' if kind == FLUSH else ''}{RANKS[first]} high"
    else:
        name = {
            PAIR: "a pair of {0}",
            TWO_PAIR: "two pair, {0} and {1}",
            THREE_OF_A_KIND: "three {0}",
            FULL_HOUSE: "a full house, {0} and {1}",
            FOUR_OF_A_KIND: "four {0}",
        }[kind].format(*map(_plural, [*ranks, *beside]))
    counts = whole and beside and kind != FULL_HOUSE
    return f"{name} with {' '.join(SIGNS[rank] for rank in beside)}" if counts else name


def _ranks(bits: int) -> list[int]:
    """The ranks of a set, the highest first."""
    return [rank for rank in reversed(range(BITS)) if bits >> rank & 1]


def _plural(rank: int) -> str:
    return RANKS[rank] + ("es" if RANKS[rank] == "six" else "s")
