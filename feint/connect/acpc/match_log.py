"""The log of a match while it is played: every hand is in the file before the next one is dealt, so that a match that broke off goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from feint import reading
from feint.errors import UserError
from feint.files import append_whole, check_writable, write_whole
from feint.games.holdem import acpc
from feint.games.holdem.acpc import Hand

WHAT = "The log"


class MatchLog:
    """A file that begins with what is played, and grows hand by hand. One that is there already must be of the same match."""

    def __init__(self, path: Path, header: Sequence[str], names: Sequence[str], fresh: bool = False) -> None:
        self.path, self.header, self.names = path, tuple(header), tuple(names)
        self.sums = np.zeros(len(names))  # by seat, in doubles as the original reckons
        self.hands: list[Hand] = []
        self.finished = False
        self._found: tuple[Hand, ...] = ()
        check_writable(path, WHAT)
        if path.exists() and not fresh:
            self._found = self._read()

    def _read(self) -> tuple[Hand, ...]:
        """The hands in the file; a last line without an end was being written when the match broke off, and is left out."""
        with reading.refused(f"{self.path} is not a log of an ACPC dealer: it is not text."):
            text = reading.content(self.path).decode()
        log = acpc.log_of(text[: text.rfind("\n") + 1], str(self.path))
        if log.comments[:1] != self.header[:1]:
            was = log.comments[0] if log.comments else "something else"
            raise UserError(
                f"{self.path} is the log of another match ({was}): name another file with --log, or begin anew with --fresh."
            )
        self.header = log.comments
        self.finished = bool(log.score)
        return log.hands

    @property
    def found(self) -> tuple[Hand, ...]:
        """The hands that were played before."""
        return self._found

    def begin(self) -> None:
        """Write what is kept: the header of a new log, or all whole lines of an old one."""
        write_whole(self.path, str(acpc.Log(self._found, self.header)), WHAT)

    def again(self, hand: Hand) -> None:
        """A hand that was played again from the log, which it must be the next of."""
        logged = self._found[len(self.hands)]
        if str(hand) != str(logged):
            raise UserError(f"{self.path}: hand {logged.number} is not of this match: {hand} is.")
        self._count(hand)

    def add(self, hand: Hand) -> None:
        append_whole(self.path, f"{hand}\n", WHAT, lasting=True)
        self._count(hand)

    def finish(self) -> str:
        """The last line, by seat."""
        last = str(acpc.Log((), (), tuple(self.sums), self.names)).strip()
        append_whole(self.path, f"{last}\n", WHAT, lasting=True)
        return last

    def _count(self, hand: Hand) -> None:
        self.hands.append(hand)
        self.sums += hand.paid
