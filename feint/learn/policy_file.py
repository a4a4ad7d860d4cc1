"""Policy files: a trained agent in one file, its recipe and where it comes from in a readable header. Nothing in it is code.

An agent can be kept if it has a `recipe()`, all but its numbers as JSON, and its class a `blank(recipe, game)`, an agent of
that recipe with any numbers; `feint.registry` finds the class by its name. `policy:FILE` plays these files as well as those of `feint solve`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from io import BytesIO
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from feint import plain, reading
from feint.agent import Agent, is_compiled
from feint.archive import MOST, Archive, Layout, packed
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game
from feint.learn.renamed import POLICIES, todays_command, todays_part
from feint.lookup import Tables
from feint.options import chosen
from feint.registry import policy_class, policy_kinds
from feint.solvers import policy as solved
from feint.version import __version__
from feint.words import listed

FORMAT = 2
HEADER = "header"
LARGEST = 3_000_000  # bytes: a file that would be larger keeps its numbers with half the digits


@dataclass(frozen=True)
class _Header:
    """What a file says of itself, except its format."""

    kind: str
    recipe: dict[str, Any]
    game: str
    options: dict[str, Any]
    version: int  # of the game
    made: dict[str, Any]  # command, seed, steps, versions, ...
    serves: dict[str, list[int]] = field(
        default_factory=dict, kw_only=True
    )  # options of the sizes it plays at, side by side


TOLD = tuple(each.name for each in fields(_Header))


@dataclass(frozen=True)
class PolicyFile(_Header):
    """A trained agent's file, read but not yet an agent."""

    numbers: Mapping[str, np.ndarray]

    @classmethod
    def of(
        cls,
        agent: Any,
        game: Game[Any, Any],
        made: Mapping[str, Any],
        serves: Mapping[str, list[int]] | None = None,
    ) -> PolicyFile:
        kind = type(agent).__name__
        if kind not in policy_kinds():
            known = ", ".join(policy_kinds())
            raise UserError(f"An agent of the kind {kind} cannot be kept in a file; there are: {known}.")
        versions = {"feint": __version__, "jax": jax.__version__, "python": platform.python_version()}
        made = {**versions, **made}
        told = (kind, agent.recipe(), game.name, chosen(game), game.version, made)
        return cls(*told, _named_numbers(agent), serves=dict(serves or {}))

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        size = sum(each.nbytes for each in self.numbers.values())
        if size > MOST:  # nobody could read it again
            raise UserError(f"The policy has {size / 1e9:,.1f} GB of numbers, where {MOST / 1e9:,.1f} can be kept.")
        header = {name: getattr(self, name) for name in TOLD}
        header_array = np.array(json.dumps({"format": FORMAT, **header}))
        content = packed({HEADER: header_array, **self.numbers})
        if len(content) > LARGEST:
            halved = {name: _halved(each) for name, each in self.numbers.items()}
            content = packed({HEADER: header_array, **halved})
        write_whole(path, content, "The policy")

    @classmethod
    def load(cls, path: str | Path) -> PolicyFile:
        """The policy of a file, its numbers to be unpacked once it is known which there should be."""
        return cls._of_header(path, *_read(path))

    @classmethod
    def _of_header(cls, path: str | Path, header: dict[str, Any], numbers: Archive) -> PolicyFile:
        solved.check_format(path, header.pop("format"), FORMAT)
        with reading.refused(_unreadable(path)):
            told = plain.read(_Header, header)
            if "command" in told.made:
                told.made["command"] = todays_command(told.made["command"])
        kind = POLICIES.get(told.kind, told.kind)
        return cls(**vars(told) | {"kind": kind}, numbers=numbers)

    def agent_for(self, game: Game[Any, Any], called: str = solved.CALLED) -> Agent:
        """The agent, refused under what it is called where the game is not the one it was made for."""
        solved.check_made_for(game.fixed, self.game, self.options_for(game), self.version, called)
        misfit = f"The policy's numbers do not fit its recipe for {game}: it is of another version of feint."
        kind = policy_class(self.kind)
        with reading.refused(misfit):
            # However large an agent the recipe asks for, here it has no numbers yet.
            blank = eqx.filter_eval_shape(kind.blank, self.recipe, game)
            expected = {name: Layout.of(each) for name, each in _named_parts(blank).items()}
        found = (
            self.numbers.layout
            if isinstance(self.numbers, Archive)
            else {name: Layout.of(each) for name, each in self.numbers.items()}
        )
        names = {name if name in expected else todays_part(name): name for name in found}
        if not _fits({name: found[kept] for name, kept in names.items()}, expected):
            raise UserError(misfit)
        parts, structure = jax.tree_util.tree_flatten_with_path(blank, is_leaf=_has_tables)
        # An agent may be asked for while another is being compiled, of which its numbers are no part.
        with jax.ensure_compile_time_eval():
            leaves = [
                _tables(part, game)
                if _has_tables(part)
                else self._number(names[jax.tree_util.keystr(path)], part.dtype)
                for path, part in parts
            ]
        return jax.tree.unflatten(structure, leaves)

    def options_for(self, game: Game[Any, Any]) -> dict[str, Any]:
        """The options that the policy was made for: where it serves several sizes of tables, the game's, or what they may be where the game's
        is none of these; and the game's where it makes no difference to networks."""
        told = {name: getattr(game, name) if name in game.untold else value for name, value in self.options.items()}
        with reading.refused("The policy does not say which tables it serves, or says it in no way that is known."):
            sizes = [dict(zip(self.serves, size, strict=True)) for size in zip(*self.serves.values(), strict=True)]
            for name in self.serves:
                asked, values = getattr(game, name, None), sorted({size[name] for size in sizes})
                told[name] = asked if asked in values else told_values(values)
                sizes = [size for size in sizes if size[name] == asked] or sizes
        return told

    def _number(self, name: str, kind: Any) -> jax.Array:
        return jnp.asarray(_finite(self.numbers[name]), kind)


def told_values(values: list[int]) -> str:
    """What an option may be: 4, 2 to 4, or 2, 3, 4, 6 or 8."""
    first, last = values[0], values[-1]
    if first < last and values == [*range(first, last + 1)]:
        return f"{first} to {last}"
    return listed(map(str, values), "or")


def load(path: str | Path) -> PolicyFile | solved.SavedPolicy:
    """The policy of a file, trained or solved."""
    header, numbers = _read(path)
    return PolicyFile._of_header(path, header, numbers) if "kind" in header else solved.SavedPolicy.load(path)


def commands(made: Mapping[str, Any]) -> list[str]:
    """What made a policy: the commands that made the file it went on from, if it did from one, the first first, and its own."""
    return [*map(str, made.get("before", ())), str(made.get("command", "nobody knows what"))]


def play_from(path: str, game: Game[Any, Any]) -> Agent:
    """The agent of a policy file, trained or solved: what `policy:FILE` names."""
    return load(path).agent_for(game, f"policy:{path}")


def _read(path: str | Path) -> tuple[dict[str, Any], Archive]:
    wrong = _unreadable(path)
    numbers = Archive(BytesIO(reading.content(path)), wrong)
    with reading.refused(wrong):
        header = reading.parsed(numbers.take_text(HEADER))
        if type(header["format"]) is not int:
            raise ValueError(HEADER)
        return dict(header), numbers


def _unreadable(path: str | Path) -> str:
    return f"{path} is not a policy that feint saved, or it is damaged."


def _fits(found: Mapping[str, Layout], expected: Mapping[str, Layout]) -> bool:
    """Whether numbers are those of an agent, but perhaps with half the digits."""
    alike = {np.dtype(np.float16): np.dtype(np.float32)}
    return found.keys() == expected.keys() and all(
        each.shape == expected[name].shape and expected[name].dtype in (each.dtype, alike.get(each.dtype))
        for name, each in found.items()
    )


def _finite(numbers: np.ndarray) -> np.ndarray:
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise UserError(
            "The policy has numbers that are none (nan or inf), so it cannot play; its training went astray."
        )
    return numbers


def _named_numbers(agent: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(part) for name, part in _named_parts(agent).items()}


def fingerprint(agent: Any) -> str:
    """What tells an agent from another that goes by the same name, such as that of a file since replaced; plain Python agents have none."""
    if not is_compiled(agent):
        return ""
    # With the same numbers it may draw its actions, or take the likeliest.
    recipe = agent.recipe() if hasattr(agent, "recipe") else None
    return reading.seal(recipe, *(part.tobytes() for part in _named_numbers(agent).values()))


def _named_parts(agent: Any) -> dict[str, Any]:
    """The parts of an agent, less those of the game it holds and of other look-up tables: they are no part of a policy."""
    parts = jax.tree_util.tree_flatten_with_path(agent, is_leaf=_has_tables)[0]
    return {jax.tree_util.keystr(path): part for path, part in parts if not _has_tables(part)}


def _has_tables(part: Any) -> bool:
    return isinstance(part, (Game, Tables))


def _tables(part: Any, game: Game[Any, Any]) -> Any:
    """What stands where an agent holds its game or other look-up tables."""
    return game if isinstance(part, Game) else type(part)()


def _halved(numbers: np.ndarray) -> np.ndarray:
    """With half the digits, where they are enough for numbers so large."""
    few = np.abs(numbers).max(initial=0) < np.finfo(np.float16).max if numbers.dtype == np.float32 else False
    return numbers.astype(np.float16) if few else numbers
