"""Liar's Dice in a person's words, and at a keyboard. Its rules import these words, which take the rules as they come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import comb
from typing import Any, ClassVar

import numpy as np

from feint.errors import UserError
from feint.keyboard import Keyboard
from feint.words import Choice, Move, Narration, counted

FACES = ("one", "two", "three", "four", "five", "six")

RULES = """\
The throw: everybody throws {dice} under a cup and looks at {them} alone.
Bidding: the first seat begins, and turns go round the table. A bid says that at least so many dice under all the cups together show a \
face, such as two threes. Each bid must be higher than the one before: more dice, or as many of a higher face. {wild} is wild: it \
counts as any face.
The end: instead of bidding, you may call the last bidder a liar. All cups are lifted. If there are as many dice as were bid, or \
more, the caller loses; if there are fewer, the bidder does. The loser pays 1, which the others share."""

TYPING = """\
To bid, type how many dice and which face: 2 3, 2x3 or two threes. To call the last bidder a liar, type liar, or only l."""

BID = re.compile(rf"(?:bid )?(\d{{1,9}}|{'|'.join(FACES)}) ?[x*,]? ?(\d|{'|'.join(FACES)})(?:s|es)?")
CALLS = ("l", "liar", "c", "call", "call liar")


class LiarsDiceNarration(Narration):
    """Bids as their count and their face."""

    title: ClassVar[str] = "Liar's Dice"
    signs: ClassVar[dict[str, str]] = {"×": "x"}
    game: Any  # LiarsDice

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        if action != self.game.liar:
            return f"{self.does(player, 'bid')} {self._bid(action)}."
        return f"{self.does(player, 'call')} {self.name((player - 1) % self.game.players, begins=False)} a liar."

    def end(self, view: Any, rewards: np.ndarray) -> str:
        return f"{self._lifted(view, view.shown, rewards)} {super().end(view, rewards)}"

    def _lifted(self, view: Any, shown: np.ndarray, rewards: np.ndarray) -> str:
        """What was under the cups."""
        cups = [f"{self.name(seat, begins=False)} {self._dice(dice)}" for seat, dice in enumerate(shown)]
        cups[0] = f"{self.does(0, 'show')} {self._dice(shown[0])}"
        bid = int(np.flatnonzero(view.bids)[-1])
        count = self._count(shown.sum(axis=0), bid)
        counts = "1 die counts" if count == 1 else f"{count or 'no'} dice count"
        verdict = "it was too high" if self._too_high(shown.sum(axis=0), bid) else "it holds"
        loses = self.does(int(np.argmin(rewards)), "lose", begins=False)
        return f"{', '.join(cups)}. {self._bid(bid)} was bid and {counts}: {verdict}, and {loses}."

    def rules(self) -> str:
        dice = "one die" if self.game.dice == 1 else f"{self.game.dice} dice"
        return RULES.format(
            dice=dice, them="it" if self.game.dice == 1 else "them", wild=FACES[self.game.sides - 1].title()
        )

    def show(self, view: Any) -> str:
        said = np.flatnonzero(view.bids)
        last = f"The last bid is {self._bid(int(said[-1]))}." if len(said) else "Nobody has bid yet."
        public = f"{last} {self.game.sides} counts as any face."
        return public if view.seat < 0 else f"Your dice: {self._dice(view.hand)}. {public}"

    def question(self, view: Any, legal: np.ndarray) -> str:
        if not legal[self.game.liar]:
            return "It is your turn: bid."
        call = self._choice(view, self.game.liar).label
        return (
            f"It is your turn: bid higher, or {call}." if legal.sum() > 1 else f"It is your turn: you can only {call}."
        )

    def choices(self, view: Any, legal: np.ndarray) -> list[Choice]:
        return [self._choice(view, int(action)) for action in np.flatnonzero(legal)]

    def _choice(self, view: Any, action: int) -> Choice:
        if action == self.game.liar:
            bidder = (int(view.moves) - 1) % self.game.players
            return Choice(action, f"call {self.names[bidder]} a liar", "answer")
        count, face = 1 + action // self.game.sides, FACES[action % self.game.sides]
        faces = face if count == 1 else f"{face}es" if face == "six" else f"{face}s"
        return Choice(action, f"bid {count} {faces}", "1 die" if count == 1 else f"{count} dice")

    def advice(self, view: Any) -> str:
        said = np.flatnonzero(view.bids)
        if not len(said):
            return ""
        bid = int(said[-1])
        missing = 1 + bid // self.game.sides - self._count(view.hand, bid)
        others = (self.game.players - 1) * self.game.dice
        if missing <= 0:
            return f"{self._bid(bid)} holds by your own dice alone."
        hits = (1 if bid % self.game.sides == self.game.sides - 1 else 2) / self.game.sides
        holds = sum(comb(others, k) * hits**k * (1 - hits) ** (others - k) for k in range(missing, others + 1))
        return f"{self._bid(bid)} takes {missing} of the {others} dice that you cannot see: thrown blindly, they have them {holds:.0%} of the time."

    def scene(self, views: Sequence[Any]) -> str:
        """The dice, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(f"{self.does(seat, 'have')} {self._dice(view.hand)}." for seat, view in enumerate(views))

    def recap(self, moves: Sequence[Move], views: Sequence[Any]) -> str:
        """Whose bids were too high, and whether the call was right."""
        thrown = sum(view.hand for view in views)
        bids = [(seat, action) for seat, _, action in moves if action != self.game.liar]
        lines = []
        for seat in dict.fromkeys(seat for seat, _, _ in moves):
            own = [bid for bidder, bid in bids if bidder == seat]
            high = sum(self._too_high(thrown, bid) for bid in own)
            lines.append(f"{self.name(seat)}: {counted(len(own), 'bid')}, {high or 'none'} too high.")
        if len(bids) < len(moves):
            lines.append(f"The call was {'right' if self._too_high(thrown, bids[-1][1]) else 'wrong'}.")
        return "\n".join(lines)

    def _count(self, thrown: np.ndarray, bid: int) -> int:
        """How many of the dice thrown, int[sides], count for a bid."""
        return int(thrown[sorted({bid % self.game.sides, self.game.sides - 1})].sum())

    def _too_high(self, thrown: np.ndarray, bid: int) -> bool:
        """Whether fewer dice count than were bid."""
        return self._count(thrown, bid) < 1 + bid // self.game.sides

    def _bid(self, bid: int) -> str:
        return f"{1 + bid // self.game.sides} × {1 + bid % self.game.sides}"

    def _dice(self, hand: Any) -> str:
        return " ".join(str(face) for face, count in enumerate(hand, 1) for _ in range(int(count)))


class LiarsDiceKeyboard(Keyboard):
    """A bid is typed as its count and its face."""

    game: Any  # LiarsDice

    def ask(self, view: Any, legal: np.ndarray) -> str:
        return f"How many dice, and which face? For two threes, 2 3{'; or liar' if view.bids.any() else ''}: "

    def read(self, view: Any, legal: np.ndarray, typed: str) -> list[int]:
        action = self._named(typed)
        if not legal[action] and action == self.game.liar:
            raise UserError("There is no bid to call yet.")
        if not legal[action]:
            raise UserError("A bid must top the last one: more dice, or as many of a higher face.")
        return [action]

    def _named(self, typed: str) -> int:
        said = " ".join(typed.lower().replace("×", "x").split())
        if said in CALLS or said.startswith("call "):
            return self.game.liar
        bid = BID.fullmatch(said)
        if not bid:
            raise UserError(
                f"{typed.strip()!r} is not a bid: type how many dice and which face, such as 2 3 for two threes, or liar."
            )
        count, face = map(_number, bid.groups())
        if not (1 <= count <= self.game.players * self.game.dice and 1 <= face <= self.game.sides):
            raise UserError(
                f"{count} × {face} cannot be bid: there are {self.game.players * self.game.dice} dice with faces from 1 to {self.game.sides}."
            )
        return (count - 1) * self.game.sides + face - 1

    def typing(self) -> str:
        return TYPING


def _number(word: str) -> int:
    """A number in digits or as a word."""
    return 1 + FACES.index(word) if word in FACES else int(word)
