"""The body of `feint exploit --local`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from feint.agent import is_compiled
from feint.arena.show import Paper, a_game, paid
from feint.arena.statistics import LEVEL, Interval, mean
from feint.errors import UserError
from feint.game import Game
from feint.interrupts import check, on_ctrl_c, shown
from feint.registry import make_agent
from feint.solvers.local_best_response import BATCH_SIZE, winnings


def how_locally_exploitable(game: Game[Any, Any], agents: Sequence[str], hands: int, seed: int) -> int:
    """Say what a local best response wins from an agent, whichever seat it has. The exit code."""
    if game.betting is None:
        raise UserError(f"--local is for games of betting, which {game.name} is not.")
    if game.players != 2:
        raise UserError(f"--local is for 2 players, not for {game.players}.")
    if len(agents) != 1:
        raise UserError(f"Name one agent with --local, not {len(agents)}.")
    agent: Any = make_agent(agents[0], game)
    if not is_compiled(agent):
        raise UserError(
            f"--local asks an agent of its every hand, which only compiled ones answer; {agents[0]} is not."
        )
    console, bets = Paper(), game.betting.blank(game, ())
    won = np.zeros(0)

    def told() -> str:
        if len(won) < 2 * BATCH_SIZE:
            return "Stopped before enough hands were played."
        value, around = paid(_interval(won), game.unit)
        what = f"{value} {around} {a_game(game.unit)}"
        return f"A local best response wins {what} from {agents[0]}, over {len(won):,} hands, at {LEVEL:.0%}."

    with on_ctrl_c(told), shown(console.status("Compiling ...")) as status:
        while len(won) < hands:
            won = np.append(won, np.asarray(winnings(bets, agent, len(won), BATCH_SIZE, seed)))
            status.update(f"{len(won):,} of {hands:,} hands ...")
            check()
    console.print(told(), soft_wrap=True)
    return 0


def _interval(won: np.ndarray) -> Interval:
    """Of a mean, over cards that were dealt in both seats."""
    return mean(won.reshape(-1, 2).mean(axis=1))
