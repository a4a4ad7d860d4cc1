"""What a solver may tell apart at a decision: everything, or what an abstraction keeps.

Without an abstraction an information set is the player's own sequence of views and actions. An abstraction is a function
of the view, and with it an information set is what that keeps and what may be done, nothing else: the past is forgotten
unless the abstraction keeps it, which it can, since views remember. So a game says in one place what is worth telling apart, and
an information set may be reached in many ways, even twice in one game; to chain what was kept at earlier decisions would
multiply the sets with every move. The price is that regret minimisation is then only known to work where nothing
that matters is forgotten; how good a policy came out is measured in the whole game.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from feint import chance
from feint.errors import UserError
from feint.game import Game, pytree, static


@pytree
class Abstraction:
    """An abstraction of a game by its name; without a name, whole views and the past."""

    game: Game[Any, Any]
    name: str = static(default="")

    @classmethod
    def named(cls, game: Game[Any, Any], name: str) -> Abstraction:
        """Refused where the game does not offer it."""
        offered = game.abstractions()
        if name and name not in offered:
            there_are = f"there are: {', '.join(offered)}" if offered else "it offers none"
            raise UserError(f"{game} has no abstraction {name!r}; {there_are}.")
        return cls(game, name)

    @property
    def forgets(self) -> bool:
        """Whether information sets are told apart by what is kept of the view alone."""
        return bool(self.name)

    def keep(self, view: Any, legal: Any) -> Any:
        """What is told apart at a decision, a pytree."""
        return (self.game.abstractions()[self.name](view), legal) if self.name else view

    def kept_like(self) -> Any:
        """The shapes and types of what is kept."""

        def first() -> Any:
            state = self.game.init(chance.key(0))
            return self.keep(self.game.observe(state, jnp.int32(0)), state.legal_action_mask)

        return jax.eval_shape(first)
