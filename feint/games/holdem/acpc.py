"""Hands as the ACPC writes them: lines of a dealer's log and states that it sends, read, replayed and written.

    STATE:hand:betting:cards:values:names       a finished hand; values and names by position
    MATCHSTATE:position:hand:betting:cards      a hand as one position sees it

Betting is letters, f, c and r, rounds between slashes; cards are everybody's own between bars, empty where hidden, then the board by round.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import reading
from feint.errors import UserError
from feint.games.holdem import cards
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import NONE, View
from feint.visible import shortened
from feint.ways import where

LETTERS = "fcr"  # fold, call, raise
LINE = re.compile(r"STATE:(\d{1,9}):([fcr/]*):([^:]*):([^:]*):([^:]*)")
SEEN = re.compile(r"MATCHSTATE:(\d{1,2}):(\d{1,9}):([fcr/]*):([^:]*)")
SCORE = re.compile(r"SCORE:([^:]*):([^:]*)")
BATCH_SIZE = 1024  # hands replayed in one go

Cards = tuple[int, ...]


@dataclass(frozen=True)
class Hand:
    """A hand as far as it has come."""

    number: int
    betting: tuple[tuple[int, ...], ...]  # actions by round
    hole: tuple[Cards, ...]  # by position, empty where hidden
    board: tuple[Cards, ...] = ()  # by round, from the second on
    values: tuple[float, ...] = ()  # by position, of a finished hand
    names: tuple[str, ...] = ()  # by position

    def __str__(self) -> str:
        """Its line in a log."""
        values, names = "|".join(map(value_text, self.values)), "|".join(self.names)
        return f"STATE:{self.number}:{betting_text(self.betting)}:{cards_text(self.hole, self.board)}:{values}:{names}"

    @property
    def paid(self) -> np.ndarray:
        """Its values by seat, float64[players]: the seat of a position is position + number."""
        return np.roll(self.values, self.number)

    def seen_by(self, position: int) -> str:
        """The line that the dealer sends a position."""
        return f"MATCHSTATE:{position}:{self.number}:{betting_text(self.betting)}:{cards_text(self.hole, self.board)}"


@dataclass(frozen=True)
class Log:
    """A match as a dealer keeps it."""

    hands: tuple[Hand, ...]
    comments: tuple[str, ...] = ()  # with what the log begins
    score: tuple[float, ...] = ()  # by seat, empty where the match was not finished
    names: tuple[str, ...] = field(default=())  # by seat

    def __str__(self) -> str:
        score = [f"SCORE:{'|'.join(map(value_text, self.score))}:{'|'.join(self.names)}"] if self.score else []
        return "\n".join([*self.comments, *map(str, self.hands), *score, ""])


# ---- read


def read_log(path: Path | str) -> Log:
    """A dealer's log."""
    with reading.refused(f"{path} is not a log of an ACPC dealer: it is not text."):
        text = reading.content(path).decode()
    return log_of(text, str(path))


def log_of(text: str, name: str) -> Log:
    """The same of a text, which goes by a name where it is refused."""
    lines = text.splitlines()
    comments = tuple(line for line in lines if line.startswith(("#", ";")))
    hands = tuple(read_hand(line) for line in lines if line.startswith("STATE"))
    if other := [line for line in lines if line.strip() and not line.startswith(("#", ";", "STATE", "SCORE"))]:
        raise UserError(f"{name} is not a log of an ACPC dealer: {shortened(other[0], 40)!r} is not a line of one.")
    last = [line for line in lines if line.startswith("SCORE")]
    if not last:
        return Log(hands, comments)
    score = _matched(SCORE, last[-1])
    return Log(hands, comments, _values(score[1], last[-1]), tuple(score[2].split("|")))


def read_hand(line: str) -> Hand:
    """A line of a log."""
    found = _matched(LINE, line)
    hole, board = read_cards(found[3])
    values, names = _values(found[4], line), tuple(found[5].split("|"))
    if not len(hole) == len(values) == len(names):
        raise UserError(f"{shortened(line, 60)!r} does not have cards, a value and a name for each position.")
    return Hand(int(found[1]), read_betting(found[2]), hole, board, values, names)


def read_seen(line: str) -> tuple[int, Hand]:
    """A line that the dealer sends: whose view it is, and the hand."""
    found = _matched(SEEN, line)
    return int(found[1]), Hand(int(found[2]), read_betting(found[3]), *read_cards(found[4]))


def read_betting(text: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(LETTERS.index(letter) for letter in part) for part in text.split("/"))


def read_cards(text: str) -> tuple[tuple[Cards, ...], tuple[Cards, ...]]:
    """Everybody's own cards, and the board."""
    own, *board = text.split("/")
    hole = tuple(tuple(cards.read(part)) for part in own.split("|"))
    if not all(len(each) in (0, 2) for each in hole):
        raise UserError(f"{shortened(text, 60)!r} does not have two cards for each position, or none.")
    return hole, tuple(tuple(cards.read(part)) for part in board)


def _matched(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    found = pattern.fullmatch(line.rstrip("\r\n"))
    if not found:
        such = pattern.pattern.partition(":")[0]
        raise UserError(f"{shortened(line, 60)!r} must begin with {such} and go on as lines of the ACPC's protocol do.")
    return found


def _values(text: str, line: str) -> tuple[float, ...]:
    parts = text.split("|")
    if not all(re.fullmatch(r"-?\d{1,12}(\.\d{1,6})?", part) for part in parts):
        raise UserError(f"{shortened(line, 60)!r} has values that are not numbers.")
    return tuple(map(float, parts))


# ---- written


def betting_text(betting: Sequence[Sequence[int]]) -> str:
    return "/".join("".join(LETTERS[action] for action in actions) for actions in betting)


def cards_text(hole: Sequence[Sequence[int]], board: Sequence[Sequence[int]]) -> str:
    return "/".join(["|".join(map(cards.written, hole)), *map(cards.written, board)])


def value_text(value: float) -> str:
    """A value as the dealer prints it: at most six decimals, and no zeros at the end."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def hand_of(rules: Rules, state: State | View, number: int, names: Sequence[str] = ()) -> Hand:
    """A state, with nothing hidden, or what a position sees of it, as a hand."""
    seen = jax.device_get(state)
    rounds = range(int(seen.round) + 1)
    ends = np.cumsum(rules.board)
    betting = tuple(tuple(action for action in seen.history[each].tolist() if action >= 0) for each in rounds)
    board = tuple(tuple(seen.board[ends[each - 1] : ends[each]].tolist()) for each in rounds[1:])
    if isinstance(seen, State):
        values = values_of(seen) if seen.terminated else []
        return Hand(number, betting, _hole(seen.hole), board, tuple(values), tuple(names))
    own = np.arange(rules.players)[:, None] == seen.seat
    return Hand(number, betting, _hole(np.where(own, seen.cards, seen.shown)), board)


def _hole(hole: Any) -> tuple[Cards, ...]:
    return tuple(tuple(each) if min(each) >= 0 else () for each in hole.tolist())


def values_of(state: Any) -> list[float]:
    """What a finished hand paid each position, in doubles as the dealer reckons."""
    paid = np.asarray(state.paid, float)
    strength = np.where(state.folded, -1, state.strength)
    takes = strength == strength.max()
    return (np.where(takes, paid.sum() / takes.sum(), 0) - paid).tolist()


# ---- replayed


def replay(rules: Rules, hands: Sequence[Hand]) -> State:
    """Hands played again, as far as they have come: a stack of states in NumPy's arrays. What is hidden may be any cards that are left."""
    if not hands:
        raise UserError("There are no hands to be played again.")
    for hand in hands:
        check_cards(rules, hand)
    states = [_replayed(rules, hands[start : start + BATCH_SIZE]) for start in range(0, len(hands), BATCH_SIZE)]
    return jax.tree.map(lambda *parts: np.concatenate(parts), *states)


def _replayed(rules: Rules, hands: Sequence[Hand]) -> State:
    padded = [*hands, *[hands[0]] * (BATCH_SIZE - len(hands))]  # one program for any number of them
    hole, board = (
        jnp.asarray(np.stack(each)) for each in zip(*(completed(rules, hand) for hand in padded), strict=True)
    )
    history = np.stack([_history(rules, hand) for hand in padded])
    states = jax.device_get(_play(rules, Deal(hole, board), jnp.asarray(history)))
    # What is not legal is replaced, and does not come out.
    same = (states.history == history).all(axis=(1, 2)) & (states.round == [len(hand.betting) - 1 for hand in padded])
    for hand, fine in zip(hands, same, strict=False):
        if not fine:
            _refuse(rules, hand)
    return jax.tree.map(lambda leaf: leaf[: len(hands)], states)


@jax.jit
def _play(rules: Rules, deals: Deal, history: Array) -> State:
    """The states after these actions, int8[hands, rounds, moves of a round], NONE for none."""

    def one(deal: Deal, actions: Array) -> State:
        def step(state: State, action: Array) -> tuple[State, None]:
            return where(action >= 0, rules.step(state, action), state), None

        return jax.lax.scan(step, rules.deal(deal), actions.ravel())[0]

    return jax.vmap(one)(deals, history)


def _history(rules: Rules, hand: Hand) -> np.ndarray:
    """Its actions as states have them."""
    history = np.full((rules.rounds, rules.round_moves), NONE, np.int8)
    if len(hand.betting) > rules.rounds or max(map(len, hand.betting)) > rules.round_moves:
        _refuse(rules, hand)
    for row, actions in zip(history, hand.betting, strict=False):
        row[: len(actions)] = actions
    return history


def _refuse(rules: Rules, hand: Hand) -> None:
    betting = shortened(betting_text(hand.betting), 60)
    raise UserError(f"Hand {hand.number} cannot be played by the rules of {rules}: {betting} cannot be bet there.")


def check_cards(rules: Rules, hand: Hand) -> None:
    """Refuse a hand that does not have the cards of its betting, each of them once."""
    known = [card for part in (*hand.hole, *hand.board) for card in part]
    if len(hand.hole) != rules.players:
        raise UserError(f"Hand {hand.number} has {len(hand.hole)} positions, and the game {rules.players}.")
    if len(set(known)) < len(known):
        raise UserError(f"Hand {hand.number} has a card twice: {cards_text(hand.hole, hand.board)}.")
    if rules.board[0] or [len(part) for part in hand.board] != list(rules.board[1 : len(hand.betting)]):
        raise UserError(
            f"Hand {hand.number} does not have the board of its round: {cards_text(hand.hole, hand.board)}."
        )


def completed(rules: Rules, hand: Hand) -> tuple[np.ndarray, np.ndarray]:
    """Its cards, int8[players, 2] and int8[board]: any others where they are hidden."""
    board = [card for part in hand.board for card in part]
    known = {*board, *(card for part in hand.hole for card in part)}
    left = iter(card for card in range(cards.CARDS) if card not in known)
    hole = [part or (next(left), next(left)) for part in hand.hole]
    board += [next(left) for _ in range(sum(rules.board) - len(board))]
    return np.array(hole, np.int8), np.array(board, np.int8)
