"""The cards of Hold'em: numbered 0 to 51, rank by rank from the twos up, in each rank clubs, diamonds, hearts and spades."""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
from jax import Array

from feint.errors import UserError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = len(RANKS) * len(SUITS)
HIDDEN = -1  # a card that is not seen


@jax.jit  # by itself, so that it is traced once for as many cards, however often somebody looks at them
def masks(cards: Array) -> Array:
    """Cards, int[cards, ...], as ranks by suit: int32[4, ...] of 13 bits each, the aces highest. Cards that are hidden count for nothing."""
    suits = [jnp.zeros(cards.shape[1:], jnp.int32)] * 4
    for card in cards.astype(
        jnp.int32
    ):  # one after the other: whoever makes the cards is then fused with whoever looks at them
        bit = jnp.where(card < 0, 0, jnp.int32(1) << (card >> 2))
        suits = [ranks | jnp.where(card & 3 == suit, bit, 0) for suit, ranks in enumerate(suits)]
    return jnp.stack(suits)


def written(cards: Iterable[int]) -> str:
    """Cards as files have them: "AsTd"."""
    return "".join(f"{RANKS[int(card) >> 2]}{SUITS[int(card) & 3]}" for card in cards)


def read(text: str) -> list[int]:
    """Cards from such a text."""
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    if not all(len(pair) == 2 and pair[0] in RANKS and pair[1] in SUITS for pair in pairs):
        raise UserError(f"{text!r} cannot be read as cards: write the rank and the suit of each, such as AsTd.")
    return [4 * RANKS.index(pair[0]) + SUITS.index(pair[1]) for pair in pairs]
