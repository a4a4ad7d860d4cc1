"""One whole game of compiled agents with its every action, to be mapped over keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent
from feint.game import Game, State, pytree
from feint.steps import Stepped, Steps, begun
from feint.ways import Memories, Seats

Carry = tuple[Stepped, Memories, Array, Array]  # table, memories, actions, valid


@pytree
class Playthrough:
    """One game as it was played."""

    state: State  # the last one
    actions: Array  # int32[keep]: the first actions, -1 after the end
    moves: Array  # int32: how many there were
    valid: Array  # bool: whether `Game.is_valid` held after every move


def playthrough(game: Game[Any, Any], agents: Sequence[Agent], keep: int) -> Callable[[chance.Key], Playthrough]:
    """A function that plays the game of a key with agent s in seat s, keeping its first `keep` actions."""
    steps = Steps(game, agents)

    def play(key: chance.Key) -> Playthrough:
        seats = Seats.taken(jnp.arange(game.players), (1,) * game.players)

        def advance(carry: Carry) -> Carry:
            table, memories, actions, valid = carry
            after, memories = steps.advance(table, seats, memories, key, jnp.int32(0))
            actions = actions.at[table.moves].set(after.action, mode="drop")
            return after, memories, actions, valid & game.is_valid(after.state)

        start = steps.deal(chance.deal_key(key))
        carry = (start, begun(game, agents, seats, key), jnp.full(keep, -1, jnp.int32), game.is_valid(start.state))
        table, _, actions, valid = jax.lax.while_loop(lambda carry: ~carry[0].state.terminated, advance, carry)
        return Playthrough(table.state, actions, table.moves, valid)

    return play
