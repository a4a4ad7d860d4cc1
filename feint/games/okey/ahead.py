"""An agent of Okey that looks a draw ahead: what could be made of every tile that might come."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import option, pytree
from feint.games.okey.agents import or_better
from feint.games.okey.counting import danger
from feint.games.okey.evaluation import Choices, choices
from feint.games.okey.hand import Solver
from feint.games.okey.nearest import ranking
from feint.games.okey.state import DISCARD, DRAW, TAKE
from feint.games.okey.tiles import KINDS, one, split
from feint.games.okey.view import View
from feint.steps import asked_where

# How likely a turn brings one nearer by how many tiles are missing, 1 and more: counted in 512 races of `greedy` by itself.
USUAL = (0.21, 0.30, 0.40, 0.54, 0.61, 0.7, 0.75, 0.8, 0.85, 0.9, 0.9, 0.9, 0.9, 0.9)


@pytree
class Ahead(Memoryless):
    """Weighs what it could make of every tile that might be drawn next, by how soon the best of that would be finished."""

    heavy: ClassVar[bool] = True

    looks: int = option(4, "discards that are thought over", least=1, most=15, static=True)
    then: int = option(3, "discards that are thought over after the next draw", least=1, most=15, static=True)
    hurry: float = option(0.85, "what a finish is worth one turn later", least=0.01, most=1)
    weighs: bool = option(True, "weighs a discard against the centre; else it takes what brings it nearer")
    feed: float = option(
        0.0, "what share of its worth a discard costs that the next player could want", least=0, most=1
    )
    game: Any = None  # whose tables it looks things up in: given when it sits down

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        solver = self.game.solver
        after = self.after(view.rack, view.unseen, view.okey)
        promised = (after * view.unseen).sum() / view.unseen.sum()
        rack = jnp.stack([view.rack, view.rack + one(view.available)])
        left, taken = jax.vmap(lambda rack: solver.melds_away(*split(rack, view.okey)))(rack)
        takes = (view.available >= 0) & jnp.where(self.weighs, after[view.available] > promised, taken < left)
        # Half of all decisions are discards, which take the longest: nobody else is asked which.
        discarded, _ = asked_where(0.5, 64)(_Discarding(self), ~view.drawing, memory, view, legal, key)
        return or_better(jnp.where(view.drawing, jnp.where(takes, TAKE, DRAW), discarded), legal), memory

    def after(self, rack: Array, unseen: Array, okey: Array) -> Array:
        """What 14 tiles, int8[53], are worth with each kind drawn and the best discard, float32[53]."""

        def drawn(kind: Array) -> Array:
            hidden = jnp.maximum(unseen - one(kind), 0)
            best = first(self.game.solver, rack + one(kind), hidden, okey, self.then)
            return jax.vmap(lambda faces, jokers, away: self.value(faces, jokers, away, hidden, okey))(
                best.faces, best.jokers, best.melds
            ).max()

        return jax.vmap(drawn)(jnp.arange(KINDS, dtype=jnp.int8))

    def value(self, faces: Array, jokers: Array, away: Array, unseen: Array, okey: Array) -> Array:
        """What 14 tiles are worth before the next turn, float32: 1 if they are finished, and `hurry` less with every turn that it may take."""
        there, wild = split(unseen, okey)
        helps = (self.game.solver.helps(faces, jokers, away) * there).sum(dtype=jnp.int32) + wild
        # A turn shows two tiles: the discard before it, and one of the centre.
        chance = 1 - (1 - helps / unseen.sum()) ** 2
        soon, usual = self._soon(chance), self._soon(jnp.asarray(USUAL))
        further = jnp.maximum(away - 1, 0)  # tiles after the next
        later = jnp.append(1.0, jnp.cumprod(usual))[further]
        return jnp.where(away > 0, soon * later, 1.0)

    def _soon(self, chance: Array) -> Array:
        """What it is worth to wait for something that a turn brings by such a chance."""
        return self.hurry * chance / (1 - self.hurry * (1 - chance))


@pytree
class _Discarding(Memoryless):
    """Its discards."""

    ahead: Ahead

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        ahead = self.ahead
        best = first(ahead.game.solver, view.rack, view.unseen, view.okey, ahead.looks)

        def promised(kind: Array) -> Array:
            return (ahead.after(view.rack - one(kind), view.unseen, view.okey) * view.unseen).sum()

        worth = jax.vmap(promised)(best.kind) * (1 - ahead.feed * danger(view)[best.kind])
        return DISCARD + best.kind[jnp.argmax(worth)], memory


def first(solver: Solver, rack: Array, unseen: Array, okey: Array, count: int) -> Choices:
    """The discards of a rack of 15, int8[53], that leave most at first sight: so many, each kind once while there are others."""
    seen = choices(solver, rack, okey)
    again = seen.kind == jnp.roll(seen.kind, 1)  # equal kinds stand side by side
    _, best = jax.lax.top_k(jnp.where(again, -1e9, ranking(seen, rack, unseen, okey)), count)
    return jax.tree.map(lambda each: each[best], seen)
