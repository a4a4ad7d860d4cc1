"""Okey as a whole: the rules with what networks read, what people are told and hidden worlds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jax import Array

from feint import chance
from feint.game import ByAction, Rows
from feint.games.okey.inputs import encode
from feint.games.okey.keyboard import OkeyKeyboard
from feint.games.okey.redeal import redeal
from feint.games.okey.rules import Rules
from feint.games.okey.solitaire import Alone
from feint.games.okey.state import State
from feint.games.okey.tiles import HAND, split
from feint.games.okey.view import View
from feint.games.okey.words import OkeyNarration, describe


@dataclass(frozen=True)
class Okey(Rules):
    """Draw and discard until all your tiles are in sets and runs, or in seven pairs; whoever finishes first wins."""

    speech = OkeyNarration
    keyboard = OkeyKeyboard
    varies = ("players",)
    gallery = (
        "random",
        "computer",
        "arranger",
        "exact",
        "greedy",
        "expectation",
        "zoo:okey-1,expectation",
        "zoo:okey-1",
        "zoo:okey-2p-2",
    )

    def encode(self, view: View) -> dict[str, Array | Rows | ByAction]:
        return encode(self, view)

    def describe(self, view: View, action: int) -> str:
        return describe(view, action)

    def shapings(self) -> dict[str, Callable[[View], Array]]:
        """`nearness`: of 14 tiles in melds, the share that is there."""

        def nearness(view: View) -> Array:
            return 1 - self.solver.melds_away(*split(view.rack, view.okey)) / HAND

        return {"nearness": nearness}

    def solitaire(self) -> Alone:
        return Alone(self)

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)
