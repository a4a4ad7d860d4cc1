"""One whole game of compiled agents with its every action, to be mapped over keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, Memory
from feint.arena.rollout import choose
from feint.game import Game, State, pytree

Carry = tuple[Any, tuple[Memory, ...], Array, Array, Array]  # state, memories, actions, move, sound


@pytree
class Playthrough:
    """One game as it was played."""

    state: State  # the last one
    actions: Array  # int32[keep]: the first actions, -1 after the end
    moves: Array  # int32: how many there were
    sound: Array  # bool: whether `Game.sound` held after every move


def playthrough(game: Game[Any, Any], agents: Sequence[Agent], keep: int) -> Callable[[chance.Key], Playthrough]:
    """A function that plays the game of a key with agent s in seat s, keeping its first `keep` actions."""
    seats = jnp.arange(game.players)

    def play(key: chance.Key) -> Playthrough:
        def advance(carry: Carry) -> Carry:
            state, memories, actions, move, sound = carry
            action, memories = choose(game, agents, seats, memories, state, chance.move_key(key, move))
            after = game.step(state, action)
            return after, memories, actions.at[move].set(action, mode="drop"), move + 1, sound & game.sound(after)

        def begin(agent: Agent) -> Memory:
            return jax.vmap(lambda seat: agent.begin(game, seat, chance.begin_key(key, seat)))(seats)

        start = game.init(chance.deal_key(key))
        memories = tuple(begin(agent) for agent in agents)
        carry = (start, memories, jnp.full(keep, -1, jnp.int32), jnp.int32(0), game.sound(start))
        state, _, actions, moves, sound = jax.lax.while_loop(lambda c: ~c[0].terminated, advance, carry)
        return Playthrough(state, actions, moves, sound)

    return play
