"""Settings of a run in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from feint.errors import UserError
from feint.reading import content, seal

LARGEST = 2**20  # bytes
SEAL = "# seal "  # a comment to TOML


def read(path: Path) -> dict[str, Any]:
    """What a TOML file says, as it stands."""
    text = content(path, LARGEST)
    try:
        return tomllib.loads(text.decode())
    except RecursionError:
        raise UserError(f"{path} is not a TOML file: it nests too deeply.") from None
    except ValueError as broken:  # of TOML, of UTF-8, or of a number with too many digits
        raise UserError(f"{path} is not a TOML file: {broken}.") from None


def read_sealed(path: Path) -> dict[str, Any]:
    """The same of a file that is to be as it was written. Those of older runs have no seal."""
    values, text = read(path), content(path, LARGEST).decode()
    first, _, body = text.partition("\n")
    if first.startswith(SEAL) and first != SEAL + seal(body):
        raise UserError(f"{path} is damaged, or was altered after its run began: --config takes it for another run.")
    return values


def write_sealed(values: Mapping[str, Any]) -> str:
    """Settings as the text of a TOML file, with a first line that stands for all others."""
    text = tomli_w.dumps(values)
    return f"{SEAL}{seal(text)}\n{text}"
