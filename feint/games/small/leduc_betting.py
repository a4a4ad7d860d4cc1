"""Leduc's betting, as solvers of betting read it: every hand in a bucket of its own, so that nothing is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree
from feint.solvers.betting import Bets

SIZES = (2, 4)  # what a raise adds in the first and in the second round


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

    def remembered(self, state: Any) -> Array:
        return state.history

    @property
    def holdings(self) -> int:
        return self.game.kinds

    def held(self, view: Any, holding: Array) -> Any:
        return replace(view, card=holding)

    def unseen(self, view: Any) -> Array:
        cards = jnp.arange(self.game.kinds)
        of_kind = 2 * self.game.ranks // self.game.kinds
        return jnp.maximum(of_kind - (cards == view.card) - (cards == view.public), 0.0)

    def beats(self, view: Any, key: Key) -> Array:
        cards = jnp.arange(self.game.kinds)

        def against(theirs: Array, public: Array) -> tuple[Array, Array]:
            left = 2 * self.game.ranks // self.game.kinds - sum(
                (public == card).astype(int) for card in (view.card, theirs)
            )
            ours, other = self.game.strengths(jnp.stack([view.card, theirs, public]))
            possible = jnp.where(view.public < 0, left, public == view.public)
            return jnp.maximum(possible, 0) * ((ours > other) + (ours == other) / 2), jnp.maximum(possible, 0)

        won, ways = jax.vmap(jax.vmap(against, (None, 0)), (0, None))(cards, cards)
        return won.sum(axis=1) / jnp.maximum(ways.sum(axis=1), 1)

    def bet(self, view: Any) -> Array:
        return jnp.where(view.public < 0, *SIZES)
