"""Magnetic mirror descent in log-odds: how far two policies are apart is measured by what they differ in, however rare it is.

A policy gradient, and a divergence of Kullback and Leibler with it, counts an action by its probability. What is hardly ever
played is then hardly ever learned about: a bluff that has died out stays dead when it has long become the best reply. Here
every action's log-odds move by what the action gains and fall back towards even odds, both at full strength. Of what is too
rare to be judged, gains count less, so that it comes back until it is played now and then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from feint.learn.algorithm import Metrics
from feint.learn.policy_gradient import Decision, PolicyGradient
from feint.options import option


@dataclass(frozen=True)
class MMD(PolicyGradient):
    """Mirror descent in log-odds with a magnet: for equilibria of games in which all seats learn."""

    name: ClassVar[str] = "mmd"

    num_steps: int = option(32, "steps at each table before an update", least=1, most=2**16)
    ent_coef: float = option(0.1, "weight of even odds at the start, in units of the payoff", least=1e-4, most=1000)
    final_ent_coef: float = option(
        0.01, "weight of even odds at the end; in between it falls geometrically", least=1e-4, most=1000
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
    min_prob: float = option(0.03, "gains of actions less likely than this count less", least=1e-4, most=1)

    def judge(
        self, policy: Array, reference: Array, gain: Array, made: Decision, entropy: Array
    ) -> tuple[Array, Metrics]:
        def odds(logs: Array) -> Array:
            """Beside the mean of the legal actions, 0 for the others."""
            known = jnp.where(made.legal, logs, 0.0)
            return jnp.where(made.legal, known - known.sum() / made.legal.sum(), 0.0)

        def size(odds: Array) -> Array:
            return (odds**2).sum() / 2

        now = odds(policy)
        gained = now[made.action] * gain / jnp.maximum(jnp.exp(made.before[made.action]), self.min_prob)
        pulled, moved = size(odds(policy - reference)), size(now - odds(made.before))
        # Steps must shrink with what makes odds even, or the policy circles around the equilibrium again.
        inertia = self.kl_coef * self.ent_coef / entropy
        loss = -gained + entropy * size(now) + self.magnet_coef * pulled + inertia * moved
        disorder = -(jnp.exp(policy) * jnp.where(made.legal, policy, 0.0)).sum()
        return loss, {"entropy": disorder, "from magnet": pulled, "moved": moved}
