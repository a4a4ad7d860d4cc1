"""Specifications of agents as they are written: `smart`, `anxious(2)`, `think(smart, worlds=16)`, and several of them with commas between."""

from __future__ import annotations

import re
from typing import Any

from feint.errors import UserError
from feint.visible import shortened

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
WORDS = {"true": True, "True": True, "false": False, "False": False}
LIST = rf"\[(?:\s*{NUMBER}\s*,)*(?:\s*{NUMBER}\s*)?\]"
VALUE = rf"{NUMBER}|{'|'.join(WORDS)}|'[^']*'|\"[^\"]*\"|{LIST}"
NAME = r"\s*(?:(?P<name>\w+)\s*=\s*)?"
SETTING = re.compile(rf"{NAME}(?P<value>{VALUE})\s*(?:,\s*|$)")
INNER = re.compile(rf"{NAME}(?P<value>[A-Za-z].*)$", re.DOTALL)
DEEPEST = 4  # agents within agents


def split_specs(text: str) -> list[str]:
    """Who sits at a table, as it is written: names between commas, but for commas within brackets."""
    specs, depth, begins = [], 0, 0
    for sign in re.finditer("[(),]", text):
        depth = max(0, depth + {"(": 1, ",": 0, ")": -1}[sign[0]])
        if sign[0] == "," and not depth:
            specs.append(text[begins : sign.start()].strip())
            begins = sign.end()
    specs.append(text[begins:].strip())
    if not all(specs):
        named = f"{shortened(text, 60)!r} has an empty seat" if text.strip() else "Nobody is named to sit at the table"
        raise UserError(f"{named}: write names with single commas, such as smart,anxious(2).")
    return specs


class Spec(str):
    """An agent that another one takes, as it is written."""


def parse_spec(spec: str) -> tuple[str, list[Any], dict[str, Any]]:
    """A specification's name, settings by place and settings by name."""
    name, bracket, inside = (part.strip() for part in spec.strip().partition("("))
    if not bracket:
        return name, [], {}
    try:
        return name, *_settings(inside)
    except ValueError:
        raise not_an_agent(spec) from None


def not_an_agent(spec: str) -> UserError:
    """What is said of a text that is no specification."""
    shown = shortened(spec.strip(), 60)
    return UserError(f"{shown!r} is not an agent: write a name, or a name with settings such as anxious(2).")


def _settings(text: str) -> tuple[list[Any], dict[str, Any]]:
    """What is written up to the closing bracket: values by place, then by name. ValueError where anything else is."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    rest = text.removesuffix(")")
    if rest == text:
        raise ValueError
    while rest:
        if setting := SETTING.match(rest):
            value, rest = _value(setting["value"]), rest[setting.end() :]
        elif setting := INNER.match(rest):
            value, rest = _inner_spec(setting["value"])
        if not setting or setting["name"] in named or (named and not setting["name"]):
            raise ValueError
        if setting["name"]:
            named[setting["name"]] = value
        else:
            given.append(value)
    return given, named


def _inner_spec(text: str) -> tuple[Spec, str]:
    """The agent that a text begins with, up to a comma that is in no brackets, and what follows it."""
    depth = 0
    for sign in re.finditer("[(),]", text):
        depth += {"(": 1, ",": 0, ")": -1}[sign[0]]
        if not 0 <= depth <= DEEPEST:
            raise ValueError
        if sign[0] == "," and not depth:
            return Spec(text[: sign.start()].strip()), text[sign.end() :].strip()
    if depth:
        raise ValueError
    return Spec(text.strip()), ""


def _value(text: str) -> Any:
    """A number, true or false, a text in quotes, or a list of numbers in square brackets."""
    if text in WORDS:
        return WORDS[text]
    if text[0] in "'\"":
        return text[1:-1]
    if text[0] == "[":
        return [_number(each) for each in re.findall(NUMBER, text)]
    return _number(text)


def _number(text: str) -> int | float:
    return float(text) if re.search("[.eE]", text) else int(text)
