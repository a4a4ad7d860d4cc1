"""What a game says of itself in words, to a terminal and a page alike: plain text and plain data, which each shows as it can."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from feint.game import Game

Move = tuple[int, Any, int]  # a seat, its own view before it moved, the action

FEW = 4  # choices that are named when somebody is asked
_THIRD_PERSON = {"finish": "finishes", "have": "has", "pass": "passes"}


@dataclass(frozen=True)
class Choice:
    """Something that may be done at a view."""

    action: int
    label: str  # for a button, in whole words
    group: str  # of choices that belong together


class Narration:
    """The words of every game, if dry ones; a game overrides what it can say better and names its class as `speech`.

    `names` are those of the seats; `reader` is the seat spoken to as "you", None where everybody reads along or the reader
    only watches. Views come with numpy arrays; that of a spectator has seat -1, and nothing that is anybody's own. A tab
    separates what stands in columns.
    """

    title: ClassVar[str] = ""  # the game's name as people write it, where that is not its own
    emphasis: ClassVar[
        dict[str, str]
    ] = {}  # what stands out, as regular expressions, and how: red, yellow, blue, strong or striking
    signs: ClassVar[dict[str, str]] = {}  # single characters that not everything can show, and their spelling in ASCII

    def __init__(self, game: Game[Any, Any], names: Sequence[str], reader: int | None = None) -> None:
        self.game, self.names, self.reader = game, names, reader

    # Told to everybody: nothing of this may tell what a player cannot know. Any seat's views serve, or a spectator's.

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        """A move in a sentence; empty for one that others do not see. A game with hidden moves overrides this."""
        return f"{self.name(player)}: {self.game.describe(before, action)}."

    def end(self, view: Any, rewards: np.ndarray) -> str:
        """How the game ended."""
        if not rewards.any():
            return "The game ends in a draw."
        return (
            ", ".join(f"{self.name(seat)}: {reward:+.4g}" for seat, reward in enumerate(rewards * self.game.unit.scale))
            + "."
        )

    def rules(self) -> str:
        """How the game is played."""
        return (type(self.game).__doc__ or self.game.name).splitlines()[0]

    # Told to whoever's view it is.

    def show(self, view: Any) -> str:
        """What is to be seen."""
        return "\n".join(_lines(view))

    def question(self, view: Any, legal: np.ndarray) -> str:
        """What is asked of the person whose turn it is, in a sentence."""
        labels = [choice.label for choice in self.choices(view, legal)]
        return f"It is your turn: {listed(labels, 'or')}." if len(labels) <= FEW else "It is your turn."

    def choices(self, view: Any, legal: np.ndarray) -> list[Choice]:
        """What that person may do, in order."""
        return [Choice(int(each), self.game.describe(view, int(each)), "moves") for each in np.flatnonzero(legal)]

    def notes(self, view: Any) -> str:
        """What a careful person would have written down by now."""
        return "There is nothing more to know than what you see."

    def advice(self, view: Any) -> str:
        """What helps to decide, for whoever asks for a hint; empty where there is nothing to say."""
        return ""

    # After the game, with nothing hidden.

    def scene(self, views: Sequence[Any]) -> str:
        """The table with all hands open, from every seat's view; empty between the steps of one turn."""
        return "\n".join(f"{self.name(seat)}: " + "; ".join(_lines(view)) for seat, view in enumerate(views))

    def reveal(self, player: int, before: Any, action: int, after: Any) -> str:
        """A move in a sentence that hides nothing; the views are the mover's own."""
        return self.tell(player, before, action, after)

    def recap(self, moves: Sequence[Move], views: Sequence[Any]) -> str:
        """What the whole game shows of its players, and what was hidden when it ended, from every seat's last view; empty where
        there is nothing to say."""
        return ""

    # Names, verbs, and what stands out.

    def name(self, seat: int, begins: bool = True) -> str:
        """A seat's name, or "You"; "you" where it does not begin a sentence."""
        if seat == self.reader:
            return "You" if begins else "you"
        return self.names[seat]

    def does(self, seat: int, verb: str, begins: bool = True) -> str:
        """ "You lay" or "Smart lays"."""
        third = _THIRD_PERSON.get(verb, f"{verb}s")
        return f"{self.name(seat, begins)} {verb if seat == self.reader else third}"

    @classmethod
    def spans(cls, text: str) -> list[tuple[str, str]]:
        """A text in pieces, each with its style as `emphasis` has it; plain ones have none."""
        pieces, done = [], 0
        styles = dict(zip((f"_{nth}" for nth in range(len(cls.emphasis))), cls.emphasis.values(), strict=True))
        pattern = "|".join(f"(?P<{name}>{each})" for name, each in zip(styles, cls.emphasis, strict=True))
        for found in re.finditer(pattern or "(?!)", text):
            pieces += [(text[done : found.start()], ""), (found[0], styles[str(found.lastgroup)])]
            done = found.end()
        return [(piece, style) for piece, style in [*pieces, (text[done:], "")] if piece]


def speech(game: Game[Any, Any]) -> type[Narration]:
    """The class of a game's words: its own, or that of every game."""
    return game.speech or Narration


def narration(game: Game[Any, Any], names: Sequence[str], reader: int | None = None) -> Narration:
    """A game's words for one reader; None for everybody."""
    return speech(game)(game, names, reader)


def score(game: Game[Any, Any], names: Sequence[str], games: int, wins: np.ndarray, paid: np.ndarray) -> str:
    """What everybody has come to in a match of so many games, by chair: games won, or payoffs added up."""
    after, unit = f"Score after {counted(games, 'game')}", game.unit
    if game.measure == "wins":
        return f"{after}, in games won: {', '.join(f'{name} {won}' for name, won in zip(names, wins, strict=True))}."
    scale, told_in = (1, unit.total) if unit.total else (unit.scale, unit.name)
    earned = [f"{name} {each * scale:+.4g}" for name, each in zip(names, paid, strict=True)]
    return f"{after}{f', in {told_in}' if told_in else ''}: {', '.join(earned)}."


def counted(count: int, noun: str) -> str:
    """ "1 play" or "2 plays"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(words: Iterable[str], last: str = "and") -> str:
    """ "one, two and three"."""
    *others, end = words
    return f"{', '.join(others)} {last} {end}" if others else end


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
