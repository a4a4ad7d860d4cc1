"""A folder of things that can be made again: nothing in it is believed unless it is whole and nobody else can have put it there.

What is kept here runs: compiled code, and pickles that JAX makes of it. So the folder is private, down from the root of the
disk, and every entry begins with a checksum over its name and its bytes that is compared before any of them is looked at.
To lose an entry, or all of them, costs time and nothing else.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from feint.errors import UserError
from feint.files import locked, write_whole
from feint.reading import content

MOST = 1_000_000_000  # bytes; of more, what was not used for longest goes
SHARE = 16  # a process looks at the size of the whole again when it has added this part of what may be there
PRIVATE = 0o700


class Store:
    """Bytes by name in a private folder."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self.folder, self.most = folder, most
        self._room = 0  # bytes that may still be added before the folder is looked at

    def get(self, name: str) -> bytes | None:
        """What was put under a name; None where there is nothing, or nothing whole."""
        path = self._file(name)
        try:
            found = content(path, self.most)
            if found[:32] == _checksum(name, found[32:]):
                os.utime(path)
                return found[32:]
            path.unlink()
        except (OSError, UserError):
            pass
        return None

    def put(self, name: str, made: bytes) -> None:
        """Keep bytes under a name, if that can be: a full or read-only disk costs speed, never the game."""
        with suppress(OSError, UserError):
            self._room -= len(made)
            if self._room < 0:
                self._make_room(len(made))
            write_whole(self._file(name), _checksum(name, made) + made, lasting=False)

    def making(self, name: str, meanwhile: AbstractContextManager[Any]) -> AbstractContextManager[None]:
        """Within, no other process makes what belongs under a name; where one does, it is waited for in `meanwhile`."""
        return locked(self._file(name), meanwhile=meanwhile)

    def _file(self, name: str) -> Path:
        return self.folder / sha256(name.encode()).hexdigest()[:32]

    def _make_room(self, size: int) -> None:
        part = self.most // SHARE
        left = self.most - part - size
        for entry in sorted(
            self._entries(), key=lambda each: -each[1].st_mtime_ns
        ):  # drafts of those killed among them
            left -= entry[1].st_size
            if left < 0:
                entry[0].unlink(missing_ok=True)
        self._room = part

    def _entries(self) -> list[tuple[Path, os.stat_result]]:
        found = []
        for each in self.folder.iterdir():
            with suppress(FileNotFoundError):  # another process makes room as well
                found.append((each, each.stat()))
        return found


def _checksum(name: str, content: bytes) -> bytes:
    whole = sha256(f"{len(name)} {name} ".encode())
    whole.update(content)
    return whole.digest()


def open_store(folder: Path) -> Store | None:
    """The store in a folder, which is made where it is missing; None, and a word of warning, where it cannot be trusted."""
    try:
        folder = folder.resolve()
        for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
            each.mkdir(PRIVATE, exist_ok=True)
        if not folder.is_dir():
            return None
        open_to = next((each for each in (folder, *folder.parents) if _open_to_others(each, each == folder)), None)
        if open_to:
            logging.getLogger("feint").warning(
                f"Nothing is kept in {folder}, so starts are slow: {open_to} belongs to others or can be written by them."
            )
            return None
        if folder.stat().st_mode & 0o077 and os.name == "posix":
            folder.chmod(PRIVATE)
    except OSError:  # a read-only home, say
        return None
    return Store(folder)


def _open_to_others(folder: Path, last: bool) -> bool:
    """Whether somebody other than the user and root could put something into a folder, or another one in its place."""
    if os.name != "posix":
        return False
    about = folder.stat()
    if about.st_uid not in (os.geteuid(), 0):
        return True
    if about.st_mode & stat.S_ISVTX and not last:  # as in /tmp: what is there can be moved by its owner alone
        return False
    by_group = about.st_mode & stat.S_IWGRP and not _is_own_group(about.st_gid)
    return bool(by_group or about.st_mode & stat.S_IWOTH)


def _is_own_group(group: int) -> bool:
    """Whether a group is the user's own, as many systems make one for each: named like the user, and nobody else in it."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_name == user and set(found.gr_mem) <= {user}
