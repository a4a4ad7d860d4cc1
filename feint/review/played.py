"""A recorded game gone through once more: every position in which somebody moved, and what each seat saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from feint.game import Game
from feint.record import Record
from feint.review.worlds import Past


@dataclass(frozen=True)
class Moment:
    """A position in which somebody moves, as the table has it."""

    move: int
    player: int
    legal: np.ndarray  # bool[actions]
    view: Any  # the mover's
    state: Any
    paid: np.ndarray  # float32[players]: so far


@dataclass(frozen=True)
class Played:
    """A recorded game gone through once more."""

    game: Game[Any, Any]
    names: list[str]
    specs: list[str]  # by position
    dealt: list[Any]  # every seat's view of the deal
    moments: list[Moment]  # before every move; of a game that is on, also the one that is to be made
    actions: list[int]
    payoffs: np.ndarray
    winners: np.ndarray  # bool[players]; nobody, while it is on
    first: bool  # whether no game of the same match came before it

    @classmethod
    def of(cls, record: Record) -> Played:
        table, moments = record.review(), []
        positions = range(table.game.players)
        dealt = [table.view(position) for position in positions]

        def look() -> Moment:
            view = table.view(table.player)
            return Moment(table.moves, table.player, table.legal, view, table.state(), table.rewards)

        moments.append(look())
        for _ in record.replay(table):
            if not table.over:
                moments.append(look())
        specs = [record.seats[table.chair(position)] for position in positions]
        winners = table.winners if table.over else np.zeros(len(specs), bool)
        return cls(
            table.game, table.names, specs, dealt, moments, table.actions, table.rewards, winners, record.number == 0
        )

    def past(self, seat: int) -> Past:
        """The game as a seat has seen it."""
        own = [moment for moment in self.moments if moment.player == seat]
        made = [self.actions[moment.move] for moment in own if moment.move < len(self.actions)]
        return Past(
            seat, self.dealt[seat], [each.view for each in own], made, [each.move for each in own], self.actions
        )
