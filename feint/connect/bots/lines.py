"""How bots are reached: a program of which feint writes to the input and reads the output, or an endpoint of HTTP or of a WebSocket."""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Protocol
from urllib.parse import urlsplit

from feint.connect.bots.messages import Fault
from feint.errors import UserError
from feint.visible import shortened, visible

CHUNK = 2**16
LAST_WORDS = 2000  # bytes of what a program wrote to its standard error
LARGEST = 2**26  # bytes of a frame
PATIENCE = 0.5  # seconds in which a program may end by itself


class Line(Protocol):
    """A way to a bot. `exchange` raises `Fault` where no answer comes; the line is closed then, and may be opened again."""

    def open(self, seconds: float) -> None: ...

    def exchange(self, message: bytes, seconds: float, most: int) -> bytes:
        """The answer to a message, of `most` bytes, within so many seconds."""
        ...

    def close(self) -> None: ...

    def abandon(self) -> None:
        """End what was started, from any thread, while another may be in the midst of an exchange."""


def line_to(spec: str) -> Line:
    """The way to a bot that was named by somebody here."""
    kind, _, rest = spec.strip().partition(":")
    if kind.lower() == "process":
        return Process(rest)
    try:
        address = urlsplit(spec.strip())
        host, _ = address.hostname, address.port
    except ValueError:
        host = None
    if not host:
        raise UserError(f"{spec} is not an address: write one such as http://localhost:8000/bot.")
    return WebSocket(spec.strip()) if kind.lower() in ("ws", "wss") else Http(spec.strip())


def _late(seconds: float) -> Fault:
    return Fault("hang", f"has not answered within {seconds:g} s, which is the limit.")


def _flood(most: int) -> Fault:
    return Fault("flood", f"answered with more than {most:,} bytes, far more than any answer has.")


def _unasked(said: bytes | str) -> Fault:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    quoted = shortened(visible(text.strip()), 60)
    return Fault("flood", f"said {quoted!r} unasked: it must say one thing for every message, and nothing else.")


class Process:
    """A program: a message is a line that is written to it, and the line that it writes is the answer."""

    def __init__(self, command: str) -> None:
        try:
            self.command = shlex.split(command)
        except ValueError as wrong:
            raise UserError(f"process:{command} is not a command ({wrong}): write one such as process:./bot.") from None
        if not self.command:
            raise UserError("process: lacks its command: write one such as process:./bot or 'process:node bot.js'.")
        self._running: subprocess.Popen[bytes] | None = None
        self._last_words = b""

    def open(self, seconds: float) -> None:
        try:
            self._running = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is feint's matter, and whatever it starts ends with it
            )
        except OSError as failed:
            hint = "; does its first line name a program, as #!/usr/bin/env node does?" if failed.errno == 8 else ""
            raise Fault("start", f"cannot be started: {failed.strerror}{hint}.") from None
        except ValueError:
            raise Fault("start", "cannot be started: that is not the name of a program.") from None
        self._last_words = b""
        for pipe in (self._running.stdin, self._running.stdout, self._running.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)

    def exchange(self, message: bytes, seconds: float, most: int) -> bytes:
        try:
            return self._exchange(message, seconds, most)
        except Fault:
            self._kill()
            raise

    def _exchange(self, message: bytes, seconds: float, most: int) -> bytes:
        program = self._running
        assert program is not None
        assert program.stdin and program.stdout and program.stderr  # noqa: PT018
        with suppress(BlockingIOError):
            if said := os.read(program.stdout.fileno(), CHUNK):
                raise _unasked(said)
        unsent, heard, deadline = memoryview(message + b"\n"), bytearray(), time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            for pipe in (program.stdout, program.stderr):
                ready.register(pipe, selectors.EVENT_READ)
            ready.register(program.stdin, selectors.EVENT_WRITE)
            while True:
                if (left := deadline - time.monotonic()) <= 0:
                    raise _late(seconds)
                for key, _ in ready.select(left):
                    if key.fileobj is program.stdin:
                        try:
                            unsent = unsent[os.write(key.fd, unsent[:CHUNK]) :]
                        except BrokenPipeError:
                            unsent = unsent[:0]  # that it is gone shows at its output
                        if not unsent:
                            ready.unregister(program.stdin)
                    elif key.fileobj is program.stderr:
                        said = os.read(key.fd, CHUNK)
                        self._last_words = (self._last_words + said)[-LAST_WORDS:]
                        if not said:
                            ready.unregister(program.stderr)
                    else:
                        said = os.read(key.fd, CHUNK)
                        if not said:
                            raise self._gone(program)
                        heard += said
                        if len(heard) > most:
                            raise _flood(most)
                        if b"\n" in said:
                            line, _, more = bytes(heard).partition(b"\n")
                            if unsent or more.strip(b"\0"):  # of another encoding, the end of a line has a zero
                                raise _unasked(more or line)
                            return line

    def _gone(self, program: subprocess.Popen[bytes]) -> Fault:
        try:
            code = program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return Fault("crash", "closed its output instead of answering.")
        assert program.stderr
        with suppress(BlockingIOError):
            while said := os.read(program.stderr.fileno(), CHUNK):
                self._last_words = (self._last_words + said)[-LAST_WORDS:]
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"
        *_, last = ["", *self._last_words.decode(errors="replace").strip().splitlines()]
        words = f"; the last that it wrote to its standard error was {shortened(visible(last), 120)!r}" if last else ""
        return Fault("crash", f"{how} instead of answering{words}.")

    def close(self) -> None:
        if self._running is None:
            return
        for pipe in (self._running.stdin, self._running.stdout, self._running.stderr):
            assert pipe is not None
            pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._running.wait(PATIENCE)
        self._kill()
        self._running = None

    def _kill(self) -> None:
        assert self._running is not None
        self.abandon()
        self._running.wait()

    def abandon(self) -> None:
        if self._running is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._running.pid, signal.SIGKILL)  # and whatever it has started


class Http:
    """An endpoint of HTTP: a message is posted to it, and what comes back is the answer. Nobody is followed elsewhere."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        connection = HTTPSConnection if parts.scheme.lower() == "https" else HTTPConnection
        self._connect = partial(connection, parts.hostname or "", parts.port)
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection: HTTPConnection | None = None
        self._used = False  # whether something was asked over this connection

    def open(self, seconds: float) -> None:
        self._connection, self._used = self._connect(timeout=seconds), False
        try:
            self._connection.connect()
        except TimeoutError:
            raise _late(seconds) from None
        except OSError as failed:
            raise Fault("start", f"cannot be reached: {failed.strerror or failed}.") from None

    def exchange(self, message: bytes, seconds: float, most: int) -> bytes:
        again, self._used = self._used, True
        try:
            return self._posted(message, seconds, most)
        except TimeoutError:
            raise _late(seconds) from None
        except (HTTPException, OSError) as failed:
            if again:  # a server may hang up on whoever was silent for a while
                self.close()
                self.open(seconds)
                return self.exchange(message, seconds, most)
            raise Fault("crash", f"hung up instead of answering ({type(failed).__name__}).") from None

    def _posted(self, message: bytes, seconds: float, most: int) -> bytes:
        line, deadline = self._connection, time.monotonic() + seconds
        assert line
        if line.sock is None:
            line.timeout = seconds
            line.connect()
        line.sock.settimeout(seconds)
        line.request("POST", self._target, message, {"Content-Type": "application/json", "Accept": "application/json"})
        sock = line.sock  # let go of by a server that says it hangs up after the answer
        answer = line.getresponse()
        heard = bytearray()
        while said := answer.read1(CHUNK):
            heard += said
            if len(heard) > most:
                raise _flood(most)
            if (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            if sock is not None:
                sock.settimeout(left)
        answer.close()  # all of it is read: the connection serves for the next one
        if answer.status != 200:
            raise Fault("nonsense", f"answered with the status {answer.status} ({visible(answer.reason)}), not 200.")
        return bytes(heard)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None

    def abandon(self) -> None:
        pass


class WebSocket:
    """A WebSocket: a message is a frame of text, and so is the answer."""

    def __init__(self, address: str) -> None:
        try:
            from websockets.sync import client
        except ImportError:
            raise UserError(f"{address} needs websockets: pip install 'feint[bots]'.") from None
        self.address, self._client = address, client
        self._socket: Any = None
        self._open = ExitStack()

    def open(self, seconds: float) -> None:
        from websockets.exceptions import InvalidHandshake, InvalidMessage

        try:
            self._socket = self._open.enter_context(
                self._client.connect(
                    self.address,
                    open_timeout=seconds,
                    close_timeout=PATIENCE,
                    compression=None,
                    proxy=None,
                    max_size=LARGEST,
                )
            )
        except TimeoutError:
            raise _late(seconds) from None
        except OSError as failed:
            raise Fault("start", f"cannot be reached: {failed.strerror or failed}.") from None
        except (InvalidHandshake, InvalidMessage, EOFError) as failed:
            raise Fault("start", f"is not a WebSocket: {failed}.") from None

    def exchange(self, message: bytes, seconds: float, most: int) -> bytes:
        from websockets.exceptions import ConnectionClosed

        deadline = time.monotonic() + seconds
        try:
            with suppress(TimeoutError):
                raise _unasked(self._socket.recv(timeout=0))
            self._socket.send(message.decode())
            answer = self._socket.recv(timeout=max(0.0, deadline - time.monotonic()), decode=False)
        except TimeoutError:
            raise _late(seconds) from None
        except ConnectionClosed as closed:
            raise Fault("crash", f"hung up instead of answering ({shortened(visible(closed), 80)}).") from None
        if len(answer) > most:
            raise _flood(most)
        return answer

    def close(self) -> None:
        self._open.close()

    def abandon(self) -> None:
        pass
