"""Bidding Elimination as a whole: the rules with what networks read, what people are told, hidden worlds and whole rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jax import Array

from feint import chance
from feint.game import Rows
from feint.games.bidding.inputs import encode
from feint.games.bidding.keyboard import BiddingKeyboard
from feint.games.bidding.redeal import redeal
from feint.games.bidding.rounds import Rounds
from feint.games.bidding.rules import Rules, State
from feint.games.bidding.view import View
from feint.games.bidding.words import BiddingNarration, describe
from feint.ways import Way


@dataclass(frozen=True)
class Bidding(Rules):
    """Bid in secret, pay whatever you bid; the lowest bidder of each round goes out, and the last one standing wins."""

    speech = BiddingNarration
    keyboard = BiddingKeyboard
    varies = ("players", "coins")
    gallery = (
        "uniform",
        "composition",
        "share",
        "split",
        "fraction",
        "random",
        "adaptive,composition,share",
        "adaptive",
        "zoo:bidding-1",
    )

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return encode(self, view)

    def describe(self, view: View, action: int) -> str:
        return describe(view, action)

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)

    def ways(self, agents: Sequence[Any]) -> Way | None:
        return Rounds(self, tuple(agents))
