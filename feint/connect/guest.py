"""One of feint's agents at a table that somebody else keeps: it is shown views, and its memory lasts the match."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import Array

from feint import chance, outside
from feint.agent import Agent, Memory, is_compiled
from feint.errors import UserError
from feint.game import Game
from feint.seating import Person, Sitter, sat_down, spec_of


class Guest:
    """An agent of any kind, in one chair. Its chance is what it would be at a `Table` of the same seed."""

    def __init__(self, game: Game[Any, Any], sitter: Sitter | str, chair: int, seed: int = 0) -> None:
        chance.check_seed(seed)
        self.game, self.chair, self.seed, self.name = game, chair, seed, spec_of(sitter)
        self._agent: Any = sat_down(sitter, game)
        if isinstance(self._agent, Person):
            raise UserError("A person cannot sit at a table elsewhere: name an agent.")
        self._begun = False
        self._memory: Memory = None

    def act(self, number: int, move: int, view: Any, legal: np.ndarray) -> int:
        """What it does at its move, the so-and-so many-th of a game of the match."""
        self._begin(number)
        if is_compiled(self._agent):
            given = (self._memory, view, legal, *self._of(number), np.int32(move))
            chosen, self._memory = _act(self._agent, *given)
            action = int(chosen)
        else:
            question = outside.Question(view, legal.copy(), self._place(number), move)
            (action,) = outside.ask([self._agent], [self.name], [question], None)
        outside.check_legal(self.game, self.name, view, legal, action, move)
        return action

    def finish(self, number: int, position: int, view: Any, rewards: np.ndarray) -> None:
        """Tell it how a game ended."""
        self._begin(number)
        if is_compiled(self._agent):
            self._memory = _finish(self._agent, self._memory, view, rewards, *self._of(number), np.int32(position))
        else:
            outside.finish(self._agent, view, rewards, self._place(number))

    def rehearse(self, view: Any, legal: np.ndarray, rewards: np.ndarray) -> None:
        """Compile whatever a match needs, and remember nothing of it."""
        if is_compiled(self._agent):
            of_game = self._of(0)
            memory = _begin(self.game, self._agent, *of_game, np.int32(self.chair))
            _act(self._agent, memory, view, legal, *of_game, np.int32(0))
            _finish(self._agent, memory, view, rewards, *of_game, np.int32(0))

    def _of(self, number: int) -> tuple[np.int32, np.int32]:
        return np.int32(self.seed), np.int32(number)

    def _place(self, number: int) -> outside.Place:
        return outside.Place(self.seed, 0, number, self.chair)

    def _begin(self, number: int) -> None:
        if self._begun:
            return
        self._begun = True
        if is_compiled(self._agent):
            self._memory = _begin(self.game, self._agent, *self._of(number), np.int32(self.chair))
        else:
            outside.begin(self._agent, self.game, self.chair)


@jax.jit
def _begin(game: Game[Any, Any], agent: Agent, seed: Array, number: Array, chair: Array) -> Memory:
    return agent.begin(game, chair, chance.begin_key(chance.game_key(seed, 0, number), chair))


@jax.jit
def _act(
    agent: Agent, memory: Memory, view: Any, legal: Array, seed: Array, number: Array, move: Array
) -> tuple[Array, Memory]:
    return agent.act(memory, view, legal, chance.move_key(chance.game_key(seed, 0, number), move))


@jax.jit
def _finish(
    agent: Agent, memory: Memory, view: Any, rewards: Array, seed: Array, number: Array, position: Array
) -> Memory:
    return agent.finish(memory, view, rewards, chance.finish_key(chance.game_key(seed, 0, number), position))
