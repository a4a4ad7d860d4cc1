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

    kl_coef: float = option(0.0, "weight of the KL divergence from the policy before the update", least=0, most=1000)
    clip_coef: float = option(
        0.2, "clipping: how far the probability ratio may move from 1 in an update", least=0, most=100
    )

    def judge(
        self, policy: Array, reference: Array, gain: Array, made: Decision, entropy: Array
    ) -> tuple[Array, Metrics]:
        def expected(values: Array) -> Array:
            return (jnp.exp(policy) * jnp.where(made.legal, values, 0.0)).sum()

        ratio = jnp.exp(policy[made.action] - made.before[made.action])
        surrogate = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - self.clip_coef, 1 + self.clip_coef) * gain)
        disorder, pulled, moved = -expected(policy), expected(policy - reference), expected(policy - made.before)
        loss = -surrogate - entropy * disorder + self.magnet_coef * pulled + self.kl_coef * moved
        clipped = jnp.abs(ratio - 1) > self.clip_coef
        return loss, {"entropy": disorder, "from magnet": pulled, "moved": moved, "clipped": clipped}
