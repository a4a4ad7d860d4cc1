"""What a shell offers after Tab: names of games and agents. Nothing here waits for JAX."""

from __future__ import annotations

from pathlib import Path

import typer

from feint.catalogue import LEVELS
from feint.registry import agent_names, game_names

ZOO = Path(__file__).parents[1] / "zoo"


def games(incomplete: str) -> list[str]:
    """Games that begin so."""
    return _beginning(game_names(), incomplete)


def shipped(incomplete: str) -> list[str]:
    """Agents of the zoo that begin so, with or without zoo: before them."""
    return _beginning([*_zoo(), *(f"zoo:{name}" for name in _zoo())], incomplete)


def agents(ctx: typer.Context, incomplete: str) -> list[str]:
    """Agents that play the game typed before, those of the zoo among them; after a comma, the next one."""
    typed, comma, last = incomplete.rpartition(",")
    return [f"{typed}{comma}{name}" for name in playing(str(ctx.params.get("game")).lower(), last)]


def playing(game: str, incomplete: str) -> list[str]:
    """Agents that play a game and begin so, those of the zoo among them."""
    return _beginning([*agent_names(game), *(f"zoo:{name}" for name in _zoo())], incomplete)


def opponents(ctx: typer.Context, incomplete: str) -> list[str]:
    """Levels, or agents by name."""
    return [*_beginning(LEVELS, incomplete), *agents(ctx, incomplete)]


def seats(ctx: typer.Context, incomplete: str) -> list[str]:
    """Agents, or me."""
    typed, comma, last = incomplete.rpartition(",")
    return [*(f"{typed}{comma}{name}" for name in _beginning(["me"], last)), *agents(ctx, incomplete)]


def _zoo() -> list[str]:
    return sorted(path.stem for path in ZOO.glob("*.npz"))


def _beginning(names: list[str] | tuple[str, ...], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
