"""Results in files: JSON (everything in one), CSV and Parquet (a row per seating and seat; deals in a file beside it)."""

from __future__ import annotations

import csv
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.arena.result import PER_SEAT, PER_SEATING, SUMS, Result
from feint.errors import UserError

FORMAT = "feint result 1"
FIXED = ("seating", "seat", "agent", "name", *SUMS)


def save(result: Result, path: Path) -> None:
    """Write a result as the file's ending says."""
    _by_ending(path, {".json": _save_json, ".csv": _save_csv, ".parquet": _save_parquet})(result, path)


def load(path: Path) -> Result:
    """Read a result as the file's ending says."""
    reader = _by_ending(path, {".json": _load_json, ".csv": _load_csv, ".parquet": _load_parquet})
    if not path.is_file():
        raise UserError(f"There is no result at {path}.")
    try:
        return reader(path)
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, OSError) as broken:
        raise UserError(f"{path} is not a result that feint saved: {broken}.") from broken


def _by_ending(path: Path, kinds: dict[str, Any]) -> Any:
    if path.suffix not in kinds:
        raise UserError(f"A result is a .json, .csv or .parquet file, not {path.name}.")
    return kinds[path.suffix]


def _about(result: Result) -> dict[str, Any]:
    """What is said once about a whole result."""
    return {
        "format": FORMAT,
        "game": result.game,
        "options": dict(result.options),
        "agents": list(result.agents),
        "level": result.level,
        "seeds": list(result.seeds),
        "counters": list(result.counters),
        "deals": None if result.deal_payoffs is None else len(result.deal_payoffs),
    }


def _rebuilt(about: dict[str, Any], deal_payoffs: NDArray[np.float32] | None, **totals: Any) -> Result:
    if about.get("format") != FORMAT:
        raise UserError(f"This is no result of the form {FORMAT!r}.")
    deals = None if deal_payoffs is None else len(deal_payoffs)
    if deals != about["deals"]:
        raise UserError(
            f"The payoffs of {about['deals']} duplicate deals belong to this result, but {deals or 0} are there."
        )
    return Result.from_totals(
        **{name: about[name] for name in ("game", "options", "agents", "level", "seeds")},
        deal_payoffs=deal_payoffs,
        **totals,
    )


# ---- JSON


def _save_json(result: Result, path: Path) -> None:
    data = _about(result) | {name: getattr(result, name).tolist() for name in ("seatings", *SUMS)}
    data["counters"] = {name: counts.tolist() for name, counts in result.counters.items()}
    if result.deal_payoffs is not None:
        packed = zlib.compress(result.deal_payoffs.astype("<f4").tobytes())
        data["deal_payoffs"] = {"float32, zlib, base64": b64encode(packed).decode()}
    path.write_text(json.dumps(data, indent=1) + "\n")


def _load_json(path: Path) -> Result:
    data = json.loads(path.read_text())
    deals = None
    if packed := data.get("deal_payoffs"):
        raw = zlib.decompress(b64decode(packed["float32, zlib, base64"]))
        deals = np.frombuffer(raw, "<f4").reshape(-1, len(data["agents"])).astype(np.float32)
    totals = {name: data[name] for name in ("seatings", *SUMS, "counters")}
    return _rebuilt(data, deals, **totals)


# ---- tables


def _totals(about: dict[str, Any], columns: dict[str, list[Any]]) -> dict[str, Any]:
    """The totals of a result from the columns of its table."""
    count = max(map(int, columns["seating"])) + 1

    def square(name: str, kind: type) -> NDArray[Any]:
        return np.array(columns[name], kind).reshape(count, -1)

    return {
        "seatings": square("agent", int),
        "counters": {name: square(name, int) for name in about["counters"]},
        **{name: square(name, int)[:, 0] for name in PER_SEATING},
        **{name: square(name, int if name == "wins" else float) for name in PER_SEAT},
    }


def _beside(path: Path) -> Path:
    """Where the deals of a table are."""
    return path.with_suffix(f".deals{path.suffix}")


def _save_csv(result: Result, path: Path) -> None:
    """The first line is a comment that says what the rows are of, as JSON."""
    with path.open("w", newline="") as file:
        file.write(f"# {json.dumps(_about(result))}\n")
        table = csv.DictWriter(file, [*FIXED, *result.counters])
        table.writeheader()
        table.writerows(result.rows())
    if result.deal_payoffs is not None:
        with _beside(path).open("w", newline="") as file:
            csv.writer(file).writerows([result.labels, *result.deal_payoffs.tolist()])


def _load_csv(path: Path) -> Result:
    with path.open(newline="") as file:
        about = json.loads(file.readline().removeprefix("#"))
        rows = list(csv.DictReader(file))
    deals = None
    if _beside(path).is_file() and about["deals"] is not None:
        deals = np.loadtxt(_beside(path), np.float32, delimiter=",", skiprows=1, ndmin=2)
    return _rebuilt(about, deals, **_totals(about, _columns(rows)))


def _columns(rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    rows = list(rows)
    return {name: [row[name] for row in rows] for name in rows[0]}


def _save_parquet(result: Result, path: Path) -> None:
    arrow, parquet = _pyarrow()
    table = arrow.table(_columns(result.rows())).replace_schema_metadata({"feint": json.dumps(_about(result))})
    parquet.write_table(table, path)
    if result.deal_payoffs is not None:
        parquet.write_table(arrow.table(list(result.deal_payoffs.T), names=list(result.labels)), _beside(path))


def _load_parquet(path: Path) -> Result:
    _, parquet = _pyarrow()
    table = parquet.read_table(path)
    about = json.loads((table.schema.metadata or {})[b"feint"])
    deals = None
    if _beside(path).is_file() and about["deals"] is not None:
        columns = parquet.read_table(_beside(path)).columns
        deals = np.stack([column.to_numpy() for column in columns], axis=1)
    return _rebuilt(about, deals, **_totals(about, table.to_pydict()))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError("Parquet files need pyarrow: pip install pyarrow, or save as .json or .csv.") from None
    return pyarrow, pyarrow.parquet
