"""Liar's Dice in a person's words, and at a keyboard. Its rules import these words, which take the rules as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from feint.errors import UserError
from feint.keyboard import Keyboard
from feint.words import Choice, Narration

FACES = ("one", "two", "three", "four", "five", "six")


class LiarsDiceNarration(Narration):
    """Bids as their count and their face."""

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
        face, wild = bid % self.game.sides, self.game.sides - 1
        count = int(shown[:, sorted({face, wild})].sum())
        counted = "1 die counts" if count == 1 else f"{count or 'no'} dice count"
        verdict = "it holds" if count > bid // self.game.sides else "it was too high"
        loses = self.does(int(np.argmin(rewards)), "lose", begins=False)
        return f"{', '.join(cups)}. {self._bid(bid)} was bid and {counted}: {verdict}, and {loses}."

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

    def scene(self, views: Sequence[Any]) -> str:
        """The dice, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(f"{self.does(seat, 'have')} {self._dice(view.hand)}." for seat, view in enumerate(views))

    def _bid(self, bid: int) -> str:
        return f"{1 + bid // self.game.sides} × {1 + bid % self.game.sides}"

    def _dice(self, hand: Any) -> str:
        return " ".join(str(face) for face, count in enumerate(hand, 1) for _ in range(int(count)))


class LiarsDiceKeyboard(Keyboard):
    """A bid is typed as its count and its face."""

    game: Any  # LiarsDice

    def ask(self, view: Any, legal: np.ndarray) -> str:
        return "Bid count and face, such as 2 3, or liar: " if view.bids.any() else "Bid count and face, such as 2 3: "

    def read(self, view: Any, legal: np.ndarray, typed: str) -> list[int]:
        action = self._named(typed)
        if not legal[action] and action == self.game.liar:
            raise UserError("There is no bid to call yet.")
        if not legal[action]:
            raise UserError("A bid must top the last one: more dice, or as many of a higher face.")
        return [action]

    def _named(self, typed: str) -> int:
        words = typed.lower().replace("×", " ").replace("x", " ").split()
        if words in (["liar"], ["call"], ["call", "liar"]):
            return self.game.liar
        if len(words) != 2 or not all(word.isdecimal() for word in words):
            raise UserError(
                f"{typed.strip()!r} is no bid: type a count and a face, such as 2 3 for two threes, or liar."
            )
        count, face = map(int, words)
        if not (1 <= count <= self.game.players * self.game.dice and 1 <= face <= self.game.sides):
            raise UserError(
                f"There are {self.game.players * self.game.dice} dice with faces from 1 to {self.game.sides}: "
                f"{count} × {face} is no bid."
            )
        return (count - 1) * self.game.sides + face - 1

    def help(self) -> str:
        return f"{self.narration.rules()}\nType a count and a face, such as 2 3 for two threes, or liar."
