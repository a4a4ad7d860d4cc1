"""Words for games of pgx, which has pictures and numbers: hands and bets of its poker, boards of stones. Other games speak in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from feint.words import Narration

TITLES = {
    "animal_shogi": "Animal shogi",
    "connect_four": "Connect four",
    "gardner_chess": "Gardner's chess",
    "go_19x19": "Go, 19 by 19",
    "go_9x9": "Go, 9 by 9",
    "kuhn_poker": "Kuhn poker",
    "leduc_holdem": "Leduc hold'em",
    "sparrow_mahjong": "Sparrow mahjong",
    "tic_tac_toe": "Tic-tac-toe",
}
BETS = {
    "kuhn_poker": ("bet", "pass"),
    "leduc_holdem": ("call", "raise", "fold"),
}  # a call with nothing to pay is a check
SIDES = {
    "tic_tac_toe": 3,
    "othello": 8,
    "hex": 11,
    "go_9x9": 9,
    "go_19x19": 19,
}  # of boards, on whose squares one plays
STONES = (*SIDES, "connect_four")  # whose observations begin with one's own stones and the other's
STONE = "xo"  # of the first and the second seat
CARDS = ("jack", "queen", "king")
FEW = 64  # numbers of a position that are shown at once


def title(name: str) -> str:
    """A game's name as people write it."""
    return TITLES.get(name, name.capitalize())


def action_name(name: str, action: int) -> str:
    """An action of a game."""
    side = SIDES.get(name, 0)
    if name in BETS:
        return BETS[name][action]
    if name == "connect_four":
        return f"column {action + 1}"
    if action < side * side:
        return f"{_letter(action % side)}{action // side + 1}"
    if side:
        return "swap" if name == "hex" else "pass"
    return f"action {action}"


class PgxNarration(Narration):
    """Dry words, as far as there are any."""

    game: Any  # a feint.connect.pgx_games.PgxGame

    def show(self, view: Any) -> str:
        name = self.game.env.id
        if name in STONES:
            return _board(view)
        if not view.position and view.seat < 0:
            return "What everybody may know is told move by move."
        if name in BETS:
            return _hand(view.observation, name)
        numbers = {name: np.asarray(each) for name, each in view.position.items()} or {"you see": view.observation}
        small = {name: each for name, each in numbers.items() if each.dtype != bool and each.size <= FEW}
        return "\n".join(f"{name}: {np.array2string(each, separator=' ')}" for name, each in (small or numbers).items())

    def scene(self, views: Any) -> str:
        if views[0].position:  # the same for everybody
            return self.show(views[0])
        return "\n".join(f"{self.name(seat)}: {self.show(view)}" for seat, view in enumerate(views))


def _letter(column: int) -> str:
    return chr(ord("a") + column)


def _board(view: Any) -> str:
    own = max(int(view.seat), 0)  # spectators see what the first seat does
    mine, other = np.asarray(view.observation[..., 0]), np.asarray(view.observation[..., 1])
    signs = np.where(mine, STONE[own], np.where(other, STONE[1 - own], "."))
    rows, columns = signs.shape
    head = " ".join(map(_letter, range(columns))) if rows == columns else " ".join(map(str, range(1, columns + 1)))
    numbers = [f"{row + 1:2} " if rows == columns else "" for row in range(rows)]
    body = [f"{number}{' '.join(row)}" for number, row in zip(numbers, signs, strict=True)]
    return "\n".join([" " * len(numbers[0]) + head, *body, f"{STONE[0]} is the first seat's, {STONE[1]} the second's."])


def _hand(seen: Any, name: str) -> str:
    """What a player sees of a hand: its card, the community card, and what both have bet."""
    seen = np.asarray(seen)
    community, chips = seen[3:6], seen[6:].reshape(2, -1) if name == "leduc_holdem" else seen[3:].reshape(2, -1)
    words = [f"your card: {CARDS[seen[:3].argmax()]}"]
    if name == "leduc_holdem" and community.any():
        words.append(f"the community card: {CARDS[community.argmax()]}")
    mine, other = chips.argmax(axis=1)
    return "; ".join([*words, f"you have bet {mine}, the other {other}"])
