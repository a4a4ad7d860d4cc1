"""The quickest agent of Okey that plays sensibly: others play on with it when they think."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import pytree
from feint.games.okey.agents import or_better
from feint.games.okey.evaluation import BESIDE, Choices, choices
from feint.games.okey.hand import Solver
from feint.games.okey.state import DISCARD, DRAW, TAKE
from feint.games.okey.tiles import FACES, KINDS, one, split
from feint.games.okey.view import View
from feint.steps import asked_where

STEP = 1000.0  # a tile nearer is worth more than anything beside a tile
HELD, HIDDEN = 1.0, 0.5  # what a tile that one holds, and one that is unseen, adds to those beside it


@pytree
class Nearest(Memoryless):
    """Keeps what leaves it nearest to 14 tiles in melds, then tiles that go with others; takes a discard that brings it nearer. Quick."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 16  # each of which has fifteen racks to look at

    game: Any = None  # whose tables it looks things up in: given when it sits down

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        offered = view.available >= 0
        takes = offered & is_nearer(self.game.solver, view.rack, view.available, view.okey)
        # Half of all decisions are discards, which take the longest: nobody else is asked which.
        discarded, _ = asked_where(0.5, 4)(_Discarding(self.game), ~view.drawing, memory, view, legal, key)
        return or_better(jnp.where(view.drawing, jnp.where(takes, TAKE, DRAW), discarded), legal), memory


@pytree
class _Discarding(Memoryless):
    """Its discards."""

    game: Any

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return DISCARD + discarded(self.game.solver, view.rack, view.unseen, view.okey)[0], memory


def is_nearer(solver: Solver, rack: Array, kind: Array, okey: Array) -> Array:
    """Whether a tile brings 14 others, int8[53], nearer to melds, bool."""
    racks = jnp.stack([rack, rack + one(kind)])
    left, taken = jax.vmap(lambda rack: solver.melds_away(*split(rack, okey)))(racks)
    return taken < left


def discarded(solver: Solver, rack: Array, unseen: Array, okey: Array) -> tuple[Array, Array]:
    """The kind that a rack of 15, int8[53], is nearest to melds without, and how many tiles it is then short of, int8 each. Of several, the one
    beside which the least is held or unseen, int8[53]."""
    seen = choices(solver, rack, okey)
    place = jnp.argmax(ranking(seen, rack, unseen, okey))
    return seen.kind[place], seen.melds[place]


def ranking(seen: Choices, rack: Array, unseen: Array, okey: Array) -> Array:
    """How good it is at first sight to be left without each tile of a rack, float32[15]; a joker is kept."""
    faces, hidden = (split(tiles, okey)[0].ravel() for tiles in (rack, unseen))
    company = (HELD * faces + HIDDEN * hidden) @ jnp.asarray(BESIDE[:FACES, :FACES])
    face = jnp.where(seen.kind < FACES, seen.kind, okey)  # a false joker stands for the face of the joker
    kept = (seen.kind == okey) | (seen.kind == KINDS)
    return jnp.where(kept, -jnp.inf, -STEP * seen.melds - company[face])
