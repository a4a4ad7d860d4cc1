"""Settings of a run in a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from feint.errors import UserError


def read(path: Path) -> dict[str, Any]:
    """What a TOML file says, as it stands."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as failed:
        raise UserError(f"{path} cannot be read: {failed.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise UserError(f"{path} is no TOML file: {broken}.") from None
    except RecursionError:
        raise UserError(f"{path} is no run: it nests too deeply.") from None


def write(values: Mapping[str, Any]) -> str:
    """The same as the text of a TOML file."""
    return tomli_w.dumps(values)
