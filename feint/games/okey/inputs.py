"""What a network reads of a view of Okey."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import Rows
from feint.games.okey.evaluation import by_kind, choices
from feint.games.okey.rules import Rules
from feint.games.okey.tiles import FACES, KINDS, one, split
from feint.games.okey.view import View, happened


def encode(rules: Rules, view: View) -> dict[str, Array | Rows]:
    """A view as network input: players are counted from oneself in the order of turns; faces are 4 colours of 13 numbers."""

    def seated(by_seat: Array) -> Array:
        return jnp.roll(by_seat, -view.seat, axis=0)

    faces, jokers = split(view.rack, view.okey)
    discarded, taken = happened(view)
    turns = (view.player - view.seat) % rules.players
    pieces: dict[str, Array | Rows] = {
        "rack": jnp.stack([faces > 0, faces > 1]),  # at least so many of each face
        "jokers": jax.nn.one_hot(jokers, 3),
        "indicator": jax.nn.one_hot(view.indicator, FACES),
        "okey": jax.nn.one_hot(view.okey, FACES),
        "unseen": view.unseen / 2,
        "available": one(view.available),  # all nothing before the first discard
        "discarded": seated(discarded)[1:] / 2,
        "taken": seated(taken)[1:] / 2,
        "known": seated(view.others)[1:] / 2,
        "centre": view.centre / rules.centre,
        "drawing": view.drawing,
        "player": jax.nn.one_hot(turns, rules.players),
        "turn": view.turn / rules.cap,
    }
    pieces |= outlook(rules, view)
    if rules.pairs == "declared":
        pieces["declared"] = seated(view.declared)
    if rules.show_indicator:
        pieces["shown"] = seated(jnp.arange(rules.players) == view.shown)
    if rules.exhausted == "reshuffle":
        pieces["recycled"] = view.recycled / 2
    if rules.countdown:
        pieces["points"] = seated(view.points) / rules.countdown
        pieces["hand"] = view.hand / rules.hands
    return pieces


FAR = 8  # tiles from finished; more are told as so many


def outlook(rules: Rules, view: View) -> dict[str, Array]:
    """What the hand solver says: how far the rack is from finished, what may be discarded without going back, and whether the discard that
    may be taken would bring it nearer."""
    offered = view.drawing & (view.available >= 0)
    seen = choices(rules.solver, view.rack + jnp.where(offered, one(view.available), 0), view.okey)
    there, nearest = seen.kind < KINDS, seen.melds.min()
    now = jnp.where(offered & (seen.kind == view.available), seen.melds, 0).max()
    return {
        "away": jax.nn.one_hot(jnp.minimum(nearest, FAR), FAR + 1),
        "pairs away": jax.nn.one_hot(jnp.minimum(seen.pairs.min(), FAR), FAR + 1),
        "nearer": offered & (nearest < now),
        "discards": by_kind(seen.kind, jnp.where(there, 1.0 / (1 + seen.melds - nearest), 0.0), 0.0),
        "discards of pairs": by_kind(seen.kind, 1.0 / (1 + seen.pairs - seen.pairs.min()), 0.0),
    }
