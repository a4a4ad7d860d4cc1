"""What a network remembers of a match: what its games so far told of how everybody plays, on average."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.game import Game, pytree

MATCH = "match "  # begins the name of a piece of network input that tells of the games before
HALF = 10.0  # games after which the number of games is told as a half


@pytree
class Recall:
    """What one player remembers, players counted clockwise from itself: these stay the same people through a match."""

    games: Array  # float32: that are over
    told: dict[str, Array]  # float32[players, ...] each: `Game.tells`, added up over these games

    @classmethod
    def blank(cls, game: Game[Any, Any]) -> Recall:
        """At the start of a match."""

        def tells() -> dict[str, Array]:
            return dict(game.tells(game.observe(game.init(chance.key(0)), jnp.int32(0))))

        return cls(jnp.float32(0), {name: jnp.zeros(each.shape) for name, each in jax.eval_shape(tells).items()})

    def after(self, game: Game[Any, Any], view: Any) -> Recall:
        """After a game that ended with this view."""
        tells = game.tells(view)
        told = {name: total + jnp.roll(tells[name], -view.seat, axis=0) for name, total in self.told.items()}
        return Recall(self.games + 1, told)

    def pieces(self) -> dict[str, Array]:
        """It as network input: how many games there were, and what a game told on average."""
        averages = {MATCH + name: total / jnp.maximum(self.games, 1) for name, total in self.told.items()}
        return {MATCH + "games": (self.games / (self.games + HALF))[None], **averages}


def has_tells(game: Game[Any, Any]) -> bool:
    """Whether the end of a game tells anything that is worth remembering."""
    return bool(Recall.blank(game).told)
