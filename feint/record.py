"""A game as its seed and its actions: saved in a small file, replayed to the identical game or to the exact move where it differs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import jax

from feint import plain, registry
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.options import chosen
from feint.outside import IllegalAction
from feint.reading import content, is_sealed, opened, parsed, refused, seal
from feint.seating import Person, check_spec, names_of
from feint.table import Table
from feint.version import __version__

FORMAT = 3
UNSEALED = 2  # the format before, which is still read: there, only a deal or a move that was altered is noticed
SEAL = "seal"  # the entry that stands for all others
LARGEST = 2**24  # bytes
_OF_A_GAME = (
    "feint",
    "jax",
    "number",
    "deal",
    "over",
    "actions",
    "checks",
    "fingerprint",
)  # what differs within a match
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


@dataclass(frozen=True)
class Record:
    """All it takes to play a game again."""

    record: int  # the format of the file
    feint: str  # the versions it was played with
    jax: str
    game: str
    version: int  # of its rules
    options: dict[str, Any]
    seats: list[str]  # who sits in each chair
    seed: int
    table: int
    number: int
    deal: dict[str, Any]  # all chance of the game, written down where the seed does not give it; else empty
    over: bool
    actions: str  # one digit of base 64 a move, more where a game has more actions
    checks: str  # six bits of each state's fingerprint, from the deal on
    fingerprint: str  # that of the last state in full

    @classmethod
    def of(cls, table: Table) -> Record:
        """The game at a table, as far as it has come."""
        seed, number_of_table, number = table.origin
        prints = table.fingerprints
        return cls(
            record=FORMAT,
            feint=__version__,
            jax=jax.__version__,
            game=table.game.name,
            version=table.game.version,
            options=chosen(table.game),
            seats=[*table.specs],
            seed=seed,
            table=number_of_table,
            number=number,
            deal=table.deal() if table.given else {},
            over=table.over,
            actions=_pack(table.actions, _width(table.game)),
            checks="".join(map(_check_digit, prints)),
            fingerprint=prints[-1],
        )

    @classmethod
    def load(cls, path: Path | str) -> Record:
        """The record in a file; `UserError` says what is wrong with one that is none, or is not as it was saved."""
        return cls.read(content(path, LARGEST), path)

    @classmethod
    def read(cls, text: bytes, path: Path | str) -> Record:
        """The same of what stands at a place."""
        with refused(f"{path} is not a record of a game, or a damaged one: it is not valid JSON."):
            found = parsed(text)
        if not isinstance(found, dict) or type(found.get("record")) is not int:
            raise UserError(f"{path} is not a record of a game: feint play writes them.")
        if found["record"] not in (UNSEALED, FORMAT):
            raise UserError(
                f"{path} has format {found['record']}, made by {_maker(found)}; feint {__version__} reads {FORMAT}."
            )
        sealed = found["record"] == UNSEALED or is_sealed(found, SEAL)
        told = {name: value for name, value in found.items() if name != SEAL or found["record"] == UNSEALED}
        try:
            record = plain.read(cls, told | {"record": FORMAT})
            for text_of in (record.feint, record.jax, record.game, *record.seats):
                check_spec(text_of)
        except ValueError as wrong:
            raise UserError(f"{path} is damaged: {str(wrong).rstrip('.')}.") from None
        if not sealed:
            raise UserError(f"{path} is damaged, or was altered: it is not the game that was saved.")
        return record

    def save(self, path: Path | str) -> None:
        """Write the file whole or not at all."""
        write_whole(path, self._text(), "The game")

    def _text(self) -> str:
        lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in self._sealed().items())
        return "{" + ",\n ".join(lines) + "}\n"

    def line(self) -> str:
        """The same on one line, as files of many games have it (JSONL)."""
        return json.dumps(self._sealed(), separators=(",", ":")) + "\n"

    def _sealed(self) -> dict[str, Any]:
        told = asdict(self)
        return told | {SEAL: seal(told)}

    def made(self) -> Game:
        """The game with the options it was played with, refused where its rules have changed since."""
        game = registry.make(self.game, **self.options)
        if game.version != self.version:
            raise UserError(
                f"This game was played by version {self.version} of the rules of {self.game}; feint {__version__} has version {game.version}."
            )
        return game

    def reopened(self, earlier: Sequence[Record] = ()) -> Table:
        """A table of the same deal with the same seats, to go on at once its moves are followed; whoever remembers has been through
        the earlier games of its match again."""
        table = (earlier[0] if earlier else self)._table(self.seats)
        for record in earlier:
            for _ in record.replay(table):
                pass  # agents are asked again, so that they know what they knew
            table.next_game()
        return table

    def review(self) -> Table:
        """A fresh table of the same deal to follow the moves at; nobody is asked, so nobody need be installed."""
        return self._table([Person(name) for name in names_of(self.seats)])

    def _table(self, seats: list[Any]) -> Table:
        return Table(self.made(), seats, self.seed, self.table, self.number, self.deal or None)

    def replay(self, table: Table) -> Iterator[int]:
        """Make the recorded moves at a fresh table, giving each action after it was made.

        `UserError` says at which move the game differs from the record, and how.
        """
        self._check(table, "the deal")
        for action in self._unpacked(table.game):
            who = table.names[table.player]
            try:
                table.follow(action)
            except IllegalAction as refused:
                raise self._differs(str(refused)) from refused
            self._check(table, f"move {table.moves}, by {who}")
            yield action
        if table.fingerprint != self.fingerprint:
            raise self._differs(f"It ends in state {table.fingerprint}, where the record has {self.fingerprint}.")
        if table.over != self.over:
            raise self._differs(f"After move {table.moves} it is {'over' if table.over else 'not over'}.")

    def _unpacked(self, game: Game) -> list[int]:
        width = _width(game)
        if len(self.checks) != len(self.actions) // width + 1 or len(self.actions) % width:
            raise self._differs(
                f"It holds {len(self.actions) // width} moves but checks for {len(self.checks) - 1}: some of it is lost."
            )
        try:
            return _unpack(self.actions, width)
        except ValueError as strange:
            raise self._differs(f"{strange} stands among its moves, which is none.") from None

    def _check(self, table: Table, when: str) -> None:
        here, there = _check_digit(table.fingerprint), self.checks[table.moves : table.moves + 1]
        if here != there:
            raise self._differs(f"After {when}, the state has check {here!r}, where the record has {there!r}.")

    def _differs(self, how: str) -> UserError:
        versions = "" if self.feint == __version__ else f" It was made by feint {self.feint}; this is {__version__}."
        return UserError(f"This game cannot be replayed as recorded. {how}{versions}")


def read_lines(path: Path | str) -> Iterator[Record]:
    """The records of a file that has one on each line."""
    with opened(path) as file:
        number = 0
        while line := file.readline(LARGEST + 1):
            number += 1
            if len(line) > LARGEST:
                raise UserError(f"Line {number} of {path} is larger than a record of a game.")
            if line.strip():
                yield Record.read(line, f"Line {number} of {path}")


def games_folder() -> Path:
    """Where games are kept: feint/games in the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "feint" / "games"


def new_path(game: str, seed: int) -> Path:
    """A file name that is not taken yet: by game, date and seed."""
    stem = f"{game}-{datetime.now():%Y-%m-%d-%H%M%S}-{seed}"
    path, copy = games_folder() / f"{stem}.json", 2
    while path.exists():
        path, copy = games_folder() / f"{stem}-{copy}.json", copy + 1
    return path


def path_in_match(first: Path, number: int) -> Path:
    """Where a game of a match is kept, from the file of the first one."""
    return first if number == 0 else first.with_name(f"{first.stem}-game-{number + 1}.json")


def first_of_match(path: Path, record: Record) -> Path:
    """The file of the first game of a match, from that of any."""
    return path.with_name(f"{path.stem.removesuffix(f'-game-{record.number + 1}')}.json")


def earlier_games(path: Path, record: Record) -> list[Record]:
    """The games of a match before the one in a file; none where one of them is gone."""
    first, games = first_of_match(path, record), []
    for number in range(record.number):
        try:
            game = Record.load(path_in_match(first, number))
        except UserError:
            return []
        if not game.over or replace(record, **{name: getattr(game, name) for name in _OF_A_GAME}) != game:
            return []  # of another match
        games.append(game)
    return games


def newest(game: str | None = None, unfinished: bool = False) -> Path:
    """The game that was played last, of all or of one name; only of those that were left, where `unfinished`."""
    for path in sorted(games_folder().glob("*.json"), key=_changed, reverse=True):
        try:
            kept = Record.load(path)
        except UserError:
            continue  # somebody else's file
        if game in (None, kept.game) and not (unfinished and kept.over):
            return path
    kind = f"{'unfinished' if unfinished else 'saved'} game{f' of {game}' if game else ''}"
    raise UserError(f"There is no {kind} in {games_folder()}.")


def _changed(path: Path) -> float:
    with suppress(OSError):  # a link that leads nowhere, or a file that was there a moment ago
        return path.stat().st_mtime
    return 0.0


def _maker(found: dict[str, Any]) -> str:
    made = found.get("feint")
    return f"feint {made}" if isinstance(made, str) and made.isprintable() else "another version of feint"


def _width(game: Game) -> int:
    """Digits an action takes."""
    width = 1
    while len(DIGITS) ** width < game.actions:
        width += 1
    return width


def _pack(actions: list[int], width: int) -> str:
    base = len(DIGITS)
    return "".join(DIGITS[action // base**place % base] for action in actions for place in reversed(range(width)))


def _unpack(packed: str, width: int) -> list[int]:
    values = []
    for start in range(0, len(packed), width):
        value = 0
        for digit in packed[start : start + width]:
            if digit not in DIGITS:
                raise ValueError(repr(digit))
            value = value * len(DIGITS) + DIGITS.index(digit)
        values.append(value)
    return values


def _check_digit(fingerprint: str) -> str:
    return DIGITS[int(fingerprint, 16) % len(DIGITS)]
