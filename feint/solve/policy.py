"""Solved policies: kept in files, played by name as `policy:FILE`.

A policy has a row of probabilities for each information set, found by 64 bits hashed from what its player has seen. Where a
view tells a player's whole past, the view alone is hashed; else the player's own sequence of views and actions, step by
step, so the agent carries the hash of its past. That no two information sets share a hash is checked when a policy is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import feint
from feint.agent import Memory
from feint.chance import Key
from feint.errors import UserError
from feint.files import write_whole
from feint.game import Game, pytree, static
from feint.hashing import chain, digest
from feint.options import chosen
from feint.solve.infosets import NONE, InformationSets

FORMAT = 1
HEADER, KEYS, CHANCES, RUN = "header", "keys", "chances", "run_"


@pytree
class TabularAgent:
    """Plays a policy, drawing each action with its probability; where it has none, any legal action."""

    keys: Array  # uint32[sets, 2], in order
    chances: Array  # float32[sets, actions]
    by_view: bool = static()  # whether the view alone tells the information set
    crowd: int = static()  # how many keys at most begin alike

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return () if self.by_view else jnp.zeros(2, jnp.uint32)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        here = self._key(memory, view)
        sums = jnp.cumsum(self._at(here, legal))
        action = jnp.argmax(sums > jax.random.uniform(key) * sums[-1])
        return action, memory if self.by_view else chain(here, jnp.full(2, action, jnp.uint32))

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        return jax.tree.map(jnp.zeros_like, memory)

    def _key(self, memory: Memory, view: Any) -> Array:
        return digest(view) if self.by_view else chain(memory, digest(view))

    def _at(self, key: Array, legal: Array) -> Array:
        begin = jnp.searchsorted(self.keys[:, 0], key[0])
        near = jnp.minimum(begin + jnp.arange(self.crowd), len(self.keys) - 1)
        same = (self.keys[near] == key).all(axis=1)
        known = self.chances[near[jnp.argmax(same)]] * legal
        return jnp.where(same.any() & (known.sum() > 0), known, legal / legal.sum())


def keys_of(game: Game[Any, Any], sets: InformationSets) -> tuple[np.ndarray, bool]:
    """The key of each information set, uint32[sets, 2], and whether views alone tell them apart."""
    seen = np.asarray(jax.jit(jax.vmap(digest))(sets.views(game)))
    if _all_differ(seen):
        return seen, True
    keys = np.zeros_like(seen)
    for depth in range(sets.depth.max() + 1):
        at = np.flatnonzero(sets.depth == depth)
        past = jnp.zeros((len(at), 2), jnp.uint32)
        if depth:
            before, action = np.divmod(sets.parent[at], game.actions)
            past = chain(jnp.asarray(keys[before]), jnp.asarray(action[:, None], jnp.uint32))
        keys[at] = chain(past, jnp.asarray(seen[at]))
    if not _all_differ(keys):
        raise UserError(f"Two information sets of {game} have the same 64-bit key, so its policy cannot be kept.")
    return keys, False


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
    ) -> SavedPolicy:
        keys, by_view = keys_of(game, sets)
        made = {"feint": feint.__version__, **made}
        return cls(game.name, chosen(game), keys, by_view, np.asarray(policy, float), made, dict(run or {}))

    def save(self, path: str | Path) -> None:
        """Write the file, whole or not at all."""
        header = {
            "format": FORMAT,
            "game": self.game,
            "options": self.options,
            "by_view": self.by_view,
            "made": self.made,
        }
        arrays = {HEADER: np.array(json.dumps(header)), KEYS: self.keys, CHANCES: self.chances}
        arrays |= {RUN + name: each for name, each in self.run.items()}
        packed = BytesIO()
        np.savez_compressed(packed, allow_pickle=False, **arrays)
        write_whole(path, packed.getvalue(), "The policy")

    @classmethod
    def load(cls, path: str | Path) -> SavedPolicy:
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = dict(file)
            header = json.loads(str(arrays.pop(HEADER)))
            if header["format"] != FORMAT:
                raise UserError(f"{path} has format {header['format']}; this version of feint reads {FORMAT}.")
            run = {name.removeprefix(RUN): each for name, each in arrays.items() if name.startswith(RUN)}
            return cls(
                header["game"], header["options"], arrays[KEYS], header["by_view"], arrays[CHANCES], header["made"], run
            )
        except FileNotFoundError:
            raise UserError(f"There is no file {path}.") from None
        except (OSError, ValueError, KeyError, BadZipFile) as broken:
            if isinstance(broken, UserError):
                raise
            raise UserError(f"{path} is no policy that `feint solve` saved.") from None

    def check_for(self, game: Game[Any, Any]) -> None:
        """Refuse a game that the policy was not made for."""
        if (game.name, chosen(game)) != (self.game, self.options):
            options = ", ".join(f"{name}={value}" for name, value in self.options.items())
            raise UserError(f"The policy was made for {self.game}({options}), not for {game}.")

    def agent(self) -> TabularAgent:
        order = np.lexsort((self.keys[:, 1], self.keys[:, 0]))
        crowd = int(np.unique(self.keys[:, 0], return_counts=True)[1].max())
        keys, chances = jnp.asarray(self.keys[order]), jnp.asarray(self.chances[order], jnp.float32)
        return TabularAgent(keys, chances, self.by_view, crowd)

    def on(self, game: Game[Any, Any], sets: InformationSets) -> np.ndarray:
        """The policy's rows in the order of these information sets, float64[sets, actions]; even where it has none."""
        self.check_for(game)
        return rows_for(self.keys, self.chances, game, sets)


def rows_for(keys: np.ndarray, chances: np.ndarray, game: Game[Any, Any], sets: InformationSets) -> np.ndarray:
    """The rows of `chances` whose keys these information sets have; even where there is none."""
    row = {key: number for number, key in enumerate(_whole(keys).tolist())}
    found = np.array([row.get(key, NONE) for key in _whole(keys_of(game, sets)[0]).tolist()])
    even = sets.legal / sets.legal.sum(axis=1, keepdims=True)
    return np.where((found == NONE)[:, None], even, chances[found])


def play_from(path: str, game: Game[Any, Any]) -> TabularAgent:
    """The agent that plays the policy of a file: what `policy:FILE` names."""
    saved = SavedPolicy.load(path)
    saved.check_for(game)
    return saved.agent()
