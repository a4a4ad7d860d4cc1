"""What a network reads of a view of Okey."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from feint.game import ByAction, Rows
from feint.games.okey.evaluation import BESIDE, choices, helped, paired
from feint.games.okey.rules import Rules
from feint.games.okey.state import DISCARD, DRAW, TAKE
from feint.games.okey.tiles import FACES, HAND, KINDS, one, split
from feint.games.okey.view import View, happened


def encode(rules: Rules, view: View) -> dict[str, Array | Rows | ByAction]:
    """A view as network input: players are counted from oneself in the order of turns; faces are 4 colours of 13 numbers."""

    def seated(by_seat: Array) -> Array:
        return jnp.roll(by_seat, -view.seat, axis=0)

    faces, jokers = split(view.rack, view.okey)
    discarded, taken = happened(view)
    turns = (view.player - view.seat) % rules.players
    pieces: dict[str, Array | Rows | ByAction] = {
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
    pieces |= outlook(rules, view, discarded, taken)
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
HELPFUL = 20  # tiles: about as many help a rack that is far from finished


def outlook(rules: Rules, view: View, discarded: Array, taken: Array) -> dict[str, Array | ByAction]:
    """What the hand solver says: how far the rack is from finished, and of every action how near it would leave one. What everybody has
    discarded and taken is as `happened` tells it."""
    offered = view.drawing & (view.available >= 0)
    seen = choices(rules.solver, view.rack + jnp.where(offered, one(view.available), 0), view.okey)
    there = seen.kind < KINDS
    helps = helped(rules.solver, seen, view.available, view.unseen, view.okey) / HELPFUL
    told = jnp.column_stack(
        [
            jax.nn.one_hot(jnp.minimum(seen.melds, FAR), FAR + 1),
            helps,
            helps * HELPFUL / jnp.maximum(view.unseen.sum(dtype=jnp.int32), 1),
            seen.pairs / FAR,
            paired(seen, view.unseen, view.okey) / HELPFUL,
        ]
    )
    # To draw is to be left without the discard; to take it is to discard what leaves one nearest, and then most helped.
    worth = jnp.where(there & (seen.kind != view.okey), helps - FAR * seen.melds, -jnp.inf)
    leaving = offered & (seen.kind == view.available)
    left = told[jnp.where(offered, jnp.argmax(leaving), HAND)]
    nearest = jnp.where(offered, told[jnp.argmax(jnp.where(leaving, -jnp.inf, worth))], 0.0)
    discards = jnp.zeros((KINDS, told.shape[1])).at[seen.kind].set(told, mode="drop")
    others = jnp.zeros((DISCARD, told.shape[1])).at[DRAW].set(left).at[TAKE].set(nearest)
    kinds = jnp.pad(jnp.column_stack([tiles_told(view, discarded, taken), jnp.ones(KINDS)]), ((DISCARD, 0), (0, 0)))
    return {
        "away": jax.nn.one_hot(jnp.minimum(jnp.where(there, seen.melds, FAR).min(), FAR), FAR + 1),
        "pairs away": jax.nn.one_hot(jnp.minimum(jnp.where(there, seen.pairs, FAR).min(), FAR), FAR + 1),
        "actions": ByAction(jnp.column_stack([jnp.concatenate([others, discards]), kinds])),
    }


def tiles_told(view: View, discarded: Array, taken: Array) -> Array:
    """Of every kind what there is around it, and what the next player did with such, float32[53, numbers]."""
    after = (view.seat + 1) % view.players
    beside = jnp.asarray(BESIDE)

    def faces(counts: Array) -> Array:
        return split(counts, view.okey)[0] / 2

    def around(faces: Array) -> Array:
        """How many of each face, of the numbers beside it and of the other colours, float32[4, 13, 6]."""
        runs = [jnp.roll(faces, step, axis=1) for step in (0, 1, -1, 2, -2)]
        return jnp.stack([*runs, faces.sum(axis=0) - faces], axis=-1)

    near = jnp.concatenate([around(faces(view.rack)), around(faces(view.unseen))], axis=-1).reshape(FACES, -1)
    wild = (jnp.arange(KINDS) == view.okey)[:, None]
    near = jnp.where(wild, 0.0, jnp.concatenate([near, near[view.okey][None]]))
    given = [discarded[after], view.known[after], discarded[after] @ beside, taken[after] @ beside]
    return jnp.column_stack([near, wild, jnp.stack(given, axis=1) / 2])
