"""How much better than expected decisions came out, each by what its own seat was paid until it decided again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint.learn.trajectories import Steps, Turn


def advantages(
    steps: Steps, values: Array, last: Turn, last_values: Array, gamma: float, gae_lambda: float
) -> tuple[Array, Array]:
    """Generalised advantage estimates, float32[num_steps, num_envs], and where they are known, bool[num_steps, num_envs].

    Backwards through the steps of a table, every seat has what it is paid until its next decision, the value and the advantage
    there, and whether that is known: a decision whose seat neither decides again nor sees the end of the game is not learned from.
    """
    seats = jnp.arange(steps.rewards.shape[-1])

    def of_env(steps: Steps, values: Array, ready: Array, seat: Array, value: Array) -> tuple[Array, Array]:
        awaited = ready & (seats == seat)
        zeros = jnp.zeros(len(seats))

        def before(carry: Any, row: tuple[Steps, Array]) -> tuple[Any, tuple[Array, Array]]:
            step, value = row
            reward, next_value, next_advantage, known = carry
            reward = step.rewards + jnp.where(step.ended, 0.0, reward)
            next_value, next_advantage = (jnp.where(step.ended, 0.0, each) for each in (next_value, next_advantage))
            known |= step.ended
            delta = reward + gamma * next_value - value
            advantage = delta + gamma * gae_lambda * next_advantage
            mine = step.acted & (seats == step.seat)
            return (
                jnp.where(mine, 0.0, reward),
                jnp.where(mine, value, next_value),
                jnp.where(mine, jnp.where(known, advantage, 0.0), next_advantage),
                known | mine,
            ), (advantage[step.seat], step.acted & known[step.seat])

        end = zeros, jnp.where(awaited, value, 0.0), zeros, awaited
        return jax.lax.scan(before, end, (steps, values), reverse=True)[1]

    bare = replace(steps, noted=None)
    return jax.vmap(of_env, (1, 1, 0, 0, 0), 1)(bare, values, last.ready, last.seat, last_values)


def centred(told: Array, log_probs: Array) -> Array:
    """Advantages as a critic tells them, float32[..., actions], so that a policy of these log-probabilities has none on average; or float32[..., 0]."""
    if not told.shape[-1]:
        return told
    return told - (jnp.exp(log_probs) * told).sum(axis=-1, keepdims=True)
