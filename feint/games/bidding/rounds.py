"""Bidding Elimination a whole round at a time: the games that single moves would give, many times sooner.

All bids of a round are decided without knowing the others, so every seat can be asked at once, each by the agent that sits there and
with the key that its single move would have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Agent, Memory
from feint.game import pytree
from feint.games.bidding.rules import Rules, State
from feint.steps import finished
from feint.ways import Memories, Outcome, Seats, where


@pytree
class Round:
    """A game before a round."""

    state: State
    moves: Array  # int32: made so far


@dataclass(frozen=True, eq=False)
class Rounds:
    """Rounds of sealed bids."""

    rules: Rules
    agents: Sequence[Agent]
    cycle: int = 1
    whole: bool = True  # every game has as many rounds

    @property
    def max_advances(self) -> int:
        return self.rules.rounds

    def deal(self, key: chance.Key) -> Round:
        return Round(self.rules.init(key), jnp.int32(0))

    def over(self, table: Round) -> Array:
        return table.state.terminated

    def outcome(self, table: Round) -> Outcome:
        rewards = table.state.rewards
        return Outcome(rewards, rewards > 0, table.moves, {})

    def advance(
        self, table: Round, seats: Seats, memories: Memories, key: chance.Key, index: Array
    ) -> tuple[Round, Memories]:
        state = table.state
        bids, after = self.bids(state, seats, memories, key, table.moves)
        bidders = jnp.where(state.terminated, 0, state.alive.sum())
        played = where(state.terminated, state, self.rules.bid_all(state, bids))
        return Round(played, table.moves + bidders), where(state.terminated, memories, after)

    def bids(
        self, state: State, seats: Seats, memories: Memories, key: chance.Key, moves: Array
    ) -> tuple[Array, Memories]:
        """What everybody bids, int32[players], and memories after it, so many moves having been made before this round."""
        rules = self.rules
        left = rules.players - state.round
        turn = moves + jnp.cumsum(state.alive) - 1  # int32[players]: the move that each one's bid is

        def ask(agent: Agent, seat: Array, memory: Memory) -> tuple[Array, Memory]:
            at_turn = replace(state, current_player=jnp.asarray(seat, jnp.int32))
            legal = rules.affordable(state.coins[seat], left)
            action, after = agent.act(memory, rules.observe(at_turn, seat), legal, chance.move_key(key, turn[seat]))
            bid = jnp.where(legal[action], action, chance.first(legal))  # as Game.step does
            return bid.astype(jnp.int32), where(state.alive[seat], after, memory)

        bids, learned = jnp.zeros(rules.players, jnp.int32), []
        for number, (agent, memory) in enumerate(zip(self.agents, memories, strict=True)):
            if not seats.counts[number]:
                learned.append(memory)
                continue
            here = seats.positions(number)
            made, after = jax.vmap(partial(ask, agent))(here, memory)
            bids = bids.at[here].set(made, mode="drop")
            learned.append(after)
        return bids, tuple(learned)

    def play(self, key: chance.Key, seats: Seats, memories: Memories) -> tuple[Round, Memories]:
        """The whole game of a key, and memories before they learn of its end."""

        def advance(carry: tuple[Round, Memories], index: Array) -> tuple[tuple[Round, Memories], None]:
            return self.advance(carry[0], seats, carry[1], key, index), None

        start = self.deal(chance.deal_key(key)), memories
        return jax.lax.scan(advance, start, jnp.arange(self.max_advances))[0]

    def finish(self, table: Round, seats: Seats, memories: Memories, key: chance.Key) -> Memories:
        return finished(self.rules, self.agents, seats, memories, table.state, table.state.rewards, key)
