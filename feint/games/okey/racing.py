"""An agent of Okey that plays its own rack on by itself, many times, to see what would finish soonest."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless, at_game
from feint.chance import Key
from feint.game import option, pytree
from feint.games.okey.nearest import discarded, is_nearer
from feint.games.okey.state import DISCARD, TAKE
from feint.games.okey.tiles import one
from feint.games.okey.view import View
from feint.options import agent_option
from feint.think.agent import best, liked


@pytree
class Racing(Memoryless):
    """Plays an agent's best actions on by itself, while others discard what they draw, and takes the one that finishes soonest."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 1  # a single one keeps a machine busy

    agent: Any = agent_option("whose actions are thought over; it must carry no memory")
    worlds: int = option(128, "orders of the unseen tiles", least=1, most=100_000, static=True)
    candidates: int = option(
        4, "actions that are played on, the agent's choice among them", least=2, most=15, static=True
    )
    hurry: float = option(0.85, "what a finish is worth one turn later", least=0, most=1)
    turns: int = option(14, "turns that are played on", least=1, most=100, static=True)
    sure: float = option(
        1.0, "standard errors by which another action must do better than the agent's choice", least=0, most=100
    )
    game: Any = None  # given when it sits down

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        agent = at_game(self.agent, self.game)
        chosen = jnp.asarray(agent.act(memory, view, legal, key)[0], jnp.int32)
        actions, there = liked(agent, view, legal, chosen, self.candidates)
        keys = jax.random.split(chance.thought_key(key), self.worlds)

        def in_world(key: Key) -> Array:
            centre = self.game.redeal(view, key).centre
            return jax.vmap(lambda action: self._raced(view, action, centre))(actions)

        raced = there & ((actions <= TAKE) | (actions >= DISCARD))  # whoever finishes need not think
        place = best(jax.vmap(in_world)(keys), jnp.full(self.worlds, 1 / self.worlds), raced, self.sure)
        return jnp.where(raced[0], actions[place], chosen), memory

    def _raced(self, view: View, action: Array, centre: Array) -> Array:
        """What it is worth to finish when one does after an action, float32; others draw a tile each from the centre between two turns."""
        solver, players = self.game.solver, view.players
        first = self.game.centre - view.centre + jnp.where(view.drawing, 0, players - 1)

        def tile(place: Array) -> Array:
            return centre.at[place].get(mode="clip")

        def turn(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            rack, number, _ = carry
            place = first + players * number
            forced = view.drawing & (number == 0)
            offered = jnp.where(forced, view.available, tile(place - 1))
            takes = jnp.where(forced, action == TAKE, is_nearer(solver, rack, offered, view.okey))
            rack += one(jnp.where(takes, offered, tile(place)))
            gone, left = discarded(solver, rack, view.unseen, view.okey)
            return rack - one(gone), number + 1, left == 0

        def on(carry: tuple[Array, Array, Array]) -> Array:
            _, number, finished = carry
            return ~finished & (number < self.turns) & (first + players * number < len(centre))

        rack = view.rack - jnp.where(view.drawing, 0, one((action - DISCARD).astype(jnp.int8)))
        _, number, finished = jax.lax.while_loop(on, turn, (rack, jnp.int32(0), jnp.bool_(False)))
        return jnp.where(finished, self.hurry**number, 0.0)
