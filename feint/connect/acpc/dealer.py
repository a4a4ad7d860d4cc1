"""A dealer for ACPC bots: one port a seat, and everything as the competition's own dealer does it.

Where a line asks a bot, its reply is that line and an action. A reply to anything else is passed over, an action that is none or is not
legal becomes a call, and whoever leaves or takes too long ends the match: hands in the log stay, and there is no score.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from feint import interrupts
from feint.connect.acpc.lines import COMMENTS, Gone, Lines
from feint.connect.acpc.match_log import MatchLog
from feint.errors import UserError
from feint.games.holdem import acpc
from feint.games.holdem.acpc import Hand
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import CALL
from feint.seating import Person, Sitter
from feint.table import Table

VERSION = re.compile(r"VERSION:(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


class Broken(Exception):
    """The match cannot go on; the message is a sentence that says why."""


@dataclass(frozen=True)
class Limits:
    """Seconds that a bot may take, the defaults those of the original."""

    response: float = 600.0  # for an answer
    hand: float = 600.0  # in a hand
    per_hand: float = 7.0  # in a hand on average of the match
    start: float | None = None  # until it has connected; None: as long as it likes


@dataclass
class Bot:
    """Whoever is connected to a seat."""

    seat: int
    name: str
    lines: Lines
    limits: Limits
    match: float  # seconds it may take in all
    used: float = 0.0
    used_in_hand: float = 0.0
    ignored: int = 0  # lines that answered nothing
    changed: int = 0  # actions that became calls
    _sent: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"Seat {self.seat + 1} ({self.name})"

    def greet(self) -> None:
        """Hear its version, which may be any: the original takes them all."""
        try:
            if VERSION.match(self.lines.read(self.limits.start)):
                return
        except (Gone, TimeoutError):
            pass
        raise Broken(f"{self} did not begin with its version, such as VERSION:2.0.0")

    def tell(self, line: str) -> None:
        try:
            self.lines.send(line, self.limits.response)
        except Gone:
            raise Broken(f"{self} has left") from None
        except TimeoutError:
            raise Broken(f"{self} does not read what it is sent") from None
        self._sent = line

    def answer(self, legal: np.ndarray) -> int:
        """Its action at the line it was sent last, a call where it names none that is legal."""
        start = time.monotonic()
        allowed = min(
            self.limits.response, max(0.0, self.limits.hand - self.used_in_hand), max(0.0, self.match - self.used)
        )
        while True:
            try:
                reply = self.lines.read(start + allowed - time.monotonic())
            except Gone:
                raise Broken(f"{self} has left") from None
            except TimeoutError:
                raise Broken(f"{self} ran out of time after {time.monotonic() - start:.1f} s") from None
            if (named := named_in(reply, self._sent)) is not None:
                break
            self.ignored += not reply.startswith(COMMENTS)
        taken = time.monotonic() - start
        self.used, self.used_in_hand = self.used + taken, self.used_in_hand + taken
        if named not in acpc.LETTERS or not legal[acpc.LETTERS.index(named)]:
            self.changed += 1
            return CALL
        return acpc.LETTERS.index(named)


def named_in(reply: str, sent: str) -> str | None:
    """What follows the line in a reply to it, one character after a colon and "-" for anything else; None where it is no reply to that line."""
    if not reply.startswith(sent):
        return None
    named = reply[len(sent) : len(sent) + 2]
    return named[1] if len(named) == 2 and named[0] == ":" else "-"


# ---- before the match


def listening(stack: ExitStack, host: str, ports: Sequence[int]) -> list[socket.socket]:
    """A socket for each port, 0 for any that is free."""
    return [stack.enter_context(_listening(host, port)) for port in ports]


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as failed:
        where = f"port {port}" if port else "any port"
        why = failed.strerror.partition(" (")[0] if failed.strerror else failed
        raise UserError(f"Nobody can be waited for at {host}, {where}: {why}.") from failed


def arrived(
    stack: ExitStack, waiting: Sequence[tuple[int, str, socket.socket]], limits: Limits, hands: int
) -> list[Bot]:
    """The bots of seats, by number and name, as soon as all have connected and told their version."""
    deadline = None if limits.start is None else time.monotonic() + limits.start
    bots = []
    for seat, name, server in waiting:
        server.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
        try:
            with interrupts.interruptible():
                connection, _ = server.accept()
        except TimeoutError:
            raise Broken(f"Nobody came to seat {seat + 1} ({name}) within {limits.start:g} s") from None
        server.close()  # one bot a seat
        bots.append(Bot(seat, name, Lines(stack.enter_context(connection)), limits, limits.per_hand * hands))
    for bot in bots:
        bot.greet()
    return bots


# ---- the match


class Dealer:
    """A match at a table in whose chairs bots sit, written as people, or agents of feint's."""

    def __init__(self, table: Table, bots: Sequence[Bot], log: MatchLog) -> None:
        self.table, self.log = table, log
        self.bots = {bot.seat: bot for bot in bots}

    @property
    def rules(self) -> Holdem:
        assert isinstance(self.table.game, Holdem)
        return self.table.game

    def catch_up(self) -> Iterator[None]:
        """Play what the log has again, hand by hand, so that agents remember it."""
        for logged in self.log.found:
            try:
                for action in (action for part in logged.betting for action in part):
                    self.table.follow(action)
                if not self.table.over:
                    raise UserError("it is not over")
            except UserError as wrong:
                raise UserError(f"{self.log.path}: hand {logged.number} is not a hand of this match: {wrong}") from None
            self.log.again(self._hand())
            self.table.next_game()
            yield

    def play_hand(self) -> None:
        """Play a hand, write it down and go on to the next."""
        for bot in self.bots.values():
            bot.used_in_hand = 0.0
        own = [self.table.view(position).cards.tolist() for position in range(self.rules.players)]
        while not self.table.over:
            self._tell(own)
            if self.table.person:
                bot = self.bots[self.table.chair(self.table.player)]
                self.table.play(bot.answer(self.table.legal))
            else:
                self.table.act()
        self.log.add(self._hand())
        self._tell(own)
        self.table.next_game()

    def _tell(self, own: list[list[int]]) -> None:
        """Send everybody what all may see, and their own cards."""
        seen = acpc.hand_of(self.rules, self.table.spectate(), self.table.number)
        for position, cards in enumerate(own):
            if bot := self.bots.get(self.table.chair(position)):
                hole = tuple(tuple(cards) if each == position else shown for each, shown in enumerate(seen.hole))
                bot.tell(Hand(seen.number, seen.betting, hole, seen.board).seen_by(position))

    def _hand(self) -> Hand:
        """The hand that is over, with nothing hidden."""
        table = self.table
        names = [self.log.names[table.chair(position)] for position in range(self.rules.players)]
        return acpc.hand_of(self.rules, table.state(), table.number, names)


def seated(game: Holdem, agents: Mapping[int, Sitter | str], seed: int) -> Table:
    """A table with agents in some seats, and bots in the others."""
    return Table(game, [agents.get(seat, Person()) for seat in range(game.players)], seed)
