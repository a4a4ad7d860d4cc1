"""Bluff in a person's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import ClassVar

import numpy as np
from jax import Array

from feint.errors import UserError
from feint.games.bluff.rules import Rules
from feint.games.bluff.view import View
from feint.words import Move, Words

RANKS = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
SIGNS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = "♠♥♦♣"

HELP = """\
Be the first without cards. Each turn has its rank: aces, then twos, up to {last}s, and round again. Whoever's turn it \
is lays 1 to {most} cards face down as cards of that rank, truly or not. The others are asked one after the other whether \
they call bluff; a call shows the cards. After a lie the player takes the whole pile, after the truth the caller does. An \
empty hand wins, unless its last play is shown to be a lie.

To lay cards, type their ranks, 3 7 K (10 or T for a ten, a capital Q for a queen), or their numbers with commas, 1,2 (one \
card: 5, or #5). They are shown back: Enter lays them, u takes them back. Suits do not matter: of a rank, the card longest in \
your hand goes first.
When you are asked, y calls bluff; n or Enter lets it pass."""


def describe(rules: Rules, view: View, action: int) -> str:
    """An action in a person's words."""
    if action < rules.ranks:
        return f"pick {_one((int(view.turn) + action) % rules.ranks)}"
    return {rules.lay: "lay them down", rules.trust: "let it pass", rules.call: "call bluff"}[action]


Card = tuple[int, int]  # its rank and which copy of it, so that cards sort as people hold them


class BluffWords(Words):
    """Cards by their faces, claims and calls in sentences."""

    rivals: ClassVar[tuple[str, ...]] = ("smart", "anxious", "no-bluff")
    game: Rules

    def tell(self, player: int, before: View, action: int, after: View) -> str:
        if action == self.game.lay:
            count, left = int(after.claim), int(after.sizes[player])
            claim = _claim(count, int(before.due), counted=False)
            return f"{self.does(player, 'lay')} {_cards(count)} as {claim}, {left or 'none'} left."
        if action == self.game.call:
            return self._told_call(player, before, after)
        return ""

    def _told_call(self, caller: int, before: View, after: View) -> str:
        player, honest = int(before.player), bool(after.log.honest[0])
        shown = [divmod(int(card), self.game.ranks)[::-1] for card in after.log.shown[0] if card >= 0]
        takes = self.does(caller if honest else player, "take")
        return (
            f"{self.does(caller, 'call')} bluff: {self.does(player, 'show')} {self.faces(shown)} - "
            f"{'the truth.' if honest else 'a lie!'} {takes} the pile of {_cards(int(before.pile_size))}."
        )

    def end(self, view: View, rewards: np.ndarray) -> str:
        if not rewards.any():
            return f"A draw after {_turns(view)}: nobody is rid of all cards."
        winner = int(np.argmax(rewards))
        return f"{self.does(winner, 'win')} after {_turns(view)}, with no cards left."

    def show(self, view: View) -> str:
        if view.asked > 0:
            return self._show_claim(view)
        sizes = [f"{self.name(seat)} {view.sizes[seat]}" for seat in self._others(view)]
        facts = f"{_plural(int(view.due))} are due, {_pile(view)}. Cards in hand: {', '.join(sizes)}."
        picked = f"\nPicked: {self.faces(_held(view.picked))}" if view.picked.any() else ""
        hand = _held(view.hand)
        return f"{facts}{picked}\nYour {_cards(len(hand))}:\n{self._numbered(hand)}"

    def _show_claim(self, view: View) -> str:
        hand, due, player = _held(view.hand), int(view.due), int(view.player)
        own = [card for card in hand if card[0] == due]
        held = f"{_claim(len(own), due)} ({self.faces(own)})" if own else f"no {_plural(due)}"
        left = f"{self.name(player)} has {view.sizes[player] or 'none'} left, the pile {view.pile_size}"
        return f"You hold {held} and {_cards(len(hand))} in all; {left}."

    def _others(self, view: View) -> list[int]:
        """The other seats, clockwise."""
        return [(int(view.seat) + k) % view.players for k in range(1, view.players)]

    def _numbered(self, hand: list[Card]) -> str:
        """Cards in rows, each under its number."""
        a_row = max(1, self.width // 4)
        rows = []
        for start in range(0, len(hand), a_row):
            row = hand[start : start + a_row]
            rows.append("".join(f"{number:>4}" for number in range(start + 1, start + 1 + len(row))))
            rows.append("".join(f"{self.face(card):>4}" for card in row))
        return "\n".join(rows)

    def ask(self, view: View, legal: np.ndarray) -> str:
        if view.asked > 0:
            return "Call bluff? [y/N] "
        most = min(view.most, int((view.hand | view.picked).sum()))
        return (
            f"Lay {'a card' if most == 1 else f'1 to {most} cards'} as {_claim(most, int(view.due), counted=False)}: "
        )

    def read(self, view: View, legal: np.ndarray, typed: str) -> list[int]:
        if view.asked > 0:
            return [self._answer(typed)]
        ranks = self._ranks(_held(view.hand), typed)
        count = len(ranks) + int(view.picked.sum())
        if count == 0:
            raise UserError("Nobody may pass: type at least one card; ? shows how.")
        if count > view.most:
            raise UserError(f"That is {_cards(count)}, and at most {view.most} are laid in one turn.")
        held = Counter(rank for rank, _ in _held(view.hand))
        for rank, wanted in Counter(ranks).items():
            if not held[rank]:
                raise UserError(f"You hold no {_plural(rank)}.")
            if wanted > held[rank]:
                raise UserError(f"You hold {_claim(held[rank], rank)}, not {wanted}.")
        return [*sorted((rank - int(view.due)) % view.ranks for rank in ranks), self.game.lay]

    def _answer(self, typed: str) -> int:
        answer = typed.strip().lower()
        if answer in ("y", "yes", "call", "bluff", "call bluff"):
            return self.game.call
        if answer in ("", "n", "no", "pass", "let it pass"):
            return self.game.trust
        raise UserError(f"{typed.strip()!r} is no answer: y calls bluff, n or Enter lets it pass.")

    def _ranks(self, hand: list[Card], typed: str) -> list[int]:
        """The ranks of the cards that were typed, by rank or by number."""
        words = typed.replace(",", " ").split()
        numbers = [word for word in words if "," in typed or word.startswith("#")]
        if len({word.removeprefix("#") for word in numbers}) < len(numbers):
            raise UserError(f"{typed.strip()!r} names a card twice: each number stands for one card.")
        return [_numbered_rank(hand, word) if word in numbers else self._named_rank(word) for word in words]

    def _named_rank(self, word: str) -> int:
        sign = "10" if word.upper() == "T" else word.upper()
        if sign not in SIGNS[: self.game.ranks]:
            last = SIGNS[self.game.ranks - 1]
            raise UserError(
                f"{word!r} is no rank: type ranks from A to {last}, such as A 2 {last}, or numbers, 1,2 or #5."
            )
        return SIGNS.index(sign)

    def confirm(self, view: View, actions: Sequence[int]) -> str:
        if actions[-1] != self.game.lay:
            return ""
        # Of each rank, the card longest in the hand goes first.
        hand = sorted(_held(view.hand), key=lambda card: view.stamp[card[1], card[0]])
        cards = _held(view.picked)
        for action in actions[:-1]:
            rank = (int(view.due) + action) % view.ranks
            cards.append(next(card for card in hand if card[0] == rank and card not in cards))
        return (
            f"You will lay {self.faces(cards)} as {_claim(len(cards), int(view.due))}. Enter to lay, u to take back: "
        )

    def notes(self, view: View) -> str:
        buried = _held(view.buried & ~view.picked)
        lines = [f"Yours in the pile: {self.faces(buried)}."] if buried else []
        for seat in self._others(view):
            located = _held(view.located == seat)
            cleared = " ".join(SIGNS[rank] for rank in np.flatnonzero(view.cleared[seat]))
            known = [f"{self.faces(located)}, held or laid since"] if located else []
            known += [f"no pile taken since laying at {cleared}"] if cleared else []
            lines.append(f"{self.name(seat)}: {'; '.join(known) or 'nothing known'}.")
        return "\n".join(lines)

    def help(self) -> str:
        return HELP.format(last=RANKS[self.game.ranks - 1], most=self.game.most)

    def scene(self, views: Sequence[View]) -> str:
        view = views[0]
        if view.asked > 0 or views[int(view.player)].picked.any():
            return ""
        margin = max(map(len, self.names)) + 2
        hands = [
            fill(f"{name:<{margin}}{self.faces(_held(each.hand))}", self.width, subsequent_indent=" " * margin)
            for name, each in zip(self.names, views, strict=True)
        ]
        return "\n".join([f"Turn {view.turn + 1}: {_plural(int(view.due))} are due, {_pile(view)}.", *hands])

    def reveal(self, player: int, before: View, action: int, after: View) -> str:
        if action != self.game.lay:
            return self.tell(player, before, action, after)
        cards = _held(before.picked)
        verdict = "a lie" if _is_lie(before) else "the truth"
        return f"{self.does(player, 'lay')} {self.faces(cards)} as {_claim(len(cards), int(before.due))}: {verdict}."

    def recap(self, moves: Sequence[Move]) -> str:
        counts = np.zeros((len(self.names), 5), int)  # plays, lies, lies caught, calls, right calls
        player, lie = 0, False
        for seat, view, action in moves:
            if action == self.game.lay:
                player, lie = seat, _is_lie(view)
                counts[seat, :2] += 1, lie
            elif action == self.game.call:
                counts[player, 2] += lie
                counts[seat, 3:] += 1, lie
        return "\n".join(
            f"{self.name(seat)}: {plays} plays, {lies} of them lies, {caught} caught; {calls} calls, {right} right."
            for seat, (plays, lies, caught, calls, right) in enumerate(counts)
        )

    def face(self, card: Card) -> str:
        """A card as it looks: its rank and its suit."""
        rank, copy = card
        return SIGNS[rank] + SUITS[copy % self.game.suits]

    def faces(self, cards: Iterable[Card]) -> str:
        return " ".join(map(self.face, sorted(cards)))


def _held(cards: Array | np.ndarray) -> list[Card]:
    """The cards of a mask, bool[copies, ranks], in order."""
    return [(int(rank), int(copy)) for rank, copy in np.argwhere(np.asarray(cards).T)]


def _is_lie(before: View) -> bool:
    """Whether the cards picked in a view are not all of the rank due."""
    return any(rank != before.due for rank, _ in _held(before.picked))


def _numbered_rank(hand: list[Card], word: str) -> int:
    number = word.removeprefix("#")
    if not number.isdecimal():
        raise UserError(f"With commas or # a card goes by its number, and {word!r} is none; ranks have spaces: 3 7 K.")
    if not 1 <= int(number) <= len(hand):
        raise UserError(f"There is no card number {number}: your cards go from 1 to {len(hand)}.")
    return hand[int(number) - 1][0]


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _turns(view: View) -> str:
    return "1 turn" if view.turn == 1 else f"{view.turn} turns"


def _pile(view: View) -> str:
    return f"the pile has {_cards(int(view.pile_size))}" if view.pile_size else "the pile is empty"


def _one(rank: int) -> str:
    return f"{'an' if RANKS[rank][0] in 'ae' else 'a'} {RANKS[rank]}"


def _plural(rank: int) -> str:
    return (RANKS[rank] + ("es" if RANKS[rank] == "six" else "s")).title()


def _claim(count: int, rank: int, counted: bool = True) -> str:
    """ "a Four" or "2 Fours"; without the count, "Fours"."""
    if count == 1:
        article, name = _one(rank).split()
        return f"{article} {name.title()}"
    return f"{count} {_plural(rank)}" if counted else _plural(rank)
