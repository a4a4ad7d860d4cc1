"""How likely the moves that were seen are in a hidden world: all since its deal where everybody saw them, else those that can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, tells_chances
from feint.game import Game
from feint.steps import begun, choose
from feint.ways import Seats, same, where


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


def played_on(
    game: Game[Any, Any], agent: Agent, state: Any, key: chance.Key, goes_on: Callable[[Any, Array], Array]
) -> tuple[Any, Array]:
    """A game as it is after an agent in all seats has played it on, for as long as it is to go on by its state and the moves made since; and how
    many these are, int32."""
    seats = everywhere(game)

    def advance(carry: Any) -> Any:
        state, moves, memories = carry
        chosen, memories = choose(game, (agent,), seats, memories, state, chance.move_key(key, moves))
        return game.step(state, chosen), moves + 1, memories

    start = state, jnp.int32(0), begun(game, (agent,), seats, key)
    end, moves, _ = jax.lax.while_loop(lambda carry: ~carry[0].terminated & goes_on(*carry[:2]), advance, start)
    return end, moves


def replayed(game: Game[Any, Any], agent: Agent, world: Any, view: Any, key: chance.Key) -> tuple[Any, Array]:
    """A world in which others have made their latest moves again, as an agent does; and whether whoever has the turn sees the same, bool: if
    not, it is the world as it was."""
    start = game.rewound(world, chance.deal_key(key))
    end, _ = played_on(game, agent, start, key, lambda state, _: state.current_player != view.seat)
    fits = same(view, game.observe(end, view.seat))
    return where(fits, end, world), fits
