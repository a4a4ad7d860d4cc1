"""Files are written whole or not at all; whether one can be is found out before the work that is to fill it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from errno import EISDIR, ENOTDIR
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from feint.errors import UserError
from feint.interrupts import undone

FILE = "The file"
SPAN = 0.1  # seconds between two looks at a lock


def write_whole(path: Path | str, content: bytes | str, what: str = FILE, lasting: bool = True) -> None:
    """Write a file so that it is there whole or as it was, and a `lasting` one even if the power fails right after.

    `UserError` says why `what` could not be saved.
    """
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}")  # two processes that write the same file do not meet here
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())  # before the name is given to it: else an empty file may be found under it
        draft.replace(path)
    except OSError as failed:
        raise _unsaved(what, path, failed) from failed
    finally:
        with suppress(OSError):
            draft.unlink()


def append_whole(path: Path | str, text: str, what: str = FILE, lasting: bool = False) -> None:
    """Add to the end of a file, all of a text or nothing of it; what is `lasting` stays even if the power fails right after."""
    path = Path(path)
    try:
        with path.open("ab", buffering=0) as file:
            before, left = file.tell(), text.encode()
            try:
                while left:
                    left = left[file.write(left) :]
                if lasting:
                    os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise
    except OSError as failed:
        raise _unsaved(what, path, failed) from failed


@contextmanager
def locked(path: Path | str, what: str = FILE, meanwhile: AbstractContextManager[Any] | None = None) -> Iterator[None]:
    """Within, no other feint has a file in hand: whoever comes second is refused, or waits in `meanwhile`. Who is killed lets go."""
    path = Path(path)
    lock = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = _held(lock)
    except BlockingIOError:
        if meanwhile is None:
            raise UserError(
                f"{what} {path} is in use by another feint: wait for that to end, or name another."
            ) from None
        with meanwhile:
            held = _waited_for(lock)
    except OSError:  # nothing can be written there, so there is nothing to protect
        yield
        return
    try:
        with undone(partial(lock.unlink, missing_ok=True)):
            yield
    finally:
        os.close(held)


def _waited_for(lock: Path) -> int:
    while True:
        try:
            return _held(lock)
        except BlockingIOError:
            time.sleep(SPAN)


def _held(lock: Path) -> int:
    """A lock of one's own, as an open file."""
    while True:
        held = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.stat().st_ino == os.fstat(held).st_ino:
                return held
        except FileNotFoundError:  # whoever had it has just taken it away
            pass
        except OSError:
            os.close(held)
            raise
        os.close(held)


def check_writable(path: Path | str, what: str = FILE) -> None:
    """Raise the `UserError` that `write_whole` would, and leave no trace: folders that are missing are not made yet."""
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        nearest = next(folder for folder in path.absolute().parents if folder.exists())
        # Asking for permission is not enough: a disk may be read-only, and root may do anything elsewhere.
        with TemporaryFile(dir=nearest):
            pass
    except OSError as failed:
        raise _unsaved(what, path, failed) from failed


def _unsaved(what: str, path: Path, failed: OSError) -> UserError:
    # "File exists" is what a system says where a folder should be and a file is.
    why = os.strerror(ENOTDIR) if isinstance(failed, FileExistsError) else failed.strerror
    return UserError(f"{what} cannot be saved as {path}: {why}.")
