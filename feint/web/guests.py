"""Those who are connected to a table, and when they are told of it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

WATCHERS_TOLD = 0.5  # seconds after which everybody is told of a few people more or fewer who watch


@dataclass(eq=False)
class Guest:
    """Somebody connected to a table: in a chair, or watching."""

    chair: int | None
    host: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)  # something is to be sent
    told: tuple[int | None, int] = (None, 0)  # up to where the log was sent: round and sentences
    gone: bool = False  # the table was closed


@dataclass(frozen=True)
class Present:
    """Who is connected to a table at one process."""

    process: str
    chairs: list[int]
    watchers: int


class Audience:
    """The guests of a table in this process, and what is known of those at others."""

    def __init__(self) -> None:
        self.guests: set[Guest] = set()
        self.elsewhere: list[Present] = []
        self.left = time.monotonic()  # when the last guest left
        self.changed = asyncio.Event()
        self._coming: asyncio.TimerHandle | None = None  # watchers who came and went are yet to be told of

    def here(self, chair: int) -> bool:
        """Whether the person in a chair is connected, to any process."""
        return any(guest.chair == chair for guest in self.guests) or any(chair in at.chairs for at in self.elsewhere)

    @property
    def watchers(self) -> int:
        return sum(guest.chair is None for guest in self.guests) + sum(at.watchers for at in self.elsewhere)

    def present(self, process: str) -> Present:
        """Those who are connected here."""
        chairs = sorted({guest.chair for guest in self.guests if guest.chair is not None})
        return Present(process, chairs, sum(guest.chair is None for guest in self.guests))

    def enter(self, guest: Guest) -> None:
        self.guests.add(guest)
        guest.news.set()
        self._came_or_went(guest)

    def leave(self, guest: Guest) -> None:
        self.guests.discard(guest)
        self.left = time.monotonic()
        self._came_or_went(guest)

    def _came_or_went(self, guest: Guest) -> None:
        """Of a player all are told at once, of those who watch now and then, the more there are the rarer."""
        self.changed.set()
        if guest.chair is not None:
            self.tell_who_is_here()
        elif self._coming is None:
            delay = WATCHERS_TOLD * (1 + len(self.guests) / 100)
            self._coming = asyncio.get_running_loop().call_later(delay, self.tell_who_is_here)

    def tell_who_is_here(self) -> None:
        """Others are here by now."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None
        self.tell()

    def tell(self) -> None:
        """Something is another: everybody is sent the state."""
        self.changed.set()
        for guest in self.guests:
            guest.news.set()

    def dismiss(self) -> None:
        """The table is served no longer."""
        if self._coming is not None:
            self._coming.cancel()
        for guest in self.guests:
            guest.gone = True
            guest.news.set()
