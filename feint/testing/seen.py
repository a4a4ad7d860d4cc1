"""Checks of views: what they hide, what they show at the end, and that they forget nothing."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.game import SPECTATOR, Rows
from feint.hashing import chain, digest
from feint.testing.complaint import ConformanceError, first_difference, require
from feint.testing.random_play import LOOKED_AT, AnyGame, Played


def check_leaks(played: Played) -> str:
    """Whatever a player cannot know is dealt anew, and nothing that it sees may move, even where many draws are equal."""
    looked = played.mapped(_dealt_anew)(played.positions, jax.vmap(chance.coarse)(played.keys(2)))
    view, again, code, code_again, same_mask, same_turn, sound, on = looked
    different = first_difference(view, again)
    if different:
        raise ConformanceError(f"A view changes when hidden things are dealt anew: its field {different} leaks.")
    for name, piece in code.items():
        if not bool(jnp.isfinite(piece).all()):
            raise ConformanceError(f"encode(view) must give finite numbers, and its piece {name} is not finite.")
        if not bool((piece == code_again[name]).all()):
            raise ConformanceError(f"An encoding changes when hidden things are dealt anew: its piece {name} leaks.")
    require(same_mask.all(axis=1), "legal actions change when hidden things are dealt anew")
    require(same_turn.all(axis=1), "whose turn it is changes when hidden things are dealt anew")
    require((sound & on).all(axis=1), "redeal(view) gives a state that is over or not sound")
    return f"{LOOKED_AT} positions dealt anew through the eyes of {played.game.players} players"


def _dealt_anew(game: AnyGame, state: Any, key: chance.Key) -> tuple[Any, ...]:
    """Each player's view and encoding before and after a redeal, and whether what it relies on stays."""

    def through(player: Array) -> tuple[Any, ...]:
        view = game.observe(state, player)
        other = game.redeal(view, jax.random.fold_in(key, player))
        again = game.observe(other, player)
        to_move = state.current_player == player
        same_mask = ~to_move | (state.legal_action_mask == other.legal_action_mask).all()
        same_turn = state.current_player == other.current_player
        codes = _inputs(game, view), _inputs(game, again)
        return view, again, *codes, same_mask, same_turn, game.sound(other), ~other.terminated

    return jax.vmap(through)(jnp.arange(game.players))


def _inputs(game: AnyGame, view: Any) -> dict[str, Array]:
    """The pieces of an encoding as networks read them, float32."""
    given = game.encode(view)
    if not isinstance(given, dict):
        raise ConformanceError("encode(view) must give named pieces, a dict.")
    plain = {name: piece.values if isinstance(piece, Rows) else piece for name, piece in given.items()}
    for name, piece in given.items():
        if isinstance(piece, Rows) and jnp.ndim(plain[name]) != 2:
            raise ConformanceError(f"encode(view) must give the sequence {name} as float32[rows, width].")
    return {name: jnp.asarray(piece, jnp.float32) for name, piece in plain.items()}


def check_spectators(played: Played) -> str:
    """A spectator's view is nobody's, and whatever any player cannot know may change without it, in play and at the end."""
    both = jax.tree.map(lambda one, other: jnp.concatenate([one, other]), played.positions, played.last)
    seen, again = played.mapped(_watched)(both, played.keys(7, LOOKED_AT + played.games))
    if not bool((seen.seat == SPECTATOR).all()):
        raise ConformanceError("A spectator's view does not have SPECTATOR for its seat.")
    different = first_difference(seen, again)
    if different:
        raise ConformanceError(f"A spectator sees what some player cannot know: the field {different} of its view.")
    return f"{LOOKED_AT} positions and {played.games} finished games"


def _watched(game: AnyGame, state: Any, key: chance.Key) -> tuple[Any, Any]:
    """What a spectator sees, and what it sees after everything that each player does not know was dealt anew."""

    def through(player: Array) -> tuple[Any, Any]:
        other = game.redeal(game.observe(state, player), jax.random.fold_in(key, player))
        return game.spectate(state), game.spectate(other)

    return jax.vmap(through)(jnp.arange(game.players))


def check_shown(played: Played) -> str:
    """What a player sees of a finished game leads by redeal to a finished game that looks the same and paid the same."""
    look, keys = played.mapped(_shown), played.keys(8, played.games)
    view, again, over, alike, sound = look(played.last, jnp.asarray(played.paid), keys)
    require(over.all(axis=1), "redeal of a finished game's view gives a game that is not over")
    require(sound.all(axis=1), "redeal of a finished game's view gives a state that is not sound")
    different = first_difference(view, again)
    if different:
        raise ConformanceError(f"The view of a finished game changes when what it hides is dealt anew: {different}.")
    require(alike.all(axis=1), "what a finished game paid does not follow from what a player sees of it")
    return f"{played.games} of them"


def _shown(game: AnyGame, state: Any, paid: Array, key: chance.Key) -> tuple[Any, ...]:
    def through(player: Array) -> tuple[Any, ...]:
        view = game.observe(state, player)
        other = game.redeal(view, jax.random.fold_in(key, player))
        alike = game.pays_early | jnp.allclose(other.rewards, paid, atol=1e-5)
        return view, game.observe(other, player), other.terminated, alike, game.sound(other)

    return jax.vmap(through)(jnp.arange(game.players))


DEALS, GAMES, MOVES = 8, 48, 80  # deals whose games are followed, games of each, and moves of each at the most


def check_recall(played: Played) -> str:
    """What a player saw between its moves must show in what it sees when it moves, or its past would be lost to it.

    Many games of a few deals are followed. Two that look the same to a player at its own moves must have looked
    the same to it all the way.
    """
    dealt = jax.vmap(lambda table: chance.game_key(played.seed, table // GAMES, 4))(jnp.arange(DEALS * GAMES))
    followed = played.mapped(_followed)(dealt, played.keys(3, DEALS * GAMES))
    who, at_moves, seen = (np.asarray(each) for each in followed)
    known: dict[tuple[int, bytes], bytes] = {}
    for player, own, everything in zip(who.ravel(), at_moves.reshape(-1, 2), seen.reshape(-1, 2), strict=True):
        if player >= 0 and known.setdefault((player, own.tobytes()), everything.tobytes()) != everything.tobytes():
            raise ConformanceError(
                f"Player {player} saw two histories differ, but its views and actions at its own moves are the same: "
                "a view must hold what happened since the player's last move."
            )
    return f"{DEALS * GAMES} games of {DEALS} deals"


def _followed(game: AnyGame, dealt: chance.Key, key: chance.Key) -> tuple[Array, Array, Array]:
    """Move by move: who moves, -1 after the end; its own views and actions up to there; and all that it saw; as hashes."""

    def advance(carry: tuple[Any, Array, Array, Array], move: Array) -> tuple[Any, tuple[Array, Array, Array]]:
        state, seen, last, own = carry  # uint32[players, 2] each: all that was seen, the latest view, one's own moves
        views = jax.vmap(lambda player: digest(game.observe(state, player)))(jnp.arange(game.players))
        changed = (views != last).any(axis=1, keepdims=True)
        seen = jnp.where(changed, chain(seen, views), seen)
        mover = state.current_player
        at_move = chain(own[mover], views[mover])
        action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
        own = own.at[mover].set(chain(at_move, jnp.full(2, action, jnp.uint32)))
        who = jnp.where(state.terminated, -1, mover)
        return (game.step(state, action), seen, views, own), (who, at_move, seen[mover])

    blank = jnp.zeros((game.players, 2), jnp.uint32)
    start = game.init(chance.deal_key(dealt)), blank, blank, blank
    return jax.lax.scan(advance, start, jnp.arange(min(game.max_moves, MOVES)))[1]
