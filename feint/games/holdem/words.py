"""Limit Hold'em in a person's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from feint.games.holdem.naming import SUITS, faces, named, strength
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import CALL, FOLD
from feint.games.holdem.view import View
from feint.words import Choice, Move, Narration, listed

ROUNDS = ("preflop", "flop", "turn", "river")  # what they are called where the board is the usual one
USUAL = "three cards, the flop, after the first of four rounds of betting, then one, the turn, then the last, the river"

RULES = """\
The aim is to win chips, by having the best hand or by making everybody else fold.
The deal: everybody gets two cards that nobody else sees. The board comes to lie open and counts for everybody: {board}. Your hand is \
the best five of all these cards.
Blinds: before the cards are dealt, {blinds}. The button moves on one seat after every hand.
Betting: turns go round the table. With nothing to pay you may check, or bet; after a bet you may call, which pays as much as the others \
have, raise, which pays that and another bet, or fold and lose what you have paid. The size of a bet is {bets} in the {rounds}, and there are \
at most {raises} bets and raises in them. A round is over when all who are still in have paid the same.
Hands, from the best: straight flush, four of a kind, full house (three and two), flush (all of a suit), straight (all in a row, the ace high \
or low), three of a kind, two pair, pair, high card. Of two hands of a kind the one with the higher cards wins; suits are equal.
The end: if all but one have folded, that one takes the pot and shows nothing. Otherwise those still in show their cards, and the best hand \
takes the pot; equal ones share it. Nobody runs out of chips: what is won and lost is added up from hand to hand."""


def describe(view: View, action: int) -> str:
    """An action in a person's words."""
    owes = int(view.to_call)
    if action == FOLD:
        return "fold"
    if action == CALL:
        return f"call {owes}" if owes else "check"
    return f"bet {view.bet}" if view.raises == 0 and view.round > 0 else f"raise by {view.bet}"  # blinds are bets


class HoldemNarration(Narration):
    """Bets in verbs, cards by their faces, hands by their names."""

    title: ClassVar[str] = "Limit Hold'em"
    emphasis: ClassVar[dict[str, str]] = {r"\b\w+[♥♦]": "red", r"\b\w+[♠♣]": "strong"}
    signs: ClassVar[dict[str, str]] = dict(zip(SUITS, "cdhs", strict=True))
    game: Rules

    # ---- told to everybody

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        told = f"{self._told(player, describe(before, action))}."
        if after.round == before.round:
            return told
        new = faces(after.board[before.board < 0])
        return f"{told}\n{self.round_name(after.round).capitalize()}{f': {new}' if new else ''}."

    def _told(self, player: int, what: str) -> str:
        verb, _, rest = what.partition(" ")
        return f"{self.does(player, verb)} {rest}".strip()

    def round_name(self, number: Any) -> str:
        return ROUNDS[int(number)] if self.usual else f"round {int(number) + 1}"

    @property
    def usual(self) -> bool:
        """Whether the board is turned up as usual."""
        return self.game.board == self.game.options()["board"]

    def end(self, view: View, rewards: np.ndarray) -> str:
        takers = np.flatnonzero((rewards == rewards.max()) & ~view.folded).tolist()
        if len(takers) == 1:
            takes = self.does(takers[0], "take")
        else:
            takes = f"{listed(self.name(seat, begins=seat == takers[0]) for seat in takers)} share"
        paid = ", ".join(f"{self.name(seat)} {each:+.4g}" for seat, each in enumerate(rewards))
        return "\n".join([*self._showdown(view), f"{takes} the pot of {view.pot}: {paid}."])

    def _showdown(self, view: View) -> list[str]:
        """Who shows what, the cards that count beside a hand named where they tell it from another of the same name."""
        shown = np.flatnonzero(view.shown[:, 0] >= 0).tolist()
        worth = {seat: strength([*view.shown[seat], *view.board]) for seat in shown}
        lines = []
        for seat in shown:
            alike = {each for each in worth.values() if named(each) == named(worth[seat])}
            hand = named(worth[seat], whole=len(alike) > 1)
            lines.append(f"{self.does(seat, 'show')}\t{faces(view.shown[seat])}\t{hand}")
        return [f"Showdown: {faces(view.board)}.", *lines] if lines else []

    def rules(self) -> str:
        game = self.game
        rounds = "only round" if game.rounds == 1 else f"{game.rounds} rounds of betting"
        if game.players == 2:
            blinds = "the button pays {1} and the other player {0}".format(*game.posted)
        else:
            blinds = f"the first seats after the button pay {listed(map(str, game.blinds))}"
        return RULES.format(
            board=USUAL if self.usual else f"{listed(map(str, game.board))} cards before the {rounds}",
            rounds=rounds,
            blinds=blinds,
            bets=listed(map(str, game.bets)),
            raises=listed(map(str, game.raises)),
        )

    # ---- told to whoever's view it is

    def show(self, view: View) -> str:
        own = [] if view.seat < 0 else [f"You hold {faces(view.cards)}{self._made(view)}."]
        return "\n".join([self._board(view), *(self._seat(view, seat) for seat in range(view.players)), *own])

    def _board(self, view: View) -> str:
        name, board = self.round_name(view.round).capitalize(), faces(view.board)
        return f"{name}{f': {board}' if board else ''}. The pot is {view.pot}, a bet is {view.bet}."

    def _made(self, view: View) -> str:
        """What one's cards make with the board so far."""
        return f": {named(strength([*view.cards, *view.board]))}" if (view.board >= 0).any() else ""

    def _seat(self, view: View, seat: int) -> str:
        """A player, what it has paid, and what it did in this round."""
        if view.folded[seat]:
            did = "folded"
        else:
            did = ", ".join(what for actor, what in self._actions_of_round(view, int(view.round)) if actor == seat)
        role = self.role(seat)
        return f"{self.name(seat)}{f' ({role})' if role else ''}\tpaid {view.paid[seat]}\t{did}".rstrip()

    def role(self, seat: int) -> str:
        """What a position is called."""
        posted = self.game.posted
        blind = "" if not posted[seat] else "big blind" if posted[seat] == max(posted) else "small blind"
        button = "button" if seat == self.game.players - 1 else ""
        return ", ".join(filter(None, [button, blind]))

    def _actions_of_round(self, view: View, number: int) -> list[tuple[int, str]]:
        """Who did what in a round, in order."""
        paid = np.array(self.game.posted) if number == 0 else np.zeros(view.players, int)
        raises, actions = 0, []
        for actor, action in zip(view.actors[number].tolist(), view.history[number].tolist(), strict=True):
            if actor < 0:
                break
            owes = int(paid.max() - paid[actor])
            if action == FOLD:
                what = "fold"
            elif action == CALL:
                what = "call" if owes else "check"
            else:
                what = "raise" if raises or number == 0 else "bet"
                raises += 1
            if action != FOLD:
                paid[actor] = paid.max() + (self.game.bets[number] if what in ("raise", "bet") else 0)
            actions.append((actor, what))
        return actions

    def question(self, view: View, legal: np.ndarray) -> str:
        return f"It is your turn: {listed([each.label for each in self.choices(view, legal)], 'or')}."

    def choices(self, view: View, legal: np.ndarray) -> list[Choice]:
        return [Choice(each.action, each.label, "betting") for each in super().choices(view, legal)]

    def notes(self, view: View) -> str:
        """All betting, round by round."""
        return "\n".join(self._line(view, number) for number in range(int(view.round) + 1))

    def _line(self, view: View, number: int) -> str:
        told = [f"{self._told(actor, what)}" for actor, what in self._actions_of_round(view, number)]
        return f"{self.round_name(number).capitalize()}: {', '.join(told) or 'nobody has acted yet'}."

    def advice(self, view: View) -> str:
        owes = int(view.to_call)
        if not owes:
            return "It costs nothing to stay in."
        share = owes / (int(view.pot) + owes)
        return f"You pay {owes} for a pot of {view.pot}: to call pays if you win more than {share:.0%} of the time."

    # ---- after the game, with nothing hidden

    def scene(self, views: Sequence[View]) -> str:
        view = views[0]
        if view.moves:
            return ""
        live = [seat for seat in range(view.players) if not view.folded[seat]]
        hands = [
            f"{self.name(seat)}\t{faces(views[seat].cards)}\t{self._made(views[seat])[2:]}".rstrip() for seat in live
        ]
        return "\n".join([self._board(view), *hands])

    def recap(self, moves: Sequence[Move], views: Sequence[View]) -> str:
        """Hands that the end did not show, and who folded the best one."""
        last = views[0]
        hidden = [seat for seat in range(last.players) if last.shown[seat, 0] < 0]
        if not hidden:
            return ""
        held = [f"{self.name(seat, begins=seat == hidden[0])} held {faces(views[seat].cards)}" for seat in hidden]
        if (last.board < 0).any():
            return f"{listed(held)}."
        worth = [strength([*view.cards, *view.board]) for view in views]
        best = [seat for seat in range(last.players) if worth[seat] == max(worth)]
        regret = [
            f"{self.name(seat)} folded the best hand, {named(worth[seat])}." for seat in best if last.folded[seat]
        ]
        return " ".join([f"{listed(held)}.", *regret])
