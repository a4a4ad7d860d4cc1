"""A match as the server holds it: a `Table` that knows everything, and what each chair and a spectator are told of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from feint import deals, secrecy
from feint.agent import is_compiled
from feint.game import Game
from feint.keyboard import keyboard
from feint.seating import Person, names_of
from feint.story import Story
from feint.table import Table
from feint.web.company import Question, Sitting, bits
from feint.words import narration, score

PERSON, AGENT, OPEN = "person", "agent", "open"


@dataclass(frozen=True)
class Chair:
    """Who sits in a chair; `agent` of a person is whoever sits in for them."""

    kind: str
    name: str = ""
    agent: str | None = None
    since: tuple[int, int] = (0, 0)  # the round and the move from which on that agent plays
    token: str | None = None  # its hash

    @property
    def spec(self) -> str:
        """As a record has it."""
        return self.agent or "" if self.kind == AGENT else f"me:{self.name}" if self.name else "me"


@dataclass(frozen=True)
class Dealt:
    """One game of a match: all its chance, and the promise of it."""

    secret: bytes  # of which the deal and the agents' chance come
    deal: str  # as JSON
    nonce: str
    commitment: str


@jax.jit
def _draw(game: Any, key: Any) -> Any:
    return game.draw(key)


def deal_out(game: Game) -> Dealt:
    """A new game's chance, from the operating system."""
    secret, nonce = secrecy.secret(), secrecy.secret().hex()
    drawn = _draw(game, secrecy.key(secrecy.derived(secret, "deal")))
    deal = json.dumps(deals.written(drawn), separators=(",", ":"))
    return Dealt(secret, deal, nonce, commitment(deal, nonce))


def commitment(deal: str, nonce: str) -> str:
    """What is published before a game, and opened after it."""
    return hashlib.sha256((deal + nonce).encode()).hexdigest()


class Round:
    """A game in play. Whoever sits there is asked elsewhere: at this table everybody is a person, called by name."""

    def __init__(
        self, game: Game, number: int, dealt: Dealt, chairs: Sequence[Chair], actions: Sequence[int] = ()
    ) -> None:
        self.game, self.number, self.dealt = game, number, dealt
        names = names_of([chair.spec for chair in chairs])
        self.table = Table(game, [Person(name) for name in names], number=number, deal=json.loads(dealt.deal))
        self.readers = [chair for chair, who in enumerate(chairs) if who.kind == PERSON]
        self.stories = {seat: Story(self.table, seat) for seat in (*map(self.seat, self.readers), None)}
        self.follow(actions)

    def seat(self, chair: int) -> int:
        """The seat of a chair in this game."""
        return (chair - self.number) % self.game.players if self.game.rotates else chair

    @property
    def chair(self) -> int | None:
        """The chair whose turn it is."""
        return None if self.table.over else self.table.chair(self.table.player)

    def refusal(self, actions: Sequence[int]) -> str:
        """Why these moves cannot be made in a row by whoever's turn it is; empty where they can."""
        ahead, mover = self.table, self.table.player
        for number, action in enumerate(actions):
            if number:
                ahead = ahead.copy()
                ahead.play(actions[number - 1])
            if ahead.over or ahead.player != mover:
                return "Those are more moves than your turn has. Nothing was done."
            if not (0 <= action < self.game.actions and ahead.legal[action]):
                view = ahead.view(mover)
                named = self.game.describe(view, action) if 0 <= action < self.game.actions else f"action {action}"
                return f"That is not possible now: {named}. {self.words(mover).question(view, ahead.legal)}"
        return ""

    def words(self, seat: int | None) -> Any:
        """The game's words to a seat."""
        return narration(self.game, self.table.names, seat)

    def follow(self, actions: Sequence[int]) -> None:
        """Moves that were made."""
        for action in actions:
            self.table.play(action)
            for story in self.stories.values():
                story.tell(action)

    def call(self, chairs: Sequence[Chair]) -> None:
        """From now on, those at the table are called as they are by now."""
        self.table.specs = [str(Person(name)) for name in names_of([chair.spec for chair in chairs])]
        for seat, story in self.stories.items():
            story.narration = self.words(seat)

    def question(self, sitting: Sitting) -> Question:
        """What an agent whose turn it is is asked."""
        table = self.table
        chance = bits(self.dealt.secret, f"move {table.moves}")
        if is_compiled(sitting.agent):
            return Question(self.game, sitting, chance, packed=table.packed)
        return Question(self.game, sitting, chance, view=table.view(table.player), legal=table.legal)

    def message(self, chair: int | None, told_from: int = 0) -> dict[str, Any]:
        """What a chair is told, None for a spectator; the log from a number on."""
        seat = self.seat(chair) if chair in self.readers and chair is not None else None
        table, story = self.table, self.stories[seat]
        view = table.spectate() if seat is None else table.view(seat)
        told = story.message(view, told_from)
        keys = keyboard(story.narration).keys(story.narration.choices(view, table.legal)) if told["choices"] else []
        over = table.over
        return told | {
            "round": self.number,
            "seat": seat,
            "choices": [choice | {"key": key} for choice, key in zip(told["choices"], keys, strict=True)],
            "told_from": told_from,
            "commitment": self.dealt.commitment,
            "opening": {"deal": self.dealt.deal, "nonce": self.dealt.nonce} if over else None,
            "over": over,
            "rewards": table.rewards.tolist() if over else None,
            "winners": table.winners.tolist() if over else None,
        }


class Score:
    """What the finished games of a match have come to, by chair."""

    def __init__(self, game: Game) -> None:
        self.game, self.games = game, 0
        self.wins, self.paid = np.zeros(game.players, int), np.zeros(game.players)

    def add(self, rewards: Sequence[float], winners: Sequence[bool]) -> None:
        self.games += 1
        self.wins += np.asarray(winners, int)
        self.paid += np.asarray(rewards)

    def told(self, names: Sequence[str]) -> dict[str, Any]:
        sentence = score(self.game, names, self.games, self.wins, self.paid) if self.games else ""
        return {"games": self.games, "wins": self.wins.tolist(), "payoffs": self.paid.tolist(), "sentence": sentence}


WAITING: dict[str, Any] = {
    "round": None,
    "number": 0,
    "seat": None,
    "view": None,
    "seen": "",
    "turn": None,
    "question": "",
    "choices": [],
    "told_from": 0,
    "told": [],
    "end": "",
    "commitment": None,
    "opening": None,
    "over": False,
    "rewards": None,
    "winners": None,
}  # what is told of a game that has not begun
