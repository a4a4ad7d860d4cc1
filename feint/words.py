"""How a game speaks to people, in a terminal and on a page alike: plain text, which each may colour as it can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from feint.errors import UserError
from feint.game import Game

Move = tuple[int, Any, int]  # a seat, its own view before it moved, the action

_THIRD_PERSON = {"have": "has", "pass": "passes"}


class Words:
    """The words of every game, if dry ones; a game overrides what it can say better and names its class in `Game.words`.

    `names` are those of the seats; `reader` is the seat spoken to as "you", None where everybody reads along. Views come
    with numpy arrays, and texts keep to `width` columns where a game lays them out itself.
    """

    rivals: ClassVar[tuple[str, ...]] = ("random",)  # agents that sit down, in turn, with whoever names none

    def __init__(self, game: Game, names: Sequence[str], reader: int | None = None, width: int = 80) -> None:
        self.game, self.names, self.reader, self.width = game, names, reader, width

    # Told to everybody: nothing of this may tell what a player cannot know. Any seat's views serve.

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        """A move in a sentence; empty for one that others do not see. A game with hidden moves overrides this."""
        return f"{self.name(player)}: {self.game.describe(before, action)}."

    def end(self, view: Any, rewards: np.ndarray) -> str:
        """How the game ended."""
        if not rewards.any():
            return "The game ends in a draw."
        return ", ".join(f"{self.name(seat)}: {reward:+.4g}" for seat, reward in enumerate(rewards)) + "."

    # Said to the person whose turn it is, from that person's view.

    def show(self, view: Any) -> str:
        """What the person sees."""
        return "\n".join(_lines(view))

    def ask(self, view: Any, legal: np.ndarray) -> str:
        """The question put to the person, as a prompt."""
        actions = enumerate(map(int, np.flatnonzero(legal)), 1)
        choices = [f"{nth} {self.game.describe(view, action)}" for nth, action in actions]
        return ", ".join(choices) + ": "

    def read(self, view: Any, legal: np.ndarray, typed: str) -> list[int]:
        """The actions that what was typed stands for; `UserError` says what was wrong with it."""
        actions = [int(action) for action in np.flatnonzero(legal)]
        known = {self.game.describe(view, action).lower(): action for action in actions}
        known |= {str(nth): action for nth, action in enumerate(actions, 1)}
        if typed.strip().lower() not in known:
            raise UserError(f"{typed.strip()!r} is none of the choices: type a number from 1 to {len(actions)}.")
        return [known[typed.strip().lower()]]

    def confirm(self, view: Any, actions: Sequence[int]) -> str:
        """What those actions will do, as a prompt to agree (Enter) or to take them back (u); empty where there is no need."""
        return ""

    def notes(self, view: Any) -> str:
        """What a careful person would have written down by now."""
        return "There is nothing more to know than what you see."

    def help(self) -> str:
        """How the game is played and how its questions are answered."""
        return f"{(type(self.game).__doc__ or self.game.name).splitlines()[0]}\nType the number of your choice, or its words."

    # After the game, with nothing hidden.

    def scene(self, views: Sequence[Any]) -> str:
        """The table with all hands open, from every seat's view; empty between the steps of one turn."""
        return "\n".join(f"{self.name(seat)}: " + "; ".join(_lines(view)) for seat, view in enumerate(views))

    def reveal(self, player: int, before: Any, action: int, after: Any) -> str:
        """A move in a sentence that hides nothing; the views are the mover's own."""
        return self.tell(player, before, action, after)

    def recap(self, moves: Sequence[Move]) -> str:
        """What the whole game shows of its players; empty where there is nothing to say."""
        return ""

    # Names and verbs.

    def name(self, seat: int) -> str:
        return "You" if seat == self.reader else self.names[seat]

    def does(self, seat: int, verb: str) -> str:
        """ "You lay" or "Smart lays"."""
        third = _THIRD_PERSON.get(verb, f"{verb}s")
        return f"{self.name(seat)} {verb if seat == self.reader else third}"


def _lines(view: Any) -> list[str]:
    """The fields of a view, one a line."""
    lines = []
    for each in fields(view):
        value = getattr(view, each.name)
        if is_dataclass(value):
            lines += [f"{each.name} {line}" for line in _lines(value)]
        elif each.name != "seat":
            lines.append(f"{each.name.replace('_', ' ')}: {np.array2string(np.asarray(value), separator=' ')}")
    return lines
