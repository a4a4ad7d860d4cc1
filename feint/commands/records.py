"""The body of `feint records`: saved games as lines of one file, and back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from feint.errors import UserError
from feint.files import check_writable, write_whole
from feint.record import Record, games_folder, new_path, path_in_match, read_lines
from feint.visible import visible
from feint.words import counted


def write_games(out: Path, files: Sequence[Path]) -> int:
    """Write games into a file, a line each: those of some files, or all that are saved. The exit code."""
    check_writable(out, "The games")
    kept = [Record.load(path) for path in files] if files else _saved()
    if not kept:
        raise UserError(f"There is no saved game in {games_folder()}.")
    write_whole(out, "".join(record.line() for record in kept), "The games")
    print(f"{counted(len(kept), 'game')} written: {visible(out)}")
    return 0


def read_games(path: Path) -> int:
    """Save the games of such a file, all or none. The exit code."""
    first: dict[Any, Path] = {}  # the first file of each match
    kept = [*read_lines(path)]
    for record in sorted(kept, key=lambda each: each.number):
        match = (record.game, str(record.options), *record.seats, record.seed, record.table)
        if record.number == 0 or match not in first:
            first[match] = new_path(record.game, record.seed)
            while path_in_match(first[match], record.number).exists():  # of another match, whose first game is not here
                first[match] = first[match].with_name(f"{first[match].stem}-2.json")
        record.save(path_in_match(first[match], record.number))
    print(f"{counted(len(kept), 'game')} saved in {visible(games_folder())}.")
    return 0


def _saved() -> list[Record]:
    found = []
    for path in sorted(games_folder().glob("*.json")):
        with suppress(UserError):  # somebody else's file
            found.append(Record.load(path))
    return found
