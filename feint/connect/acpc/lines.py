"""Lines over a connection, as both ends of a match write and read them."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from feint import interrupts

LONGEST = 5120  # bytes of a line, as the original has it; longer ones are passed over
RECV_BYTES = 65536
COMMENTS = ("#", ";")  # with what lines begin that nobody need read


class Gone(Exception):
    """The other end has closed the connection, or lost it."""


class Lines:
    """A connection, line by line. Whatever comes is text that others wrote: it may be anything."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._received = bytearray()
        self._passing_over = False  # the rest of a line that is too long

    def send(self, line: str, limit: float | None = None) -> None:
        """Send a line; `TimeoutError` where the other end takes nothing for so many seconds."""
        self._connection.settimeout(limit)
        with _lost(), interrupts.interruptible():
            self._connection.sendall(f"{line}\r\n".encode())

    def read(self, limit: float | None = None) -> str:
        """The next line, without its end; `TimeoutError` where none has come after so many seconds, however much else has."""
        deadline = None if limit is None else time.monotonic() + limit
        while True:
            line, end, rest = self._received.partition(b"\n")
            if end:
                self._received, passed_over, self._passing_over = rest, self._passing_over, False
                if not passed_over and len(line) <= LONGEST:
                    return line.rstrip(b"\r").decode(errors="replace")
            else:
                if len(line) > LONGEST:
                    self._received, self._passing_over = bytearray(), True
                self._received += self._more(deadline)

    def _more(self, deadline: float | None) -> bytes:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        with _lost(), interrupts.interruptible():
            if not select.select([self._connection], [], [], left)[0]:
                raise TimeoutError
            more = self._connection.recv(RECV_BYTES)
        if not more:
            raise Gone
        return more

    def close(self) -> None:
        self._connection.close()


@contextmanager
def _lost() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise
    except OSError as lost:
        raise Gone from lost
