"""Bluff as a whole: the rules with what networks read, what people are told, hidden worlds and faster ways of playing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jax import Array

from feint import chance
from feint.game import Rows
from feint.games.bluff.gallery import GALLERY
from feint.games.bluff.history import redeal_history
from feint.games.bluff.inputs import encode
from feint.games.bluff.keyboard import BluffKeyboard
from feint.games.bluff.packed import packed_turns
from feint.games.bluff.redeal import redeal
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.turns import whole_turns
from feint.games.bluff.view import View, counts
from feint.games.bluff.words import BluffNarration, describe
from feint.ways import Way


@dataclass(frozen=True)
class Bluff(Rules):
    """Lay cards face down as the rank due, truly or not; whoever is first rid of all cards wins."""

    speech = BluffNarration
    keyboard = BluffKeyboard
    varies = ("players", "most")
    untold = ("remainder", "cap")
    gallery = GALLERY

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return encode(self, view)

    def describe(self, view: View, action: int) -> str:
        return describe(self, view, action)

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)

    def redeal_history(self, views: Sequence[View], key: chance.Key) -> State:
        return redeal_history(self, views, key)

    def shapings(self) -> dict[str, Callable[[View], Array]]:
        """hand: the fewer cards, the better; -1 with as many as were dealt, 0 with none."""
        return {"hand": lambda view: -view.sizes[view.seat] * self.players / self.cards}

    def abstractions(self) -> dict[str, Callable[[View], Any]]:
        """counts: cards by number, without suits, their order or the log."""
        return {"counts": counts}

    def ways(self, agents: Sequence[Any]) -> Way | None:
        return packed_turns(self, agents) or whole_turns(self, agents)
