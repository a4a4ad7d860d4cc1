"""What is typed wrongly, said in one sentence of ours: typer's own words, and the classes it tells them by, are others in each version."""

from __future__ import annotations

import re
from typing import Any

import typer

from feint.errors import did_you_mean

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
NUMBERS = {"integer": "a whole number", "int": "a whole number", "number": "a number", "float": "a number"}


def sentence(wrong: Any) -> str:
    """What is wrong with how a command was called."""
    command = wrong.ctx.command_path if wrong.ctx else "feint"
    match type(wrong).__name__:
        case "NoSuchOption":
            known = [name for param in wrong.ctx.command.params for name in param.opts if name.startswith("-")]
            guess = did_you_mean(wrong.option_name, known)
            return f"{command} has no option {wrong.option_name}.{guess or f' {command} --help lists them.'}"
        case "BadOptionUsage":
            return f"{wrong.option_name} {'needs a' if 'requires' in wrong.message else 'takes no'} value."
        case "MissingParameter":
            name = _name(wrong.param)
            missing = f"{name if name.startswith('-') else f'The {name}'} {'are' if wrong.param.nargs == -1 else 'is'} missing"
            return f"{missing}: {_begun_small(wrong.param.help)}"
        case "BadParameter":
            return f"{_name(wrong.param)} must be {_kind(wrong)}."
    if unknown := re.match(r"No such command (['\"].*['\"])\.", wrong.message, re.S):
        guess = did_you_mean(unknown[1].strip("'\""), wrong.ctx.command.commands)
        return f"{command} has no command called {unknown[1]}.{guess or f' {command} --help lists them.'}"
    if extra := re.match(r"Got unexpected extra argument\S* \((.*)\)", wrong.message, re.S):
        return f"{command} does not take {extra[1]}: {command} --help says what it takes."
    return str(wrong.format_message())


def _name(param: Any) -> str:
    """What a parameter is called where it is typed: --games, or game."""
    return str(max(param.opts, key=len))


def _kind(wrong: Any) -> str:
    """What a parameter takes, as far as typer tells it."""
    number = re.search(r"\bvalid (\w+)", wrong.message)
    told = re.match(r"'(.*)' is not", wrong.message, re.S)
    inputs = [each["input"] for each in wrong.__cause__.errors()] if hasattr(wrong.__cause__, "errors") else []
    typed = told[1] if told else inputs[0] if inputs else None
    kind = NUMBERS.get(number[1], f"a valid {number[1]}") if number else wrong.message.rstrip(".")
    return kind if typed is None else f"{kind}, not {typed!r}"


def _begun_small(text: str | None) -> str:
    return f"{text[0].lower()}{text[1:]}" if text else "nothing was given."
