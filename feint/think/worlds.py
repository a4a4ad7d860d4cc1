"""How likely the moves that were seen are in a hidden world: all since its deal where everybody saw them, else those that can be taken back."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, tells_chances
from feint.game import Game
from feint.steps import begun, choose
from feint.ways import Seats, where


def tells_deals(game: Game[Any, Any]) -> bool:
    """Whether worlds of a game can be followed from their deals."""
    return type(game).deal_of is not Game.deal_of


def tells_moves(game: Game[Any, Any]) -> bool:
    """Whether a view of a game alone is enough to follow them."""
    return tells_deals(game) and type(game).moves_seen is not Game.moves_seen


def rewinds(game: Game[Any, Any]) -> bool:
    """Whether the latest moves of a world can be taken back."""
    return type(game).rewound is not Game.rewound


def everywhere(game: Game[Any, Any]) -> Seats:
    """The same agent in all seats."""
    return Seats.taken(jnp.zeros(game.players, jnp.int32), (game.players,))


def log_likelihood(
    game: Game[Any, Any],
    agent: Agent,
    world: Any,
    seat: Array,
    actions: Array,
    moves: Array,
    key: chance.Key,
    slip: float = 0.0,
) -> Array:
    """The logarithm of how likely the others' moves were in a world if all play as an agent does, float32: of `actions`, int32[max_moves],
    so many were made, and `seat` looks back at them. With chance `slip` whoever moves does anything at all."""
    seats = everywhere(game)
    start = game.deal(game.deal_of(world))

    def follow(move: Array, carry: Any) -> Any:
        state, memories, log = carry
        here, action = chance.move_key(key, move), actions[move]
        legal = state.legal_action_mask
        if tells_chances(agent):
            seen = game.observe(state, state.current_player)
            likely = agent.probabilities(seen, legal)[action]  # type: ignore[attr-defined]
        else:  # asked once: on average over the worlds, it does what it does as often as it would
            chosen, memories = choose(game, (agent,), seats, memories, state, here)
            likely = (chosen == action).astype(jnp.float32)
        likely = (1 - slip) * likely + slip / legal.sum()
        told = jnp.where(state.current_player == seat, 0.0, jnp.log(likely))
        return game.step(state, action), memories, log + told

    return jax.lax.fori_loop(0, moves, follow, (start, begun(game, (agent,), seats, key), jnp.float32(0)))[2]


def replayed(game: Game[Any, Any], agent: Agent, world: Any, view: Any, key: chance.Key) -> tuple[Any, Array]:
    """A world in which others have made their latest moves again, as an agent does; and whether whoever has the turn sees the same, bool: if
    not, it is the world as it was."""
    seats, seat = everywhere(game), view.seat

    def goes_on(carry: Any) -> Array:
        state, _, _ = carry
        return ~state.terminated & (state.current_player != seat)

    def advance(carry: Any) -> Any:
        state, memories, moves = carry
        chosen, memories = choose(game, (agent,), seats, memories, state, chance.move_key(key, moves))
        return game.step(state, chosen), memories, moves + 1

    start = game.rewound(world, chance.deal_key(key))
    end, _, _ = jax.lax.while_loop(goes_on, advance, (start, begun(game, (agent,), seats, key), jnp.int32(0)))
    alike = jax.tree.map(lambda one, other: (one == other).all(), view, game.observe(end, seat))
    fits = jax.tree.reduce(jnp.logical_and, alike)
    return where(fits, end, world), fits
