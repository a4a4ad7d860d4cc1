"""Programs at a real terminal."""

import os
import pty
import re
import select
import signal
import sys
import time
from contextlib import suppress

PATIENCE = 120.0


class Terminal:
    """A program at a terminal of its own, 80 columns wide and 24 lines high."""

    def __init__(self, *command: str, env: dict[str, str] | None = None, ignored: bool = False) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.SIG_DFL)
            screen = {"COLUMNS": "80", "LINES": "24"}
            os.execvpe(sys.executable, [sys.executable, *command], {**os.environ, **(env or {}), **screen})
        self.seen, self.told = "", 0

    def until(self, pattern: str) -> str:
        """What came since the last time, up to and with a pattern."""
        while not (found := re.compile(pattern).search(self.seen, self.told)):
            assert self.read(), f"it ended after: {self.seen}"
        text, self.told = self.seen[self.told : found.end()], found.end()
        return text

    def wait(self, seconds: float) -> None:
        """Read whatever comes meanwhile: a program whose screen nobody reads soon stands still."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and select.select([self.fd], [], [], left)[0] and self.read():
            pass

    def read(self) -> bool:
        """Whether there was more to read."""
        ready, _, _ = select.select([self.fd], [], [], PATIENCE)
        assert ready, f"nothing came for {PATIENCE} seconds after: {self.seen}"
        with suppress(OSError):  # how Linux ends a terminal whose process is gone
            if more := os.read(self.fd, 65536).decode(errors="replace"):
                self.seen += more
                return True
        return False

    def write(self, typed: str) -> None:
        os.write(self.fd, typed.encode())

    def press_ctrl_c(self) -> None:
        self.write("\x03")

    def end(self) -> tuple[int, list[str]]:
        """The exit code and the lines that are left standing on the screen."""
        before = len(self.seen)
        while self.read():
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        shown = [re.split(r"\x1b\[2K|\r|\^C", line)[-1] for line in self.seen[before:].split("\r\n")]
        return code, [text for line in shown if (text := re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", line).strip())]
