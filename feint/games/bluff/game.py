"""Bluff as a whole: the rules with what networks read, what people are told, hidden worlds and faster ways of playing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import Game, Rows, option, pytree
from feint.games.bluff.gallery import GALLERY
from feint.games.bluff.history import redeal_history
from feint.games.bluff.inputs import encode, tells
from feint.games.bluff.keyboard import BluffKeyboard
from feint.games.bluff.packed import packed_turns
from feint.games.bluff.redeal import redeal
from feint.games.bluff.rewind import rewound
from feint.games.bluff.rules import Deal, Rules, State
from feint.games.bluff.turns import whole_turns
from feint.games.bluff.view import View, counts
from feint.games.bluff.words import BluffNarration, describe
from feint.ways import Way


@dataclass(frozen=True)
class Bluff(Rules):
    """Lay cards face down as the rank due, truly or not; whoever is first rid of all cards wins."""

    speech = BluffNarration
    keyboard = BluffKeyboard
    varies = ("players", "most")
    untold = ("remainder", "cap")
    gallery = GALLERY

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return encode(self, view)

    def tells(self, view: View) -> dict[str, Array]:
        return tells(view)

    def describe(self, view: View, action: int) -> str:
        return describe(self, view, action)

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)

    def redeal_history(self, views: Sequence[View], key: chance.Key) -> State:
        return redeal_history(self, views, key)

    def rewound(self, state: State, key: chance.Key) -> State:
        return rewound(self, state, key)

    def shapings(self) -> dict[str, Callable[[View], Array]]:
        """hand: the fewer cards, the better; -1 with as many as were dealt, 0 with none."""
        return {"hand": lambda view: -view.sizes[view.seat] * self.players / self.cards}

    def abstractions(self) -> dict[str, Callable[[View], Any]]:
        """counts: cards by number, without suits, their order or the log."""
        return {"counts": counts}

    def ways(self, agents: Sequence[Any]) -> Way | None:
        return packed_turns(self, agents) or whole_turns(self, agents)

    def drawing(self, name: str, least: int) -> Game[State, View]:
        return AnyMost(**vars(self), least=least) if name == "most" else super().drawing(name, least)


@pytree
class MostDeal(Deal):
    limit: Array  # int8: the most cards that may be laid in one turn


@pytree
class MostState(State):
    limit: Array  # int8


@pytree
class MostView(View):
    limit: Array  # int8

    @property
    def most(self) -> Array:
        return self.limit


@dataclass(frozen=True)
class AnyMost(Bluff):
    """Bluff with the most cards laid in one turn drawn anew for every game, from `least` to `most`: what a network for any of them learns at."""

    least: int = option(1, "the fewest that may be the most cards laid in one turn", least=1, most=8)

    @property
    def drawn(self) -> dict[str, int]:
        return {"most": self.least}

    @property
    def fixed(self) -> Bluff:
        return Bluff(**{each.name: getattr(self, each.name) for each in fields(Bluff)})

    def sizes(self, view: View) -> dict[str, int | Array]:
        return {"players": self.players, "most": view.most}

    def draw(self, key: chance.Key) -> MostDeal:
        of_cards, of_limit = jax.random.split(key)
        limit = jax.random.randint(of_limit, (), self.least, self.most + 1)
        return MostDeal(super().draw(of_cards).stamp, limit.astype(jnp.int8))

    def deals(self) -> tuple[MostDeal, Array]:
        orders, chances = super().deals()
        limits = jnp.arange(self.least, self.most + 1, dtype=jnp.int8)
        every = MostDeal(jnp.tile(orders.stamp, (len(limits), 1)), jnp.repeat(limits, len(chances)))
        return every, jnp.tile(chances, len(limits)) / len(limits)

    def deal(self, deal: MostDeal) -> State:  # type: ignore[override] # what `draw` gives
        return self._limited(super().deal(deal), deal.limit)

    def limit(self, state: State) -> Array:
        return state.limit if isinstance(state, MostState) else jnp.int8(self.most)

    def observe(self, state: State, player: Array) -> MostView:
        return MostView(**vars(super().observe(state, player)), limit=self.limit(state))

    def redeal(self, view: View, key: chance.Key) -> State:
        return self._limited(super().redeal(view, key), view.most)

    def ways(self, agents: Sequence[Any]) -> Way | None:
        return None

    def _limited(self, state: State, limit: int | Array) -> State:
        """A state of Bluff with what may be done where so many cards may be laid."""
        return self.ready(MostState(**vars(state), limit=jnp.asarray(limit, jnp.int8)))
