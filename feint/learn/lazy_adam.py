"""Adam for tables, of which a minibatch has a say in few rows: the others stay as they are, and so do their moments.

With Adam as it is, a row that is seldom visited forgets how uncertain its gradients are in between, and every visit throws it far."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

DECAY, SQUARED_DECAY, EPSILON = 0.9, 0.999, 1e-8


class Moments(NamedTuple):
    visits: Any  # like the parameters, float32: minibatches that had a say
    mean: Any
    squared: Any


def lazy_adam() -> optax.GradientTransformation:
    """Steps of the size of Adam's for every number whose gradient is not zero, and none for the others."""

    def init(parameters: Any) -> Moments:
        zeros = jax.tree.map(jnp.zeros_like, parameters)
        return Moments(zeros, zeros, zeros)

    def update(gradients: Any, moments: Moments, _: Any = None) -> tuple[Any, Moments]:
        def kept(old: Any, new: Any) -> Any:
            return jax.tree.map(lambda gradient, old, new: jnp.where(gradient != 0, new, old), gradients, old, new)

        def decayed(rate: float, old: Any, new: Any) -> Any:
            return kept(old, jax.tree.map(lambda old, new: rate * old + (1 - rate) * new, old, new))

        visits = kept(moments.visits, jax.tree.map(lambda visits: visits + 1, moments.visits))
        mean = decayed(DECAY, moments.mean, gradients)
        squared = decayed(SQUARED_DECAY, moments.squared, jax.tree.map(jnp.square, gradients))

        def step(gradient: Array, visits: Array, mean: Array, squared: Array) -> Array:
            """Moments began at zero: the fewer visits, the less of them is there."""
            mean, squared = mean / (1 - DECAY**visits), squared / (1 - SQUARED_DECAY**visits)
            return jnp.where(gradient != 0, mean / (jnp.sqrt(squared) + EPSILON), 0.0)

        return jax.tree.map(step, gradients, visits, mean, squared), Moments(visits, mean, squared)

    return optax.GradientTransformation(init, update)
