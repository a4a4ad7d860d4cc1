"""A table of Limit Hold'em: its actions, its chance, and everything about a hand in play."""

from __future__ import annotations

from jax import Array

from feint import game
from feint.game import pytree

FOLD, CALL, RAISE = 0, 1, 2  # a call with nothing to pay is a check, a raise with nothing to pay a bet


@pytree
class Deal:
    hole: Array  # int8[players, 2]: everybody's own cards
    board: Array  # int8[board]: the cards that will lie open, in order


@pytree
class State(game.State):
    hole: Array  # int8[players, 2]
    board: Array  # int8[board], those still to be turned up among them
    strength: Array  # int32[players]: what everybody's cards are worth with the whole board
    paid: Array  # int32[players]: chips in the pot
    folded: Array  # bool[players]
    round: Array  # int32
    raises: Array  # int32: in this round
    waiting: Array  # int32: how many have yet to act in this round unless somebody raises
    moves: Array  # int32: in this round
    history: Array  # int8[rounds, moves of a round]: every action, NONE for those to come
    actors: Array  # int8[rounds, moves of a round]: whose it was, NONE for those to come
