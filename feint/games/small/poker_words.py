"""Kuhn poker and Leduc hold'em in a person's words. Their rules import these words, which take the rules as they come."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from feint.words import Choice, Move, Narration, listed

CARDS = ("seven", "eight", "nine", "ten", "jack", "queen", "king")

KUHN = """\
The deal: there are {cards} cards, {deck}. Everybody pays an ante of 1 into the pot and gets one card.
Betting: the first seat begins, and turns go round the table. As long as nobody has bet, you may check, which costs nothing, or bet \
1. After a bet, each of the others in turn may call, which costs 1 too, or fold and lose what they have paid. There is one bet and no raise.
The end: if all but one have folded, that one takes the pot. Otherwise the highest card of those still in takes it. The king is the highest."""

LEDUC = """\
The deal: there are two cards of each rank, {deck}. Everybody pays an ante of 1 into the pot and gets one card.
Betting: there are two rounds. In each, the first seat still in begins, and turns go round the table. You may check as long as there is \
nothing to pay, or bet; after a bet, you may call, which pays as much as the others have, raise, which pays that and more, or fold and \
lose what you have paid. A bet or a raise is 2 in the first round and 4 in the second, and each round has at most two of them.
The community card: after the first round one card is turned up, which counts for everybody.
The end: if all but one have folded, that one takes the pot. Otherwise a card of the same rank as the community card makes a pair and \
wins; without a pair the highest card does, and the king is the highest. Equal cards share the pot."""


class PokerNarration(Narration, ABC):
    """Bets in verbs, and who shows what in the end."""

    def end(self, view: Any, rewards: np.ndarray) -> str:
        paid = super().end(view, rewards)
        shows = np.flatnonzero(view.shown >= 0).tolist()
        return f"{self._showdown(view, shows, rewards)} {paid}" if shows else paid

    def _showdown(self, view: Any, shows: list[int], rewards: np.ndarray) -> str:
        first, *others = shows
        cards = [f"{self.does(first, 'show')} {self.hand(view, first)}"]
        cards += [f"{self.name(seat, begins=False)} {self.hand(view, seat)}" for seat in others]
        takers = [seat for seat in shows if rewards[seat] == rewards[shows].max()]
        pot = f"the pot of {self.pot(view, rewards)}"
        if len(takers) == 1:
            return f"{', '.join(cards)}: {self.does(takers[0], 'take', begins=False)} {pot}."
        return f"{', '.join(cards)}: {listed(self.name(seat, begins=False) for seat in takers)} share {pot}."

    def hand(self, view: Any, seat: int) -> str:
        """What a seat shows in the end."""
        return self.card(view.shown[seat])

    @abstractmethod
    def card(self, card: Any) -> str:
        """A card by its name."""

    @abstractmethod
    def pot(self, view: Any, rewards: np.ndarray) -> int:
        """What those who show have played for."""

    def choices(self, view: Any, legal: np.ndarray) -> list[Choice]:
        return [Choice(each.action, each.label, "betting") for each in super().choices(view, legal)]

    def advice(self, view: Any) -> str:
        pot, owes = self.stakes(view)
        if not owes:
            return "It costs nothing to stay in."
        return f"You pay {owes} for a pot of {pot}: to call pays if you win more than {owes / (pot + owes):.0%} of the time."

    @abstractmethod
    def stakes(self, view: Any) -> tuple[int, int]:
        """What is in the pot, and what whoever is to act has to pay to stay in."""

    def scene(self, views: Sequence[Any]) -> str:
        """The hands, once: they do not change."""
        if views[0].moves:
            return ""
        return "\n".join(f"{self.does(seat, 'hold')} {self.card(view.card)}." for seat, view in enumerate(views))

    def recap(self, moves: Sequence[Move], views: Sequence[Any]) -> str:
        """Cards that the end did not show, and who folded the best hand."""
        hidden = [seat for seat, view in enumerate(views) if views[0].shown[seat] < 0]
        if not hidden:
            return ""
        cards = [f"{self.name(seat, begins=seat == hidden[0])} held {self.card(views[seat].card)}" for seat in hidden]
        strengths = [self.strength(view) for view in views]
        best = [seat for seat, strength in enumerate(strengths) if strength == max(strengths)]
        folded = [seat for seat, view, action in moves if self.game.describe(view, action) == "fold"]
        regret = [f"{self.name(seat)} folded the best hand." for seat in folded if best == [seat]]
        return " ".join([f"{listed(cards)}.", *regret])

    def strength(self, view: Any) -> int:
        """What wins over less, as far as the cards are turned up."""
        return int(view.card)


class KuhnNarration(PokerNarration):
    """The king is the highest card, whatever the number of players."""

    title: ClassVar[str] = "Kuhn poker"

    def rules(self) -> str:
        return KUHN.format(cards=len(self._deck), deck=listed(self._deck))

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        return f"{self.does(player, self.game.describe(before, action))}."

    def show(self, view: Any) -> str:
        deck = listed(self._deck)
        own = "Everybody holds one card" if view.seat < 0 else f"You hold {self.card(view.card)}"
        return f"{own}; the deck is {deck}."

    def card(self, card: Any) -> str:
        return f"the {self._deck[int(card)]}"

    def pot(self, view: Any, rewards: np.ndarray) -> int:
        # Who shows has paid as much as the winner, who gains the rest of the pot.
        return round(rewards.max() - rewards.min())

    def stakes(self, view: Any) -> tuple[int, int]:
        bets = int((view.history == 1).sum())
        return self.game.players + bets, int(bets > 0)

    @property
    def _deck(self) -> tuple[str, ...]:
        return CARDS[-self.game.players - 1 :]


class LeducNarration(PokerNarration):
    """Two cards of each rank, the king the highest."""

    title: ClassVar[str] = "Leduc hold'em"
    game: Any  # Leduc

    def rules(self) -> str:
        return LEDUC.format(deck=listed(f"{name}s" for name in CARDS[-self.game.ranks :]))

    def tell(self, player: int, before: Any, action: int, after: Any) -> str:
        verb, _, rest = self.game.describe(before, action).partition(" ")
        told = f"{' '.join([self.does(player, verb), rest]).strip()}."
        turned_up = before.public < 0 <= after.public
        return f"{told} The community card is {self.card(after.public)}." if turned_up else told

    def show(self, view: Any) -> str:
        public = "still face down" if view.public < 0 else self.card(view.public)
        if view.seat < 0:
            return f"The community card is {public}. The pot is {view.paid.sum()}."
        return (
            f"You hold {self.card(view.card)}; the community card is {public}. "
            f"The pot is {view.paid.sum()}, {view.paid[view.seat]} of it yours."
        )

    def hand(self, view: Any, seat: int) -> str:
        pair = self._rank(view.shown[seat]) == self._rank(view.public)
        return f"{self.card(view.shown[seat])} for a pair" if pair else self.card(view.shown[seat])

    def card(self, card: Any) -> str:
        name = CARDS[-self.game.ranks :][self._rank(card)]
        return f"the {name} of {('hearts', 'spades')[int(card) % 2]}" if self.game.suits else f"a {name}"

    def pot(self, view: Any, rewards: np.ndarray) -> int:
        return int(view.paid.sum())

    def stakes(self, view: Any) -> tuple[int, int]:
        return int(view.paid.sum()), int(view.paid.max() - view.paid[view.seat])

    def strength(self, view: Any) -> int:
        rank = self._rank(view.card)
        return rank + self.game.ranks * (view.public >= 0 and rank == self._rank(view.public))

    def _rank(self, card: Any) -> int:
        return int(card) // 2 if self.game.suits else int(card)
