"""How the person whose turn it is is asked, and answers, in typed lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from feint.errors import UserError
from feint.words import Narration

TYPING = "Type the number of your choice, or its words."


class Keyboard:
    """Choices by number or by their labels, for every game; a game with a better way names its class as `keyboard`.

    What is said comes from the game's narration to that person; what is laid out here keeps to `width` columns.
    """

    def __init__(self, narration: Narration, width: int = 80) -> None:
        self.narration, self.game, self.width = narration, narration.game, width

    def show(self, view: Any) -> str:
        """What the person sees, with whatever the answer may refer to."""
        return self.narration.show(view)

    def ask(self, view: Any, legal: np.ndarray) -> str:
        """The question, as a prompt."""
        choices = enumerate(self.narration.choices(view, legal), 1)
        return ", ".join(f"{nth} {choice.label}" for nth, choice in choices) + ": "

    def read(self, view: Any, legal: np.ndarray, typed: str) -> list[int]:
        """The actions that what was typed stands for; `UserError` says what was wrong with it."""
        choices = self.narration.choices(view, legal)
        known = {choice.label.lower(): choice.action for choice in choices}
        known |= {str(nth): choice.action for nth, choice in enumerate(choices, 1)}
        if typed.strip().lower() not in known:
            raise UserError(f"{typed.strip()!r} is none of the choices: type a number from 1 to {len(choices)}.")
        return [known[typed.strip().lower()]]

    def confirm(self, view: Any, actions: Sequence[int]) -> str:
        """What those actions will do, as a prompt to agree (Enter) or to take them back (u); empty where there is no need."""
        return ""

    def help(self) -> str:
        """How the game is played and how its questions are answered."""
        return f"{self.narration.rules()}\n{TYPING}"


def keyboard(narration: Narration, width: int = 80) -> Keyboard:
    """The keyboard of the game that is narrated: its own, or that of every game."""
    return (narration.game.keyboard or Keyboard)(narration, width)
