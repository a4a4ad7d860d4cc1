"""A hidden world of Okey consistent with what one player knows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.games.okey.rules import Rules
from feint.games.okey.state import State
from feint.games.okey.tiles import HAND, KIND_OF_TILE, TILES, listed, one, shuffled
from feint.games.okey.view import NONE, View


def redeal(rules: Rules, view: View, key: chance.Key) -> State:
    """Every tile that nobody is known to hold goes anywhere among the others' racks and the centre, every way as likely as the others.

    After discards have become a new centre, no tile is in it that was not among them; what anybody has drawn since, oneself included, is
    left out of account.
    """
    tile_key, drew_key, order_key, again_key = jax.random.split(key, 4)
    rack, centre = _tiles(rules, view, tile_key)
    return rules.ready(
        State(
            rack=rack,
            centre=centre,
            drawn=rules.centre - view.centre,
            indicator=view.indicator,
            log=view.log,
            took=view.took,
            lying=view.lying,
            known=view.known,
            shuffles=view.shuffles,
            recycled=view.recycled,
            turn=view.turn,
            drawing=view.drawing,
            drew=_drew(rules, view, rack, drew_key),
            hand=view.hand,
            points=view.points,
            declared=view.declared,
            shown=view.shown,
            past=view.past,
            orders=jax.vmap(shuffled)(jax.random.split(order_key, rules.dealt))[1:],
            again=rules.draw_again(again_key) if rules.exhausted == "reshuffle" else None,
            current_player=jnp.int32(0),
            legal_action_mask=jnp.zeros(rules.actions, bool),
            rewards=jnp.where(view.over, rules.payoffs(view.points), 0.0),
            terminated=view.over,
        )
    )


def _drew(rules: Rules, view: View, rack: Array, key: chance.Key) -> Array:
    """With what the player to move has begun its turn, int8: any tile that it may have from the centre, unless one knows."""
    mover = jnp.arange(rules.players) == view.player
    tiles = jnp.where(mover[:, None], rack - view.known, 0).sum(axis=0, dtype=jnp.int32)
    hidden = jnp.argmax(chance.weighted_choice(key, tiles))
    took = (view.took & (jnp.arange(rules.cap) == view.turn)).any()
    theirs = jnp.where(view.drawing | (view.turn == 0), NONE, jnp.where(took, view.available, hidden))
    return jnp.where(view.seat == view.player, view.drew, theirs).astype(jnp.int8)


def _tiles(rules: Rules, view: View, key: chance.Key) -> tuple[Array, Array]:
    """The racks of everybody, int8[players, 53], and the centre, int8[centre]."""
    tile_key, slot_key = jax.random.split(key)
    seats = jnp.arange(rules.players)
    held = jnp.where(seats[:, None] == view.seat, view.rack, view.known)
    # Of a finished game the winner's rack lies open.
    held = jnp.where((seats[:, None] == view.past.winner) & view.over, view.past.rack, held)
    hidden = 2 - held.sum(axis=0, dtype=jnp.int8) - view.lying - one(view.indicator)

    # Tiles, sorted by kind: first those that cannot be in the centre, then the others, in random order.
    there = listed(hidden)
    bound = there & ~listed(jnp.minimum(hidden, view.recycled))
    nth_tile = _ranked(chance.shuffle(tile_key, TILES) + jnp.where(bound, 0, TILES), there)

    # Places: first those in racks, in random order, then the centre from the top.
    most = HAND * rules.players + 1
    ends = jnp.cumsum(view.sizes - held.sum(axis=1))
    owner = (jnp.arange(most)[:, None] >= ends).sum(axis=1)  # int[most]: whose place in a rack this is
    nth_place = _ranked(chance.shuffle(slot_key, most), owner < rules.players)

    kinds = jnp.asarray(KIND_OF_TILE)
    in_rack = there & (nth_tile < ends[-1])
    met = (nth_tile[:, None] == nth_place) & in_rack[:, None] & (owner < rules.players)
    seat = (met * owner).sum(axis=1)
    rack = held.at[seat, kinds].add(in_rack.astype(jnp.int8))
    place = jnp.where(there & ~in_rack, rules.centre - view.centre + nth_tile - ends[-1], rules.centre)
    return rack, jnp.zeros(rules.centre, jnp.int8).at[place].set(kinds, mode="drop")


def _ranked(order: Array, among: Array) -> Array:
    """How many of those that are true come before each, int32[size]."""
    return (among & (order < order[:, None])).sum(axis=1)
