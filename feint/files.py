"""Files are written whole or not at all; whether one can be is found out before the work that is to fill it."""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EISDIR, ENOTDIR
from pathlib import Path
from tempfile import TemporaryFile

from feint.errors import UserError

FILE = "The file"


def write_whole(path: Path | str, content: bytes | str, what: str = FILE) -> None:
    """Write a file so that it is there whole or as it was; `UserError` says why `what` could not be saved."""
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}")  # two processes that write the same file do not meet here
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except OSError as failed:
        raise _unsaved(what, path, failed) from failed
    finally:
        with suppress(OSError):
            draft.unlink()


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
