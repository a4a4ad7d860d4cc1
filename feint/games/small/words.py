"""Kuhn poker in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from feint.words import Words

if TYPE_CHECKING:
    from feint.games.small.kuhn import Kuhn, View

CARDS = ("seven", "eight", "nine", "ten", "jack", "queen", "king")


class KuhnWords(Words):
    """The king is the highest card, whatever the number of players."""

    game: Kuhn

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        return f"{self.does(player, self.game.describe(before, action))}."

    def show(self, view: View) -> str:
        *lower, highest = self._deck
        return f"You hold the {self._deck[int(view.card)]}, of {', '.join(lower)} and {highest}."

    def scene(self, views: Sequence[Any]) -> str:
        """The hands, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(
            f"{self.does(seat, 'hold')} the {self._deck[int(view.card)]}." for seat, view in enumerate(views)
        )

    @property
    def _deck(self) -> tuple[str, ...]:
        return CARDS[-self.game.players - 1 :]
