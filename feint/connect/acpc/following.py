"""Lines that a dealer sends to one position, as states of feint's own rules: betting is stepped along, and cards are put in as they are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.errors import UserError
from feint.games.holdem import acpc
from feint.games.holdem.acpc import Hand
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import Deal, State
from feint.games.holdem.view import View


@dataclass(frozen=True)
class Step:
    """A hand after some actions, whatever its cards."""

    action: int  # the last one
    state: State
    round: int
    player: int  # whose turn it is
    legal: np.ndarray  # bool[actions]
    over: bool


class Following:
    """A match as one seat is told of it. Views show nothing of what is hidden, so that any cards may stand there."""

    def __init__(self, rules: Holdem) -> None:
        self.rules = rules
        self._path = [_step(-1, _dealt(rules))]  # the hand told of last, from the deal on

    @property
    def moves(self) -> int:
        """How many actions it has."""
        return len(self._path) - 1

    def told(self, position: int, hand: Hand) -> Step:
        """Where a hand stands that is told of to a position; `UserError` where no hand comes to stand so."""
        if not 0 <= position < self.rules.players:
            raise UserError(f"There is no position {position} among {self.rules.players}.")
        acpc.check_cards(self.rules, hand)
        if not hand.hole[position]:
            raise UserError(f"Position {position} is not told its own cards.")
        step = self._walk([action for part in hand.betting for action in part])
        if hand.betting != self._betting():
            ours, theirs = map(acpc.betting_text, (self._betting(), hand.betting))
            raise UserError(f"The rounds of {theirs} are those of {ours}.")
        return step

    def seen(self, position: int, hand: Hand) -> tuple[View, np.ndarray]:
        """All that the position knows of the hand told of last, and what it pays once it is over, float32[players]."""
        cards = acpc.completed(self.rules, hand)
        found = _look(self.rules, self._path[-1].state, *cards, np.int32(position))
        view, rewards = jax.tree.map(np.asarray, found)
        ours = acpc.hand_of(self.rules, view, hand.number)  # with the cards that are to be seen
        if any(own not in ((), told) for own, told in zip(ours.hole, hand.hole, strict=True)):
            raise UserError(
                f"{acpc.cards_text(hand.hole, hand.board)} are not all the cards that are shown at the end."
            )
        return view, rewards

    def _betting(self) -> tuple[tuple[int, ...], ...]:
        """The actions of the hand told of last, by round."""
        taken = [(before.round, step.action) for before, step in pairwise(self._path)]
        rounds = range(self._path[-1].round + 1)
        return tuple(tuple(action for of, action in taken if of == each) for each in rounds)

    def _walk(self, actions: Sequence[int]) -> Step:
        """The hand after these actions; those that it has in common with the one before are not taken again."""
        pairs = zip(self._path[1:], actions, strict=False)
        kept = sum(1 for _ in takewhile(lambda pair: pair[0].action == pair[1], pairs))
        path = self._path[: kept + 1]
        for action in actions[kept:]:
            if path[-1].over or not path[-1].legal[action]:
                before = acpc.betting_text([actions[: len(path) - 1]])
                raise UserError(f"{acpc.LETTERS[action]} cannot follow {before or 'the deal'}.")
            path.append(_step(action, _moved(self.rules, path[-1].state, np.int32(action))))
        self._path = path
        return path[-1]


def _step(action: int, state: State) -> Step:
    told = state.round, state.current_player, state.legal_action_mask, state.terminated
    number, player, legal, over = map(np.asarray, told)
    return Step(action, state, int(number), int(player), legal, bool(over))


@jax.jit
def _dealt(rules: Holdem) -> State:
    return rules.deal(rules.dealt(jnp.arange(2 * rules.players + sum(rules.board), dtype=jnp.int8)))


@jax.jit
def _moved(rules: Holdem, state: State, action: Array) -> State:
    return rules.step(state, action)


@jax.jit
def _look(rules: Holdem, betting: State, hole: Array, board: Array, position: Array) -> tuple[View, Any]:
    """What a position sees of a hand with this betting and these cards, and what it would be paid if it ended now."""
    state = replace(betting, hole=hole, board=board, strength=rules.strengths(Deal(hole, board)))
    return rules.observe(state, position), rules.payoffs(state)
