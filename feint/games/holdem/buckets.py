"""Hands of Hold'em in buckets of like strength, for solvers of its betting: in each round, hands that win about as often against a random one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.errors import UserError
from feint.game import pytree
from feint.games.holdem.equities import ONE, Equities
from feint.games.holdem.rules import Rules
from feint.games.holdem.situation import POT_KINDS, pot_kind
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import View
from feint.solvers.betting import Bets

BUCKETS = 10  # of each round but the first
DEALS = 2**17  # by which it is known how strong hands are
BOARD = (0, 3, 1, 1)
MOST_OWED = 2  # bets to pay that are told apart


@pytree
class HoldemBets(Bets):
    """Buckets by EHS; before the flop, hands that differ by more than the names of suits are all told apart."""

    game: Rules
    edges: tuple[Array, ...]  # float32[buckets - 1] of each round: from where on the next bucket begins
    equities: Equities = Equities()

    @classmethod
    def of(cls, game: Any, buckets: int | None = None) -> HoldemBets:
        """As many buckets on the flop, the turn and the river, each for as many hands as the others."""
        if game.board != BOARD:
            raise UserError(f"holdem: buckets are known for board=0,3,1,1, not {','.join(map(str, game.board))}.")
        equities = Equities()
        found = np.asarray(_strengths(game, equities, chance.key(0)))
        first = np.unique(np.asarray(equities.tables["preflop"]) / np.float32(ONE))
        shares = np.arange(1, buckets or BUCKETS) / (buckets or BUCKETS)
        later = [np.quantile(found[:, at], shares) for at in range(1, len(BOARD))]
        edges = ((first[1:] + first[:-1]) / 2, *later)
        return cls(game, tuple(jnp.asarray(each, jnp.float32) for each in edges), equities)

    @classmethod
    def blank(cls, game: Any, sizes: Sequence[int]) -> HoldemBets:
        return cls(game, tuple(jnp.zeros(size - 1) for size in sizes))

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

    @property
    def situations(self) -> int:
        return int(np.prod(self._kinds))

    def situation(self, view: View) -> Array:
        """By the round, the players still in, the bets of the round, those to pay, the kind of pot, and whether a call ends the round."""
        owed = jnp.minimum(-(-view.to_call // view.bet), MOST_OWED)
        live = view.live.sum(dtype=jnp.int32) - 2
        told = view.round, live, view.raises, owed, pot_kind(view.pot, view.bet), (view.waiting == 1).astype(jnp.int32)
        return jnp.ravel_multi_index(told, self._kinds, mode="clip")

    @property
    def _kinds(self) -> tuple[int, ...]:
        return len(BOARD), self.game.players - 1, max(self.game.raises) + 1, MOST_OWED + 1, POT_KINDS, 2

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
