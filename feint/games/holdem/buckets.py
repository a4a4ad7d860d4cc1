"""Hands of Hold'em in buckets of like strength, for solvers of its betting: in each round, hands that win about as often against a random one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import pytree
from feint.games.holdem.equities import ONE, Equities
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import View
from feint.solvers.betting import Bets

DEALS = 2**17  # by which it is known how strong hands are
BOARD = (0, 3, 1, 1)


@pytree
class HoldemBets(Bets):
    """Buckets by EHS; before the flop, hands that differ by more than the names of suits are all told apart."""

    game: Rules
    edges: tuple[Array, ...]  # float32[buckets - 1] of each round: from where on the next bucket begins
    equities: Equities = Equities()

    @classmethod
    def of(cls, game: Rules, sizes: Sequence[int], seed: int = 0) -> HoldemBets:
        """As many buckets on the flop, the turn and the river, each for as many hands as the others."""
        if game.board != BOARD:
            raise UserError(f"holdem: buckets are known for board=0,3,1,1, not {','.join(map(str, game.board))}.")
        equities = Equities()
        found = np.asarray(_strengths(game, equities, chance.key(seed)))
        first = np.unique(np.asarray(equities.tables["preflop"]) / np.float32(ONE))
        later = [np.quantile(found[:, at], np.arange(1, size) / size) for at, size in enumerate(sizes, 1)]
        edges = ((first[1:] + first[:-1]) / 2, *later)
        return cls(game, tuple(jnp.asarray(each, jnp.float32) for each in edges), equities)

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(each) + 1 for each in self.edges)

    def round(self, state: State) -> Array:
        return state.round

    def strengths(self, deal: Deal) -> Array:
        return self.game.strengths(deal)

    def buckets(self, deal: Deal) -> Array:
        by_round = partial(_by_round, self.equities, board=deal.board)
        return jax.vmap(lambda cards: self._bucketed(by_round(cards)), out_axes=1)(deal.hole)

    def bucket(self, view: View) -> Array:
        return self._bucketed([self.equities.ehs(view.cards, view.board)] * len(self.edges))[view.round]

    def moves(self, view: View) -> Array:
        return view.history.ravel()

    def _bucketed(self, strengths: Array | Sequence[Array]) -> Array:
        """The buckets of strengths, one of each round, int32[rounds]."""
        return jnp.stack([jnp.searchsorted(edges, strengths[at]) for at, edges in enumerate(self.edges)])


@jax.jit
def _strengths(game: Rules, equities: Equities, key: chance.Key) -> Array:
    """EHS by round of hands dealt at random, float32[deals, rounds]."""

    def one(number: Array) -> Array:
        deal = game.draw(jax.random.fold_in(key, number))
        return _by_round(equities, deal.hole[0], deal.board)

    return jax.lax.map(one, jnp.arange(DEALS), batch_size=256)


def _by_round(equities: Equities, cards: Array, board: Array) -> Array:
    """EHS of two cards in each round, float32[rounds]; anything where cards of the board are hidden."""
    return jnp.stack([equities.when(cards, board, seen) for seen in np.cumsum(BOARD).tolist()])
