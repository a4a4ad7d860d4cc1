"""Limit Hold'em at a keyboard: bets by their words or first letters, whichever of two words for one thing is typed."""

from __future__ import annotations

import numpy as np

from feint.errors import UserError
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.games.holdem.view import View
from feint.keyboard import Keyboard, unclear
from feint.words import listed

WORDS = {FOLD: ("f", "fold"), CALL: ("c", "call", "k", "check"), RAISE: ("r", "raise", "b", "bet")}
TYPING = """\
Answer with a word or its first letter: f folds, c or k checks or calls, b or r bets or raises. How much is always the same and need not \
be typed. i tells all betting of the hand, and hint also what it costs to stay in and how often that must pay."""


class HoldemKeyboard(Keyboard):
    """A call is a check where there is nothing to pay, and a raise a bet where nobody has bet."""

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        word = typed.lower().split()[0] if typed.split() else ""
        meant = [action for action, words in WORDS.items() if word in words]
        if not meant:
            labels = [choice.label for choice in self.narration.choices(view, legal)]
            raise UserError(unclear(typed, f"type {listed(labels, 'or')}, or the first letter."))
        if not legal[meant[0]]:
            refused = {
                FOLD: "There is nothing to pay: check instead of folding.",
                RAISE: f"There have been {view.raises} bets and raises, which is the most in this round: call or fold.",
            }
            raise UserError(refused[meant[0]])
        return meant

    def typing(self) -> str:
        return TYPING
