"""Information sets: what a player can tell apart when it acts, which is its own sequence of views and actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import chance
from feint.errors import UserError
from feint.game import Game
from feint.solvers.packed_views import as_bytes, distinct, unpack

NONE = -1


@dataclass(frozen=True)
class InformationSets:
    """Ordered by player, then by how many earlier actions of its own a set holds, then by the last of them."""

    player: np.ndarray  # int32[sets]; where an abstraction forgets whose view it is, the first who met it
    depth: np.ndarray  # int32[sets]: earlier actions of the same player
    parent: np.ndarray  # int64[sets]: the last of them, as set * actions + action; NONE before the first
    legal: np.ndarray  # bool[sets, actions]
    rows: np.ndarray  # uint8[sets, width]: the views, or what an abstraction keeps of them, packed

    def __len__(self) -> int:
        return len(self.player)

    def views(self, game: Game[Any, Any]) -> Any:
        """The view at each set, stacked, where the rows are views."""
        like = jax.eval_shape(lambda: game.observe(game.init(chance.key(0)), jnp.int32(0)))
        return unpack(self.rows, like)


class SetIndex:
    """Gives information sets their numbers as they are met: found exactly, by the player's last own action and its view."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game, self.actions = game, game.actions
        self.numbers: dict[tuple[int, bytes], int] = {}
        self._player: list[int] = []
        self._legal: list[np.ndarray] = []

    def __len__(self) -> int:
        return len(self.numbers)

    def enter(self, player: np.ndarray, last: np.ndarray, views: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """The numbers of the sets in which players find themselves, int64[count]; new ones are added."""
        first, kind = distinct(np.column_stack([as_bytes(last), views]))
        found = np.empty(len(first), np.int64)
        for each, row in enumerate(first):
            key = (int(last[row]), views[row].tobytes())
            found[each] = number = self.numbers.setdefault(key, len(self.numbers))
            if number == len(self._player):
                self._player.append(int(player[row]))
                self._legal.append(legal[row])
            elif (self._legal[number] != legal[row]).any():
                raise self._untold()
        if (legal != legal[first][kind]).any():
            raise self._untold()
        return found[kind]

    def arrays(self) -> dict[str, np.ndarray]:
        """The index in the order of numbers, to be kept in a file."""
        views = b"".join(view for _, view in self.numbers)
        return {
            "set_last": np.array([last for last, _ in self.numbers]),
            "set_rows": np.frombuffer(views, np.uint8).reshape(len(self), -1),
            "set_player": np.array(self._player),
            "set_legal": np.array(self._legal),
        }

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """The index that gave these `arrays`; `ValueError` where none did."""
        last, player, legal = arrays["set_last"], arrays["set_player"], arrays["set_legal"]
        number = np.arange(len(last))
        if not ((last >= NONE) & (last // self.actions < number)).all():
            raise ValueError("a set that comes before its own past")
        if not ((player >= 0) & (player < self.game.players)).all() or not legal.any(axis=1).all():
            raise ValueError("a set of nobody, or in which nothing may be done")
        keys = zip(last.tolist(), (row.tobytes() for row in arrays["set_rows"]), strict=True)
        self.numbers = {key: number for number, key in enumerate(keys)}
        if len(self.numbers) != len(last):
            raise ValueError("the same set twice")
        self._player, self._legal = player.tolist(), list(legal)

    def _untold(self) -> UserError:
        return UserError(f"{self.game}: a player's view does not tell what it may do, so the game cannot be solved.")

    def ordered(self) -> tuple[InformationSets, np.ndarray]:
        """The sets in the order in which they are kept, and the new number of each, int64[sets]."""
        count = len(self)
        player, legal = np.array(self._player), np.array(self._legal)
        parent = np.array([last for last, _ in self.numbers])
        rows = np.frombuffer(b"".join(view for _, view in self.numbers), np.uint8).reshape(count, -1)
        depth = np.zeros(count, int)
        for each in range(count):  # parents came before their children
            if parent[each] != NONE:
                depth[each] = depth[parent[each] // self.actions] + 1
        sizes = np.zeros((self.game.players, depth.max() + 1), int)
        np.add.at(sizes, (player, depth), 1)
        begins = np.cumsum(np.append(0, sizes.ravel()))[:-1].reshape(sizes.shape)
        new_number = np.zeros(count, np.int64)
        for level in range(sizes.shape[1]):  # the order at a depth needs the new numbers of the depth above
            at = np.flatnonzero(depth == level)
            at = at[np.lexsort((renumbered(parent[at], new_number, self.actions), player[at]))]
            within = np.arange(len(at)) - np.searchsorted(player[at], player[at])
            new_number[at] = begins[player[at], level] + within
        order = np.argsort(new_number)
        parents = renumbered(parent[order], new_number, self.actions)
        return InformationSets(player[order], depth[order], parents, legal[order], rows[order]), new_number


def renumbered(sequence: np.ndarray, new_number: np.ndarray, actions: int) -> np.ndarray:
    """Sequences, set * actions + action or NONE, after their sets have new numbers."""
    number, action = np.divmod(sequence, actions)
    return np.where(sequence == NONE, NONE, new_number[number] * actions + action)
