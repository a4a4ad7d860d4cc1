"""Whole games of compiled agents, one after the other on the device, any number at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, Memory
from feint.game import Game, State, pytree

Carry = tuple[Any, tuple[Memory, ...], Array, Array, Array]  # state, memories, actions, move, sound


@pytree
class Playthrough:
    """One game as it was played."""

    state: State  # the last one
    actions: Array  # int32[longest kept]: every action, -1 after the end
    moves: Array  # int32: how many there were
    sound: Array  # bool: whether `Game.sound` held after every move


def playthrough(game: Game, agents: Sequence[Agent], keep: int) -> Callable[[chance.Key], Playthrough]:
    """A function that plays the game of a key, keeping its first `keep` actions; `jax.vmap` it for many."""

    def play(key: chance.Key) -> Playthrough:
        def advance(carry: Carry) -> Carry:
            state, memories, actions, move, sound = carry
            action, memories = choose(game, agents, memories, state, chance.move_key(key, move))
            after = game.step(state, action)
            actions = actions.at[move].set(action, mode="drop")
            return after, memories, actions, move + 1, sound & game.sound(after)

        memories = tuple(
            agent.begin(game, jnp.int32(seat), chance.begin_key(key, seat)) for seat, agent in enumerate(agents)
        )
        start = game.init(chance.deal_key(key))
        carry = (start, memories, jnp.full(keep, -1, jnp.int32), jnp.int32(0), game.sound(start))
        state, _, actions, moves, sound = jax.lax.while_loop(
            lambda c: ~c[0].terminated & (c[3] < game.longest), advance, carry
        )
        return Playthrough(state, actions, moves, sound)

    return play


def choose(
    game: Game, agents: Sequence[Agent], memories: tuple[Memory, ...], state: State, key: chance.Key
) -> tuple[Array, tuple[Memory, ...]]:
    """The action of the agent whose turn it is, and everybody's memories after it."""

    def ask(seat: int) -> Callable[[], tuple[Array, tuple[Memory, ...]]]:
        def asked() -> tuple[Array, tuple[Memory, ...]]:
            view = game.observe(state, jnp.int32(seat))
            action, memory = agents[seat].act(memories[seat], view, state.legal_action_mask, key)
            return jnp.int32(action), (*memories[:seat], memory, *memories[seat + 1 :])

        return asked

    return jax.lax.switch(state.current_player, [ask(seat) for seat in range(len(agents))])
