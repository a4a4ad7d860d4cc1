"""What a player of Bluff sees: what a careful person at the table could know, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
from jax import Array

from feint import game
from feint.game import pytree

NOBODY = -1


@pytree
class Log:
    """The last two rounds of plays, newest first, NOBODY where there is none yet."""

    player: Array  # int8[plays]: who laid
    rank: Array  # int8[plays]: the rank claimed
    count: Array  # int8[plays]: how many cards
    caller: Array  # int8[plays]: who called bluff, NOBODY while or where nobody did
    honest: Array  # int8[plays]: 1 where a call showed the truth, 0 where it showed a lie, NOBODY uncalled
    shown: Array  # int8[plays, most]: the cards a call showed

    @classmethod
    def empty(cls, players: int, most: int) -> Log:
        blank = jnp.full(2 * players, NOBODY, jnp.int8)
        return cls(blank, blank, blank, blank, blank, jnp.full((2 * players, most), NOBODY, jnp.int8))

    def claimed(self, player: Array, rank: Array, count: Array) -> Log:
        """The log with one play more."""
        nothing = jnp.full_like(self.shown[0], NOBODY)
        newest = Log(player, rank, count, jnp.int8(NOBODY), jnp.int8(NOBODY), nothing)
        return jax.tree.map(lambda rows, row: jnp.concatenate([row.astype(rows.dtype)[None], rows[:-1]]), self, newest)

    def unclaimed(self) -> Log:
        """The log with the newest play taken back; what came before the oldest is not known any more."""
        return jax.tree.map(lambda rows: jnp.concatenate([rows[1:], jnp.full_like(rows[:1], NOBODY)]), self)

    def answered(self, called: Array, caller: Array, honest: Array, shown: Array) -> Log:
        """The log with the answer to the newest play."""
        newest = called & (jnp.arange(len(self.player)) == 0)
        return replace(
            self,
            caller=jnp.where(newest, caller.astype(jnp.int8), self.caller),
            honest=jnp.where(newest, honest.astype(jnp.int8), self.honest),
            shown=jnp.where(newest[:, None], shown, self.shown),
        )


@pytree
class View(game.View):
    hand: Array  # bool[copies, ranks]: one's own cards, less those picked
    buried: Array  # bool[copies, ranks]: one's own cards in the pile, and those picked or laid this turn
    picked: Array  # bool[copies, ranks]: one's own cards picked this turn and not laid yet
    stamp: Array  # int16[copies, ranks]: the order in which those came; smaller is earlier
    located: Array  # int8[copies, ranks]: whose hand a card was in when the pile was last empty (it is there or among
    # what that player laid since), one's own seat for one's own, NOBODY where one cannot tell
    sizes: Array  # int8[players]: cards in each hand
    pile: Array  # int8[cards]: who laid each card of the pile, from the bottom, the claim on top; NOBODY above
    claim: Array  # int8: how many cards were just laid as the rank due, 0 while they are being picked
    laid: Array  # int16: cards laid since the deal
    turn: Array  # int16: turns settled
    asked: Array  # int8: 0 while cards are being picked, k while the k-th player after is asked
    cleared: Array  # bool[players, ranks]: ranks a player has been through since it last took the pile
    # int16[players, most, 2]: how often a player has trusted and called claims of 1, 2, ... cards, in turns that are settled.
    answers: Array
    log: Log

    @property
    def players(self) -> int:
        return self.sizes.shape[-1]

    @property
    def ranks(self) -> int:
        return self.hand.shape[-1]

    @property
    def copies(self) -> int:
        return self.hand.shape[-2]

    @property
    def room(self) -> int:
        """The most cards of one play that the log can tell of."""
        return self.log.shown.shape[-1]

    @property
    def most(self) -> int | Array:
        """The most cards that may be laid in one turn."""
        return self.room

    @property
    def player(self) -> Array:
        """Whose turn it is to lay."""
        return self.turn % self.players

    @property
    def due(self) -> Array:
        """The rank to be laid."""
        return self.turn % self.ranks

    @property
    def pile_size(self) -> Array:
        return (self.pile != NOBODY).sum()

    @property
    def held(self) -> Array:
        """One's own cards of each rank at the start of this turn's picking, int8[ranks]."""
        return (self.hand | self.picked).sum(axis=0, dtype=jnp.int8)

    @property
    def held_above(self) -> Array:
        """The same from the rank due upwards, int8[ranks]."""
        return jnp.roll(self.held, -self.due)

    @property
    def first_above(self) -> Array:
        """How many ranks the card that came first is above the one due, int32."""
        arrival = jnp.where(self.hand | self.picked, self.stamp, jnp.iinfo(self.stamp.dtype).max).min(axis=0)
        return (jnp.argmin(arrival) - self.due) % self.ranks

    @property
    def left(self) -> Array:
        """How many cards the player whose turn it is has left, int8."""
        return self.sizes[self.player]

    @property
    def is_due(self) -> Array:
        """Which rank is due, bool[ranks]."""
        return jnp.arange(self.ranks, dtype=jnp.int8) == self.due.astype(jnp.int8)

    @property
    def true_cards(self) -> Array:
        """How many cards of the rank due one holds, int8."""
        return jnp.where(self.is_due, self.held, 0).sum(dtype=jnp.int8)


def ranks_above(due: Array, ranks: int) -> Array:
    """How many ranks each rank is above the one due, wrapping around, int8[ranks]."""
    above = jnp.arange(ranks, dtype=jnp.int8) - due.astype(jnp.int8)
    return jnp.where(above < 0, above + jnp.int8(ranks), above)


def may_pick(held: Array, picked: Array, due: Array, most: int | Array) -> Array:
    """Which ranks, counted upwards from the one due, a card may be picked of next, bool[ranks]: picks go upwards.

    `held` and `picked` are cards of each rank, int[ranks].
    """
    above = jnp.arange(held.shape[-1])
    last = jnp.where(jnp.roll(picked, -due) > 0, above, 0).max()
    return (jnp.roll(held, -due) > 0) & (above >= last) & (picked.sum() < most)


def counts(view: View) -> dict[str, Array]:
    """A view by numbers of cards: suits, the order in which cards came, and who called whom are forgotten."""
    seats = jnp.arange(view.players)
    return {
        "hand": view.hand.sum(axis=0),
        "picked": view.picked.sum(axis=0),
        "buried": view.buried.sum(axis=0),
        "located": (view.located == seats[:, None, None]).sum(axis=1),
        "sizes": view.sizes,
        "in_pile": (view.pile == seats[:, None]).sum(axis=1),
        "claim": view.claim,
        "turn": view.turn,
        "asked": view.asked,
    }
