"""Settings: one frozen dataclass for each algorithm, every field explained, set from text or from a TOML file."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from feint.errors import UserError

S = TypeVar("S")
KINDS = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}


def setting(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: Sequence[str] = (),
) -> Any:
    """A field of an algorithm's settings, with the values it may take and one line of help."""
    return field(default=default, metadata={"help": help, "least": least, "most": most, "choices": tuple(choices)})


def make(kind: type[S], given: Mapping[str, Any]) -> S:
    """Settings with these values instead of the usual ones; `UserError` where one does not exist or cannot have its value."""
    known = {each.name: each for each in fields(kind) if each.init}  # type: ignore[arg-type]
    chosen = {}
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            guess = f" Did you mean {near[0]}?" if near else ""
            raise UserError(f"{_named(kind)} has no setting {name!r}.{guess} It has: {', '.join(known)}.")
        chosen[name] = _checked(_named(kind), known[name], value)
    return kind(**chosen)


def _named(kind: type) -> str:
    return getattr(kind, "name", kind.__name__)


def _checked(owner: str, setting: Any, value: Any) -> Any:
    kind = type(setting.default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise UserError(f"{owner}: {setting.name} is {KINDS[kind]}, not {value!r}.")
    least, most = setting.metadata["least"], setting.metadata["most"]
    if (least is not None and value < least) or (most is not None and value > most) or value != value:
        span = f"from {least:g} to {most:g}" if most is not None else f"{least:g} or more"
        raise UserError(f"{owner}: {setting.name} is {KINDS[kind]} {span}, not {value}.")
    choices = setting.metadata["choices"]
    if choices and value not in choices:
        raise UserError(f"{owner}: {setting.name} is one of {', '.join(choices)}, not {value!r}.")
    return value


def as_dict(settings: Any) -> dict[str, Any]:
    """Every setting by name."""
    return {each.name: getattr(settings, each.name) for each in fields(settings) if each.init}


def parse(texts: Sequence[str]) -> dict[str, Any]:
    """Settings written as NAME=VALUE."""
    given = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise UserError(f"{text!r} is no setting: write NAME=VALUE, such as lanes=256.")
        given[name] = _value(value)
    return given


def _value(text: str) -> Any:
    words = {"true": True, "yes": True, "false": False, "no": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def read(path: Path) -> dict[str, Any]:
    """What a TOML file says, as it stands."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as failed:
        raise UserError(f"{path} cannot be read: {failed.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise UserError(f"{path} is no TOML file: {broken}.") from None


def write(values: Mapping[str, Any]) -> str:
    """Words, numbers, truths, lists of them and one level of tables as TOML."""
    tables = {name: value for name, value in values.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {_toml(value)}" for name, value in values.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(each) for each in value)}]"
    return repr(value)
