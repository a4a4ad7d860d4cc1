"""The small games in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from feint.errors import UserError
from feint.words import Words

if TYPE_CHECKING:
    from feint.games.small import leduc, liars_dice
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


class LeducWords(Words):
    """Two cards of each rank, the king the highest."""

    game: leduc.Leduc

    def tell(self, player: int, before: leduc.View, action: int, after: leduc.View) -> str:
        verb, _, rest = self.game.describe(before, action).partition(" ")
        told = f"{' '.join([self.does(player, verb), rest]).strip()}."
        turned_up = before.public < 0 <= after.public
        return f"{told} The card for all is {self._card(after.public)}." if turned_up else told

    def show(self, view: leduc.View) -> str:
        public = "still face down" if view.public < 0 else self._card(view.public)
        return (
            f"You hold {self._card(view.card)}; the card for all is {public}. "
            f"The pot is {view.paid.sum()}, {view.paid[view.seat]} of it yours."
        )

    def scene(self, views: Sequence[leduc.View]) -> str:
        """The hands, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(f"{self.does(seat, 'hold')} {self._card(view.card)}." for seat, view in enumerate(views))

    def _card(self, card: Any) -> str:
        rank, suit = divmod(int(card), 2) if self.game.suits else (int(card), None)
        name = CARDS[-self.game.ranks :][rank]
        return f"the {name} of {('hearts', 'spades')[suit]}" if suit is not None else f"a {name}"


class LiarsDiceWords(Words):
    """A bid is typed as its count and its face."""

    game: liars_dice.LiarsDice

    def tell(self, player: int, before: liars_dice.View, action: int, after: liars_dice.View) -> str:
        if action != self.game.liar:
            return f"{self.does(player, 'bid')} {self._bid(action)}."
        bidder = (player - 1) % self.game.players
        return f"{self.does(player, 'call')} {'you' if bidder == self.reader else self.names[bidder]} a liar."

    def show(self, view: liars_dice.View) -> str:
        said = np.flatnonzero(view.bids)
        last = f"The last bid is {self._bid(int(said[-1]))}." if len(said) else "Nobody has bid yet."
        return f"Your dice: {self._dice(view.hand)}. {last} {self.game.sides} counts as any face."

    def ask(self, view: liars_dice.View, legal: np.ndarray) -> str:
        return "Bid count and face, such as 2 3, or liar: " if view.bids.any() else "Bid count and face, such as 2 3: "

    def read(self, view: liars_dice.View, legal: np.ndarray, typed: str) -> list[int]:
        words = typed.lower().replace("×", " ").replace("x", " ").split()
        if words in (["liar"], ["call"], ["call", "liar"]):
            action = self.game.liar
        elif len(words) == 2 and all(word.isdecimal() for word in words):
            count, face = map(int, words)
            if not (1 <= count <= self.game.players * self.game.dice and 1 <= face <= self.game.sides):
                raise UserError(
                    f"There are {self.game.players * self.game.dice} dice with faces from 1 to {self.game.sides}: "
                    f"{count} × {face} is no bid."
                )
            action = (count - 1) * self.game.sides + face - 1
        else:
            raise UserError(
                f"{typed.strip()!r} is no bid: type a count and a face, such as 2 3 for two threes, or liar."
            )
        if not legal[action] and action == self.game.liar:
            raise UserError("There is no bid to call yet.")
        if not legal[action]:
            raise UserError("A bid must top the last one: more dice, or as many of a higher face.")
        return [action]

    def scene(self, views: Sequence[liars_dice.View]) -> str:
        """The dice, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(f"{self.does(seat, 'have')} {self._dice(view.hand)}." for seat, view in enumerate(views))

    def _bid(self, bid: int) -> str:
        return f"{1 + bid // self.game.sides} × {1 + bid % self.game.sides}"

    def _dice(self, hand: Any) -> str:
        return " ".join(str(face) for face, count in enumerate(hand, 1) for _ in range(int(count)))
