"""The walk through a game of OpenSpiel, from its first state to all others, from which a listing is written."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyspiel

from feint.errors import UserError

MOST = 300_000  # states that are listed
MOST_NUMBERS = 20_000_000  # that networks read, of all information sets together
NOBODY = -1


@dataclass(slots=True, eq=False)
class Node:
    """A state as it is met on the walk."""

    player: int  # or PlayerId.CHANCE, PlayerId.TERMINAL
    returns: list[float]
    before: Node | None = None
    action: int = NOBODY  # or the outcome that led here
    moves: int = 0
    decided: int = 0  # by chance before it
    in_a_row: int = 0  # chance nodes just before it
    weight: float = 1.0  # how likely it is where everybody moves at random
    last_move: tuple[int, int] = (NOBODY, NOBODY)  # the player and the action
    sets: list[int] = field(default_factory=list)  # the information set of each player
    after: list[tuple[int, Node]] = field(default_factory=list)  # by actions or outcomes
    chances: tuple[float, ...] = ()  # of the outcomes
    text: str = ""  # of the state, in a game without secrets
    since: tuple[tuple[int, ...], ...] = ()  # of each player: actions and outcomes since its own last move
    number: int = NOBODY

    @property
    def apart(self) -> Any:
        """What tells states of one text apart, in a game without secrets. A single thing that happened shows in the text; of several, others would be forgotten."""
        return self.moves, self.decided, tuple(done if len(done) > 1 else () for done in self.since)


class Walk:
    """From the first state to all others. In a game without secrets, ways that lead to the same state meet there."""

    def __init__(self, game: Any, name: str) -> None:
        self.game, self.name = game, name
        self.open = game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
        self.nodes: list[Node] = []
        self.met: dict[Any, Node] = {}
        self.sets: dict[Any, int] = {}
        self.texts: list[str] = []
        self.rows: list[Any] = []  # of each information set, as networks read it
        self._row: Any = _reader(game.get_type(), self.open)
        first = game.new_initial_state()
        start = Node(first.current_player(), first.returns(), text=str(first), since=((),) * game.num_players())
        todo = deque([(first, self._entered(first, start))])
        while todo:
            todo += self._next(*todo.popleft())  # the shallow ones first: what a state takes grows with its history

    def _next(self, state: Any, node: Node) -> list[tuple[Any, Node]]:
        """The states that follow one and were not met before."""
        by_chance, new = state.is_chance_node(), []
        if by_chance:
            likely = [(outcome, chance) for outcome, chance in state.chance_outcomes() if chance > 0]
        else:
            actions = [] if state.is_terminal() else state.legal_actions()
            likely = [(action, 1 / len(actions)) for action in actions]
        node.chances = tuple(chance for _, chance in likely) if by_chance else ()
        for action, chance in likely:
            after = state.child(action)
            made = Node(after.current_player(), after.returns(), node, action, weight=node.weight * chance)
            made.since = tuple(() if seat == node.player else (*done, action) for seat, done in enumerate(node.since))
            if by_chance:
                made.moves, made.decided, made.in_a_row = node.moves, node.decided + 1, node.in_a_row + 1
                made.last_move = node.last_move
            else:
                made.moves, made.decided = node.moves + 1, node.decided
                made.last_move = node.player, action
            found = self._met(after, made) if self.open else made
            node.after.append((action, found))
            if found is made:
                new.append((after, self._entered(after, made)))
        return new

    def _met(self, state: Any, node: Node) -> Node:
        """The node of a game without secrets that this one is, perhaps met before."""
        node.text = str(state)
        return self.met.setdefault((node.text, node.player, node.apart, *node.returns), node)

    def _entered(self, state: Any, node: Node) -> Node:
        if len(self.nodes) == MOST:
            raise UserError(
                f"{self.name} is too large to be listed: {MOST:,} states were seen, which is the limit, and there are more; give it smaller parameters."
            )
        self.nodes.append(node)
        if not state.is_chance_node():
            node.sets = [self._set(state, node, seat) for seat in range(self.game.num_players())]
        return node

    def _set(self, state: Any, node: Node, seat: int) -> int:
        """The information set of a player. Whose turn it is is known to all, and of a finished game what it paid."""
        text = node.text if self.open else state.information_state_string(seat)
        end = tuple(node.returns) if state.is_terminal() else ()
        apart = node.apart if self.open else ()
        number = self.sets.setdefault((seat, text, node.player, end, apart), len(self.sets))
        if number == len(self.texts):
            self.texts.append(text)
            if self._row:
                self._read(self._row(state, seat))
        return number

    def _read(self, row: Any) -> None:
        """Keep what networks read, unless that comes to too much."""
        self.rows.append(np.array(row, np.float32))
        if len(self.rows) * len(row) > MOST_NUMBERS:
            self.rows, self._row = [], None


def _reader(kind: Any, is_open: bool) -> Any:
    """How OpenSpiel writes a player's information set as numbers; None where it does not."""
    if kind.provides_observation_tensor and (is_open or not kind.provides_information_state_tensor):
        return lambda state, seat: state.observation_tensor(seat)
    return (
        (lambda state, seat: state.information_state_tensor(seat)) if kind.provides_information_state_tensor else None
    )
