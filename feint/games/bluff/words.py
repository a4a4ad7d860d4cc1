"""Bluff in a person's words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import jax
import numpy as np

from feint.games.bluff.beliefs import beliefs
from feint.games.bluff.rules import Rules
from feint.games.bluff.view import View
from feint.words import Choice, Move, Narration, counted

RANKS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
SIGNS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = "♠♥♦♣"

RULES = """\
The aim is to be the first without cards.
The deal: {cards} cards are shared out among {players} players{spare}. The first seat begins, and turns go round the table.
A turn: each turn has its rank to play, first Aces, then Twos, and so on up to {last}, then Aces again. Whoever's turn it is lays \
{most} face down and says that they are of that rank. That may be a lie. Nobody may pass.
Calling bluff: the others are asked one after the other, the next player first. As soon as one calls, the cards are turned up. If \
they are all of the rank to play, the caller takes the whole pile; if they are not, whoever laid them takes it. If nobody calls, \
they stay in the pile, face down.
The end: whoever has no cards left once the others have answered wins. A last play that is shown to be a lie comes back with the \
pile. After {cap} turns without a winner the game is a draw."""

# How likely it is, by the cards alone, that the player whose claim is on the table had what was claimed.
_could_be_true = jax.jit(lambda view: beliefs(view).at_least(view.claim)[view.player])

Card = tuple[int, int]  # its rank and which copy of it, so that cards sort as people hold them


def describe(rules: Rules, view: View, action: int) -> str:
    """An action in a person's words."""
    if action < rules.ranks:
        return f"pick {_one((int(view.turn) + action) % rules.ranks)}"
    return {rules.lay: "lay them down", rules.trust: "let it pass", rules.call: "call bluff"}[action]


class BluffNarration(Narration):
    """Cards by their faces, claims and calls in sentences."""

    emphasis: ClassVar[dict[str, str]] = {
        r"\b\w+[♥♦]": "red",
        r"\b\w+[♠♣]": "strong",
        r"\ba lie\b": "striking",
    }
    signs: ClassVar[dict[str, str]] = dict(zip(SUITS, "shdc", strict=True))
    game: Rules

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        if action == self.game.lay:
            count, left = int(after.claim), int(after.sizes[player])
            claimed = claim(count, int(before.due), counted=False)
            return f"{self.does(player, 'lay')} {cards(count)} as {claimed}, {left or 'none'} left."
        if action == self.game.call:
            return self._told_call(player, before, after)
        return ""

    def _told_call(self, caller: int, before: View, after: View) -> str:
        player, honest = int(before.player), bool(after.log.honest[0])
        shown = [divmod(int(card), self.game.ranks)[::-1] for card in after.log.shown[0] if card >= 0]
        takes = self.does(caller if honest else player, "take")
        return (
            f"{self.does(caller, 'call')} bluff: {self.does(player, 'show')} {self.faces(shown)} - "
            f"{'the truth.' if honest else 'a lie!'} {takes} the pile of {cards(int(before.pile_size))}."
        )

    def end(self, view: View, rewards: np.ndarray) -> str:
        if not rewards.any():
            return f"A draw after {_turns(view)}: nobody is rid of all cards."
        winner = int(np.argmax(rewards))
        return f"{self.does(winner, 'win')} after {_turns(view)}, with no cards left."

    def rules(self) -> str:
        game = self.game
        even = game.cards % game.players == 0
        spare = (
            "; the first seats have one more"
            if game.remainder == "dealt"
            else "; what cannot be shared evenly is put aside"
        )
        most = "one card" if game.most == 1 else f"1 to {game.most} cards"
        return RULES.format(
            cards=game.cards,
            players=game.players,
            spare="" if even else spare,
            last=plural(game.ranks - 1),
            most=most,
            cap=game.cap,
        )

    def show(self, view: View) -> str:
        if view.asked > 0:
            return self._watched_claim(view) if view.seat < 0 else self._claim(view)
        if view.seat < 0:
            return self.due(view)
        hand = held(view.hand)
        return f"{self.due(view)}\nYour {cards(len(hand))}: {self.faces(hand) or 'none'}"

    def due(self, view: View) -> str:
        """What everybody sees while cards are being picked, and which ones one has picked."""
        sizes = [f"{self.name(seat)} {view.sizes[seat]}" for seat in self._others(view)]
        facts = f"{_to_play(view)} Cards in hand: {', '.join(sizes)}."
        return f"{facts}\nPicked: {self.faces(held(view.picked))}" if view.picked.any() else facts

    def _claim(self, view: View) -> str:
        hand, due, player = held(view.hand), int(view.due), int(view.player)
        own = [card for card in hand if card[0] == due]
        holds = f"{claim(len(own), due)} ({self.faces(own)})" if own else f"no {plural(due)}"
        left = f"{self.does(player, 'have', begins=False)} {view.sizes[player] or 'none'} left"
        return f"You hold {holds} among {cards(len(hand))}; {left}, the pile has {view.pile_size}."

    def _watched_claim(self, view: View) -> str:
        player = int(view.player)
        return f"{self._laid(view)}, {view.sizes[player] or 'none'} left; {_pile(view)}."

    def _laid(self, view: View) -> str:
        count = int(view.claim)
        claimed = claim(count, int(view.due), counted=False)
        return f"{self.does(int(view.player), 'have')} laid {cards(count)} as {claimed}"

    def _others(self, view: View) -> list[int]:
        """The other seats, clockwise; for a spectator, all of them."""
        return [(int(view.seat) + k) % view.players for k in range(1, view.players + (view.seat < 0))]

    def question(self, view: View, legal: np.ndarray) -> str:
        if view.asked > 0:
            return f"{self._laid(view)}: do you call bluff?"
        return f"It is your turn: lay {self.most_laid(view)}."

    def most_laid(self, view: View) -> str:
        """What may be laid: "1 to 4 cards as Aces"."""
        most = min(int(view.most), int((view.hand | view.picked).sum()))
        return f"{'a card' if most == 1 else f'1 to {most} cards'} as {claim(most, int(view.due), counted=False)}"

    def choices(self, view: View, legal: np.ndarray) -> list[Choice]:
        return [self._choice(view, int(action)) for action in np.flatnonzero(legal)]

    def _choice(self, view: View, action: int) -> Choice:
        if action < self.game.ranks:
            rank = (int(view.due) + action) % self.game.ranks
            return Choice(action, f"pick {claim(1, rank)} ({view.hand[:, rank].sum()} held)", "cards")
        return Choice(action, describe(self.game, view, action), "play" if action == self.game.lay else "answer")

    def notes(self, view: View) -> str:
        buried = held(view.buried & ~view.picked)
        lines = [f"Yours in the pile: {self.faces(buried)}."] if buried else []
        for seat in self._others(view):
            located = held(view.located == seat)
            cleared = " ".join(SIGNS[rank] for rank in np.flatnonzero(view.cleared[seat]))
            known = [f"{self.faces(located)}, held or laid since"] if located else []
            known += [f"no pile taken since laying at {cleared}"] if cleared else []
            lines.append(f"{self.name(seat)}: {'; '.join(known) or 'nothing known'}.")
        return "\n".join(lines)

    def advice(self, view: View) -> str:
        due, own = int(view.due), int(view.held[view.due])
        if view.asked > 0:
            claimed, chance = claim(int(view.claim), due), float(_could_be_true(view))
            player, pile = self.name(int(view.player)), cards(int(view.pile_size))
            if not chance:
                return f"{player} cannot have had {claimed}: you know where too many of them are."
            return f"By the cards alone, {player} had {claimed} in {chance:.0%} of the deals that fit what you know; whoever is wrong takes {pile}."
        if not own:
            return f"You have no {plural(due)}: whatever you lay is a lie."
        return f"You have {claim(own, due)}: {'that card alone is' if own == 1 else 'these alone are'} the truth."

    def scene(self, views: Sequence[View]) -> str:
        view = views[0]
        if view.asked > 0 or views[int(view.player)].picked.any():
            return ""
        hands = [f"{name}\t{self.faces(held(each.hand))}" for name, each in zip(self.names, views, strict=True)]
        return "\n".join([f"Turn {view.turn + 1}. {_to_play(view)}", *hands])

    def reveal(self, player: int, before: View, action: int, after: View) -> str:
        if action != self.game.lay:
            return self.tell(player, before, action, after)
        return f"{self.does(player, 'lay')} {self._play(before)}: {_verdict(before)}."

    def _play(self, before: View) -> str:
        """The cards picked in a view, and what they are laid as."""
        laid = held(before.picked)
        return f"{self.faces(laid)} as {claim(len(laid), int(before.due))}"

    def recap(self, moves: Sequence[Move], views: Sequence[View]) -> str:
        left = [
            f"{self.name(seat)}\t{self.faces(held(view.hand))}" for seat, view in enumerate(views) if view.hand.any()
        ]
        return "\n".join([*self._winning_play(moves, views), *self._honesty(moves), "Cards left:", *left])

    def _winning_play(self, moves: Sequence[Move], views: Sequence[View]) -> list[str]:
        """Whether the play that ended the game was a lie."""
        plays = [(seat, view) for seat, view, action in moves if action == self.game.lay]
        if len(plays) != views[0].turn or not plays or views[0].sizes[plays[-1][0]]:
            return []
        _, before = plays[-1]
        return [f"The winning play was {_verdict(before)}: {self._play(before)}."]

    def _honesty(self, moves: Sequence[Move]) -> list[str]:
        """Everybody's lies and calls."""
        counts = np.zeros((len(self.names), 5), int)  # plays, lies, lies caught, calls, right calls
        player, lie = 0, False
        for seat, view, action in moves:
            if action == self.game.lay:
                player, lie = seat, _is_lie(view)
                counts[seat, :2] += 1, lie
            elif action == self.game.call:
                counts[player, 2] += lie
                counts[seat, 3:] += 1, lie
        return [
            f"{self.name(seat)}: {counted(plays, 'play')}, {_lies(lies)}, {caught} caught; {counted(calls, 'call')}, {right} right."
            for seat, (plays, lies, caught, calls, right) in enumerate(counts.tolist())
        ]

    def face(self, card: Card) -> str:
        """A card as it looks: its rank and its suit."""
        rank, copy = card
        return SIGNS[rank] + SUITS[copy % self.game.suits]

    def faces(self, cards: Iterable[Card]) -> str:
        return " ".join(map(self.face, sorted(cards)))


def held(cards: Any) -> list[Card]:
    """The cards of a mask, bool[copies, ranks], in order."""
    return [(int(rank), int(copy)) for rank, copy in np.argwhere(np.asarray(cards).T)]


def cards(count: int) -> str:
    return counted(count, "card")


def plural(rank: int) -> str:
    return (RANKS[rank] + ("es" if RANKS[rank] == "six" else "s")).title()


def claim(count: int, rank: int, counted: bool = True) -> str:
    """ "a Four" or "2 Fours"; without the count, "Fours"."""
    if count == 1:
        article, name = _one(rank).split()
        return f"{article} {name.title()}"
    return f"{count} {plural(rank)}" if counted else plural(rank)


def _one(rank: int) -> str:
    return f"{'an' if RANKS[rank][0] in 'ae' else 'a'} {RANKS[rank]}"


def _is_lie(before: View) -> bool:
    """Whether the cards picked in a view are not all of the rank due."""
    return any(rank != before.due for rank, _ in held(before.picked))


def _verdict(before: View) -> str:
    return "a lie" if _is_lie(before) else "the truth"


def _lies(count: int) -> str:
    return "1 lie" if count == 1 else f"{count} lies"


def _turns(view: View) -> str:
    return counted(int(view.turn), "turn")


def _to_play(view: View) -> str:
    pile = _pile(view)
    return f"Rank to play: {plural(int(view.due))}. {pile[0].upper()}{pile[1:]}."


def _pile(view: View) -> str:
    return f"the pile has {cards(int(view.pile_size))}" if view.pile_size else "the pile is empty"
