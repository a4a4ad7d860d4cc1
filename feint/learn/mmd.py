"""Magnetic mirror descent in log-odds: the loop of `feint.learn.ppo` with a loss for games in which every seat learns.

Magnetic mirror descent takes the policy from π_old to the one that maximises, with A the advantage of an action,

    Σ_a π(a) A(a) − α D(π, even) − β D(π, magnet) − κ D(π, π_old).

In the KL divergence D of the paper an action counts by its probability, so what is hardly ever played is hardly ever learned about:
a bluff that has died out stays dead when it has long become the best reply. Here D is half the squared distance of the log-odds
z(a) = log π(a) − mean of log π over the legal actions, in which every action counts alike. From one decision, that is descending

    −z(a) A / max(π_old(a), min_prob) + α |z|²/2 + β |z − z_magnet|²/2 + κ |z − z_old|²/2.

Dividing by π_old(a) makes up for how seldom a rare action is seen; `min_prob` bounds by how much.

Sokota et al., A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum games (2023),
arXiv:2206.05825.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp
from jax import Array

from feint.game import Game
from feint.learn.algorithm import Metrics
from feint.learn.ppo import Decision, PolicyGradient
from feint.options import option

EVEN_UPDATES = 40  # so many have the full weight of even odds


@dataclass(frozen=True)
class MMD(PolicyGradient):
    """Mirror descent in log-odds with a magnet: for equilibria of games in which all seats learn."""

    name: ClassVar[str] = "mmd"

    num_envs: int = option(64, "tables in play at once", least=1, most=2**20)
    num_steps: int = option(32, "steps at each table before an update", least=1, most=2**16)
    ent_coef: float = option(0.1, "weight of even odds at the start, in units of the payoff", least=1e-4, most=1000)
    final_ent_coef: float = option(
        0.0,
        "weight of even odds at the end, to which it falls geometrically; 0 takes the less the more updates there are",
        least=0,
        most=1000,
    )
    magnet_coef: float = option(
        0.05, "weight of the distance from the magnet, in units of the payoff", least=0, most=1000
    )
    kl_coef: float = option(
        2.0,
        "weight of the distance from the policy before the update; it grows as the weight of even odds falls",
        least=0,
        most=1000,
    )
    update_epochs: int = option(4, "passes of an update over its steps", least=1, most=1000)
    gae_lambda: float = option(1.0, "lambda of generalised advantage estimation", least=0, most=1)
    action_values: bool = option(
        False,
        "let the critic tell what every action is worth, so that only what it did not foresee is learned by chance",
    )
    min_prob: float = option(0.03, "advantages of actions less likely than this count less", least=1e-4, most=1)

    @property
    def last_ent_coef(self) -> float:
        # Mirror descent converges where the weight falls by the root of the updates: odds that may become uneven sooner than they
        # are learned make a short run worse again towards its end.
        return self.final_ent_coef or self.ent_coef * min(1.0, (EVEN_UPDATES / self.updates) ** 0.5)

    def critic_outputs(self, game: Game[Any, Any]) -> int:
        return game.actions if self.action_values else 0

    def policy_loss(
        self, log_probs: Array, magnet_log_probs: Array, decision: Decision, ent_coef: Array
    ) -> tuple[Array, Metrics]:
        legal, action = decision.legal, decision.action

        def log_odds(log_probs: Array) -> Array:
            """Relative to the mean of the legal actions, 0 for the others."""
            known = jnp.where(legal, log_probs, 0.0)
            return jnp.where(legal, known - known.sum() / legal.sum(), 0.0)

        def size(odds: Array) -> Array:
            return (odds**2).sum() / 2

        odds = log_odds(log_probs)
        gains, surprise = jnp.zeros_like(odds), decision.advantage
        if self.action_values:
            gains, surprise = decision.baseline, decision.advantage - decision.baseline[action]
        rarity = jnp.maximum(jnp.exp(decision.old_log_probs[action]), self.min_prob)
        gain = odds @ gains + odds[action] * surprise / rarity
        from_magnet, from_old = (
            size(log_odds(log_probs - magnet_log_probs)),
            size(odds - log_odds(decision.old_log_probs)),
        )
        # Steps must shrink with what makes odds even, or the policy circles around the equilibrium again.
        kl_coef = self.kl_coef * self.ent_coef / ent_coef
        loss = -gain + ent_coef * size(odds) + self.magnet_coef * from_magnet + kl_coef * from_old
        entropy = -(jnp.exp(log_probs) * jnp.where(legal, log_probs, 0.0)).sum()
        return loss, {"entropy": entropy, "from magnet": from_magnet, "moved": from_old}
