"""feint: a laboratory for games of bluff. All that most programs need is here; the packages below have the rest."""

from importlib import import_module
from typing import TYPE_CHECKING

from feint.version import __version__

if TYPE_CHECKING:
    from feint import chance, zoo
    from feint.arena.match import match
    from feint.arena.tournament import tournament
    from feint.errors import UserError
    from feint.game import Game
    from feint.learn.train import train
    from feint.pytrees import pytree
    from feint.record import Record
    from feint.registry import agent_names, game_names, make, make_agent
    from feint.solvers.solution import exploitability, solve
    from feint.table import Table
    from feint.testing import check_game

__all__ = [
    "Game",
    "Record",
    "Table",
    "UserError",
    "__version__",
    "agent_names",
    "chance",
    "check_game",
    "exploitability",
    "game_names",
    "make",
    "make_agent",
    "match",
    "pytree",
    "solve",
    "tournament",
    "train",
    "zoo",
]

_HOMES = {
    "Game": "feint.game",
    "Record": "feint.record",
    "Table": "feint.table",
    "UserError": "feint.errors",
    "agent_names": "feint.registry",
    "check_game": "feint.testing",
    "exploitability": "feint.solvers.solution",
    "game_names": "feint.registry",
    "make": "feint.registry",
    "make_agent": "feint.registry",
    "match": "feint.arena.match",
    "pytree": "feint.pytrees",
    "solve": "feint.solvers.solution",
    "tournament": "feint.arena.tournament",
    "train": "feint.learn.train",
}


def __getattr__(name: str) -> object:
    # Importing feint alone stays instant: JAX is loaded by the first name that needs it.
    if name in ("chance", "zoo"):
        return import_module(f"feint.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'feint' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
