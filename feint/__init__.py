"""feint: a laboratory for games of bluff."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from feint.registry import agent_names, game_names, make, make_agent

__version__ = "0.1.0"
__all__ = ["agent_names", "game_names", "make", "make_agent"]


def __getattr__(name: str) -> object:
    # Importing feint alone stays instant: JAX is loaded by the first game that is made.
    if name in __all__:
        from feint import registry

        return getattr(registry, name)
    raise AttributeError(f"module 'feint' has no attribute {name!r}")
