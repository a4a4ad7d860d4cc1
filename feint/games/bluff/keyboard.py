"""Bluff at a keyboard: cards are typed as they are shown, by their ranks or by their numbers, and shown back before they are laid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from feint.errors import UserError
from feint.games.bluff.rules import Rules
from feint.games.bluff.view import View
from feint.games.bluff.words import RANKS, SIGNS, SUITS, BluffNarration, Card, cards, claim, held, plural
from feint.keyboard import Keyboard

TYPING = """\
To lay cards, type them as they are shown, A♠ or As, or only their ranks: 3 7 K, AA for two aces, T for a ten, a capital Q for a \
queen. Or type their numbers with commas, 1,2, or #5 for one card. They are shown back: Enter lays them, u takes them back. Suits do \
not matter in this game: of a rank, the card that has been longest in your hand is laid first.
When you are asked whether you call bluff, y or call does, and n, pass or Enter lets the cards stay."""
CALLS = ("y", "yes", "c", "call", "b", "bluff", "call bluff")
TRUSTS = ("", "n", "no", "p", "pass", "let it pass", "t", "trust")
CARD = re.compile(r"(10|[2-9tjqka])([♠♥♦♣shdc]?)")
ANY_SUIT = ""
Named = tuple[int, str]  # a rank, and a suit where one was typed


class BluffKeyboard(Keyboard):
    """A whole play in one line, a call by y or n."""

    stops: ClassVar[tuple[str, ...]] = ("q",)  # a capital Q is a queen
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
        hand = held(view.hand)
        named = self._named(hand, typed)
        count = len(named) + int(view.picked.sum())
        if count == 0:
            raise UserError("Nobody may pass: type at least one card; ? shows how.")
        if count > view.most:
            raise UserError(f"That is {cards(count)}, and at most {view.most} may be laid in one turn.")
        self._check_held(hand, named, typed)
        return [*sorted((rank - int(view.due)) % view.ranks for rank, _ in named), self.game.lay]

    def _answer(self, typed: str) -> int:
        answer = " ".join(typed.lower().split())
        if answer in CALLS:
            return self.game.call
        if answer in TRUSTS:
            return self.game.trust
        raise UserError(f"{typed.strip()!r} is not an answer: type y to call bluff, n or only Enter to let it pass.")

    def _named(self, hand: list[Card], typed: str) -> list[Named]:
        """The cards that were typed: as they are shown, by rank or by number."""
        words = typed.lower().replace(",", " ").split()
        bare = all(word.isdecimal() for word in words)
        by_number = bare and ("," in typed or any(self._cards(word) is None for word in words))
        numbers = [word.removeprefix("#") for word in words if by_number or word.startswith("#")]
        if len(set(numbers)) < len(numbers):
            raise UserError(f"{typed.strip()!r} names a card twice: each number stands for one card.")
        named: list[Named] = []
        for word in words:
            if by_number or word.startswith("#"):
                named.append((_numbered_rank(hand, word.removeprefix("#")), ANY_SUIT))
            elif (read := self._cards(word)) is None:
                raise UserError(
                    f"{word!r} is not a card: type cards as they are shown, such as A♠ or As, by rank, A 2 "
                    f"{SIGNS[self.game.ranks - 1]}, or by number, 1,2 or #5."
                )
            else:
                named += read
        return named

    def _cards(self, word: str) -> list[Named] | None:
        """The cards that a word in lower case names, such as as, aa or aces; None where it names none."""
        by_name = {name: rank for rank in range(self.game.ranks) for name in (RANKS[rank], plural(rank).lower())}
        if word in by_name:
            return [(by_name[word], ANY_SUIT)]
        if not re.fullmatch(f"({CARD.pattern})+", word):
            return None
        read = [(SIGNS.index(_sign(rank)), _suit(suit)) for rank, suit in CARD.findall(word)]
        suits = SUITS[: self.game.suits]
        return read if all(rank < self.game.ranks and suit in suits for rank, suit in read) else None

    def _check_held(self, hand: list[Card], named: list[Named], typed: str) -> None:
        of_rank = Counter(rank for rank, _ in hand)
        of_face = Counter(map(self.narration.face, hand))
        for rank, wanted in Counter(rank for rank, _ in named).items():
            if not of_rank[rank]:
                numbers = (
                    " To lay cards by their numbers, put commas between them, or #."
                    if typed.replace(" ", "").isdecimal()
                    else ""
                )
                raise UserError(f"You hold no {plural(rank)}.{numbers}")
            if wanted > of_rank[rank]:
                raise UserError(f"You hold {claim(of_rank[rank], rank)}, not {wanted}.")
        for (rank, suit), wanted in Counter(each for each in named if each[1] != ANY_SUIT).items():
            if wanted > of_face[face := SIGNS[rank] + suit]:
                raise UserError(f"You do not hold {face}." if not of_face[face] else f"You hold only one {face}.")

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

    def typing(self) -> str:
        return TYPING


def _sign(typed: str) -> str:
    return "10" if typed == "t" else typed.upper()


def _suit(typed: str) -> str:
    """A suit's sign, from that or its letter."""
    return dict(zip("shdc", SUITS, strict=True)).get(typed, typed)


def _numbered_rank(hand: list[Card], number: str) -> int:
    if not number.isdecimal():
        raise UserError(f"{'#' + number!r} is not the number of a card: write a number after #, such as #5.")
    if len(number) > 9 or not 1 <= int(number) <= len(hand):
        raise UserError(f"There is no card number {number}: your cards go from 1 to {len(hand)}.")
    return hand[int(number) - 1][0]
