"""The plain player of the risk-dominance paper: the stronger its cards, the likelier it raises.

`python -m feint.games.holdem.tanh` finds the `shift` with which it raises as often as the paper's player did.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from feint.agent import Memory, Memoryless
from feint.chance import Key
from feint.game import option, pytree
from feint.games.holdem.equities import Equities
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.games.holdem.view import View

RAISE_RATIO = 0.273  # of all its decisions, by the paper's table 4


@pytree
class Tanh(Memoryless):
    """Raises with a chance that grows with its strength beside that of average cards; else calls where the pot pays for it."""

    heavy: ClassVar[bool] = True

    steep: float = option(2.0, "how fast the chance of a raise grows with strength", least=0, most=100)
    scale: float = option(1.928, "by what that is divided", least=0.01, most=100)
    shift: float = option(0.255, "what is added to it", least=-2, most=2)
    other: float = option(0.5, "how strong it takes an opponent to be", least=0, most=1)
    equities: Equities = Equities()

    def act(self, memory: Memory, view: View, legal: Array, key: Key) -> tuple[Array, Memory]:
        return self.chosen(self.equities.ehs(view.cards, view.board), view, legal, key), memory

    def chosen(self, ehs: Array, view: View, legal: Array, key: Key) -> Array:
        """What it does with cards of such a strength."""
        raises, otherwise = self._weighed(ehs, view, legal)
        return jnp.where(jax.random.uniform(key) < raises, RAISE, otherwise)

    def probabilities(self, view: View, legal: Array) -> Array:
        """How likely each action is, float32[3]."""
        raises, otherwise = self._weighed(self.equities.ehs(view.cards, view.board), view, legal)
        return (1 - raises) * jax.nn.one_hot(otherwise, 3) + raises * jax.nn.one_hot(RAISE, 3)

    def _weighed(self, ehs: Array, view: View, legal: Array) -> tuple[Array, Array]:
        """How likely it raises, from 0 to 1, and what it does if it does not."""
        opponents = view.live.sum() - 1
        wins = ehs**opponents
        raises = jnp.tanh(self.steep * (wins - self.other**opponents)) / self.scale + self.shift
        pays = wins * (view.pot + view.to_call) >= view.to_call
        return jnp.where(legal[RAISE], jnp.clip(raises, 0, 1), 0), jnp.where(pays | ~legal[FOLD], CALL, FOLD)


def raise_ratio(agent: Tanh, games: int, players: int = 3, seed: int = 0) -> float:
    """The share of raises in all decisions of such players among themselves."""
    from feint.arena.rollout import play
    from feint.games.holdem.game import Holdem

    outcomes, _ = play(Holdem(players=players), (agent,), [0] * players, seed=seed, first=0, matches=games)
    counts = {name: int(each.sum()) for name, each in outcomes.events.items()}
    return counts["raises"] / sum(counts.values())


def calibrated(games: int = 16_384) -> Tanh:
    """The player whose `shift` makes it raise as often as the paper's did, found by halving."""
    low, high = -0.5, 1.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        more = raise_ratio(replace(Tanh(), shift=middle), games) < RAISE_RATIO
        low, high = (middle, high) if more else (low, middle)
    return replace(Tanh(), shift=round((low + high) / 2, 3))


if __name__ == "__main__":
    found = calibrated()
    print(f"shift={found.shift}: raises are {raise_ratio(found, 65_536, seed=1):.4f} of all decisions")
