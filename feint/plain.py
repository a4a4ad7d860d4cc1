"""Plain data, such as JSON, as the dataclasses that hold it: what has another type than their hints say is refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Kind = TypeVar("Kind")

LARGEST = 2**200  # of whole numbers: exact sums are longer than 64 bits, but not without end
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # would command a terminal, or cannot be written


def read(kind: type[Kind], data: Any) -> Kind:
    """Plain data as an instance of a dataclass, or of a simple type; `ValueError` names what is missing, too much or of another type."""
    return cast(Kind, _read(kind, data, ""))


def _read(kind: Any, data: Any, name: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _made(kind, data, name)
    if origin in (Union, UnionType):
        return _either(inner, data, name)
    if origin in (tuple, list, Sequence) and isinstance(data, list):
        kinds = inner[:1] * len(data) if origin is not tuple or Ellipsis in inner else inner
        if len(kinds) == len(data):
            made = [_read(each, value, f"{name}[{i}]") for i, (each, value) in enumerate(zip(kinds, data, strict=True))]
            return tuple(made) if origin is tuple else made
    elif origin in (dict, Mapping) and isinstance(data, dict):
        return {_read(inner[0], key, name): _read(inner[1], value, f"{name}.{key}") for key, value in data.items()}
    elif origin is Literal:
        if isinstance(data, str) and data in inner:
            return data
    elif _simple(kind, data):
        return data
    raise ValueError(f"{name.lstrip('.') or 'it'} is missing or not what it should be")


def _simple(kind: Any, data: Any) -> bool:
    if kind is Any:
        return True
    if kind is float and type(data) is int:
        return abs(data) < LARGEST
    if type(data) is not kind:
        return False
    return not (kind is int and abs(data) >= LARGEST) and not (kind is str and CONTROL.search(data))


def _either(kinds: tuple[Any, ...], data: Any, name: str) -> Any:
    """One of several types, by what the data says that it is."""
    if data is None and NoneType in kinds:
        return None
    for kind in kinds:
        try:
            return _read(kind, data, name)
        except ValueError:
            continue
    raise ValueError(f"{name.lstrip('.')} is not what it should be")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _made(kind: type, data: Any, name: str) -> Any:
    if isinstance(data, kind):
        return data  # read already, by somebody who knows more of it
    if not isinstance(data, dict):
        raise ValueError(f"{name.lstrip('.') or 'it'} is not what it should be")
    known = {each.name: each for each in fields(kind)}
    if unknown := sorted(data.keys() - known.keys()):
        raise ValueError(f"there is nothing called {unknown[0]!r} in {name.lstrip('.') or 'it'}")
    needed = {each.name for each in known.values() if each.default is MISSING and each.default_factory is MISSING}
    if missing := sorted(needed - data.keys()):
        raise ValueError(f"{f'{name}.{missing[0]}'.lstrip('.')} is missing")
    return kind(**{each: _read(_hints(kind)[each], value, f"{name}.{each}") for each, value in data.items()})
