"""Ctrl-C at the command line: heard while a compiler works, answered within a second by one sentence, and nothing is torn down.

An exception in the midst of JAX is swallowed by it, waits until the compiler is through, or crashes the interpreter when that ends.
So none is raised there. A thread hears the signal; the command has a moment to leave by itself where it is safe (`pressed`, `check`, `interruptible`),
and else the thread keeps what there is, says so and ends the process on the spot. Where nobody is `listening`, as in a
notebook, Ctrl-C is Python's own KeyboardInterrupt everywhere.
"""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, RLock, Thread
from typing import Any, TypeVar

from feint.errors import UserError
from feint.visible import visible

STOPPED = 130  # the exit code after Ctrl-C
GRACE = 0.4  # seconds in which a command may come to a place from which it leaves by itself

_pressed = Event()
_leaving = RLock()  # held by whoever ends the process: the main thread or another, and never both
_wake = -1  # where the signal is written to, for the thread that hears it
_raises = False  # whether Ctrl-C is an exception at once
_last_words: list[Callable[[], str]] = [lambda: "Stopped; the same command begins again."]
_displays: list[Any] = []
_to_undo: list[Callable[[], None]] = []

Display = TypeVar("Display", bound=AbstractContextManager[Any])


@contextmanager
def listening() -> Iterator[None]:
    """Within, Ctrl-C ends the process with a sentence. Where it is ignored, as in jobs of a script, it stays ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    global _wake
    heard, _wake = os.pipe()
    os.set_blocking(_wake, False)
    signal.signal(signal.SIGINT, _press)
    # Python's own handlers wait for the main thread, which may be compiling for a minute; this is written to at once.
    signal.set_wakeup_fd(_wake, warn_on_full_buffer=False)
    restore = _terminal()
    Thread(target=_hear, args=(heard, restore), daemon=True).start()
    try:
        yield
    except SystemExit as left:
        if pressed():  # what there was to keep is kept; to take JAX down could take seconds
            _end(int(left.code or 0), restore)
        raise
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(_wake)
        _wake = -1


@contextmanager
def passed_on() -> Iterator[None]:
    """Within an event loop, which may have taken the signals to itself: Ctrl-C is handed on to the thread that hears it."""
    wakes = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    if _wake in (-1, wakes):
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: os.write(_wake, bytes([signal.SIGINT])))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def on_ctrl_c(leave: Callable[[], str]) -> Iterator[None]:
    """Within, Ctrl-C ends the command: `leave` keeps what there is, perhaps in another thread, and gives the sentence that says so."""
    _last_words.append(leave)
    try:
        yield
    except KeyboardInterrupt:
        _say(leave())
        raise SystemExit(STOPPED) from None
    finally:
        pressed()
        _last_words.remove(leave)


def pressed() -> bool:
    """Whether Ctrl-C was pressed: asked where a command can leave with all that it did, and then leaves by itself."""
    if _pressed.is_set():
        _take_over()
    return _pressed.is_set()


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed."""
    if pressed():
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, Ctrl-C raises KeyboardInterrupt without delay: where somebody is waited for and nothing is being worked out."""
    global _raises
    _raises = True
    try:
        check()
        yield
    finally:
        _raises = False


@contextmanager
def shown(display: Display) -> Iterator[Display]:
    """A bar or another live display, which Ctrl-C takes off the screen before the sentence comes."""
    _displays.append(display)
    try:
        with display:
            yield display
    finally:
        _displays.remove(display)


@contextmanager
def alone(display: Display) -> Iterator[Display]:
    """One that has the screen to itself: what was shown before it is taken off, and comes back afterwards."""
    others = list(_displays)
    for other in reversed(others):
        other.stop()
    try:
        with shown(display):
            yield display
    finally:
        for other in others:
            other.start()


@contextmanager
def undone(undo: Callable[[], None]) -> Iterator[None]:
    """What is undone at the end of this, and also where Ctrl-C ends the process within it."""
    _to_undo.append(undo)
    try:
        yield
    finally:
        _to_undo.remove(undo)
        undo()


def _press(*_: Any) -> None:
    """In the main thread, as soon as it runs Python, be it in the midst of JAX."""
    _pressed.set()
    if _raises:
        check()


def _take_over() -> None:
    if not _leaving.acquire(blocking=False):
        Event().wait()  # the other thread is about to end the process


def _hear(heard: int, restore: Callable[[], None]) -> None:
    if not os.read(heard, 1):
        return os.close(heard)
    _pressed.set()
    Thread(target=_leave, args=(restore,), daemon=True).start()
    if not os.read(heard, 1):
        return os.close(heard)
    # Pressed again: whatever is still being kept is given up.
    _say("Stopped at once: what was not kept by then is lost.")
    _end(STOPPED, restore)


def _leave(restore: Callable[[], None]) -> None:
    time.sleep(GRACE)
    if not _leaving.acquire(blocking=False):
        return
    code = STOPPED
    try:
        for display in reversed(_displays):
            display.stop()
        _say(_last_words[-1]())
    except UserError as unsaved:
        _say(f"feint: {unsaved}")
        code = 2
    finally:
        _end(code, restore)


def _say(sentence: str) -> None:
    with suppress(OSError):  # nobody may be listening any more
        sys.stdout.flush()
        print(visible(sentence), file=sys.stderr, flush=True)


def _end(code: int, restore: Callable[[], None]) -> None:
    with suppress(Exception):
        restore()
        for undo in _to_undo:
            undo()
        for display in _displays:  # one that was starting while it was stopped has hidden the cursor
            display.console.show_cursor()
        sys.stdout.flush()
    os._exit(code)


def _terminal() -> Callable[[], None]:
    """What puts the terminal's settings back as they are now."""
    try:
        settings = termios.tcgetattr(0)
    except termios.error:
        return lambda: None

    def restore() -> None:
        with suppress(OSError, termios.error):  # a terminal of other processes
            if os.tcgetpgrp(0) == os.getpgrp():  # one in the background would be stopped for it
                termios.tcsetattr(0, termios.TCSANOW, settings)

    return restore
