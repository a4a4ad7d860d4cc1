"""Proximal policy optimisation: in one update no probability moves far, and divergences are those of Kullback and Leibler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from feint.learn.algorithm import Metrics
from feint.learn.policy_gradient import Decision, PolicyGradient
from feint.options import option


@dataclass(frozen=True)
class PPO(PolicyGradient):
    """PPO with entropy and a magnet: sound in large games, whoever sits at the table."""

    name: ClassVar[str] = "ppo"

    inertia: float = option(0.0, "weight of the divergence from the policy before the update", least=0, most=1000)
    clip: float = option(0.2, "how far a probability may move in an update, as a ratio", least=0, most=100)

    def judge(
        self, policy: Array, reference: Array, gain: Array, made: Decision, entropy: Array
    ) -> tuple[Array, Metrics]:
        def expected(values: Array) -> Array:
            return (jnp.exp(policy) * jnp.where(made.legal, values, 0.0)).sum()

        ratio = jnp.exp(policy[made.action] - made.before[made.action])
        surrogate = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - self.clip, 1 + self.clip) * gain)
        disorder, pulled, moved = -expected(policy), expected(policy - reference), expected(policy - made.before)
        loss = -surrogate - entropy * disorder + self.pull * pulled + self.inertia * moved
        clipped = jnp.abs(ratio - 1) > self.clip
        return loss, {"entropy": disorder, "from magnet": pulled, "moved": moved, "clipped": clipped}
