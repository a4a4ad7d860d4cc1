"""Hands of Hold'em in buckets of like strength, for solvers of its betting: in each round, hands that win about as often against a random one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.errors import UserError
from feint.game import pytree
from feint.games.holdem.boards import HOLDINGS
from feint.games.holdem.cards import CARDS, HIDDEN, masks
from feint.games.holdem.equities import ONE, Equities, KnownEquities
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import RAISE, Deal, State
from feint.games.holdem.strength import apart, compared, every
from feint.games.holdem.view import NONE, View
from feint.solvers.betting import Bets

BUCKETS = 10  # of each round but the first
BOARDS = 8  # that are tried where cards are to come
DEALS = 2**17  # by which it is known how strong hands are
BOARD = (0, 3, 1, 1)


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
        return cls(game, tuple(jnp.zeros(size - 1) for size in sizes), Equities({}))  # no tables need be made for it

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

    def remembered(self, state: State) -> Array:
        """Of two players all betting. Of more: who is still in, what everybody paid, and who raised last in the round before."""
        if self.game.players == 2:
            return state.history.ravel()
        before = jnp.maximum(state.round - 1, 0)
        raised = jnp.where(state.history[before] == RAISE, jnp.arange(state.history.shape[1]), NONE).argmax()
        last = jnp.where((state.history[before] == RAISE).any(), state.actors[before, raised], NONE)
        return jnp.concatenate([state.paid, state.folded, last[None]])

    @property
    def holdings(self) -> int:
        return len(HOLDINGS)

    def held(self, view: View, holding: Array) -> View:
        return replace(view, cards=jnp.asarray(HOLDINGS)[holding])

    def unseen(self, view: View) -> Array:
        return apart(every(2), masks(view.cards) | masks(view.board)).astype(jnp.float32)

    def beats(self, view: View, key: Key) -> Array:
        """By some of the boards that can come."""
        hidden = view.board == HIDDEN
        taken = jnp.concatenate([view.cards, view.board])

        def outcome(number: Array) -> tuple[Array, Array]:
            order = jax.random.uniform(jax.random.fold_in(key, number), (CARDS,))
            order = jnp.where((jnp.arange(CARDS)[:, None] == taken).any(axis=1), 2.0, order)
            board = masks(jnp.where(hidden, jnp.argsort(order)[: len(hidden)], view.board))
            possible = apart(every(2), board)
            return jnp.where(possible, compared(masks(view.cards), board), 0) / 2, possible

        won, possible = jax.vmap(outcome)(jnp.arange(BOARDS))
        return won.sum(axis=0) / jnp.maximum(possible.sum(axis=0), 1)

    def bet(self, view: View) -> Array:
        return view.bet

    def informed(self, agent: Any, view: View) -> Any:
        known = lambda part: KnownEquities.of(part, view.board) if isinstance(part, Equities) else part  # noqa: E731
        return jax.tree.map(known, agent, is_leaf=lambda part: isinstance(part, Equities))

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
