"""The folder of a data set: `_dataset.json`, which says what it is, and Parquet files of so many games each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from feint import plain, registry
from feint.dataset.columns import Column, columns_of, from_arrow, pyarrow, to_arrow
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.options import chosen
from feint.reading import content, is_sealed, opened, parsed, refused, seal
from feint.version import __version__

FORMAT = "feint dataset 1"
ABOUT = "_dataset.json"  # readers of whole folders leave out what begins so
SEAL = "seal"
KEY = b"feint"  # of the metadata of a file: which games of which data set it holds
PER_FILE = 1000  # games
LARGEST = 2**20  # bytes of what a data set says of itself
LARGEST_FILE = 2**32


@dataclass(frozen=True)
class About:
    """All that decides what is in a data set, and what each column is."""

    format: str
    feint: str
    game: str
    version: int  # of the game's rules and views
    options: dict[str, Any]
    agents: list[str]  # those in the chairs of game 0; in each of the next, everybody sits one seat further
    seed: int
    games: int
    per_file: int
    columns: list[Column]

    @classmethod
    def of(cls, game: Game[Any, Any], agents: list[str], seed: int, games: int, per_file: int) -> About:
        told = (game.name, game.version, chosen(game), agents, seed, games, per_file, [*columns_of(game)])
        return cls(FORMAT, __version__, *told)

    def text(self) -> str:
        told = json.loads(json.dumps(asdict(self)))
        told[SEAL] = seal(told)
        return json.dumps(told, indent=1) + "\n"

    @cached_property
    def seal(self) -> str:
        return seal(json.loads(json.dumps(asdict(self))))


@dataclass(frozen=True)
class Dataset:
    """A data set that was made, or is being made."""

    folder: Path
    about: About

    @classmethod
    def open(cls, folder: Path | str) -> Dataset:
        """The data set in a folder; `UserError` where there is none, or it is not as it was written."""
        path = Path(folder) / ABOUT
        if not path.exists():
            raise UserError(f"There is no data set in {folder}: feint dataset makes one.")
        wrong = f"{path} is not what feint wrote of a data set, or it is damaged."
        with refused(wrong):
            found = parsed(content(path, LARGEST))
            if found["format"] != FORMAT:
                raise UserError(f"{path} is of the form {found['format']!r}, and only {FORMAT!r} is read.")
            if not is_sealed(found, SEAL):
                raise UserError(f"{path} is damaged, or was altered: it is not what was written.")
            return cls(Path(folder), plain.read(About, {name: each for name, each in found.items() if name != SEAL}))

    @cached_property
    def game(self) -> Game[Any, Any]:
        """The game, as it was played; refused where its rules or views have changed since."""
        about, game = self.about, registry.make(self.about.game, **self.about.options)
        if game.version != about.version or [*columns_of(game)] != about.columns:
            raise UserError(
                f"{self.folder} holds games of version {about.version} of {about.game}; feint {__version__} has version {game.version}."
            )
        return game

    def check_game(self, game: Game[Any, Any]) -> None:
        """Refuse another game, or other options of it."""
        if game != self.game:
            raise UserError(f"{self.folder} holds decisions of {self.game}, not of {game}.")

    @property
    def files(self) -> int:
        """How many files there are once it is whole."""
        return -(-self.about.games // self.about.per_file)

    def games(self, number: int) -> tuple[int, int]:
        """The first game of a file, and how many it has."""
        first = number * self.about.per_file
        return first, min(self.about.per_file, self.about.games - first)

    def path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.parquet"

    def missing(self) -> list[int]:
        """The files that are not there yet."""
        return [number for number in range(self.files) if not self._is_there(number)]

    def check_whole(self) -> None:
        """Refuse a data set that is not finished."""
        if missing := self.missing():
            raise UserError(
                f"{self.folder} is not finished: {len(missing)} of its {self.files} files are not there yet; the command that began it goes on."
            )

    def write(self, number: int, arrays: Mapping[str, np.ndarray]) -> int:
        """Write a file, whole or not at all; how many decisions it has."""
        table = to_arrow(tuple(self.about.columns), arrays)
        file = BytesIO()
        pyarrow().parquet.write_table(
            table.replace_schema_metadata({KEY: self._mark(number)}), file, compression="zstd", row_group_size=2**16
        )
        write_whole(self.path(number), file.getvalue(), "The data set")
        return table.num_rows

    def read(self, number: int) -> dict[str, np.ndarray]:
        """The decisions of a file: an array for every column, [decisions, ...]."""
        path = self.path(number)
        with refused(f"{path} is damaged: it is not the file of decisions that feint wrote."), opened(path) as file:
            found = pyarrow().parquet.ParquetFile(file)
            self._check_mark(number, found.schema_arrow.metadata)
            table = found.read()
            return {column.name: from_arrow(column, table[column.name]) for column in self.about.columns}

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        return (self.read(number) for number in range(self.files))

    def _mark(self, number: int) -> bytes:
        first, games = self.games(number)
        return json.dumps({"dataset": self.about.seal, "first": first, "games": games}).encode()

    def _is_there(self, number: int) -> bool:
        path = self.path(number)
        if not path.exists():
            return False
        with refused(f"{path} is damaged: it is not the file of decisions that feint wrote."), opened(path) as file:
            self._check_mark(number, pyarrow().parquet.read_schema(file).metadata)
        return True

    def _check_mark(self, number: int, found: Mapping[bytes, bytes] | None) -> None:
        if (found or {}).get(KEY) != self._mark(number):
            raise UserError(f"{self.path(number)} is not a part of the data set in {self.folder}.")
