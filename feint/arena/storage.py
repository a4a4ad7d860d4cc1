"""Results in files: JSON (everything in one), CSV and Parquet (a row per seating and seat; single games in a file beside it).

A table's rows are for other programs. What feint reads back is the exact totals, as JSON: in the first line of a CSV file, in the
metadata of a Parquet file. A seal stands for all totals and single games, so that whatever was altered of them is noticed.
"""

from __future__ import annotations

import csv
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from io import BytesIO, StringIO
from math import prod
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from feint import plain
from feint.arena.seated import Deals, Seated
from feint.arena.totals import Floats, Totals
from feint.errors import UserError
from feint.files import check_writable, write_whole
from feint.reading import content, parsed, refused, seal

FORMAT = "feint result 3"
UNSEALED = "feint result 2"  # the form before, which is still read
SEAL = "seal"
LARGEST = 2**32  # bytes
ENDINGS = (".json", ".csv", ".parquet")
NUMBERED = (
    "seating",
    "seed",
    "match",
    "game",
)  # the columns that say which game it is, where games are kept one by one


def check_savable(path: Path) -> None:
    """Refuse, before anything is played, a file that could not be written or does not end as a result does."""
    _check_ending(path)
    if path.suffix == ".parquet":
        _pyarrow()
    check_writable(path, "The result")


def save(totals: Totals, path: Path) -> None:
    """Write a result as the file's ending says."""
    check_savable(path)
    written = {path: as_json(totals)} if path.suffix == ".json" else _tables(totals, path)
    for name, whole in written.items():
        write_whole(name, whole, "The result")


def load(path: Path) -> Totals:
    """Read a result as the file's ending says."""
    _check_ending(path)
    if not path.exists():
        raise UserError(f"There is no result at {path}.")
    found = content(path, LARGEST)
    try:
        with refused("it is not a result that feint saved, or it is damaged."), catch_warnings():
            simplefilter("ignore")  # what numpy wonders at is refused below
            document, games = {".json": _load_json, ".csv": _load_csv, ".parquet": _load_parquet}[path.suffix](
                path, found
            )
            totals = _totals(document, games)
            if document["format"] == FORMAT and document[SEAL] != _document(totals)[SEAL]:
                raise UserError("it is damaged, or was altered: these are not the totals that were saved.")
            return totals
    except UserError as wrong:
        raise UserError(f"{path}: {wrong}") from wrong


def _check_ending(path: Path) -> None:
    if path.suffix not in ENDINGS:
        raise UserError(f"A result must be a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file, not {path.name}.")


# ---- totals as JSON has them


def _document(totals: Totals) -> dict[str, Any]:
    """Everything but single games."""
    told = {each.name: getattr(totals, each.name) for each in fields(totals)}
    seated = [{name: value for name, value in vars(each).items() if name != "deals"} for each in totals.seated]
    for each in seated:
        each["slices"] = [[part.seed, part.first, part.count] for part in each["slices"]]
    document = {"format": FORMAT, **told, "unit": asdict(totals.unit), "seated": seated}
    return {SEAL: seal(document, *map(_deal_bytes, totals.seated)), **document}


def _deal_bytes(seated: Seated) -> bytes:
    kept = seated.deals
    return b"" if kept is None else kept.payoffs.astype("<f4").tobytes() + kept.winners.astype(bool).tobytes()


def _checked(document: Any) -> dict[str, Any]:
    """What says of itself that it is a result."""
    if document["format"] not in (FORMAT, UNSEALED):
        raise UserError(f"this is of the form {document['format']!r}, and only {FORMAT!r} is read.")
    return document


def _totals(document: dict[str, Any], games: list[Deals] | None) -> Totals:
    told = {name: value for name, value in document.items() if name not in ("format", SEAL)}
    kept: list[Deals | None] = [*games] if games else [None] * len(told["seated"])
    told["seated"] = [_seated(each, deals) for each, deals in zip(told["seated"], kept, strict=True)]
    return plain.read(Totals, told)


def _seated(told: dict[str, Any], deals: Deals | None) -> Seated:
    named = [dict(zip(("seed", "first", "count"), part, strict=True)) for part in told["slices"]]
    return replace(plain.read(Seated, told | {"slices": named, "deals": None}), deals=deals)


# ---- JSON


def as_json(totals: Totals) -> bytes:
    """A result as its JSON file has it: the same totals give the same bytes."""
    document = _document(totals)
    for told, each in zip(document["seated"], totals.seated, strict=True):
        if each.deals is not None:
            told["deals"] = {
                "payoffs: float32, zlib, base64": _packed(each.deals.payoffs.astype("<f4")),
                "winners: bytes, zlib, base64": _packed(each.deals.winners),
            }
    return _lines(document).encode()


def _lines(document: dict[str, Any]) -> str:
    """A line for everything that is said once, and one for each seating."""
    seated = ",\n  ".join(map(json.dumps, document["seated"]))
    once = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in document.items() if name != "seated"]
    return "{\n" + ",\n".join([*once, f' "seated": [\n  {seated}\n ]']) + "\n}\n"


def _packed(values: NDArray[Any]) -> str:
    return b64encode(zlib.compress(values.tobytes())).decode()


def _load_json(_: Path, found: bytes) -> tuple[dict[str, Any], list[Deals] | None]:
    document = _checked(parsed(found, infinite=True))
    if not document["duplicate"]:
        return document, None
    return document, [_unpacked(each.pop("deals"), each, document["length"]) for each in document["seated"]]


def _unpacked(packed: dict[str, str], told: dict[str, Any], length: int) -> Deals:
    """The single games of a seating, none unpacked beyond those that it is said to have played."""
    shape = sum(count for _, _, count in told["slices"]), length, len(told["agents"])
    payoffs, winners = packed.values()
    return Deals(_array(payoffs, "<f4", shape).astype(np.float32), _array(winners, "?", shape))


def _array(packed: str, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    size = prod(shape) * np.dtype(kind).itemsize
    unpacked = zlib.decompressobj().decompress(b64decode(packed), size + 1)
    return np.frombuffer(unpacked, kind).reshape(shape)


# ---- tables


def seat_rows(totals: Totals) -> Iterator[dict[str, Any]]:
    """One row per seating and seat, for people and other programs."""
    for i, seating in enumerate(totals.seatings.tolist()):
        for seat, agent in enumerate(seating):
            yield {
                "seating": i,
                "seat": seat + 1,
                "agent": agent,
                "name": totals.agents[agent],
                "games": int(totals.games[i]),
                "draws": int(totals.draws[i]),
                "moves": int(totals.moves[i]),
                "wins": int(totals.wins[i, seat]),
                "payoff_sum": float(totals.payoff_sum[i, seat]),
                "payoff_square_sum": float(totals.payoff_square_sum[i, seat]),
            } | {name: int(counts[i, seat]) for name, counts in totals.counters.items()}


def _deals_path(path: Path) -> Path:
    """Where the single games of a table are."""
    return path.with_suffix(f".deals{path.suffix}")


def _game_columns(totals: Totals) -> list[str]:
    seats = range(1, totals.seats + 1)
    return [*NUMBERED, *(f"payoff_{seat}" for seat in seats), *(f"won_{seat}" for seat in seats)]


def _game_rows(totals: Totals) -> Floats:
    """Every single game, [games, columns]."""
    blocks = []
    for i, each in enumerate(totals.seated):
        assert each.deals is not None
        numbers = [(part.seed, match) for part in each.slices for match in range(part.first, part.end)]
        which = np.repeat(np.array(numbers, float), totals.length, axis=0)
        game = np.tile(np.arange(totals.length), each.matches)
        made = [kept.reshape(len(which), -1) for kept in (each.deals.payoffs, each.deals.winners)]
        blocks.append(np.column_stack([np.full(len(which), i), which, game, *made]))
    return np.concatenate(blocks)


def _games(document: dict[str, Any], read: Floats | None) -> list[Deals] | None:
    """The single games of each seating, from the rows of all."""
    if not document["duplicate"]:
        return None
    length, seats, counts = document["length"], len(document["seated"][0]["agents"]), _counts(document)
    _check_count(document, 0 if read is None else len(read))
    assert read is not None
    blocks = np.split(read, np.cumsum(counts)[:-1] * length)
    first = len(NUMBERED)
    return [
        Deals(
            block[:, first : first + seats].astype(np.float32).reshape(-1, length, seats),
            block[:, first + seats :].astype(bool).reshape(-1, length, seats),
        )
        for block in blocks
    ]


def _counts(document: dict[str, Any]) -> list[int]:
    """How many matches each seating played."""
    return [sum(count for _, _, count in each["slices"]) for each in document["seated"]]


def _check_count(document: dict[str, Any], found: int) -> None:
    if (wanted := sum(_counts(document)) * document["length"]) != found or not found:
        raise UserError(f"{wanted} duplicate deals belong to this result, but {found} are beside it.")


def _tables(totals: Totals, path: Path) -> dict[Path, bytes]:
    return (_csv if path.suffix == ".csv" else _parquet)(totals, path)


def _csv(totals: Totals, path: Path) -> dict[Path, bytes]:
    listed = list(seat_rows(totals))
    text = StringIO(newline="")
    text.write(f"# {json.dumps(_document(totals))}\n")
    table = csv.DictWriter(text, listed[0])
    table.writeheader()
    table.writerows(listed)
    files = {path: text.getvalue().encode()}
    if totals.duplicate:
        games = StringIO(newline="")
        csv.writer(games).writerows([_game_columns(totals), *_game_rows(totals).tolist()])
        files[_deals_path(path)] = games.getvalue().encode()
    return files


def _load_csv(path: Path, found: bytes) -> tuple[dict[str, Any], list[Deals] | None]:
    document = _checked(parsed(found.partition(b"\n")[0].removeprefix(b"#"), infinite=True))
    read = None
    if document["duplicate"] and _deals_path(path).exists():
        read = np.loadtxt(BytesIO(content(_deals_path(path), LARGEST)), delimiter=",", skiprows=1, ndmin=2)
    return document, _games(document, read)


def _parquet(totals: Totals, path: Path) -> dict[Path, bytes]:
    arrow, parquet = _pyarrow()

    def written(table: Any) -> bytes:
        file = BytesIO()
        parquet.write_table(table, file)
        return file.getvalue()

    table = arrow.Table.from_pylist(list(seat_rows(totals)))
    files = {path: written(table.replace_schema_metadata({"feint": json.dumps(_document(totals))}))}
    if totals.duplicate:
        files[_deals_path(path)] = written(arrow.table(list(_game_rows(totals).T), names=_game_columns(totals)))
    return files


def _load_parquet(path: Path, found: bytes) -> tuple[dict[str, Any], list[Deals] | None]:
    _, parquet = _pyarrow()
    document = _checked(parsed(parquet.read_schema(BytesIO(found)).metadata[b"feint"], infinite=True))
    read = None
    if document["duplicate"] and _deals_path(path).exists():
        file = parquet.ParquetFile(BytesIO(content(_deals_path(path), LARGEST)))
        _check_count(document, file.metadata.num_rows)  # few bytes may stand for any number of rows
        read = np.stack([column.to_numpy() for column in file.read().columns], axis=1)
    return document, _games(document, read)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("Parquet files need pyarrow: pip install pyarrow, or save as .json or .csv.") from None
    return pyarrow, pyarrow.parquet
