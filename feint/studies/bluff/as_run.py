"""Bluff as the thesis' program must have played it, defects included: the reading that gives its tables.

Only what differs from the clean rules and agents is here. The program's learning agents share one table of rewards through a
run of 300 games, in each of which they first train. What they lay in training does not depend on the table, so the table
that a game begins with is the sum of what as many earlier trainings earned, whichever they were: `lessons` are played beforehand,
and every game draws its number in the run and the trainings before it. So games need not be played one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint import chance
from feint.game import option, pytree
from feint.games.bluff import agents, rules, view
from feint.games.bluff.agents import all_true, turns_until_due
from feint.games.bluff.game import Bluff
from feint.games.bluff.turns import InPlay, Whole, whole_turns
from feint.games.bluff.view import NOBODY, ranks_above

RUN = 300  # games in a run
TRAINING = 25  # turns of learning agents in each game that are training, all of them together
RANKS = 13
LESSONS = 4 * RUN  # trainings kept for a table to be drawn from


@pytree
class Deal(rules.Deal):
    earlier: Array  # int32[2]: the game follows the trainings from after the first of these to the second


@pytree
class State(rules.State):
    unasked: Array  # bool: nobody is asked about the first seat's play, since the last seat's was called
    learner: Array  # bool[players]: who sits there learns
    learned: Array  # int32: turns that learners have had
    trained: Array  # int8[players]: the rank each learner laid last in training
    earned: Array  # int8[ranks due, ranks laid]: how often that went unpunished in this game's training
    earlier: Array  # int32[2]: as dealt
    idle: Array  # int16: turns since a card was laid or a play called


@pytree
class View(view.View):
    unasked: Array  # bool
    training: Array  # bool
    earned: Array  # int8[ranks due, ranks laid]
    earlier: Array  # int32[2]


@dataclass(frozen=True)
class AsRun(Bluff):
    """Bluff as the thesis' program played it."""

    name: ClassVar[str] = "bluff as run"

    remainder: str = option("unused", "cards that cannot be shared evenly", choices=("unused",))
    # The program had no cap, and its games can be long.
    cap: int = option(20_000, "turns after which the game is a draw", least=1, most=20_000)

    def draw(self, key: chance.Key) -> Deal:
        before, first = jax.random.uniform(jax.random.fold_in(key, 1), (2,))
        before, first = (before * RUN).astype(jnp.int32), (first * (LESSONS - RUN)).astype(jnp.int32)
        return Deal(super().draw(key).stamp, jnp.stack([first, first + before]))

    def deal(self, deal: Deal) -> State:  # type: ignore[override]
        start = super().deal(deal)
        start = replace(start, stamp=start.stamp.astype(jnp.int32), laid=start.laid.astype(jnp.int32))
        return State(
            **_fields(start),
            unasked=jnp.bool_(False),
            learner=jnp.zeros(self.players, bool),
            learned=jnp.int32(0),
            trained=jnp.full(self.players, NOBODY, jnp.int8),
            earned=jnp.zeros((RANKS, RANKS), jnp.int8),
            earlier=deal.earlier,
            idle=jnp.int16(0),
        )

    def asked_seat(self, player: Array, number: Array) -> Array:
        """Seats are asked from the first on, whoever played."""
        return jnp.where(number == 0, player, number - 1 + (number > player))

    def observe(self, state: State, player: Array) -> View:  # type: ignore[override]
        seen = _fields(super().observe(state, player))
        training = state.learned < TRAINING
        return View(**seen, unasked=state.unasked, training=training, earned=state.earned, earlier=state.earlier)

    def honest(self, state: State) -> Array:  # type: ignore[override]
        """After training, what is held against the rank due is not what a learner laid but what it laid last in training."""
        player, due = state.turn % self.players, state.turn % self.ranks
        tested = state.learner[player] & (state.learned >= TRAINING)
        return jnp.where(tested, state.trained[player] == due, super().honest(state))

    def settle(self, state: State, called: Array, caller: Array) -> State:  # type: ignore[override]
        after: State = super().settle(state, called, caller)  # type: ignore[assignment]
        player, due = state.turn % self.players, state.turn % self.ranks
        learns = state.learner[player]
        trains = learns & (state.learned < TRAINING)
        laid = jnp.where(state.place == self.in_claim, self.card_ranks, jnp.int8(NOBODY)).max()
        rewarded = trains & ~(called & ~self.honest(state))
        cell = (jnp.arange(RANKS) == due)[:, None] & (jnp.arange(RANKS) == laid)
        idle = jnp.where(called | (laid != NOBODY), 0, state.idle + 1).astype(jnp.int16)
        return replace(
            after,
            # Only learners lay nothing, and only with one card left; once all do at every rank, they do so for ever: a draw.
            terminated=after.terminated | (idle == self.players * self.ranks),
            idle=idle,
            answers=jnp.where(state.unasked, state.answers, after.answers),
            unasked=called & (player == self.players - 1),
            learned=state.learned + learns,
            trained=jnp.where(trains & (jnp.arange(self.players) == player), laid, state.trained),
            earned=state.earned + (cell & rewarded),
        )

    def ways(self, agents: Sequence[Any]) -> Whole | None:
        return _ToldWhoLearns(self, tuple(agents)) if whole_turns(self, agents) else None


class _ToldWhoLearns(Whole):
    def turn(self, table: InPlay, seat: Array, seating: Array, key: chance.Key) -> InPlay:
        learner = jnp.asarray([isinstance(agent, Learner) for agent in self.agents])
        state: Any = table.state
        return super().turn(replace(table, state=replace(state, learner=learner[seating])), seat, seating, key)


def _fields(of: Any) -> dict[str, Any]:
    return {each.name: getattr(of, each.name) for each in fields(of)}


def _first_card(view: View) -> Array:
    """One card of the rank that stands first in the hand, int8[ranks]."""
    return (ranks_above(view.due, view.ranks) == view.first_above).astype(jnp.int8)


class _MayBeUnasked:
    """Before an agent: it does not call where the program forgot to ask."""

    def calls(self, view: Any, key: chance.Key) -> Array:
        return ~view.unasked & super().calls(view, key)  # type: ignore[misc]


@pytree
class Smart(_MayBeUnasked, agents.Smart):
    """Its search for the card it needs last does not stop once it has found one, and ends with its first card."""

    def cards(self, view: View, key: chance.Key) -> Array:  # type: ignore[override]
        return jnp.where(view.true_cards > 0, all_true(view), self._late_card(view))

    def _late_card(self, view: View) -> Array:
        """The first card if its rank is late enough, else one of the latest rank in the hand, else the first card."""
        first = _first_card(view)
        need = jnp.asarray(turns_until_due(view.players, view.ranks))[view.due]
        late = jnp.where((view.held > 0) & (need > self.soon), need, 0)
        latest = (late == late.max()).astype(jnp.int8)
        first_is_late = ((late > 0) & (first > 0)).any()
        return jnp.where((late.max() > 0) & ~first_is_late, latest, first)


@pytree
class Learner(Smart):
    """Trains as smart, then lays what the table it shares says; without a reward, any card but its first."""

    soon: int = 3
    lessons: Any = field(default_factory=lambda: np.zeros((LESSONS, RANKS, RANKS), np.float32))  # earned, summed up

    def cards(self, view: View, key: chance.Key) -> Array:  # type: ignore[override]
        first, end = (jnp.asarray(self.lessons)[at, view.due] for at in view.earlier)
        row = end - first + jnp.where(view.is_due[:, None], view.earned, jnp.int8(0)).sum(axis=0, dtype=jnp.int8)
        worth = jnp.where(view.held > 0, row, 0)
        best = jnp.arange(view.ranks) == jnp.argmax(worth)
        found = jnp.where(best & view.is_due, all_true(view), best.astype(jnp.int8))
        tested = jnp.where(worth.max() > 0, found, self._any_but_first(view, key))
        return jnp.where(view.training, super().cards(view, key), tested)

    def _any_but_first(self, view: View, key: chance.Key) -> Array:
        """One card other than the first; none at all where there is only the first."""
        others = view.held - _first_card(view)
        return chance.weighted_choice(key, others.astype(jnp.int32)).astype(jnp.int8)


@pytree
class Anxious(_MayBeUnasked, agents.Anxious):
    """Lays one true card, else its first; calls on two cards held less often than smart."""

    call_two: float = 0.10

    def cards(self, view: View, key: chance.Key) -> Array:  # type: ignore[override]
        return jnp.where(view.true_cards > 0, view.is_due.astype(jnp.int8), _first_card(view))


@pytree
class LateAnxious(Smart):
    """Anxious as of Tables 5 to 7, which cannot be the one above: it lays as smart."""

    threshold: int = 3

    def calls(self, view: Any, key: chance.Key) -> Array:
        return (~view.unasked & (view.sizes[view.player] < self.threshold)) | super().calls(view, key)


@partial(jax.jit, static_argnames="game")
def lessons(game: AsRun, agents: tuple[Any, ...], seating: Array, seed: Array) -> Array:
    """What trainings at a table earn, summed up from the first on, float32[LESSONS, ranks due, ranks laid]."""
    turns = game.ways(agents)
    assert turns is not None

    def training(number: Array) -> Array:
        key = chance.game_key(seed, number, 0)

        def play_on(index: Array, table: InPlay) -> InPlay:
            after = turns.turn(table, index % game.players, seating, key)
            return jax.tree.map(lambda old, new: jnp.where(turns.over(table), old, new), table, after)

        # By then even a lone learner is through with its training.
        table = jax.lax.fori_loop(0, game.players * TRAINING, play_on, turns.deal(chance.deal_key(key)))
        return table.state.earned

    return jnp.cumsum(jax.vmap(training)(jnp.arange(LESSONS)), axis=0, dtype=jnp.float32)
