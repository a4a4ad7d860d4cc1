"""Solved policies: kept in files, played by name as `policy:FILE`.

A policy has a row of probabilities for each information set, found by 64 bits hashed from what its player has seen. Where a
view tells a player's whole past, the view alone is hashed; else the player's own sequence of views and actions, step by
step, so the agent carries the hash of its past. Of a policy that was made with an abstraction, what that keeps of the view is
hashed. That no two information sets share a hash is checked when a policy is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory
from feint.archive import MOST, Archive, Layout, packed
from feint.chance import Key, drawn
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game, pytree, static
from feint.hashing import chain, digest
from feint.options import chosen
from feint.plain import read
from feint.reading import opened, parsed, refused, seal
from feint.solvers.abstraction import Abstraction
from feint.solvers.infosets import NONE, InformationSets
from feint.solvers.packed_views import unpack
from feint.version import __version__
from feint.visible import shortened, visible

FORMAT = 3
HEADER, KEYS, CHANCES, RUN, SEAL = "header", "keys", "chances", "run_", "seal"
LONGEST = 300  # characters of what a file says that it is for
CALLED = "The policy"  # whatever has no name of its own


@pytree
class TabularAgent:
    """Plays a policy, drawing each action with its probability; where it has none, any legal action."""

    keys: Array  # uint32[sets, 2], in order
    chances: Array  # float32[sets, actions]
    abstraction: Abstraction
    by_view: bool = static()  # whether the view alone, or what is kept of it, tells the information set
    crowd: int = static()  # how many keys at most begin alike

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return () if self.by_view else jnp.zeros(2, jnp.uint32)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        here = self._key(memory, view, legal)
        action = drawn(key, self._at(here, legal))
        return action, memory if self.by_view else chain(here, jnp.full(2, action, jnp.uint32))

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        return jax.tree.map(jnp.zeros_like, memory)

    def _key(self, memory: Memory, view: Any, legal: Array) -> Array:
        here = digest(self.abstraction.keep(view, legal))
        return here if self.by_view else chain(memory, here)

    def _at(self, key: Array, legal: Array) -> Array:
        begin = jnp.searchsorted(self.keys[:, 0], key[0])
        near = jnp.minimum(begin + jnp.arange(self.crowd), len(self.keys) - 1)
        same = (self.keys[near] == key).all(axis=1)
        known = self.chances[near[jnp.argmax(same)]] * legal
        return jnp.where(same.any() & (known.sum() > 0), known, legal / legal.sum())


def _view_keys(kept: Any) -> np.ndarray:
    """64 bits of each of a stack of views, or of what is kept of them, uint32[sets, 2]."""
    return np.asarray(_digests(kept))


_digests = jax.jit(jax.vmap(digest))


def _past_keys(seen: np.ndarray, sets: InformationSets) -> np.ndarray:
    """The same of each player's sequence of views and actions up to there."""
    keys, actions = np.zeros_like(seen), sets.legal.shape[1]
    for depth in range(sets.depth.max() + 1):
        at = np.flatnonzero(sets.depth == depth)
        past = np.zeros((len(at), 2), np.uint32)
        if depth:
            before, action = np.divmod(sets.parent[at], actions)
            past = chain(keys[before], action[:, None].astype(np.uint32))
        keys[at] = chain(past, seen[at])
    return keys


def _keys_of(abstraction: Abstraction, sets: InformationSets) -> tuple[np.ndarray, bool]:
    """The keys of information sets whose rows are what is kept, uint32[sets, 2], and whether that alone tells them apart."""
    seen = _view_keys(unpack(sets.rows, abstraction.kept_like()))
    by_view = _all_differ(seen)
    keys = seen if by_view else _past_keys(seen, sets)
    if not _all_differ(keys):
        raise UserError(
            f"Two information sets of {abstraction.game} have the same 64-bit key, so its policy cannot be kept."
        )
    return keys, by_view


def rows_for(agent: TabularAgent, sets: InformationSets) -> np.ndarray:
    """The agent's policy in the order of these information sets of whole views, float64[sets, actions]; even where it has none."""
    abstraction = agent.abstraction
    seen = _view_keys(jax.vmap(abstraction.keep)(sets.views(abstraction.game), jnp.asarray(sets.legal)))
    wanted = seen if agent.by_view else _past_keys(seen, sets)
    row = {key: number for number, key in enumerate(_whole(np.asarray(agent.keys)).tolist())}
    found = np.array([row.get(key, NONE) for key in _whole(wanted).tolist()])
    even = sets.legal / sets.legal.sum(axis=1, keepdims=True)
    chances = np.where((found == NONE)[:, None], even, np.asarray(agent.chances, float)[found])
    return chances / chances.sum(axis=1, keepdims=True)


def _whole(keys: np.ndarray) -> np.ndarray:
    """Keys as single numbers, uint64[sets]."""
    return np.ascontiguousarray(keys).view(np.uint64).ravel()


def _all_differ(keys: np.ndarray) -> bool:
    return len(np.unique(_whole(keys))) == len(keys)


@dataclass(frozen=True)
class SavedPolicy:
    """A policy with the game it is for and where it comes from."""

    game: str
    options: dict[str, Any]
    version: int  # of the game
    abstraction: str  # its name, empty for whole views
    keys: np.ndarray  # uint32[sets, 2]
    by_view: bool
    chances: np.ndarray  # float64[sets, actions]
    made: dict[str, Any]  # how: algorithm, iterations, exploitability, ...
    run: dict[str, np.ndarray]  # where the run that made it stands, so that it can go on

    @classmethod
    def of(
        cls,
        game: Game[Any, Any],
        sets: InformationSets,
        policy: np.ndarray,
        made: Mapping[str, Any],
        run: Mapping[str, np.ndarray] | None = None,
        abstraction: str = "",
    ) -> SavedPolicy:
        """A policy on information sets whose rows are views, or what the abstraction named keeps of them."""
        keys, by_view = _keys_of(Abstraction.named(game, abstraction), sets)
        made, chances = {"feint": __version__, **made}, np.asarray(policy, float)
        about = game.name, chosen(game), game.version, abstraction
        return cls(*about, keys, by_view, chances, made, dict(run or {}))

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        header = {"format": FORMAT} | {name: getattr(self, name) for name in TOLD}
        arrays = {KEYS: self.keys, CHANCES: self.chances} | {RUN + name: each for name, each in self.run.items()}
        check_size(self.game, sum(each.nbytes for each in arrays.values()))
        header[SEAL] = _seal(header, arrays)
        write_whole(path, packed({HEADER: np.array(json.dumps(header)), **arrays}), "The policy")

    @classmethod
    def load(cls, path: str | Path) -> SavedPolicy:
        """The policy of a file: what was altered, or is no policy, is refused."""
        wrong = f"{path} is not a policy that `feint solve` saved, or it is damaged."
        with opened(path) as file, refused(wrong):
            archive = Archive(file, wrong)
            header = parsed(archive.take_text(HEADER))
            check_format(path, header["format"], FORMAT)
            found = header.pop(SEAL)
            told = read(_Header, {name: value for name, value in header.items() if name != "format"})
            if archive.layout[KEYS] != Layout((sets := archive.layout[CHANCES].shape[0], 2), np.dtype(np.uint32)):
                raise ValueError(KEYS)
            arrays = dict(archive)
            if found != _seal(header, arrays) or not sets or not _are_chances(arrays[CHANCES]):
                raise ValueError(SEAL)
            run = {name.removeprefix(RUN): each for name, each in arrays.items() if name.startswith(RUN)}
            return cls(**vars(told), keys=arrays[KEYS], chances=arrays[CHANCES], run=run)

    def check_for(self, game: Game[Any, Any]) -> None:
        """Refuse a game that the policy was not made for."""
        check_made_for(game, self.game, self.options, self.version)

    def agent_for(self, game: Game[Any, Any], called: str = CALLED) -> TabularAgent:
        """The agent, refused under what it is called where the game is not the one it was made for."""
        check_made_for(game, self.game, self.options, self.version, called)
        if self.chances.shape[1] != game.actions:
            raise UserError(f"{called} has {self.chances.shape[1]} actions, where {game} has {game.actions}.")
        order = np.lexsort((self.keys[:, 1], self.keys[:, 0]))
        crowd = int(np.unique(self.keys[:, 0], return_counts=True)[1].max())
        keys, chances = jnp.asarray(self.keys[order]), jnp.asarray(self.chances[order], jnp.float32)
        return TabularAgent(keys, chances, Abstraction.named(game, self.abstraction), self.by_view, crowd)


@dataclass(frozen=True)
class _Header:
    """What a file says of itself, beside its format and seal."""

    game: str
    options: dict[str, Any]
    version: int
    abstraction: str
    by_view: bool
    made: dict[str, Any]


TOLD = tuple(each.name for each in fields(_Header))


def _seal(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    """What stands for all of a file."""
    names = sorted(arrays)
    inside = [[name, arrays[name].dtype.str, arrays[name].shape] for name in names]
    return seal([header, inside], *(np.ascontiguousarray(arrays[name]).data for name in names))


def _are_chances(chances: np.ndarray) -> bool:
    """Whether every row has probabilities that sum to one."""
    return chances.dtype == float and bool((chances >= 0).all() and (abs(chances.sum(axis=1) - 1) < 1e-6).all())


def check_size(game: Any, size: int) -> None:
    """Refuse a policy that could not be read again."""
    if size > MOST:
        raise UserError(
            f"A policy of {game} takes {size / 1e9:,.1f} GB, where {MOST / 1e9:,.1f} can be kept: "
            "choose smaller options, or an abstraction (mccfr)."
        )


def check_made_for(
    game: Game[Any, Any], name: str, options: Mapping[str, Any], version: int, called: str = CALLED
) -> None:
    """Refuse a game that a policy for this one was not made for."""
    if (game.name, chosen(game)) != (name, options):
        others = ", ".join(f"{option}={value}" for option, value in options.items())
        whose = shortened(visible(f"{name}({others})"), LONGEST)
        raise UserError(f"{called} was made for {whose}, not for {game}.")
    if game.version != version:
        raise UserError(f"{called} was made for version {version} of {name}, this is version {game.version}.")


def check_format(path: str | Path, found: Any, expected: int) -> None:
    """Refuse a policy file of another format."""
    if found != expected:
        raise UserError(f"{path} is a policy of format {found}; this version of feint reads format {expected}.")
