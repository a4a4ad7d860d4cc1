"""The thesis' opponent in Okey, and other readings of it."""

from __future__ import annotations

from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import pytree
from feint.games.okey.arranging import best, left_to_right
from feint.games.okey.runs import windows
from feint.games.okey.state import DISCARD, FINISH, FINISH_WITH_JOKER, SHOW
from feint.games.okey.tiles import FACES, KINDS, split
from feint.games.okey.view import View

LENGTHS = 4  # of the melds that the thesis' opponent knows


def or_better(action: Array, legal: Array) -> Array:
    """An action, unless one may finish, as dearly as one may, or show the indicator's twin; int32."""
    for better in (FINISH, FINISH_WITH_JOKER, SHOW):
        action = jnp.where(legal[better], better, action)
    return action.astype(jnp.int32)


@pytree
class Computer(Memoryless):
    """The thesis' opponent: draws from the centre or the discards by a coin, and discards any tile that is in no meld of three or four."""

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        draws = chance.choice(key, legal[:DISCARD])
        return or_better(
            jnp.where(view.drawing, draws, DISCARD + any_of(view, self.tiles_to_keep(view), key)), legal
        ), memory

    def tiles_to_keep(self, view: View) -> Array:
        """Tiles to keep, as far as one is not 0, [53]."""
        return melded(view)


@pytree
class Arranger(Computer):
    """The same with a weak eye: arranges runs from left to right, then sets, without a second thought, and never uses a joker.

    It finishes only what it has arranged so: nearer to the thesis' own figures than an opponent that sees every finished rack.
    """

    def tiles_to_keep(self, view: View) -> Array:
        return _put_together(view)

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        sees = (_put_together(view) * view.rack).sum() >= 14
        return super().act(memory, view, legal & (sees | (jnp.arange(len(legal)) != FINISH)), key)


@pytree
class Exact(Computer):
    """The same with a sharp eye: arranges its rack for the most points, without jokers, and discards a tile that these do not need."""

    heavy: ClassVar[bool] = True

    game: Any = None  # whose tables it looks things up in: given when it sits down

    def tiles_to_keep(self, view: View) -> Array:
        found = best(self.game.tables["run_points"], split(view.rack, view.okey)[0])
        return _of_kinds(found.without < found.points, view)


def any_of(view: View, keep: Array, key: Key) -> Array:
    """A kind to discard that is not among those to keep, bool or int[53], each tile as likely as the others; any where all are to be kept.
    A joker goes only where nothing else is left."""
    ordinary = jnp.where(jnp.arange(KINDS) == view.okey, 0, view.rack)
    spare = ordinary * (keep == 0)
    weights = jnp.where(spare.any(), spare, jnp.where(ordinary.any(), ordinary, view.rack))
    return chance.weighted_choice(key, weights.astype(jnp.int32)).argmax()


def melded(view: View) -> Array:
    """Which kinds of a rack are in some meld of three or four that is there without jokers, bool[53]. With one of these to stand in, almost
    every tile would be in one."""
    faces, _ = split(view.rack, view.okey)
    held = (faces > 0).astype(jnp.int8)
    found = jnp.zeros((4, 13), bool)
    for left_out in (None, *range(4)):
        colours = jnp.asarray([colour != left_out for colour in range(4)], jnp.int8)
        whole = (held * colours[:, None]).sum(axis=0) == colours.sum()
        found |= whole & (colours[:, None] > 0)
    for shape in windows(LENGTHS):
        numbers = jnp.zeros(13, bool).at[jnp.asarray(shape)].set(True)
        whole = (held * numbers).sum(axis=1) == len(shape)
        found |= whole[:, None] & numbers
    return _of_kinds(found, view)


def _of_kinds(faces: Array, view: View) -> Array:
    """What is told of faces, [4, 13], as told of kinds, [53]: a false joker is the face that it stands for."""
    flat = faces.reshape(FACES)
    return jnp.append(jnp.where(jnp.arange(FACES) == view.okey, True, flat), flat[view.okey]).astype(flat.dtype)


def _put_together(view: View) -> Array:
    """How many tiles of each kind are in melds that were put together one after the other, int8[53]."""
    faces, _ = split(view.rack, view.okey)
    return jnp.where(jnp.arange(KINDS) == view.okey, 0, _of_kinds(left_to_right(faces)[0], view))
