"""Agents that thousands of games can be played with."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from feint.agent import Agent, is_compiled, thinks_long
from feint.errors import UserError
from feint.game import Game
from feint.registry import make_agent, rivals
from feint.seating import sat_down, spec_of

LONG = 100  # moves: thousands of games of more, played by a network, take minutes


def default_agent(game: Game[Any, Any]) -> str:
    """Who plays on where nobody is named: the first that is strong, can play the game as it is and does not think for long; in long games fair, and quick."""
    long = game.max_moves > LONG
    for spec in rivals(game.name, "fair" if long else "strong", trained=not long):
        with suppress(UserError):
            agent = make_agent(spec, game)
            if is_compiled(agent) and not thinks_long(agent):
                return spec
    return "random"


def compiled_agent(named: str | Agent, game: Game[Any, Any]) -> Agent:
    """An agent that thousands of games can be played with."""
    agent = sat_down(named, game)
    if not is_compiled(agent):
        raise UserError(
            f"{spec_of(named)} is not compiled, as thousands of games need: choose an agent that is, such as {default_agent(game)}."
        )
    return agent  # type: ignore[return-value]
