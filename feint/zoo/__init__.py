"""Trained agents that ship. NAME.npz is a policy file; NAME.json beside it says how strong it was measured to be.

The JSON file is an object with `about`, a sentence, and `strength`, a list of objects with `what`, `result` and `command`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feint.agent import Agent
from feint.errors import UserError, did_you_mean
from feint.game import Game
from feint.learn.policy_file import PolicyFile

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Strength:
    """One thing that was measured of an agent, and how."""

    what: str
    result: str
    command: str


@dataclass(frozen=True)
class Entry:
    """An agent that ships."""

    name: str
    about: str
    strength: tuple[Strength, ...]
    file: PolicyFile
    size: int  # bytes

    @property
    def command(self) -> str:
        """What made it."""
        return self.file.made["command"]


def names() -> list[str]:
    """The agents that ship."""
    return sorted(path.stem for path in FOLDER.glob("*.npz"))


def entry(name: str) -> Entry:
    """All that is known of one of them."""
    path = _path(name)
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    strength = tuple(Strength(**each) for each in said["strength"])
    return Entry(name, said["about"], strength, PolicyFile.load(path), path.stat().st_size)


def play_from(name: str, game: Game[Any, Any]) -> Agent:
    """The agent that `zoo:NAME` names."""
    return PolicyFile.load(_path(name)).agent_for(game)


def _path(name: str) -> Path:
    known = names()
    if name not in known:
        guess = did_you_mean(name, known)
        raise UserError(f"There is no {name!r} in the zoo.{guess} There are: {', '.join(known) or 'none yet'}.")
    return FOLDER / f"{name}.npz"
