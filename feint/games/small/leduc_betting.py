"""Leduc's betting, as solvers of betting read it: every hand in a bucket of its own, so that nothing is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array

from feint.errors import UserError
from feint.game import Game, pytree
from feint.solvers.betting import Bets


@pytree
class LeducBets(Bets):
    """One's own card in the first round, with the community card in the second."""

    game: Any

    @classmethod
    def of(cls, game: Game[Any, Any], buckets: int | None = None) -> LeducBets:
        if buckets is not None:
            raise UserError("leduc: all hands are told apart, so that there are no buckets to choose.")
        return cls(game)

    @classmethod
    def blank(cls, game: Game[Any, Any], sizes: Sequence[int]) -> LeducBets:  # noqa: ARG003 (the rules tell them)
        return cls(game)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.game.kinds, self.game.kinds**2

    def round(self, state: Any) -> Array:
        return state.second.astype(jnp.int32)

    def strengths(self, deal: Any) -> Array:
        return self.game.strengths(deal.cards)

    def buckets(self, deal: Any) -> Array:
        own, public = deal.cards[:-1], deal.cards[-1]
        return jnp.stack([own, own * self.game.kinds + public])

    def bucket(self, view: Any) -> Array:
        return jnp.where(view.public < 0, view.card, view.card * self.game.kinds + view.public)

    def moves(self, view: Any) -> Array:
        return view.history

    @property
    def situations(self) -> int:
        return 2

    def situation(self, view: Any) -> Array:
        return (view.public >= 0).astype(jnp.int32)
