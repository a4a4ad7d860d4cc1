"""Agents of Okey that count: how far they are from finished, and how many tiles would bring them nearer."""

from __future__ import annotations

from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import option, pytree
from feint.games.okey.agents import or_better
from feint.games.okey.evaluation import BESIDE, Choices, choices, helped, paired
from feint.games.okey.state import DISCARD, DRAW, TAKE
from feint.games.okey.tiles import KINDS, one
from feint.games.okey.view import View, happened

STEP = 1000.0  # a tile nearer is worth more than any number of tiles that help


@pytree
class Greedy(Memoryless):
    """Keeps what leaves it nearest to 14 tiles in melds, then what most unseen tiles would help; takes a discard that brings it nearer."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 16  # each of which has fifteen racks to look at

    wide: bool = option(False, "also takes a discard that lets more tiles help, when it is near enough")
    near: int = option(3, "how many tiles from finished that is, at most", least=0, most=14)
    game: Any = None  # whose tables it looks things up in: given when it sits down

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        # One look for both decisions: to leave a discard is to take it and discard it again.
        offered = view.drawing & (view.available >= 0)
        seen, values = self._look(view)
        leaving = jnp.argmax(seen.kind == view.available)
        takes = offered & self.takes(values, jnp.argmax(values), leaving)
        discarded = seen.kind[jnp.argmax(values - self.cost(view)[seen.kind])]
        return or_better(jnp.where(view.drawing, jnp.where(takes, TAKE, DRAW), DISCARD + discarded), legal), memory

    def preferences(self, view: View, legal: Array) -> Array:
        """How much it likes to discard each kind, float32[actions]; all else is the same to it."""
        seen, values = self._look(view)
        return jnp.zeros(len(legal)).at[DISCARD + seen.kind].set(values - self.cost(view)[seen.kind], mode="drop")

    def _look(self, view: View) -> tuple[Choices, Array]:
        """What may be discarded, of a rack with the discard that may be taken, and what it is worth to be left without it, float32[15]."""
        offered = view.drawing & (view.available >= 0)
        seen = choices(self.game.solver, view.rack + jnp.where(offered, one(view.available), 0), view.okey)
        return seen, jnp.where((seen.kind == view.okey) | (seen.kind == KINDS), -jnp.inf, self.values(view, seen))

    def values(self, view: View, seen: Choices) -> Array:
        """How good it is to be left without each tile, float32[15]."""
        return self.melds(view, seen)

    def cost(self, view: View) -> Array:
        """What it costs to give each kind to the next player, float32[54]."""
        return jnp.zeros(KINDS + 1)

    def melds(self, view: View, seen: Choices) -> Array:
        """How near melds are without each tile, float32[15]; the discard that may be taken is always looked at."""
        return -STEP * seen.melds + helped(self.game.solver, seen, view.available, view.unseen, view.okey)

    def takes(self, values: Array, best: Array, leaving: Array) -> Array:
        """Whether a discard is worth taking: it brings one nearer to what is collected, or lets more tiles help."""
        left = steps(values)
        return (left[best] < left[leaving]) | (
            self.wide & (values[best] > values[leaving]) & (left[leaving] <= self.near)
        )


def steps(values: Array) -> Array:
    """How many tiles are missing where being left without a tile is worth so much, float32."""
    return jnp.ceil(-values / STEP)


@pytree
class Expectation(Greedy):
    """A `greedy` that keeps from the next player what it seems to collect, and goes for pairs where these should come sooner."""

    pairs: float = option(1.0, "how much sooner pairs must be expected to be collected: 0 for never", least=0, most=10)
    feed: float = option(
        1.0, "what a tile that the next player could want costs, in tiles that help", least=0, most=1000
    )
    defend: float = option(0.0, "by how much that grows with every turn", least=0, most=10)

    def values(self, view: View, seen: Choices) -> Array:
        melds, pairs = self.melds(view, seen), self._pairs(view, seen)
        sooner = self._wait(view, pairs).min() < self.pairs * self._wait(view, melds).min()
        return jnp.where(sooner & (self.game.pairs == "open"), pairs, melds)

    def cost(self, view: View) -> Array:
        return self.feed * (1 + self.defend * view.turn) * danger(view)

    def _pairs(self, view: View, seen: Choices) -> Array:
        """How near pairs are without each tile, as `melds` has it."""
        return -STEP * seen.pairs + paired(seen, view.unseen, view.okey)

    def _wait(self, view: View, values: Array) -> Array:
        """About how many turns it takes when so many unseen tiles help at each of so many steps."""
        left = steps(values)
        return left * view.unseen.sum() / jnp.maximum(values + STEP * left, 0.5)


def danger(view: View) -> Array:
    """How much the next player seems to want each kind, float32[54]: it took tiles that go with it, and has not discarded such."""
    after = (view.seat + 1) % view.players
    thrown = happened(view)[0][after]
    beside = jnp.asarray(BESIDE)
    wanted = view.known[after] @ beside - 0.5 * thrown @ beside
    return jnp.append(jnp.maximum(wanted, 0) + 0.1 * (wanted >= 0), 0)
