"""Bidding Elimination at a keyboard: a bid is typed as its number of coins."""

from __future__ import annotations

import numpy as np

from feint.errors import UserError
from feint.games.bidding.view import View
from feint.keyboard import Keyboard


class BiddingKeyboard(Keyboard):
    """Numbers are coins, not places in a list of choices."""

    def ask(self, view: View, legal: np.ndarray) -> str:
        bids = np.flatnonzero(legal)
        if len(bids) == 1:
            return f"You can only bid {int(bids[0])}: "
        return f"Your bid, {bids[0]} to {bids[-1]}: "

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        bids, said = np.flatnonzero(legal), typed.strip()
        if len(bids) == 1 and not said:
            return [int(bids[0])]
        if not said.isdecimal() or len(said) > 9 or int(said) not in bids:
            choices = f"{bids[0]} to {bids[-1]}" if len(bids) > 1 else f"{bids[0]}"
            raise UserError(f"{said!r} is no bid you can make: type a whole number of coins, {choices}.")
        return [int(said)]

    def help(self) -> str:
        return f"{self.narration.rules()}\n\nType the number of coins to bid."
