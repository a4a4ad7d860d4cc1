"""Files that anybody may have made, altered or damaged: read without running, hanging on or believing anything in them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from io import BytesIO
from math import isfinite
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO

from feint.errors import UserError

MOST = 2**28  # bytes that are read at once
DEEPEST = 40  # lists within lists

_brought: ContextVar[Mapping[str, bytes]] = ContextVar("brought", default={})  # noqa: B039  # nobody writes to it
_noted: ContextVar[set[str] | None] = ContextVar("noted", default=None)


@contextmanager
def refused(sentence: str) -> Iterator[None]:
    """Whatever is stumbled over within, the file is not what it should be: one sentence, and never a traceback."""
    try:
        yield
    except UserError:
        raise
    except Exception as broken:  # parsers of archives, numbers and dates raise whatever comes to their minds
        raise UserError(sentence) from broken


@contextmanager
def opened(path: Path | str) -> Iterator[BinaryIO]:
    """A plain file to read from, and nothing that waits or has no end, such as a pipe or a device."""
    if str(path) in _brought.get():
        yield BytesIO(_brought.get()[str(path)])
        return
    if (names := _noted.get()) is not None:
        names.add(str(path))
    try:
        # A pipe that nobody writes to would otherwise be waited for before it could be refused.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as failed:
        raise UserError(f"{path} cannot be read: {failed.strerror}.") from failed
    except ValueError:  # a name with a zero in it
        raise UserError(f"{str(path)!r} is not the name of a file.") from None
    if not S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise UserError(f"{path} cannot be read: it is not a regular file.")
    with os.fdopen(number, "rb") as file:
        try:
            yield file
        except OSError as failed:
            raise UserError(f"{path} cannot be read: {failed.strerror}.") from failed


def content(path: Path | str, most: int = MOST) -> bytes:
    """All of a file that is no larger than it may be."""
    with opened(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise UserError(f"{path} is larger than the {most / 1e6:,.0f} MB that are read.")
    return found


@contextmanager
def noted() -> Iterator[dict[str, bytes]]:
    """The files that are read within, by the names that they are asked for by, known at the end of it: to be `brought` to another machine."""
    names: set[str] = set()
    files: dict[str, bytes] = {}
    token = _noted.set(names)
    try:
        yield files
    finally:
        _noted.reset(token)
    files |= {name: content(name) for name in sorted(names)}


@contextmanager
def brought(files: Mapping[str, bytes]) -> Iterator[None]:
    """Within, these files are as they were on the machine that they come from, whatever is here under their names."""
    token = _brought.set(files)
    try:
        yield
    finally:
        _brought.reset(token)


def parsed(text: bytes | str, infinite: bool = False) -> Any:
    """JSON as plain data: `ValueError` where it is none, names a thing twice, is nested without end, or has a number that is none.

    `infinite` lets Infinity, -Infinity and NaN pass, as Python writes them.
    """
    try:
        found = json.loads(
            text.decode() if isinstance(text, bytes) else text,
            object_pairs_hook=_object,
            parse_float=None if infinite else _finite,
            parse_constant=None if infinite else _finite,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level = [found]
    for _ in range(DEEPEST):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return found
    raise ValueError("it is nested too deeply")


def _parts(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it names a thing twice")
    return found


def _finite(text: str) -> float:
    if not isfinite(value := float(text)):
        raise ValueError(f"{text} is not a number")
    return value


def seal(data: Any, *more: bytes | memoryview) -> str:
    """Sixteen digits that stand for plain data, and any bytes beside it: a file that was edited or damaged no longer has its own."""
    whole = sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode())
    for each in more:
        whole.update(each)
    return whole.hexdigest()[:16]


def is_sealed(data: Mapping[str, Any], name: str = "seal") -> bool:
    """Whether plain data is as it was when its own seal, one of its entries, was made."""
    return data.get(name) == seal({key: value for key, value in data.items() if key != name})
