"""Bluff at a keyboard: cards are typed by their ranks or their numbers, and shown back before they are laid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from feint.errors import UserError
from feint.games.bluff.rules import Rules
from feint.games.bluff.view import View
from feint.games.bluff.words import SIGNS, BluffNarration, Card, cards, claim, held, plural
from feint.keyboard import Keyboard

TYPING = """\
To lay cards, type their ranks, 3 7 K (10 or T for a ten, a capital Q for a queen), or their numbers with commas, 1,2 (one \
card: 5, or #5). They are shown back: Enter lays them, u takes them back. Suits do not matter: of a rank, the card longest in \
your hand goes first.
When you are asked, y calls bluff; n or Enter lets it pass."""


class BluffKeyboard(Keyboard):
    """A whole play in one line, a call by y or n."""

    narration: BluffNarration
    game: Rules

    def show(self, view: View) -> str:
        if view.asked > 0:
            return self.narration.show(view)
        hand = held(view.hand)
        return f"{self.narration.due(view)}\nYour {cards(len(hand))}:\n{self._numbered(hand)}"

    def _numbered(self, hand: list[Card]) -> str:
        """Cards in rows, each under its number."""
        a_row = max(1, self.width // 4)
        rows = []
        for start in range(0, len(hand), a_row):
            row = hand[start : start + a_row]
            rows.append("".join(f"{number:>4}" for number in range(start + 1, start + 1 + len(row))))
            rows.append("".join(f"{self.narration.face(card):>4}" for card in row))
        return "\n".join(rows)

    def ask(self, view: View, legal: np.ndarray) -> str:
        return "Call bluff? [y/N] " if view.asked > 0 else f"Lay {self.narration.most_laid(view)}: "

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        if view.asked > 0:
            return [self._answer(typed)]
        ranks = self._ranks(held(view.hand), typed)
        count = len(ranks) + int(view.picked.sum())
        if count == 0:
            raise UserError("Nobody may pass: type at least one card; ? shows how.")
        if count > view.most:
            raise UserError(f"That is {cards(count)}, and at most {view.most} are laid in one turn.")
        holds = Counter(rank for rank, _ in held(view.hand))
        for rank, wanted in Counter(ranks).items():
            if not holds[rank]:
                raise UserError(f"You hold no {plural(rank)}.")
            if wanted > holds[rank]:
                raise UserError(f"You hold {claim(holds[rank], rank)}, not {wanted}.")
        return [*sorted((rank - int(view.due)) % view.ranks for rank in ranks), self.game.lay]

    def _answer(self, typed: str) -> int:
        answer = typed.strip().lower()
        if answer in ("y", "yes", "call", "bluff", "call bluff"):
            return self.game.call
        if answer in ("", "n", "no", "pass", "let it pass"):
            return self.game.trust
        raise UserError(f"{typed.strip()!r} is no answer: y calls bluff, n or Enter lets it pass.")

    def _ranks(self, hand: list[Card], typed: str) -> list[int]:
        """The ranks of the cards that were typed, by rank or by number."""
        words = typed.replace(",", " ").split()
        numbers = [word for word in words if "," in typed or word.startswith("#")]
        if len({word.removeprefix("#") for word in numbers}) < len(numbers):
            raise UserError(f"{typed.strip()!r} names a card twice: each number stands for one card.")
        return [_numbered_rank(hand, word) if word in numbers else self._named_rank(word) for word in words]

    def _named_rank(self, word: str) -> int:
        sign = "10" if word.upper() == "T" else word.upper()
        if sign not in SIGNS[: self.game.ranks]:
            last = SIGNS[self.game.ranks - 1]
            raise UserError(
                f"{word!r} is no rank: type ranks from A to {last}, such as A 2 {last}, or numbers, 1,2 or #5."
            )
        return SIGNS.index(sign)

    def confirm(self, view: View, actions: Sequence[int]) -> str:
        if actions[-1] != self.game.lay:
            return ""
        # Of each rank, the card longest in the hand goes first.
        hand = sorted(held(view.hand), key=lambda card: view.stamp[card[1], card[0]])
        chosen = held(view.picked)
        for action in actions[:-1]:
            rank = (int(view.due) + action) % view.ranks
            chosen.append(next(card for card in hand if card[0] == rank and card not in chosen))
        claimed = claim(len(chosen), int(view.due))
        return f"You will lay {self.narration.faces(chosen)} as {claimed}. Enter to lay, u to take back: "

    def help(self) -> str:
        return f"{self.narration.rules()}\n\n{TYPING}"


def _numbered_rank(hand: list[Card], word: str) -> int:
    number = word.removeprefix("#")
    if not number.isdecimal():
        raise UserError(f"With commas or # a card goes by its number, and {word!r} is none; ranks have spaces: 3 7 K.")
    if len(number) > 9 or not 1 <= int(number) <= len(hand):
        raise UserError(f"There is no card number {number}: your cards go from 1 to {len(hand)}.")
    return hand[int(number) - 1][0]
