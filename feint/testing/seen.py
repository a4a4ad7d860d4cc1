"""Checks of views: what they hide, what they show at the end, that they forget nothing, and what they were some moves ago."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.game import SPECTATOR, ByAction, Game, Rows
from feint.hashing import chain, digest
from feint.testing.complaint import ConformanceError, first_difference, require
from feint.testing.random_play import Played
from feint.testing.worlds import AnyGame
from feint.ways import same


def check_leaks(played: Played) -> str:
    """Whatever a player cannot know is dealt anew, and nothing that it sees may move, even where many draws are equal."""
    game, positions = played.game, played.positions
    worlds = jax.tree.map(lambda leaf: leaf[: played.games], played.worlds)  # those in play
    different = first_difference(worlds.view, worlds.view_again)
    if different:
        raise ConformanceError(f"A view changes when hidden things are dealt anew: its field {different} leaks.")
    encode = played.mapped(lambda game, views: jax.vmap(partial(_inputs, game))(views))
    code, code_again = encode(worlds.view), encode(worlds.view_again)
    for name, piece in code.items():
        if not bool(np.isfinite(piece).all()):
            raise ConformanceError(f"encode(view) must give finite numbers, and its piece {name} is not finite.")
        if not np.array_equal(piece, code_again[name]):
            raise ConformanceError(f"An encoding changes when hidden things are dealt anew: its piece {name} leaks.")
    mover = positions.current_player
    mask = worlds.other.legal_action_mask[np.arange(played.games), mover]  # as the mover would have it
    require((mask == positions.legal_action_mask).all(axis=1), "legal actions change when hidden things are dealt anew")
    same_turn = worlds.other.current_player == mover[:, None]
    require(same_turn.all(axis=1), "whose turn it is changes when hidden things are dealt anew")
    valid = worlds.valid & ~worlds.other.terminated
    require(valid.all(axis=1), "redeal(view) gives a state that is over or not valid")
    return f"{played.games} positions dealt anew through the eyes of {game.players} players"


def _inputs(game: AnyGame, view: Any) -> dict[str, Array]:
    """The pieces of an encoding as networks read them, float32."""
    given = game.encode(view)
    if not isinstance(given, dict):
        raise ConformanceError("encode(view) must give named pieces, a dict.")
    plain = {name: piece.values if isinstance(piece, Rows | ByAction) else piece for name, piece in given.items()}
    for name, piece in given.items():
        if isinstance(piece, Rows) and jnp.ndim(plain[name]) != 2:
            raise ConformanceError(f"encode(view) must give the sequence {name} as float32[rows, width].")
        if isinstance(piece, ByAction) and (jnp.ndim(plain[name]) != 2 or len(plain[name]) != game.actions):
            raise ConformanceError(f"encode(view) must give {name} of the actions as float32[{game.actions}, width].")
    return {name: jnp.asarray(piece, jnp.float32) for name, piece in plain.items()}


def check_spectators(played: Played) -> str:
    """A spectator's view is nobody's, and whatever any player cannot know may change without it, in play and at the end."""
    seen, again = played.worlds.spectated, played.worlds.spectated_again
    if not bool((seen.seat == SPECTATOR).all()):
        raise ConformanceError("A spectator's view does not have SPECTATOR for its seat.")
    different = first_difference(seen, again)
    if different:
        raise ConformanceError(f"A spectator sees what some player cannot know: the field {different} of its view.")
    return f"{played.games} positions and {played.games} finished games"


def check_shown(played: Played) -> str:
    """What a player sees of a finished game leads by redeal to a finished game that looks the same and paid the same."""
    worlds = jax.tree.map(lambda leaf: leaf[played.games :], played.worlds)  # the finished ones
    require(worlds.other.terminated.all(axis=1), "redeal of a finished game's view gives a game that is not over")
    require(worlds.valid.all(axis=1), "redeal of a finished game's view gives a state that is not valid")
    different = first_difference(worlds.view, worlds.view_again)
    if different:
        raise ConformanceError(f"The view of a finished game changes when what it hides is dealt anew: {different}.")
    _check_tells(played, worlds.view)
    if not played.game.pays_early:
        alike = np.isclose(worlds.other.rewards, played.paid[:, None], atol=1e-5).all(axis=(1, 2))
        require(alike, "what a finished game paid does not follow from what a player sees of it")
    return f"{played.games} of them"


def _check_tells(played: Played, views: Any) -> None:
    """What the end of a game tells of how everybody plays is numbers, player by player."""
    if type(played.game).tells is Game.tells:
        return
    for name, told in played.mapped(lambda game, views: jax.vmap(game.tells)(views))(views).items():
        if name == "games":
            raise ConformanceError(
                "tells(view) must not give games, the name of how many there were: call it otherwise."
            )
        if told.shape[2:3] != (played.game.players,) or told.dtype != np.float32:
            raise ConformanceError(f"tells(view) must give {name} as float32[players, ...], by position.")
        finite = np.isfinite(told).reshape(len(told), -1).all(axis=1)
        require(finite, f"tells(view) must give finite numbers, and its {name} are not")


# Deals whose games are followed, games of each, and moves of each at the most: later on no two games look the same to anybody.
DEALS, GAMES, MOVES = 8, 48, 24


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


def check_rewound(played: Played) -> str:
    """Before the others' latest moves it was the turn of somebody else; and what was seen then does not depend on what is hidden."""
    if type(played.game).rewound is Game.rewound:
        return "left out"
    theirs, view, again = played.mapped(_rewound)(played.positions, played.keys(10))
    require(theirs, "rewound(state) takes back a move of whoever has the turn")
    different = first_difference(view, again)
    if different:
        raise ConformanceError(f"What was seen before rewound(state) depends on what is hidden: its field {different}.")
    return f"{played.games} positions"


def _rewound(game: AnyGame, state: Any, key: chance.Key) -> tuple[Array, Any, Any]:
    """Whether nothing was taken back or somebody else has the turn then; and what is seen before it, in the world as it is and dealt anew."""
    deal_key, rewind_key = jax.random.split(key)
    seat = state.current_player
    view = game.observe(state, seat)
    start, other = (game.rewound(each, rewind_key) for each in (state, game.redeal(view, deal_key)))
    before = game.observe(start, seat)
    return same(view, before) | (start.current_player != seat), before, game.observe(other, seat)
