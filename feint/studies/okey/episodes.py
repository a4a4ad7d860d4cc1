"""Episodes of the thesis: its two networks at a table of `okey:thesis` with an opponent, many tables in step.

What the networks read is what the thesis gives them. A hand is 53 numbers: tiles of each face, false jokers as the face that they stand
for, and jokers. It is arranged as `arranger` does: runs from left to right, then sets, without jokers. The 15 tiles of a hand are counted in
that order, melds first, or sorted. A finished hand is finished; the networks are not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.chance import Key
from feint.game import pytree
from feint.games.okey.arranging import left_to_right
from feint.games.okey.game import Okey
from feint.games.okey.state import DISCARD, DRAW, FINISH, TAKE, State
from feint.games.okey.tiles import KINDS, one, split
from feint.ways import where

FREE = 5.0  # for discarding a tile that is in no meld
END = 100.0  # for winning, where that is what is paid
Layers = list[tuple[Array, Array]]  # weights and biases


def outputs(layers: Layers, given: Array) -> Array:
    """What a network makes of inputs, float32[..., inputs]."""
    for weight, bias in layers[:-1]:
        given = jax.nn.relu(given @ weight + bias)
    weight, bias = layers[-1]
    return given @ weight + bias


@pytree
class Policy:
    """How an agent plays."""

    draw: Layers  # 107 numbers to 2: take the discard, draw from the centre
    discard: Layers  # 53 numbers to 15, one for each tile
    greedy: Array  # bool: the likeliest action, not one by its probability
    arranged: Array  # bool: melds come first in a hand


@pytree
class Turn:
    """One own turn of an episode, which has arrays [turns, ...] of them."""

    drew: Array  # bool: whether there was a tile to be drawn; the starter begins without
    seen: Array  # int8[107]: what the draw network was given
    draw: Array  # int8: which of its outputs was chosen
    draw_reward: Array  # float32: by how much the value of the hand rose
    discarded: Array  # bool: whether a tile was to be discarded
    hand: Array  # int8[53]: what the discard network was given
    discard: Array  # int8
    discard_reward: Array  # float32


@pytree
class Episode:
    turns: Turn
    result: Array  # int8: 1 won, 0 drawn, -1 lost


@pytree
class Table:
    """One episode in play."""

    state: State
    seat: Array  # int32: the learner's
    points: Array  # int32: of the learner's hand
    key: Key


def play(
    game: Okey, opponents: tuple[Any, ...], which: tuple[int, ...], policies: Policy, keys: Key, starts: Array
) -> Episode:
    """An episode for every key, [runs, episodes]: policies, and which of the opponents they meet, are of each run; the learner begins where it
    starts, bool[episodes]. Arrays come out as [turns, runs, episodes, ...]."""
    answers = partial(_answers, opponents, which)
    turn = jax.vmap(jax.vmap(partial(_turn, game), (None, 0)))
    begun = _begun(game, answers, keys, jnp.broadcast_to(starts, keys.shape))

    def blank() -> Any:
        row = jax.eval_shape(turn, policies, begun)[1]
        return jax.tree.map(lambda leaf: jnp.zeros((game.cap // 2 + 1, *leaf.shape), leaf.dtype), row)

    def playing(carry: tuple[Array, Table, Turn]) -> Array:
        return ~carry[1].state.terminated.all()

    def further(carry: tuple[Array, Table, Turn]) -> tuple[Array, Table, Turn]:
        number, tables, turns = carry
        tables, row = turn(policies, tables)
        tables = replace(tables, state=_answered(game, answers, tables))
        return number + 1, tables, jax.tree.map(lambda all_, now: all_.at[number].set(now), turns, row)

    _, tables, turns = jax.lax.while_loop(playing, further, (jnp.int32(0), begun, blank()))
    winner = tables.state.past.winner
    result = jnp.where(winner == tables.seat, 1, jnp.where(winner < 0, 0, -1))
    return Episode(turns, result.astype(jnp.int8))


# ---- the learner


def _turn(game: Okey, policy: Policy, table: Table) -> tuple[Table, Turn]:
    """The table after the learner's turn."""
    state, on = table.state, ~table.state.terminated
    of_draw, of_discard = jax.random.split(chance.move_key(table.key, state.turn + 1))
    view = game.observe(state, table.seat)
    drew = on & state.drawing
    seen = jnp.concatenate([_hand(view.rack, view.okey), _hand(one(view.available), view.okey), view.centre[None]])
    draw = _chosen(policy, outputs(policy.draw, seen.astype(jnp.float32)), of_draw)
    state = where(drew, game.move(state, jnp.where(draw == 0, TAKE, DRAW)), state)

    view = game.observe(state, table.seat)
    finishes = state.legal_action_mask[FINISH]
    hand = _hand(view.rack, view.okey)
    slot = _chosen(policy, outputs(policy.discard, hand.astype(jnp.float32)), of_discard)
    melds, points = left_to_right(split(view.rack, view.okey)[0])
    melded = _of_kinds(melds, view.okey)
    first = melded * policy.arranged
    tiles = jnp.cumsum(jnp.concatenate([first, view.rack - first]), dtype=jnp.int32)
    kind = (tiles <= slot).sum(dtype=jnp.int32) % KINDS
    state = where(on, _unasked(game.move(state, jnp.where(finishes, FINISH, DISCARD + kind))), state)
    after = _points(game, state, table.seat)
    # Of two tiles of a kind, one of them in a meld, the other goes.
    free = melded[kind] < view.rack[kind]
    turn = Turn(
        drew=drew,
        seen=seen,
        draw=draw.astype(jnp.int8),
        draw_reward=jnp.where(drew, points - table.points, 0).astype(jnp.float32),
        discarded=on & ~finishes,
        hand=hand,
        discard=slot.astype(jnp.int8),
        discard_reward=jnp.where(on & ~finishes, jnp.where(free, FREE, after - points), 0.0),
    )
    return Table(state, table.seat, after, table.key), turn


def _unasked(state: State) -> State:
    """A state in which a tile is to be drawn, from either pile: so nobody asks what may be done, and the hand solver need not tell."""
    return replace(state, legal_action_mask=jnp.zeros_like(state.legal_action_mask))


def _chosen(policy: Policy, logits: Array, key: Key) -> Array:
    return jnp.where(policy.greedy, jnp.argmax(logits), jax.random.categorical(key, logits))


def _hand(rack: Array, okey: Array) -> Array:
    """A rack as networks are given it, int8[53]."""
    faces, jokers = split(rack, okey)
    return jnp.append(faces.ravel(), jokers)


def _of_kinds(melds: Array, okey: Array) -> Array:
    """Tiles in melds by face, int8[4, 13], as such of each kind, int8[53]."""
    flat = melds.ravel()
    wild = jnp.arange(len(flat)) == okey
    return jnp.append(jnp.where(wild, 0, flat), jnp.where(wild, flat, 0).sum(dtype=flat.dtype))


def _points(game: Okey, state: State, seat: Array) -> Array:
    view = game.observe(state, seat)
    return left_to_right(split(view.rack, view.okey)[0])[1]


# ---- the opponent: at all tables at once, [runs, episodes]

Answers = Callable[[Any, Array, Key], Array]  # from views, what is legal and keys to actions


def _answers(opponents: tuple[Any, ...], which: tuple[int, ...], views: Any, legal: Array, keys: Key) -> Array:
    """What the opponent of every run does; each is asked only where it plays."""
    actions = jnp.zeros(keys.shape, jnp.int32)
    for number, agent in enumerate(opponents):
        rows = np.flatnonzero(np.equal(which, number))
        asked = jax.vmap(jax.vmap(lambda view, legal, key, agent=agent: agent.act((), view, legal, key)[0]))
        actions = actions.at[rows].set(asked(*jax.tree.map(lambda leaf, rows=rows: leaf[rows], (views, legal, keys))))
    return actions


def _begun(game: Okey, answers: Answers, keys: Key, starts: Array) -> Table:
    """Tables at which the learner has the next turn."""
    seat = jnp.where(starts, 0, 1)
    dealt = _each(lambda key: game.init(chance.deal_key(key)))(keys)
    begun = _discards(game, answers, dealt, _each(lambda key: chance.move_key(key, 0))(keys))
    state = _each(where)(starts, dealt, begun)
    return Table(state, seat, _each(partial(_points, game))(state, seat), keys)


def _answered(game: Okey, answers: Answers, tables: Table) -> State:
    """States after the opponent has drawn and discarded, or finished."""
    keys = _each(lambda table: jax.random.split(chance.move_key(table.key, table.state.turn + 1)))(tables)
    state = tables.state
    legal = jnp.zeros((*keys.shape[:2], game.actions), bool).at[..., jnp.array([DRAW, TAKE])].set(True)
    views = replace(_views(game, state), drawing=jnp.ones(keys.shape[:2], bool))
    drawn = _each(game.move)(state, answers(views, legal, keys[..., 0]))
    return _each(where)(state.terminated, state, _discards(game, answers, drawn, keys[..., 1]))


def _discards(game: Okey, answers: Answers, state: State, keys: Key) -> State:
    actions = answers(_views(game, state), state.legal_action_mask, keys)
    return _unasked(_each(game.move)(state, actions))


def _views(game: Okey, state: State) -> Any:
    return _each(lambda state: game.observe(state, state.current_player))(state)


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    return jax.vmap(jax.vmap(function))
