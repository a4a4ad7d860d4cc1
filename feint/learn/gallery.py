"""The gallery of a game: fixed tables at which any agent is measured, so that one can see where it is weak and compare it with others.

Every game names its own (`Game.gallery`). An agent sits at each with these others, in all orders of seats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from feint import catalogue, registry
from feint.agent import thinks_long
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.learn.evaluate import Examiner, Score
from feint.learn.policy_file import fingerprint
from feint.learn.tables import ME, Table, around
from feint.options import chosen
from feint.reading import content, is_sealed, parsed, refused, seal
from feint.specs import split_specs

FORMAT = "feint gallery 1"


def tables_of(game: Game[Any, Any], agent: str, more: Iterable[str] = ()) -> tuple[Table, ...]:
    """The others at every table: those of the game's gallery, repeated or cut to as many as have a seat, then further ones as written.

    Agents that ship play the game with some options only; where these are others, their tables are left out. So is the table of
    the agent's own kind, where it has its share by symmetry, and whoever thinks for long.
    """
    fixed = [around(split_specs(text), game.players - 1) for text in game.gallery or _usual(game)]
    asked = [tuple(split_specs(text)) for text in more]
    for table in asked:
        if len(table) != game.players - 1:
            raise UserError(
                f"{','.join(table)} names {len(table)}, but besides the agent {game} seats {game.players - 1}."
            )
    fitting = [table for table in fixed if set(table) != {agent} and _can_play(table, game)]
    return tuple(dict.fromkeys([*fitting, *asked]))


def _usual(game: Game[Any, Any]) -> list[str]:
    """For a game that names no tables: whoever sits down with people, at tables of their own kind."""
    return list(dict.fromkeys(name for level in catalogue.LEVELS for name in registry.rivals(game.name, level)))


def _can_play(table: Table, game: Game[Any, Any]) -> bool:
    try:
        made = [registry.make_agent(name, game) for name in set(table)]
    except UserError:
        if any(":" in name for name in table):
            return False
        raise
    return not any(map(thinks_long, made))


@dataclass
class Gallery:
    """What an agent makes of tables, one after the other."""

    game: Game[Any, Any]
    agent: str
    tables: tuple[Table, ...]  # the others
    games: int  # at each
    seed: int = 0
    length: int = 1  # games in a row that the same people play
    scores: list[Score] = field(default_factory=list)  # of the first tables, as many as were played
    player: Any = field(init=False)
    others: dict[str, Any] = field(init=False)  # by name; who cannot play is refused before anything is played

    def __post_init__(self) -> None:
        self.player = registry.make_agent(self.agent, self.game)
        self.others = {name: registry.make_agent(name, self.game) for name in dict.fromkeys(chain(*self.tables))}

    @property
    def done(self) -> bool:
        return len(self.scores) == len(self.tables)

    def step(self) -> None:
        """Play at the next table."""
        table = (*self.tables[len(self.scores)], ME)
        self.scores.append(Examiner(self.game, (), self.games, self.seed, length=self.length).score(self.player, table))

    def worst_first(self) -> list[Score]:
        """By what the game is measured by."""
        return sorted(self.scores, key=lambda score: score.told.estimate)

    def save(self, path: Path) -> None:
        """Write a file from which it goes on."""
        document = {**self._described(), "scores": [score.as_dict() for score in self.scores]}
        write_whole(path, json.dumps(document | {"seal": seal(document)}, indent=1) + "\n", "The result")

    def restore(self, path: Path) -> None:
        """Go on from a file of the same gallery."""
        document = {"length": 1, "company": {}} | read(path)  # of which older files do not tell
        wanted = self._described()
        if differs := [name for name in wanted if document.get(name) != wanted[name]]:
            raise UserError(
                f"{path} is of another {', '.join(differs)}: --fresh begins anew, --save names another file."
            )
        self.scores = scores_in(path, document)

    def _described(self) -> dict[str, Any]:
        """What must be the same for it to go on."""
        return {
            "format": FORMAT,
            "game": self.game.name,
            "version": self.game.version,
            "options": chosen(self.game),
            "agent": self.agent,
            "fingerprint": fingerprint(self.player),
            "tables": [",".join(table) for table in self.tables],
            "games": self.games,
            "seed": self.seed,
            "length": self.length,
            "company": {name: fingerprint(agent) for name, agent in self.others.items() if "policy:" in name},
        }


def read(path: Path) -> dict[str, Any]:
    """What the file of a gallery says."""
    with refused(f"{path} is not a gallery that feint saved, or it is damaged."):
        document = parsed(content(path))
        if document["format"] != FORMAT or not is_sealed(document):
            raise ValueError(FORMAT)
        return dict(document)


def scores_in(path: Path, document: dict[str, Any]) -> list[Score]:
    """What was won at each table of such a file."""
    with refused(f"{path} is not a gallery that feint saved, or it is damaged."):
        return [Score.from_dict(score) for score in document["scores"]]
