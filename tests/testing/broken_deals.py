"""Games whose deals break the contract: Kuhn poker but for what their docstrings say."""

from dataclasses import dataclass, replace

import jax.numpy as jnp
from jax import Array

from feint.game import pytree
from feint.games.small.kuhn import HIDDEN, Deal, Kuhn


@dataclass(frozen=True)
class Nameless(Kuhn):
    """A deal is a bare array."""

    def draw(self, key):
        return super().draw(key).cards

    def deal(self, deal):
        return super().deal(deal if isinstance(deal, Deal) else Deal(deal))


@pytree
class Weighed:
    cards: Array  # float32[players]


@dataclass(frozen=True)
class Weighing(Kuhn):
    """A card is written by its weight in grams."""

    def draw(self, key):
        return Weighed(super().draw(key).cards + 0.5)

    def deals(self):
        deals, chances = super().deals()
        return Weighed(deals.cards + 0.5), chances

    def deal(self, deal):
        return super().deal(Deal(jnp.floor(deal.cards).astype(jnp.int32)))


@pytree
class Boxed:
    deal: Deal


@dataclass(frozen=True)
class Wrapped(Kuhn):
    """A deal in a box, which cannot be written."""

    def draw(self, key):
        return Boxed(super().draw(key))

    def deal(self, deal):
        return super().deal(deal.deal if isinstance(deal, Boxed) else deal)


@dataclass(frozen=True)
class Stacked(Kuhn):
    """The game that is begun is not the one that was drawn: the first player gets the better card."""

    def init(self, key):
        return self.deal(Deal(-jnp.sort(-self.draw(key).cards)))


@dataclass(frozen=True)
class Unfair(Kuhn):
    def draw(self, key):
        return Deal(jnp.sort(super().draw(key).cards))


@dataclass(frozen=True)
class Unsure(Kuhn):
    def deals(self):
        deals, chances = super().deals()
        return deals, chances * 0.9


@dataclass(frozen=True)
class Incomplete(Kuhn):
    """Does not list king against jack."""

    def deals(self):
        deals, _ = super().deals()
        listed = jnp.array([0, 1, 2, 3, 5])
        return Deal(deals.cards[listed]), jnp.full(len(listed), 1 / len(listed))


@dataclass(frozen=True)
class Wishful(Kuhn):
    """Dealt anew, others have the lowest card that is left."""

    def redeal(self, view, key):
        state = super().redeal(view, key)
        lowest = jnp.where(view.card == 0, 1, 0)
        hidden = (jnp.arange(2) != view.seat) & (view.shown == HIDDEN)
        return replace(state, cards=jnp.where(hidden & ~state.terminated, lowest, state.cards))
