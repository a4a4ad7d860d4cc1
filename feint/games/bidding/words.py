"""Bidding Elimination in a person's words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from feint.games.bidding.rules import Rules
from feint.games.bidding.view import NONE, View
from feint.words import Choice, Move, Narration

RULES = """\
The aim is to be the last one standing. Everybody begins with {coins}, which have to last for the whole game.
A round: all who are still in bid in secret, from nothing to all they have left, and every bid is paid, whether it wins or loses. When \
all bids are in, the lowest is announced and its bidder goes out; of several with the lowest bid, one is drawn by lot. The other bids \
stay secret.
The end: {final}the last one standing wins, and what is left in the purse counts for nothing."""


def describe(view: View, action: int) -> str:
    """A bid in a person's words."""
    if action == view.coins:
        return f"bid all {_coins(action)}" if action > 1 else "bid the last coin" if action else "bid nothing"
    return f"bid {_coins(action)}" if action else "bid nothing"


class BiddingNarration(Narration):
    """Bids stay between the bidder and the box; what a round has shown is told when all bids are in."""

    game: Rules

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        sealed = f"{self.does(player, 'bid')}."
        return sealed if after.round == before.round else f"{sealed} {self._round(after, int(before.round))}"

    def _round(self, view: View, number: int) -> str:
        lowest, out = int(view.lowest[number]), int(view.out[number])
        be = "are" if out == self.reader else "is"
        return (
            f"The lowest bid was {_coins(lowest)}: {self.name(out)} {be} out, {_left(self.game.players - number - 1)}."
        )

    def end(self, view: View, rewards: np.ndarray) -> str:
        return f"{self.does(int(np.argmax(rewards)), 'win')}, the last one standing."

    def rules(self) -> str:
        final = "the last two must bid all they have left; " if self.game.final == "all-in" else ""
        return RULES.format(coins=_coins(self.game.coins), final=final)

    def show(self, view: View) -> str:
        seats, this_round = _seats(view), f"Round {int(view.round) + 1}"
        if view.seat not in seats:
            return f"{this_round}: still in are {', '.join(map(self.name, seats))}."
        others = ", ".join(self.name(seat) for seat in seats if seat != view.seat)
        return f"{this_round}: you have {_coins(int(view.coins))}; against you {others}."

    def question(self, view: View, legal: np.ndarray) -> str:
        bids = np.flatnonzero(legal)
        if len(bids) == 1:
            return f"It is your turn: you can only bid {_coins(int(bids[0]))}."
        return f"It is your turn: bid {bids[0]} to {_coins(int(bids[-1]))}."

    def choices(self, view: View, legal: np.ndarray) -> list[Choice]:
        return [Choice(int(bid), describe(view, int(bid)), "bid") for bid in np.flatnonzero(legal)]

    def notes(self, view: View) -> str:
        rounds = [
            f"Round {number + 1}: you bid {int(view.bids[number])}. {self._round(view, number)}"
            if view.bids[number] != NONE
            else f"Round {number + 1}: {self._round(view, number)}"
            for number in range(int(view.round))
        ]
        return "\n".join(rounds) or "No round has been played yet."

    def advice(self, view: View) -> str:
        rounds = self.game.players - 1 - int(view.round)
        if rounds == 1:
            return "This is the last round: what you keep counts for nothing."
        return f"To win you stay in for {rounds} rounds: {_coins(int(view.coins))} come to {int(view.coins) / rounds:.3g} a round."

    def scene(self, views: Sequence[View]) -> str:
        first = int(np.argmax(views[0].alive))
        over = views[0].round == len(views[first].bids)
        if over or views[0].turn != first or views[first].bids[views[0].round] != NONE:
            return ""
        purses = [f"{self.name(seat)} {int(views[seat].coins)}" for seat in _seats(views[0])]
        return f"Round {int(views[0].round) + 1}, coins: {', '.join(purses)}."

    def reveal(self, player: int, before: View, action: int, after: View) -> str:
        bid = f"{self.does(player, 'bid')} {_coins(action)}."
        return bid if after.round == before.round else f"{bid} {self._round(after, int(before.round))}"

    def recap(self, moves: Sequence[Move], views: Sequence[View]) -> str:
        """Every bid of every round, and whom the lot put out where several bids were the lowest."""
        rounds = []
        for number in range(int(views[0].round)):
            made = {seat: int(view.bids[number]) for seat, view in enumerate(views) if view.bids[number] != NONE}
            bids = ", ".join(f"{self.name(seat)} {bid}" for seat, bid in made.items())
            tied = [*made.values()].count(int(views[0].lowest[number])) > 1
            lot = f"; {self.name(int(views[0].out[number]))} went out by lot" if tied else ""
            rounds.append(f"Bids of round {number + 1}: {bids}{lot}.")
        return "\n".join(rounds)


def _coins(count: int) -> str:
    return "1 coin" if count == 1 else f"{count} coins" if count else "nothing"


def _left(count: int) -> str:
    return f"{count} are left" if count > 1 else "one is left"


def _seats(view: View) -> list[int]:
    """Who is still in."""
    return np.flatnonzero(view.alive).tolist()
