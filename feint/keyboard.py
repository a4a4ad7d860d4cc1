"""How the person whose turn it is is asked, and answers, in typed lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from feint.errors import UserError
from feint.words import Choice, Narration, listed

RESERVED = frozenset("hiq?")  # what means the same at every question: help, information, quit


class Keyboard:
    """Choices by their words, their first letters or their numbers, for every game; a game with a better way names its class as `keyboard`.

    What is said comes from the game's narration to that person; what is laid out here keeps to `width` columns.
    """

    stops: ClassVar[tuple[str, ...]] = ("q", "Q")  # what saves the game and stops

    def __init__(self, narration: Narration, width: int = 80) -> None:
        self.narration, self.game, self.width = narration, narration.game, width

    def show(self, view: Any) -> str:
        """What the person sees, with whatever the answer may refer to."""
        return self.narration.show(view)

    def ask(self, view: Any, legal: np.ndarray) -> str:
        """The question, as a prompt."""
        choices = self.narration.choices(view, legal)
        keys = self.keys(choices)
        if not _are_letters(keys):
            return ", ".join(f"{key} {choice.label}" for key, choice in zip(keys, choices, strict=True)) + ": "
        asked = listed([choice.label for choice in choices], "or")
        return f"{asked[:1].upper()}{asked[1:]}? [{'/'.join(keys)}] "

    def keys(self, choices: Sequence[Choice]) -> list[str]:
        """What each may be typed as, besides its words: its first letter where all of those differ, else the number of its action,
        which is the same at every question."""
        letters = [choice.label[:1].lower() for choice in choices]
        if len(set(letters)) == len(letters) and _are_letters(letters) and not RESERVED & set(letters):
            return letters
        return [str(choice.action + 1) for choice in choices]

    def read(self, view: Any, legal: np.ndarray, typed: str) -> list[int]:
        """The actions that what was typed stands for; `UserError` says what was wrong with it."""
        choices, said = self.narration.choices(view, legal), " ".join(typed.lower().split())
        keys = self.keys(choices)
        named = [each for key, each in zip(keys, choices, strict=True) if said in (key, each.label.lower())]
        begun = [each for each in choices if said and each.label.lower().startswith(said)]
        if len(named or begun) != 1:
            shown = listed([choice.label for choice in choices], "or") if _are_letters(keys) else "one of them"
            raise UserError(unclear(typed, f"type {shown}, or only {listed(keys, 'or')}."))
        return [(named or begun)[0].action]

    def confirm(self, view: Any, actions: Sequence[int]) -> str:
        """What those actions will do, as a prompt to agree (Enter) or to take them back (u); empty where there is no need."""
        return ""

    def aside(self, view: Any, typed: str) -> str | None:
        """What is said to something typed that is no answer, such as how a hand is to be sorted; None where it is one."""
        return None

    def help(self) -> str:
        """How the game is played and how its questions are answered."""
        return f"{self.narration.rules()}\n\n{self.typing()}"

    def typing(self) -> str:
        """How its questions are answered."""
        return "Answer with the words of your choice, with as many of their first letters as you like, or with the key shown beside it."


def keyboard(narration: Narration, width: int = 80) -> Keyboard:
    """The keyboard of the game that is narrated: its own, or that of every game."""
    return (narration.game.keyboard or Keyboard)(narration, width)


def unclear(typed: str, right: str) -> str:
    """What is said to something typed that is no choice; `right` begins with what to type."""
    return (
        f"{typed.strip()!r} is not one of the choices: {right}" if typed.strip() else f"{right[:1].upper()}{right[1:]}"
    )


def _are_letters(keys: Sequence[str]) -> bool:
    return all(key.isalpha() for key in keys)
