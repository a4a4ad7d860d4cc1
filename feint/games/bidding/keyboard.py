"""Bidding Elimination at a keyboard: a bid is typed as its number of coins."""

from __future__ import annotations

import re

import numpy as np

from feint.errors import UserError
from feint.games.bidding.view import View
from feint.keyboard import Keyboard

BID = re.compile(r"(?:bid )?(\d{1,9})(?: coins?)?")
NOTHING, ALL = ("nothing", "none", "bid nothing"), ("a", "all", "bid all")


class BiddingKeyboard(Keyboard):
    """Numbers are coins, not places in a list of choices."""

    def ask(self, view: View, legal: np.ndarray) -> str:
        bids = np.flatnonzero(legal)
        if len(bids) == 1:
            return f"You can only bid {int(bids[0])}, Enter does: "
        return f"Your bid, {bids[0]} to {bids[-1]}: "

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        bids, said = np.flatnonzero(legal), " ".join(typed.lower().split())
        if said in ALL or (len(bids) == 1 and not said):
            return [int(bids[-1])]
        read = BID.fullmatch("0" if said in NOTHING else said)
        if not read or int(read[1]) not in bids:
            choices = f"{bids[0]} to {bids[-1]}" if len(bids) > 1 else f"{bids[0]}"
            raise UserError(
                f"{typed.strip()!r} is not a bid that you can make: type a whole number of coins, {choices}."
            )
        return [int(read[1])]

    def typing(self) -> str:
        return "Type how many coins to bid, or all."
