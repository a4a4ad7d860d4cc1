"""What can be chosen, of rules, agents and algorithms alike: fields with a usual value, the values they may take and a line of help.

A value is a word, a number, true or false, or a tuple of such. It is typed as NAME=VALUE, a tuple with commas between its
entries, and kept in JSON and TOML, where a tuple is a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar

from feint.errors import UserError, did_you_mean

T = TypeVar("T")
Number = int | float
ONE = {int: "a whole number", float: "a number", str: "a word", bool: "true or false"}
MANY = {int: "whole numbers", float: "numbers", str: "words", bool: "true or false"}
INT32 = (-(2**31), 2**31 - 1)  # what a whole number may be that is not told otherwise
FLOAT32 = 3e38  # how large any other number may be
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def option(
    default: Any,
    help: str,
    *,
    least: Number | None = None,
    most: Number | None = None,
    choices: Sequence[str] = (),
    static: bool = False,
) -> Any:
    """A field that can be chosen, with the values it may take and one line of help; of a tuple, every entry may take them.

    `least` and `most` are themselves allowed. Of an agent, a `static` field is part of its type, as `feint.pytrees.static` has it.
    """
    if default == ():
        raise TypeError("A tuple of options shows by its usual value what its entries are: it cannot be empty.")
    known = {"help": help, "least": least, "most": most, "choices": tuple(choices), "static": static}
    return field(default=default, metadata=known)


def agent_option(help: str, default: Any = MISSING) -> Any:
    """A field that is another agent, which is written as any agent is; its default can only be None."""
    return field(default=default, metadata={"help": help, "agent": True})


def usual(kind: type) -> dict[str, Any]:
    """The names and usual values of everything that can be chosen."""
    return {each.name: each.default for each in fields(kind) if each.init and each.default is not MISSING}


def chosen(owner: Any) -> dict[str, Any]:
    """What was chosen, by name, as files keep it."""
    values = {name: getattr(owner, name) for name in usual(type(owner))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def changed(owner: Any) -> list[str]:
    """What was chosen otherwise than usual, as it is typed: NAME=VALUE."""
    values = {name: (getattr(owner, name), default) for name, default in usual(type(owner)).items()}
    return [f"{name}={written(value)}" for name, (value, default) in values.items() if value != default]


# ---- checked


def make(kind: type[T], given: Mapping[str, Any]) -> T:
    """Settings with these values instead of the usual ones; `UserError` where one does not exist or cannot have its value."""
    owner = getattr(kind, "name", kind.__name__)
    check_names(owner, given, usual(kind), "setting")
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: checked(owner, known[name], value) for name, value in given.items()})


def check_names(owner: str, given: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse names that there are not; `what` they would be the name of."""
    known = list(known)
    for name in given:
        if name not in known:
            guess = did_you_mean(name, known)
            raise UserError(f"{owner} has no {what} {name!r}.{guess} It has: {', '.join(known) or 'none'}.")


def checked(owner: str, option: Field[Any], value: Any) -> Any:
    """The value as its field holds it, where it is one of those that the field may take."""
    if not isinstance(option.default, tuple):
        fitted = _fitted(option, option.default, value)
        if fitted is None:
            raise UserError(f"{owner}: {option.name} must be {_allowed(option, option.default, ONE)}, not {value!r}.")
        return fitted
    entries = value if isinstance(value, tuple | list) else ()
    fits = tuple(_fitted(option, option.default[0], each) for each in entries)
    if not fits or None in fits:
        such = f"{_allowed(option, option.default[0], MANY)}, such as {written(option.default)}"
        raise UserError(f"{owner}: {option.name} must be {such}, not {value!r}.")
    return fits


def _fitted(option: Field[Any], like: Any, value: Any) -> Any:
    """A value as one of the kind of another; None where the field may not take it."""
    if isinstance(like, float) and type(value) is int and abs(value) < FLOAT32:
        value = float(value)
    if type(value) is not type(like):
        return None
    if isinstance(value, bool | str):
        choices = option.metadata.get("choices")
        return value if not choices or value in choices else None
    least, most = _ends(option, like)
    return value if least <= value <= most else None


def _ends(option: Field[Any], like: Any) -> tuple[Number, Number]:
    """The least and the most of a number; without a say, what 32 bits hold."""
    widest = (-FLOAT32, FLOAT32) if isinstance(like, float) else INT32
    told = option.metadata.get("least"), option.metadata.get("most")
    return widest[0] if told[0] is None else told[0], widest[1] if told[1] is None else told[1]


def _allowed(option: Field[Any], like: Any, kinds: Mapping[type, str]) -> str:
    if choices := option.metadata.get("choices"):
        return f"one of {', '.join(choices)}"
    return ranged(kinds[type(like)], *_ends(option, like)) if not isinstance(like, bool | str) else kinds[type(like)]


def ranged(what: str, least: Number, most: Number) -> str:
    """Numbers and the range they are from, in words."""
    low, high = (f"{end:g}" if isinstance(end, float) else f"{end}" for end in (least, most))
    if least > -FLOAT32 and most < FLOAT32:
        return f"{what} from {low} to {high}"
    return what + (f" {low} or more" if least > -FLOAT32 else f" {high} or less" if most < FLOAT32 else "")


# ---- typed


def typed(texts: Iterable[str], usual: Mapping[str, Any], what: str, such: str) -> dict[str, Any]:
    """Values written as NAME=VALUE, by name. What cannot be read, or has no known name, stays text, for its owner to refuse."""
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise UserError(f"The {what} {text!r} must be written as NAME=VALUE, such as {such}.")
        read = _read(value, usual.get(name, ""))
        if name in given and given[name] != read:
            raise UserError(f"{name} cannot be both {written(given[name])} and {written(read)}: give one of them.")
        given[name] = read
    return given


def with_players(options: Sequence[str] | None, players: int | None) -> list[str]:
    """The options of a game as they are typed, the number of players among them where it was given apart."""
    return [*(options or []), *([f"players={players}"] if players is not None else [])]


def _read(text: str, like: Any) -> Any:
    if isinstance(like, tuple):
        entries = tuple(_read(each.strip(), like[0]) for each in text.strip("()[]").split(","))
        return entries if all(type(each) is type(like[0]) for each in entries) else text
    if isinstance(like, bool):
        return TRUTHS.get(text.lower(), text)
    try:
        return type(like)(text)
    except ValueError:
        return text


def written(value: Any) -> str:
    """A value as it is typed."""
    if isinstance(value, tuple | list):
        return ",".join(map(written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
