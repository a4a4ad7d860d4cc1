"""Agents that ship, trained or solved. NAME.npz is a policy file; NAME.json beside it says how strong it was measured to be.

The JSON file is an object with `about`, a sentence, and `strength`, a list of objects with `what`, `result` and `command`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feint import plain, registry
from feint.agent import Agent
from feint.errors import UserError, did_you_mean
from feint.game import Game
from feint.learn.policy_file import PolicyFile, commands, load, told_values
from feint.options import chosen, written
from feint.reading import content, parsed, refused
from feint.solvers.policy import SavedPolicy

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Strength:
    """One thing that was measured of an agent, and how."""

    what: str
    result: str
    command: str


@dataclass(frozen=True)
class Said:
    """The JSON file beside an agent."""

    about: str
    strength: tuple[Strength, ...]


@dataclass(frozen=True)
class Entry:
    """An agent that ships."""

    name: str
    about: str
    strength: tuple[Strength, ...]
    file: PolicyFile | SavedPolicy
    size: int  # bytes

    @property
    def options(self) -> dict[str, str]:
        """The options of the game it plays, as they are written: `2 to 4` players where it plays at tables of several sizes, `any` where an option
        makes no difference to it."""
        told = {name: written(value) for name, value in self.file.options.items()}
        if not isinstance(self.file, PolicyFile):
            return told
        ranges = {name: told_values(sorted({*values})) for name, values in self.file.serves.items()}
        return told | ranges | dict.fromkeys(registry.game_class(self.file.game).untold, "any")

    def plays(self, game: Game[Any, Any]) -> bool:
        """Whether it was made for a game, with the options that this one has."""
        options = self.file.options_for(game) if isinstance(self.file, PolicyFile) else self.file.options
        return (self.file.game, options) == (game.name, chosen(game))

    @property
    def commands(self) -> list[str]:
        """What made it, the first first; each of several in a folder, from which the next goes on."""
        made = commands(self.file.made)
        return made if len(made) == 1 else [_in_stages(command, nth) for nth, command in enumerate(made, 1)]


def _in_stages(command: str, nth: int) -> str:
    """The n-th of several commands, each of which goes on from where the one before it ended."""
    words = [
        f"start=policy:stage-{nth - 1}/policy.npz" if word.startswith("start=policy:") else word
        for word in shlex.split(command)
    ]
    return shlex.join([*words, "--out", f"stage-{nth}"])


def names() -> list[str]:
    """The agents that ship."""
    return sorted(path.stem for path in FOLDER.glob("*.npz"))


def entry(name: str) -> Entry:
    """All that is known of one of them."""
    path = _path(name)
    said = path.with_suffix(".json")
    with refused(f"{said} does not say what there is to say of an agent that ships, or it is damaged."):
        told = plain.read(Said, parsed(content(said)))
    return Entry(name, told.about, told.strength, load(path), path.stat().st_size)


def play_from(name: str, game: Game[Any, Any]) -> Agent:
    """The agent that `zoo:NAME` names."""
    return load(_path(name)).agent_for(game, f"zoo:{name}")


def _path(name: str) -> Path:
    known = names()
    if name not in known:
        guess = did_you_mean(name, known)
        raise UserError(f"There is no {name!r} in the zoo.{guess} There are: {', '.join(known) or 'none yet'}.")
    return FOLDER / f"{name}.npz"
