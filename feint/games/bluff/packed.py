"""Whole turns of Bluff with hands as a few numbers, for agents that lay one rank at a time and look only at what `Glance` shows.

This repeats rules that `rules.py` has, since it is several times faster (docs/performance.md); a test holds it to the same games,
move by move, as single steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.chance import Key, move_key
from feint.game import pytree, static
from feint.games.bluff.agents import OneRank
from feint.games.bluff.bits import BITS, EIGHT, Counts, Line
from feint.games.bluff.rules import Rules, State
from feint.games.bluff.turns import Calls, Turns
from feint.ways import Outcome


def packed_turns(rules: Rules, agents: Sequence[Any]) -> Packed | None:
    """None unless all agents lay one rank at a time, as they see it at a glance, and carry no memory."""

    def fits(agent: Any) -> bool:
        # Said by the class itself: what it inherits from one that glances may go its own way with whole views.
        return vars(type(agent)).get("glances", False) and not agent.remembers

    return Packed(rules, tuple(agents)) if all(fits(agent) for agent in agents) else None


@pytree
class Glance:
    """What agents of one rank look at: a `View` shows the same and more."""

    held_above: Counts  # one's own cards of each rank, from the rank due upwards
    line: Line  # the same cards in the order they came
    due: Array  # int32: the rank to be laid
    claim: Array  # int32: how many cards were laid as that rank
    left: Array  # int32: cards that the player who laid them has left
    players: int = static()
    copies: int = static()
    most: int = static()

    @property
    def ranks(self) -> int:
        return self.held_above.ranks

    @property
    def true_cards(self) -> Array:
        return self.held_above[0]

    @property
    def first_above(self) -> Array:
        """How many ranks one's first card is above the one due."""
        return _wrapped(self.line.first - self.due, self.ranks)


def _wrapped(number: Array, ranks: int) -> Array:
    """A rank that may be once too low or once too high."""
    return jnp.where(number < 0, number + ranks, jnp.where(number >= ranks, number - ranks, number))


@pytree
class Hand:
    counts: Counts
    line: Line
    size: Array  # int32
    # How often its player has done so: int32 each.
    bluffs: Array
    right: Array
    wrong: Array


@pytree
class Spread:
    """A table in packed form."""

    hands: tuple[Hand, ...]  # from the player whose turn it is, clockwise
    pile: Hand
    turn: Array  # int32: turns settled
    move: Array  # int32
    won: Array  # bool: the last turn's player got rid of all cards
    over: Array  # bool


class Packed(Turns):
    """The same turn with hands as packed numbers. A table that is over plays on, but counts nothing more."""

    agents: tuple[OneRank, ...]

    def deal(self, key: Key) -> Spread:
        rules = self.rules
        start = rules.init(key)
        share = rules.cards // rules.players
        stamp = start.stamp.astype(jnp.int32)
        return self._spread(start, jnp.where(stamp < share * rules.players, stamp % share, share), jnp.int32(0))

    def resume(self, state: State, rewards: Array, moves: Array) -> Spread:
        group = jnp.minimum(state.place, self.rules.players)
        earlier = (group == group[:, None]) & (state.stamp < state.stamp[:, None])
        table = self._spread(state, earlier.sum(axis=1, dtype=jnp.int32), moves)
        return replace(table, won=(rewards > 0).any(), over=state.terminated)

    def _spread(self, state: State, nth: Array, moves: Array) -> Spread:
        """A table before a turn of seat 0, of which every card is number `nth` in its hand or in the pile, int32[cards]."""
        rules, turn = self.rules, state.turn.astype(jnp.int32)
        holders = jnp.arange(rules.players + 1)[:, None]  # and the pile
        out = state.place == rules.out_of_play
        held = ~out & (jnp.minimum(state.place, rules.players) == holders)  # bool[players + 1, cards]
        rank = jnp.arange(rules.cards) % rules.ranks
        above = (rank - turn) % rules.ranks

        def packed(entry: Array, at: Array, entries: int) -> list[Array]:
            """For each holder the sum of its cards' entries, each moved to where it belongs: uint32[players + 1] for each number."""
            moved = entry.astype(jnp.uint32) << (BITS * (at % EIGHT)).astype(jnp.uint32)
            return [
                jnp.where(held & (at // EIGHT == word), moved, 0).sum(axis=1, dtype=jnp.uint32)
                for word in range(-(-entries // EIGHT))
            ]

        counts, lines = packed(jnp.ones_like(rank), above, rules.ranks), packed(rank + 1, nth, rules.cards)
        sizes = held.sum(axis=1, dtype=jnp.int32)
        zero, no = jnp.int32(0), jnp.bool_(False)

        def hand(holder: int) -> Hand:
            has = Counts(tuple(word[holder] for word in counts), rules.ranks)
            return Hand(has, Line(tuple(word[holder] for word in lines)), sizes[holder], zero, zero, zero)

        *hands, pile = (hand(holder) for holder in range(rules.players + 1))
        return Spread(tuple(hands), pile, turn, moves, no, no)

    def over(self, table: Spread) -> Array:
        return table.over

    def outcome(self, table: Spread) -> Outcome:
        players = self.rules.players
        seats = jnp.arange(players)
        last = (table.turn - 1) % players
        rewards = jnp.where(table.won, jnp.where(seats == last, 1.0, -1 / (players - 1)), 0.0)
        events = {
            "plays": (table.turn - seats + players - 1) // players,
            "bluffs": jnp.stack([hand.bluffs for hand in table.hands]),
            "calls right": jnp.stack([hand.right for hand in table.hands]),
            "calls wrong": jnp.stack([hand.wrong for hand in table.hands]),
        }
        return Outcome(rewards, rewards > 0, table.move, events)

    def turn(self, table: Spread, seat: Array, seating: Array, key: Key) -> Spread:
        rules = self.rules
        due, on = table.turn % rules.ranks, ~table.over

        def ask(number: int, hand: Hand, claim: Array, left: Array, what: Callable[..., Any], key: Key) -> Any:
            """What the agent so many seats after the player answers to a question about what it sees."""
            glance = Glance(
                hand.counts, hand.line, due, claim, left, players=rules.players, copies=rules.copies, most=rules.most
            )
            agent = seating[(seat + number) % rules.players]
            return jax.lax.switch(agent, [partial(what, each, glance, key) for each in self.agents])

        player, *others = table.hands
        above, count = ask(0, player, jnp.int32(0), player.size, _plays, move_key(key, table.move))
        # Worked out once, not again for each of its many uses.
        above, count = jax.lax.optimization_barrier((above, count))
        rank = _wrapped(due + above, rules.ranks)
        laid = Counts.of(above, count, rules.ranks)
        line = player.line
        for number in range(rules.most):
            line = line.without(rank, number < count)
        player = replace(player, counts=player.counts - laid, line=line, size=player.size - count)
        pile = replace(
            table.pile,
            counts=table.pile.counts + laid,
            line=table.pile.line.followed_by(Line.alike(rank, count), table.pile.size),
            size=table.pile.size + count,
        )
        player, pile = jax.lax.optimization_barrier((player, pile))

        told = Calls(jnp.bool_(False), jnp.int32(0), table.move + count + 1)
        for number, hand in enumerate(others, 1):
            calls = ask(number, hand, count, player.size, _calls, move_key(key, told.move))
            told = told.then(calls, number)

        honest = above == 0
        player = replace(player, bluffs=player.bluffs + (on & ~honest))
        hands = self._settled((player, *others), pile, told, honest, on)
        won = hands[0].size == 0
        turn = table.turn + 1
        return Spread(
            hands=tuple(replace(hand, counts=hand.counts.next_due()) for hand in (*hands[1:], hands[0])),
            pile=replace(
                pile,
                counts=pile.counts.only_if(~told.called).next_due(),
                line=pile.line.only_if(~told.called),
                size=jnp.where(told.called, 0, pile.size),
            ),
            turn=jnp.where(on, turn, table.turn),
            move=jnp.where(on, told.move, table.move),
            won=jnp.where(on, won, table.won),
            over=table.over | won | (turn == rules.cap),
        )

    def _settled(self, hands: tuple[Hand, ...], pile: Hand, told: Calls, honest: Array, on: Array) -> list[Hand]:
        """Everybody's hand once the caller, or a player caught lying, has taken the pile."""
        loser = jnp.where(honest, told.number, 0)
        size = jnp.int32(0)
        for number, hand in enumerate(hands):
            size = jnp.where(loser == number, hand.size, size)
        behind = Line.empty(self.rules.cards).followed_by(pile.line, size)
        behind = jax.lax.optimization_barrier(behind)
        after = []
        for number, hand in enumerate(hands):
            takes = told.called & (loser == number)
            calls = on & told.called & (told.number == number)
            after.append(
                Hand(
                    counts=hand.counts + pile.counts.only_if(takes),
                    line=Line(tuple(a | b for a, b in zip(hand.line.words, behind.only_if(takes).words, strict=True))),
                    size=hand.size + jnp.where(takes, pile.size, 0),
                    bluffs=hand.bluffs,
                    right=hand.right + (calls & ~honest),
                    wrong=hand.wrong + (calls & honest),
                )
            )
        return after


@jax.jit
def _plays(agent: OneRank, glance: Glance, key: Key) -> tuple[Array, Array]:
    above, count = agent.play(glance, key)
    return jnp.asarray(above, jnp.int32), jnp.asarray(count, jnp.int32)


@jax.jit
def _calls(agent: OneRank, glance: Glance, key: Key) -> Array:
    return agent.calls(glance, key)
