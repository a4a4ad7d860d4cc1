"""What is public where somebody decides: whether a bet is to be paid, how large the pot is, and how much the board may have helped others."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.game import pytree
from feint.games.holdem.cards import HIDDEN, RANKS, masks
from feint.games.holdem.rules import Rules
from feint.games.holdem.state import FOLD, RAISE
from feint.games.holdem.view import View

POTS = (3, 6, 10)  # in bets of the round: the least of each kind of pot but the smallest
BOARDS = (1 / 3, 2 / 3)  # the same of boards, by their potential
FACING, POT_KINDS, BOARD_KINDS = 2, len(POTS) + 1, len(BOARDS) + 1


@pytree
class Situation:
    """Of one decision, or of many alike, int32 each."""

    facing: Array  # 1 where there is something to pay
    board: Array  # the kind of board, 0 to 2
    pot: Array  # the kind of pot, 0 to 3


@pytree
class Decisions:
    """Everything that was decided in a hand, [rounds, moves of a round]."""

    player: Array  # int8: NONE where there was no decision
    action: Array  # int8
    situation: Situation

    @property
    def made(self) -> Array:
        return self.player >= 0


def situation(view: View) -> Situation:
    """The situation of whoever is to act."""
    return Situation(
        facing=(view.to_call > 0).astype(jnp.int32),
        board=_kind(board_potential(view.board), BOARDS),
        pot=pot_kind(view.pot, view.bet),
    )


def decisions(rules: Rules, view: View) -> Decisions:
    """Every decision of a hand so far, each with its situation at that time."""
    raised = (view.history == RAISE).astype(jnp.int32)
    bets = jnp.asarray(rules.bets, jnp.int32)[:, None]
    each_round = bets[:, 0] * raised.sum(axis=1)
    begun = max(rules.posted) + jnp.cumsum(each_round) - each_round  # the highest stake at the start of each round
    stake = begun[:, None] + bets * (jnp.cumsum(raised, axis=1) - raised)  # before each decision
    # What everybody had paid: as much as at the last action that was no fold, and never more than in the end, which is
    # what tells of those who folded earlier.
    theirs = (view.actors[..., None] == jnp.arange(rules.players)) & (view.history != FOLD)[..., None]
    after = jnp.where(theirs, (stake + bets * raised)[..., None], 0)  # int32[rounds, moves, players]
    earlier = jnp.pad(jax.lax.cummax(after, axis=1)[:, :-1], ((0, 0), (1, 0), (0, 0)))
    posted = jnp.broadcast_to(begun[:, None], (rules.rounds, rules.players)).at[0].set(jnp.asarray(rules.posted))
    paid = jnp.minimum(view.paid, jnp.maximum(earlier, posted[:, None]))
    own = jnp.where(view.actors[..., None] == jnp.arange(rules.players), paid, 0).sum(axis=-1)
    boards = jnp.stack([board_potential(_seen(view.board, int(count))) for count in np.cumsum(rules.board)])
    return Decisions(
        player=view.actors,
        action=view.history,
        situation=Situation(
            facing=(own < stake).astype(jnp.int32),
            board=jnp.broadcast_to(_kind(boards, BOARDS)[:, None], stake.shape),
            pot=pot_kind(paid.sum(axis=-1), bets),
        ),
    )


@jax.jit  # traced once, as `masks` is
def board_potential(board: Array) -> Array:
    """How likely a board, int8[cards], helps somebody, from 0 to 1: by flushes, straights and pairs that it lets one hope for."""
    suits = masks(board[:, None])[:, 0]
    ranks = suits[0] | suits[1] | suits[2] | suits[3]
    of_suit = jax.lax.population_count(suits).max()
    low = ranks << 1 | ranks >> len(RANKS) - 1  # the ace counts at both ends
    windows = jax.lax.population_count((low >> jnp.arange(10)) & 0b11111)
    in_row = windows.max()
    paired = jax.lax.population_count(ranks) < (board != HIDDEN).sum()
    flush = jnp.where(of_suit >= 3, 1.0, jnp.where(of_suit == 2, 0.4, 0.0))
    straight = jnp.where(in_row >= 4, 1.0, jnp.where(in_row == 3, 0.5, 0.0))
    return (flush + straight + 0.4 * paired) / 2.4


def pot_kind(pot: Array, bet: Array) -> Array:
    """The kind of a pot where bets are so large."""
    return _kind(pot / bet, POTS)


def _seen(board: Array, count: int) -> Array:
    """A board as it was when so many cards were turned up."""
    return jnp.where(jnp.arange(len(board)) < count, board, HIDDEN)


def _kind(values: Array, edges: tuple[float, ...]) -> Array:
    """How many of these edges each number reaches, int32."""
    return (values[..., None] >= jnp.asarray(edges)).sum(axis=-1, dtype=jnp.int32)
