"""Agents of Okey that look a draw ahead: what could be made of every tile that might come."""

from __future__ import annotations

from abc import abstractmethod
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
class Looking(Memoryless):
    """Takes the discard after which the tiles that may come, each with the best discard then, are worth most; and a tile that is worth more
    than what the centre promises."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 4  # each of which has thousands of racks to look at

    looks: int = option(4, "discards that are thought over", least=1, most=15, static=True)
    then: int = option(3, "discards that are thought over after the next draw", least=1, most=15, static=True)
    game: Any = None  # whose tables it looks things up in: given when it sits down

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        after = self.after(view.rack, view.unseen, view.okey, view.turn)
        takes = (view.available >= 0) & self.takes(view, after)
        # Half of all decisions are discards, which take the longest: nobody else is asked which.
        discarded, _ = asked_where(0.5, 1)(_Discarding(self), ~view.drawing, memory, view, legal, key)
        return or_better(jnp.where(view.drawing, jnp.where(takes, TAKE, DRAW), discarded), legal), memory

    def takes(self, view: View, after: Array) -> Array:
        """Whether the discard is worth more than what the centre promises, bool."""
        return after[view.available] > mean(after, view.unseen)

    def after(self, rack: Array, unseen: Array, okey: Array, turn: Array) -> Array:
        """What 14 tiles, int8[53], are worth with each kind drawn and the best discard in a turn, float32[53]."""
        return self.weighed(rack, unseen, okey, turn)[0].max(axis=1)

    def weighed(self, rack: Array, unseen: Array, okey: Array, turn: Array) -> tuple[Array, Array]:
        """What 14 tiles, int8[53], are worth with each kind drawn and each of the best discards, float32[53, then], and the kinds of these."""

        def drawn(kind: Array) -> tuple[Array, Array]:
            hidden = jnp.maximum(unseen - one(kind), 0)
            best = first(self.game.solver, rack + one(kind), hidden, okey, self.then)
            return jax.vmap(lambda left: self.value(left, hidden, okey, turn))(best), best.kind

        return jax.vmap(drawn)(jnp.arange(KINDS, dtype=jnp.int8))

    @abstractmethod
    def value(self, left: Choices, unseen: Array, okey: Array, turn: Array) -> Array:
        """What 14 tiles, those of a single choice, are worth after a turn, float32."""

    @abstractmethod
    def promised(self, view: View, after: Array) -> Array:
        """What it is worth to have such tiles before a turn that are worth so much with each kind drawn, float32."""

    def cost(self, view: View) -> Array:
        """What share of its worth a discard of each kind costs, float32[54]."""
        return jnp.zeros(KINDS + 1)


@pytree
class Ahead(Looking):
    """Weighs what it could make of every tile that might be drawn next, by how soon the best of that would be finished."""

    hurry: float = option(0.85, "what a finish is worth one turn later", least=0.01, most=1)
    weighs: bool = option(True, "weighs a discard against the centre; else it takes what brings it nearer")
    feed: float = option(
        0.0, "what share of its worth a discard costs that the next player could want", least=0, most=1
    )

    def takes(self, view: View, after: Array) -> Array:
        rack = jnp.stack([view.rack, view.rack + one(view.available)])
        left, taken = jax.vmap(lambda rack: self.game.solver.melds_away(*split(rack, view.okey)))(rack)
        return jnp.where(self.weighs, super().takes(view, after), taken < left)

    def value(self, left: Choices, unseen: Array, okey: Array, turn: Array) -> Array:
        """1 if they are finished, and `hurry` less with every turn that it may take."""
        there, wild = split(unseen, okey)
        helps = (self.game.solver.helps(left.faces, left.jokers, left.melds) * there).sum(dtype=jnp.int32) + wild
        # A turn shows two tiles: the discard before it, and one of the centre.
        chance = 1 - (1 - helps / unseen.sum()) ** 2
        soon, usual = self._soon(chance), self._soon(jnp.asarray(USUAL))
        further = jnp.maximum(left.melds - 1, 0)  # tiles after the next
        later = jnp.append(1.0, jnp.cumprod(usual))[further]
        return jnp.where(left.melds > 0, soon * later, 1.0)

    def promised(self, view: View, after: Array) -> Array:
        return mean(after, view.unseen)

    def cost(self, view: View) -> Array:
        return self.feed * danger(view)

    def _soon(self, chance: Array) -> Array:
        """What it is worth to wait for something that a turn brings by such a chance."""
        return self.hurry * chance / (1 - self.hurry * (1 - chance))


@pytree
class _Discarding(Memoryless):
    """Its discards."""

    looking: Looking

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        looking = self.looking
        best = first(looking.game.solver, view.rack, view.unseen, view.okey, looking.looks)

        def promised(kind: Array) -> Array:
            after = looking.after(view.rack - one(kind), view.unseen, view.okey, view.turn + view.players)
            return looking.promised(view, after)

        worth = jax.vmap(promised)(best.kind) * (1 - looking.cost(view)[best.kind])
        return DISCARD + best.kind[jnp.argmax(worth)], memory


def mean(after: Array, unseen: Array) -> Array:
    """What a tile of the centre promises where each kind, of so many unseen, is worth so much, float32."""
    return (after * unseen).sum() / unseen.sum()


def first(solver: Solver, rack: Array, unseen: Array, okey: Array, count: int) -> Choices:
    """The discards of a rack of 15, int8[53], that leave most at first sight, seven pairs or the nearest to melds: so many, each kind once
    while there are others."""
    seen = choices(solver, rack, okey)
    again = seen.kind == jnp.roll(seen.kind, 1)  # equal kinds stand side by side
    ranked = ranking(seen, rack, unseen, okey) + jnp.where(seen.pairs == 0, 1e6, 0.0)
    _, best = jax.lax.top_k(jnp.where(again, -1e9, ranked), count)
    return jax.tree.map(lambda each: each[best], seen)
