"""Policy files: a trained agent in one file, its recipe and where it comes from in a readable header. Nothing in it is code.

An agent can be kept if it has a `recipe()`, all but its numbers as JSON, and its class a `blank(recipe, game)`, an agent of
that recipe with any numbers; `feint.registry` finds the class by its name. `policy:FILE` plays these files as well as those of `feint solve`.
"""

from __future__ import annotations

import json
import platform
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np

import feint
from feint.agent import Agent
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.options import chosen
from feint.registry import policy_class, policy_kinds
from feint.solve import policy as solved

FORMAT = 2
HEADER = "header"
LARGEST = 3_000_000  # bytes: a file that would be larger keeps its numbers with half the digits


@dataclass(frozen=True)
class PolicyFile:
    """A trained agent's file, read but not yet an agent."""

    kind: str
    recipe: dict[str, Any]
    game: str
    options: dict[str, Any]
    version: int  # of the game
    made: dict[str, Any]  # command, seed, steps, versions, ...
    numbers: dict[str, np.ndarray]

    @classmethod
    def of(cls, agent: Any, game: Game[Any, Any], made: Mapping[str, Any]) -> PolicyFile:
        kind = type(agent).__name__
        if kind not in policy_kinds():
            known = ", ".join(policy_kinds())
            raise UserError(f"An agent of the kind {kind} cannot be kept in a file; there are: {known}.")
        versions = {"feint": feint.__version__, "jax": jax.__version__, "python": platform.python_version()}
        made = {**versions, **made}
        return cls(kind, agent.recipe(), game.name, chosen(game), game.version, made, _named_numbers(agent))

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        header = {name: getattr(self, name) for name in ("kind", "recipe", "game", "options", "version", "made")}
        header_array = np.array(json.dumps({"format": FORMAT, **header}))
        content = _packed({HEADER: header_array, **self.numbers})
        if len(content) > LARGEST:
            halved = {name: _halved(each) for name, each in self.numbers.items()}
            content = _packed({HEADER: header_array, **halved})
        write_whole(path, content, "The policy")

    @classmethod
    def load(cls, path: str | Path) -> PolicyFile:
        header, numbers = _read(path)
        solved.check_format(path, header.pop("format"), FORMAT)
        try:
            return cls(numbers=numbers, **header)
        except TypeError:
            raise _unreadable(path) from None

    def agent_for(self, game: Game[Any, Any]) -> Agent:
        """The agent, refused where the game is not the one it was made for."""
        solved.check_made_for(game, self.game, self.options, self.version)
        # An agent may be asked for while another is being compiled, of which its numbers are no part.
        with jax.ensure_compile_time_eval():
            return self._built(game)

    def _built(self, game: Game[Any, Any]) -> Agent:
        blank = policy_class(self.kind).blank(self.recipe, game)
        wanted = _named_numbers(blank)
        if {name: each.shape for name, each in wanted.items()} != {n: each.shape for n, each in self.numbers.items()}:
            raise UserError(
                f"The policy's numbers do not fit its recipe for {game}: it is of another version of feint."
            )
        parts, structure = jax.tree_util.tree_flatten_with_path(blank, is_leaf=_is_game)
        names = [jax.tree_util.keystr(path) for path, _ in parts]
        leaves = [
            jnp.asarray(self.numbers[name], wanted[name].dtype) if name in wanted else part
            for name, (_, part) in zip(names, parts, strict=True)
        ]
        return jax.tree.unflatten(structure, leaves)


def play_from(path: str, game: Game[Any, Any]) -> Agent:
    """The agent of a policy file, trained or solved: what `policy:FILE` names."""
    header, _ = _read(path)
    if "kind" not in header:
        return solved.play_from(path, game)
    return PolicyFile.load(path).agent_for(game)


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            numbers = dict(file)
        header = json.loads(str(numbers.pop(HEADER)))
        if "format" not in header:
            raise _unreadable(path)
        return header, numbers
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except UserError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile, zlib.error):
        raise _unreadable(path) from None


def _unreadable(path: str | Path) -> UserError:
    return UserError(f"{path} is no policy that feint saved, or it is damaged.")


def _named_numbers(agent: Any) -> dict[str, np.ndarray]:
    """The numbers of an agent, less those of the game it holds: tables of the rules are no part of a policy."""
    parts = jax.tree_util.tree_flatten_with_path(agent, is_leaf=_is_game)[0]
    return {jax.tree_util.keystr(path): np.asarray(part) for path, part in parts if not _is_game(part)}


def _is_game(part: Any) -> bool:
    return isinstance(part, Game)


def _halved(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.float16) if numbers.dtype == np.float32 else numbers


def _packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()
