"""How the named pieces of a view lie in the one row of numbers that learners keep and networks read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import ByAction, Game, Rows
from feint.learn.recall import MATCH, Recall

Given = Array | Rows | ByAction  # a piece as a game gives it
OPTION = "option "  # begins the name of a piece that tells an option of the game, at tables of several sizes


@dataclass(frozen=True)
class Piece:
    """One named piece of a view as network input."""

    name: str
    shape: tuple[int, ...]
    rows: bool = False  # whether it is a sequence, float32[rows, width]
    by_action: bool = False  # whether it tells of every action, float32[actions, width]

    @classmethod
    def of(cls, name: str, given: Given) -> Piece:
        """What a game gives by this name."""
        return cls(name, jnp.shape(numbers(given)), isinstance(given, Rows), isinstance(given, ByAction))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def holds(self, other: Piece | None) -> bool:
        """Whether another piece is the same, but perhaps smaller."""
        if other is None or replace(other, shape=self.shape) != self or len(other.shape) != len(self.shape):
            return False
        return all(small <= large for small, large in zip(other.shape, self.shape, strict=True))

    def filled(self, given: Any) -> Array:
        """A piece that it holds in its own shape, float32, with zeros where there is nothing."""
        given = jnp.asarray(given, jnp.float32)
        missing = [(0, size - there) for size, there in zip(self.shape, given.shape, strict=True)]
        return jnp.pad(given, missing) if any(after for _, after in missing) else given

    def __str__(self) -> str:
        return f"{self.name}{list(self.shape)}"


def numbers(given: Given) -> Array:
    """A piece as it is, whatever it tells of."""
    return given.values if isinstance(given, Rows | ByAction) else given


@dataclass(frozen=True)
class Layout:
    """The pieces a network reads, in the order in which they lie."""

    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, game: Game[Any, Any], match: bool = False) -> Layout:
        """All that a game gives, in the order in which it gives it; also of the games before it in a match, where that is asked for."""
        return cls(_given(game, match))

    @classmethod
    def shared(cls, games: Sequence[Game[Any, Any]], match: bool = False) -> Layout:
        """What holds all that tables of one game, of these sizes, give: every piece in its largest shape, and what tells the sizes apart."""
        given = [{piece.name: piece for piece in _given(game, match)} for game in games]
        largest = [
            replace(piece, shape=tuple(map(max, zip(*(each[name].shape for each in given), strict=True))))
            for name, piece in given[0].items()
        ]
        told = [Piece(OPTION + name, (max(getattr(game, name) for game in games),)) for name in differing(games)]
        return cls((*largest, *told))

    def widened(self, games: Sequence[Game[Any, Any]]) -> Layout:
        """The same pieces, each as large as the tables of these games give it, and whatever tells their sizes apart that it does not tell yet."""
        shared = {piece.name: piece for piece in Layout.shared(games, self.recalls).pieces}
        largest = [
            replace(piece, shape=tuple(map(max, zip(piece.shape, shared[piece.name].shape, strict=True))))
            if piece.name in shared
            else piece
            for piece in self.pieces
        ]
        known = {piece.name for piece in self.pieces}
        told = [piece for name, piece in shared.items() if name.startswith(OPTION) and name not in known]
        return Layout((*largest, *told))

    def columns(self, wider: Layout) -> np.ndarray:
        """Where each of its numbers lies in the row of a layout that `widened` gave, int[size]."""
        places = dict(zip((piece.name for piece in wider.pieces), wider._places(), strict=True))
        own = [places[piece.name][tuple(map(slice, piece.shape))].ravel() for piece in self.pieces]
        return np.concatenate([np.zeros(0, int), *own])

    def _places(self) -> list[np.ndarray]:
        """Where the numbers of each piece lie in the row, in the shape of the piece."""
        ends = np.cumsum([piece.size for piece in self.pieces])
        return [
            np.arange(end - piece.size, end).reshape(piece.shape) for piece, end in zip(self.pieces, ends, strict=True)
        ]

    def without(self, left_out: Sequence[str]) -> Layout:
        """All but some pieces."""
        known = [piece.name for piece in self.pieces]
        for name in left_out:
            if name not in known:
                raise UserError(f"unread: there is no piece {name!r} to leave out; there are: {', '.join(known)}.")
        if len(set(left_out)) == len(known):
            raise UserError("unread: a network that reads nothing learns nothing; leave it some pieces.")
        return Layout(tuple(piece for piece in self.pieces if piece.name not in left_out))

    @property
    def recalls(self) -> bool:
        """Whether it tells of the games before in a match."""
        return any(piece.name.startswith(MATCH) for piece in self.pieces)

    @property
    def varied(self) -> list[str]:
        """The options in which tables may differ."""
        return [piece.name.removeprefix(OPTION) for piece in self.pieces if piece.name.startswith(OPTION)]

    @classmethod
    def read(cls, kept: Sequence[Mapping[str, Any]]) -> Layout:
        """What `as_json` gave."""
        try:
            return cls(
                tuple(
                    Piece(
                        str(each["name"]),
                        tuple(map(int, each["shape"])),
                        bool(each["rows"]),
                        bool(each.get("by_action", False)),
                    )
                    for each in kept
                )
            )
        except (KeyError, TypeError, ValueError):
            raise UserError(
                "The policy does not say what its network reads, or says it in no way that is known."
            ) from None

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(piece) for piece in self.pieces]

    @property
    def size(self) -> int:
        """How many numbers there are in all."""
        return sum(piece.size for piece in self.pieces)

    def check(self, game: Game[Any, Any]) -> None:
        """Refuse a game that does not give all these pieces in these shapes, or smaller ones where tables may differ. It may give others too,
        in any order."""
        given = {piece.name: piece for piece in _given(game, self.recalls)}
        for piece in self.pieces:
            if piece.name.startswith(OPTION):
                continue
            if not (given.get(piece.name) == piece or (self.varied and piece.holds(given.get(piece.name)))):
                instead = given[piece.name] if piece.name in given else ", ".join(given)
                raise UserError(f"The policy reads {piece}, which {game.name} does not give; it gives {instead}.")

    def see(self, game: Game[Any, Any], view: Any, recall: Recall | None = None) -> Array:
        """A view as network input, float32[size], with what is remembered of the match: nothing, where none is given."""
        sizes = game.sizes(view)
        told = {
            piece.name: jnp.arange(piece.size) < sizes[piece.name.removeprefix(OPTION)]
            for piece in self.pieces
            if piece.name.startswith(OPTION)
        }
        match = (recall or Recall.blank(game)).pieces() if self.recalls else {}
        return self.flat({**game.encode(view), **told, **match})

    def flat(self, given: Mapping[str, Given]) -> Array:
        """The pieces in one row, float32[size]; smaller ones have zeros at the end."""
        # XLA aborts on some programs that put empty pieces beside others.
        parts = [piece.filled(numbers(given[piece.name])).ravel() for piece in self.pieces if piece.size]
        return jnp.concatenate(parts) if parts else jnp.zeros(0)

    def apart(self, features: Array) -> dict[str, Given]:
        """The pieces of a row again, float[...] each."""
        ends = np.cumsum([piece.size for piece in self.pieces])[:-1]
        parts = jnp.split(features, ends) if self.pieces else []
        shaped = [part.reshape(piece.shape) for part, piece in zip(parts, self.pieces, strict=True)]

        def given(piece: Piece, part: Array) -> Given:
            return Rows(part) if piece.rows else ByAction(part) if piece.by_action else part

        return {piece.name: given(piece, part) for piece, part in zip(self.pieces, shaped, strict=True)}

    def actions(self, features: Array) -> tuple[Array, Array]:
        """All that does not tell of actions, in one row, and all that does, side by side, float[actions, width]."""
        pieces = self.apart(features).values()
        told = [piece.values for piece in pieces if isinstance(piece, ByAction)]
        rest = [numbers(piece).ravel() for piece in pieces if not isinstance(piece, ByAction)]
        return jnp.concatenate([features[:0], *rest]), jnp.concatenate(told, axis=1)

    def sequences(self, features: Array) -> tuple[Array, list[Array]]:
        """All that is in no sequence, in one row, and the sequences, float[rows, width] each, those of as many rows side by side."""
        plain, by_length = list[Array](), dict[int, list[Array]]()
        for piece in self.apart(features).values():
            if isinstance(piece, Rows):
                by_length.setdefault(len(piece.values), []).append(piece.values)
            elif numbers(piece).size:
                plain.append(numbers(piece).ravel())
        rest = jnp.concatenate(plain) if plain else features[:0]
        return rest, [jnp.concatenate(side_by_side, axis=1) for side_by_side in by_length.values()]


def differing(games: Sequence[Game[Any, Any]]) -> list[str]:
    """The options in which tables of one game differ, or one from deal to deal."""
    return [
        name
        for name in games[0].varies
        if len({getattr(game, name) for game in games}) > 1 or any(name in game.drawn for game in games)
    ]


@lru_cache(64)  # Okey's inputs take seconds to trace, and every agent that reads them asks
def _given(game: Game[Any, Any], match: bool) -> tuple[Piece, ...]:
    found: list[Piece] = []

    def encode() -> None:
        given = dict(game.encode(game.observe(game.init(chance.key(0)), jnp.int32(0))))
        if match:
            given |= Recall.blank(game).pieces()
        # Looked at while it is traced: what JAX hands out of here is sorted by name.
        found.extend(Piece.of(name, piece) for name, piece in given.items())

    jax.eval_shape(encode)
    return tuple(found)
