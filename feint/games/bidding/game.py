"""Bidding Elimination as a whole: the rules with what networks read, what people are told, hidden worlds and whole rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import Game, Rows, option, pytree
from feint.games.bidding.inputs import encode, tells
from feint.games.bidding.keyboard import BiddingKeyboard
from feint.games.bidding.redeal import redeal
from feint.games.bidding.rounds import Rounds
from feint.games.bidding.rules import MOST_COINS, Deal, Rules, State
from feint.games.bidding.view import View
from feint.games.bidding.words import BiddingNarration, describe
from feint.ways import Way


@dataclass(frozen=True)
class Bidding(Rules):
    """Bid in secret, pay whatever you bid; the lowest bidder of each round goes out, and the last one standing wins."""

    speech = BiddingNarration
    keyboard = BiddingKeyboard
    varies = ("players", "coins")
    gallery = (
        "uniform",
        "composition",
        "share",
        "split",
        "fraction",
        "random",
        "adaptive,composition,share",
        "adaptive",
        "zoo:bidding-1",
        "zoo:bidding-2",
        "zoo:bidding-3",
        "zoo:bidding-4",
    )

    def encode(self, view: View) -> dict[str, Array | Rows]:
        return encode(self, view)

    def tells(self, view: View) -> dict[str, Array]:
        return tells(self, view)

    def describe(self, view: View, action: int) -> str:
        return describe(view, action)

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)

    def ways(self, agents: Sequence[Any]) -> Way | None:
        return Rounds(self, tuple(agents))

    def drawing(self, name: str, least: int) -> Game[State, View]:
        if name != "coins":
            return super().drawing(name, least)
        return AnyPurse(self.players, self.coins, self.final, least)


@pytree
class PurseDeal(Deal):
    purse: Array  # int32: what everybody begins with


@dataclass(frozen=True)
class AnyPurse(Bidding):
    """Bidding with a purse drawn anew for every game, from `least` to `coins`: what a network for any purse learns at."""

    least: int = option(1, "coins in the smallest purse", least=1, most=MOST_COINS)

    @property
    def drawn(self) -> dict[str, int]:
        return {"coins": self.least}

    @property
    def fixed(self) -> Bidding:
        return Bidding(self.players, self.coins, self.final)

    def sizes(self, view: View) -> dict[str, int | Array]:
        return {"players": self.players, "coins": view.purse}

    def draw(self, key: chance.Key) -> PurseDeal:
        of_ties, of_purse = jax.random.split(key)
        return PurseDeal(super().draw(of_ties).ties, jax.random.randint(of_purse, (), self.least, self.coins + 1))

    def deals(self) -> tuple[PurseDeal, Array]:
        ties, chances = super().deals()
        purses = jnp.arange(self.least, self.coins + 1)
        every = PurseDeal(jnp.tile(ties.ties, (len(purses), 1)), jnp.repeat(purses, len(chances)))
        return every, jnp.tile(chances, len(purses)) / len(purses)

    def deal(self, deal: PurseDeal) -> State:  # type: ignore[override] # what `draw` gives
        full = super().deal(deal)
        return self.ready(replace(full, coins=jnp.full_like(full.coins, deal.purse)))
