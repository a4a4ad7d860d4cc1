"""What a player of Okey sees: its own rack, and all that has happened face up."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from feint import game
from feint.game import pytree
from feint.games.okey.tiles import KINDS, okey_of, one

NONE = -1  # nobody, or no tile


@pytree
class Past:
    """How the hand that was finished last came out, and its last turns, which nobody saw while waiting for a turn of its own."""

    winner: Array  # int8: who finished it, NONE where nobody did
    by_pairs: Array  # bool: with seven pairs
    with_joker: Array  # bool: discarding a joker
    rack: Array  # int8[53]: the winner's 15 tiles, the discarded one among them
    indicator: Array  # int8
    log: Array  # int8[players]: discards of the last turns, the latest first, NONE where there was none
    took: Array  # bool[players]: which of these turns began with the discard before it
    declared: Array  # bool[players]: who had declared pairs


@pytree
class View(game.View):
    rack: Array  # int8[53]: one's own tiles of each kind
    indicator: Array  # int8: its kind; the tile itself is out of play
    log: Array  # int8[cap]: the discard of each turn of this hand, NONE for those to come
    took: Array  # bool[cap]: the turns that began with the discard of the turn before, not with a tile from the centre
    lying: Array  # int8[53]: discards on the table, the one that may be taken among them
    # int8[players, 53]: tiles that a player is known to hold: discards that it took, the indicator's twin that it showed, less every
    # tile of the kind that it discarded since.
    known: Array
    centre: Array  # int8: tiles left in the centre
    shuffles: Array  # int8: how often the discards of this hand became a new centre
    recycled: Array  # int8[53]: what was in the last such centre; before the first, two of each kind
    turn: Array  # int16: discards so far in this hand
    drawing: Array  # bool: whether a tile has to be drawn; else one has to be discarded
    drew: Array  # int8: the tile with which one has begun the turn, NONE while there is none
    hand: Array  # int8: hands finished before this one
    points: Array  # int16[players]: of the match, or of the hand where that is the game
    declared: Array  # bool[players]: who collects pairs, and has said so
    shown: Array  # int8: who showed the indicator's twin, NONE
    over: Array  # bool: whether the game is
    past: Past

    @property
    def players(self) -> int:
        return self.points.shape[-1]

    @property
    def okey(self) -> Array:
        """The kind that is wild."""
        return okey_of(self.indicator)

    @property
    def starter(self) -> Array:
        """Who began this hand."""
        return self.hand % self.players

    @property
    def player(self) -> Array:
        """Whose turn it is."""
        return (self.hand + self.turn) % self.players

    @property
    def available(self) -> Array:
        """The discard that may be taken, NONE before the first, int8."""
        return available(self.log, self.turn)

    @property
    def others(self) -> Array:
        """Tiles that the other players are known to hold, int8[players, 53]; one's own row is empty."""
        own = jnp.arange(self.players)[:, None] == self.seat
        return jnp.where(own, 0, self.known).astype(jnp.int8)

    @property
    def unseen(self) -> Array:
        """Tiles of each kind of which one does not know where they are, int8[53]: in the centre or in others' racks."""
        return 2 - self.rack - self.lying - one(self.indicator) - self.others.sum(axis=0, dtype=jnp.int8)

    @property
    def sizes(self) -> Array:
        """Tiles in every rack, int8[players]."""
        return sizes(self.players, self.player, self.drawing)


def available(log: Array, turn: Array) -> Array:
    """The last discard, NONE before the first, int8."""
    return jnp.where(jnp.arange(log.shape[-1]) == turn - 1, log, NONE).max().astype(jnp.int8)


def sizes(players: int, player: Array, drawing: Array) -> Array:
    """Tiles in every rack, int8[players]: one more for whoever has drawn and not discarded."""
    return (14 + (~drawing & (jnp.arange(players) == player))).astype(jnp.int8)


def happened(view: View) -> tuple[Array, Array]:
    """How often everybody has discarded and taken each kind in this hand, int8[players, 53] each."""
    player = (view.hand + jnp.arange(view.log.shape[-1])) % view.players
    nothing = jnp.zeros((view.players, KINDS), jnp.int8)
    discarded = nothing.at[player, view.log].add((view.log >= 0).astype(jnp.int8))
    before = jnp.roll(view.log, 1)
    return discarded, nothing.at[player, before].add(view.took.astype(jnp.int8))
