"""A table of Okey: its actions, its chance, and everything about a game in play."""

from __future__ import annotations

from jax import Array

from feint import game
from feint.game import pytree
from feint.games.okey.view import Past

DRAW, TAKE, FINISH, FINISH_WITH_JOKER, SHOW, DECLARE, DISCARD = range(7)  # and discards of kind k are DISCARD + k


@pytree
class Deal:
    order: Array  # int8[hands, 106]: the kinds of all tiles of each hand: indicator, 15 of the starter, 14 of each other, the centre


@pytree
class LongDeal(Deal):
    again: (
        Array  # int8[hands, shuffles, centre]: where each discard, sorted by kind, goes when they become a new centre
    )


@pytree
class State(game.State):
    rack: Array  # int8[players, 53]: tiles of each kind
    centre: Array  # int8[centre]: kinds in the order in which they are drawn
    drawn: Array  # int8: how many of them are gone
    indicator: Array  # int8
    log: Array  # int8[cap]: the discard of each turn of this hand, NONE for those to come
    took: Array  # bool[cap]: the turns that began with the discard of the turn before
    lying: Array  # int8[53]: discards on the table
    known: Array  # int8[players, 53]: tiles that everybody knows a player to hold
    shuffles: Array  # int8: how often discards became a new centre
    recycled: Array  # int8[53]: what was in the last of these
    turn: Array  # int16: discards so far
    drawing: Array  # bool
    drew: Array  # int8: the kind with which the player to move has begun its turn, NONE before
    hand: Array  # int8: hands finished
    points: Array  # int16[players]
    declared: Array  # bool[players]
    shown: Array  # int8: who showed the indicator's twin, NONE
    past: Past
    orders: Array  # int8[hands - 1, 106]: how later hands are dealt
    again: Array | None  # int8[hands, shuffles, centre]: see `LongDeal`
