"""Who sits down: people and agents as they are written, and what they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from feint.agent import Agent, PlainAgent, at_game, check_playable
from feint.catalogue import SCHEMES
from feint.errors import UserError
from feint.game import Game
from feint.registry import is_outside, make_agent
from feint.visible import shortened, visible

LONGEST = 60  # characters of a name
LONGEST_SPEC = 5000  # of all that says who sits there, a file perhaps
WITHIN = re.compile(r"\w+:([^,()]+)")  # in an agent's brackets, a trained one: its own name tells them well enough


@dataclass(frozen=True)
class Person:
    """Somebody who is asked: written `me`, or `me:Ann` with a name."""

    name: str = ""

    def __post_init__(self) -> None:
        if len(self.name) > LONGEST or visible(self.name) != self.name:
            shown = shortened(self.name, LONGEST)
            raise UserError(f"A name must have at most {LONGEST} characters, all of them visible, not {shown!r}.")

    def __str__(self) -> str:
        return f"me:{self.name}" if self.name else "me"


Sitter = Agent | PlainAgent | Person


def sat_down(sitter: Sitter | str, game: Game) -> Sitter:
    """A person (`me`, `me:Ann`), an agent by its specification, or whoever is given."""
    if isinstance(sitter, Person):
        return sitter
    if isinstance(sitter, str):
        return Person(sitter.partition(":")[2].strip()) if is_person(sitter) else make_agent(sitter, game)
    check_playable(sitter, type(sitter).__name__)
    return at_game(sitter, game)


def is_person(spec: str) -> bool:
    """Whether a specification is of a person, not of an agent."""
    return spec.partition(":")[0] == "me"


def check_spec(spec: str) -> None:
    """Refuse what cannot be shown on a screen: it may come out of a file, and have anything in it."""
    if len(spec) > LONGEST_SPEC or visible(spec) != spec:
        shown = shortened(spec, LONGEST)
        raise UserError(f"Whoever sits down is named by visible characters, {LONGEST_SPEC} at most, not {shown!r}.")


def spec_of(sitter: Sitter | str) -> str:
    """How somebody is written in a record: a bot as it was named, another agent that was not made by name by that of its class."""
    return str(sitter) if isinstance(sitter, str | Person) else getattr(sitter, "spec", type(sitter).__name__)


def names_of(specs: Sequence[str]) -> list[str]:
    """What each is called, fit to be shown, numbered where two would be called the same."""
    plain = [shortened(visible(_name(spec, seat)), LONGEST - 9) for seat, spec in enumerate(specs)]
    shared = {name for name, times in Counter(plain).items() if times > 1}
    used: Counter[str] = Counter()
    names = []
    for name in plain:
        used[name] += 1
        names.append(f"{name} {used[name]}" if name in shared else name)
    return names


def _name(spec: str, seat: int) -> str:
    kind, colon, name = spec.partition(":")
    if is_person(spec):
        return name.strip() or f"Player {seat + 1}"
    trained = bool(colon) and (kind in SCHEMES or is_outside(spec))
    own = PurePath(name).stem if trained else spec  # an agent of the zoo or of a file, or a bot, goes by its own name
    head, bracket, settings = own.partition("(")
    if not trained and (inner := WITHIN.search(settings)):
        settings = f"{PurePath(inner[1]).stem})"
    return "-".join(word[:1].upper() + word[1:] for word in head.split("-")) + bracket + settings
