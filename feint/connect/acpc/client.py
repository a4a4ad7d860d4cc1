"""A seat at somebody's dealer: one of feint's agents answers its lines."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

from feint import interrupts
from feint.connect.acpc.following import Following
from feint.connect.acpc.lines import COMMENTS, Gone, Lines
from feint.connect.guest import Guest
from feint.errors import UserError
from feint.games.holdem import acpc
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import CALL
from feint.seating import Sitter
from feint.visible import shortened

VERSION = "VERSION:2.0.0"
AGAIN = 0.1  # seconds until a dealer that is not there yet is asked again


class Malformed(Exception):
    """A line that no dealer of the game would send; the message says why."""


class Client:
    """An agent that hears a dealer's lines and answers those that are its turn. Every line that is right counts, and the last one most: a
    line that is not is passed over, and changes nothing."""

    def __init__(self, agent: Sitter | str, game: Holdem | None = None, seed: int = 0) -> None:
        self.paid: list[float] = []  # what each finished hand paid
        self.in_hand = False
        self._agent, self._seed = agent, seed
        self._following = Following(game) if game else None
        self._guest: Guest | None = None
        self._last: str | None = None  # the line that counts
        if self._following:
            self._rehearse(self._following)

    def hear(self, line: str) -> str | None:
        """The reply to a line, if it asks for one; `Malformed` where it is none of the protocol, or of the game."""
        if line.startswith(COMMENTS) or line == self._last:
            return None
        try:
            position, hand = acpc.read_seen(line)
            following = self._following or Following(Holdem(players=len(hand.hole)))
            step = following.told(position, hand)
            seen = following.seen(position, hand) if step.over or step.player == position else None
        except UserError as wrong:
            raise Malformed(str(wrong)) from None
        self._following, self._last, self.in_hand = following, line, not step.over
        if seen is None:
            return None
        guest, (view, rewards) = self._sitting(position, hand.number), seen
        if step.over:
            guest.finish(hand.number, position, view, rewards)
            self.paid.append(float(rewards[position]))
            return None
        action = guest.act(hand.number, following.moves, view, step.legal)
        return f"{line}:{acpc.LETTERS[action]}"

    @property
    def game(self) -> Holdem | None:
        """What is played, as far as it is known."""
        return self._following.rules if self._following else None

    def _sitting(self, position: int, number: int) -> Guest:
        """The agent, in the chair in which its first line finds it."""
        if self._guest is None:
            assert self._following
            rules = self._following.rules
            self._guest = Guest(rules, self._agent, (position + number) % rules.players, self._seed)
        return self._guest

    def _rehearse(self, following: Following) -> None:
        """Compile before the match whatever it takes to answer."""
        rules = following.rules
        opener = rules.openers[0]
        own = tuple((0, 1) if position == opener else () for position in range(rules.players))
        following.told(opener, acpc.Hand(0, ((CALL,),), own))
        begun = acpc.Hand(0, ((),), own)
        legal = following.told(opener, begun).legal
        view, rewards = following.seen(opener, begun)
        Guest(rules, self._agent, opener, self._seed).rehearse(view, legal, rewards)


def connected(host: str, port: int, patience: float) -> Lines:
    """A connection to a dealer; one that is not there yet is waited for, but not for longer than so many seconds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            with interrupts.interruptible():
                return Lines(socket.create_connection((host, port), timeout=max(1.0, patience)))
        except OSError as failed:
            if time.monotonic() >= deadline:
                raise UserError(f"No dealer at {host}, port {port}: {failed.strerror or failed}.") from failed
        with interrupts.interruptible():
            time.sleep(AGAIN)


def play(lines: Lines, client: Client, ignored: Callable[[str], None]) -> None:
    """Play until the dealer hangs up; `ignored` hears why a line was passed over."""
    try:
        lines.send(VERSION)
        while True:
            line = lines.read()
            try:
                reply = client.hear(line)
            except Malformed as wrong:
                ignored(f"{shortened(line, 60)!r} was passed over: {wrong}")
                continue
            if reply is not None:
                lines.send(reply)
    except Gone:
        return
