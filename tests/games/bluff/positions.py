"""Positions of Bluff written down by hand."""

from dataclasses import replace

import jax
import numpy as np
from jax import Array

from feint import chance
from feint.games.bluff.game import Bluff
from feint.games.bluff.rules import State
from feint.ways import where

RANKS = "A23456789TJQK"
SUITS = "shdc"


def card(name: str) -> int:
    """The number of a card such as "As" or "Td" in the default deck."""
    return SUITS.index(name[1]) * 13 + RANKS.index(name[0])


def position(
    rules: Bluff, hands: list[str], pile: list[tuple[int, str]] = (), turn: int = 0, claim: str = "", asked: int = 0
) -> State:
    """Hands in the order they came ("As Kd ..."), the pile from the bottom as (player, cards), and the claim on the table.

    Cards that are not named are out of play. Nobody has located anything but their own cards.
    """
    place = np.full(rules.cards, rules.out_of_play, np.int8)
    stamp = np.zeros(rules.cards, np.int16)
    player = turn % rules.players
    for seat, hand in enumerate(hands):
        for order, name in enumerate(hand.split()):
            place[card(name)], stamp[card(name)] = seat, order
    laid = 0
    for layer, cards in [*pile, (None, claim)]:
        for name in cards.split():
            place[card(name)] = rules.in_claim if layer is None else rules.players + layer
            stamp[card(name)] = rules.cards + laid
            laid += 1
    seats = np.arange(rules.players, dtype=np.int8)[:, None]
    own = (place == seats) | (place == rules.players + seats) | ((place == rules.in_claim) & (seats == player))
    return _position(
        rules,
        place=place,
        stamp=stamp,
        laid=np.int16(laid if asked else laid - len(claim.split())),
        turn=np.int16(turn),
        asked=np.int8(asked),
        located=np.where(own, seats, -1).astype(np.int8),
        claimed=np.int8([player, turn % rules.ranks, len(claim.split())]),
    )


@jax.jit
def _position(rules: Bluff, claimed: Array, asked: Array, **fields: Array) -> State:
    blank = rules.init(chance.key(0))
    log = where(asked > 0, blank.log.claimed(*claimed), blank.log)
    return rules.ready(replace(blank, log=log, asked=asked, **fields))


def hand(_rules: Bluff, state: State, seat: int) -> str:
    """A hand in the order its cards came."""
    mine = [c for c in np.argsort(np.asarray(state.stamp), kind="stable") if state.place[c] == seat]
    return " ".join(RANKS[c % 13] + SUITS[c // 13] for c in mine)
