"""What plays a blueprint, in a file as small as its policy."""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance
from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import Game, pytree
from feint.solvers.betting import NOBODY, Bets
from feint.solvers.blueprint import Blueprint
from feint.solvers.cfr import matched

PARTS = 50  # probabilities are kept as multiples of one by this: what is rarer than half of it is not done


@pytree
class BlueprintAgent(Memoryless):
    """Plays an average policy: finds its place in the betting tree by what was bet, and its bucket by its cards."""

    heavy: ClassVar[bool] = True

    bets: Bets
    children: Array  # int32[decisions, actions]
    first: Array  # int32[decisions]: the row of each decision's first bucket
    chances: Array  # uint8[rows, actions]: in proportion to the probabilities

    @classmethod
    def of(cls, found: Blueprint) -> BlueprintAgent:
        chances = jnp.round(PARTS * found.average()).astype(jnp.uint8)
        return cls(found.bets, found.tree.children, found.first[:-1], chances)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        return chance.drawn(key, self.probabilities(view, legal)), memory

    def probabilities(self, view: Any, legal: Array) -> Array:
        """How likely each action is, float32[actions]."""

        def follow(decision: Array, action: Array) -> tuple[Array, None]:
            return jnp.where(action == NOBODY, decision, self.children[decision, action]), None

        decision = jax.lax.scan(follow, jnp.int32(0), self.bets.moves(view))[0]
        chances = self.chances[self.first[decision] + self.bets.bucket(view)]
        return matched(legal, chances.astype(jnp.float32))

    def recipe(self) -> dict[str, Any]:
        """All but the numbers, for a policy file."""
        return {"sizes": list(self.bets.sizes), "decisions": len(self.first), "rows": len(self.chances)}

    @classmethod
    def blank(cls, recipe: dict[str, Any], game: Game[Any, Any]) -> BlueprintAgent:
        """An agent of this recipe that knows nothing."""
        decisions, rows = int(recipe["decisions"]), int(recipe["rows"])
        return cls(
            game.betting.blank(game, recipe["sizes"]),
            jnp.zeros((decisions, game.actions), jnp.int32),
            jnp.zeros(decisions, jnp.int32),
            jnp.zeros((rows, game.actions), jnp.uint8),
        )
