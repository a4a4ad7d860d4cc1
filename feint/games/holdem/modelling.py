"""What a model of players reads of a decision at Hold'em: eleven numbers that everybody knows, and how strong the cards of whoever decides are."""

from __future__ import annotations

from math import log
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from feint.game import Decision, pytree
from feint.games.holdem.equities import Equities
from feint.games.holdem.rules import Rules
from feint.games.holdem.situation import FACING, board_potential
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.games.holdem.view import View

DEEP = log(50)  # the logarithm of a large pot, in big blinds
PUBLIC = (
    "own raises",
    "own calls",
    "raises in the round",
    "others' raises",
    "round",
    "to call",
    "pot odds",
    "pot",
    "live players",
    "position",
    "board",
)


@pytree
class HoldemReader:
    """The inputs of the networks in the paper on risk dominance, as far as it tells them."""

    situations: ClassVar[int] = FACING
    habits: ClassVar[tuple[int, ...]] = (FOLD, RAISE)

    game: Rules
    equities: Equities = Equities()

    def read(self, view: View) -> Decision:
        return Decision(
            public=self.public(view),
            hidden=self.equities.ehs(view.cards, view.board)[None],
            situation=(view.to_call > 0).astype(jnp.int32),
        )

    def public(self, view: View) -> Array:
        """What everybody knows where somebody decides, in the order of `PUBLIC`."""
        mine = view.actors == view.player
        own = mine.sum()
        most = max(self.game.raises)
        read = (
            (mine & (view.history == RAISE)).sum() / jnp.maximum(own, 1),
            (mine & (view.history == CALL)).sum() / jnp.maximum(own, 1),
            view.raises / max(most, 1),
            (~mine & (view.history == RAISE)).sum() / max(most, 1),
            view.round / max(self.game.rounds - 1, 1),
            view.to_call / (2 * view.bet),
            view.to_call / (view.pot + view.to_call),
            jnp.log(view.pot / max(self.game.posted)) / DEEP,
            view.live.sum() / self.game.players,
            view.player / (self.game.players - 1),
            board_potential(view.board),
        )
        return jnp.stack([jnp.asarray(each, jnp.float32) for each in read])
