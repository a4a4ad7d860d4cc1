"""Limit Hold'em as a whole: the rules with what networks read, what people are told and hidden worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.games.holdem import definition
from feint.games.holdem.buckets import HoldemBets
from feint.games.holdem.inputs import encode, tells
from feint.games.holdem.keyboard import HoldemKeyboard
from feint.games.holdem.modelling import HoldemReader
from feint.games.holdem.redeal import redeal
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import NONE, View
from feint.games.holdem.words import HoldemNarration, describe


@dataclass(frozen=True)
class Holdem(Rules):
    """Two cards each, five for everybody, four rounds of bets of a fixed size; the best five cards, or the last one left, take the pot."""

    speech = HoldemNarration
    keyboard = HoldemKeyboard
    gallery = (
        "random",
        "always-call",
        "always-raise",
        "tanh",
        "risk-g",
        "risk-s",
        "zoo:holdem-2p-2",
        "zoo:holdem-3p-1",
        "zoo:holdem-3p-2",
        "zoo:holdem-1",
    )
    betting = HoldemBets
    varies = ("players",)

    @classmethod
    def preset(cls, name: str) -> dict[str, Any] | None:
        """The options of a definition file, which is named by its path: holdem:three.game."""
        return definition.read(name) if name.endswith(".game") else super().preset(name)

    def encode(self, view: View) -> dict[str, Array]:
        return encode(self, view)

    def tells(self, view: View) -> dict[str, Array]:
        return tells(self, view)

    def decision_reader(self) -> HoldemReader:
        return HoldemReader(self)

    def describe(self, view: View, action: int) -> str:
        return describe(view, action)

    def deal_of(self, state: State) -> Deal:
        return Deal(state.hole, state.board)

    def moves_seen(self, view: View) -> Array:
        every = jnp.append(view.history.astype(jnp.int32).ravel(), NONE)
        made = jnp.nonzero(every != NONE, size=self.max_moves, fill_value=every.size - 1)[0]
        return every[made]

    def redeal(self, view: View, key: chance.Key) -> State:
        return redeal(self, view, key)
