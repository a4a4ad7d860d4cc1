"""What is compiled for all learners."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp

from feint import chance
from feint.games.small.kuhn import Kuhn
from feint.learn.algorithm import begun, updated
from feint.learn.ppo import PPO
from feint.learn.tables import self_play


@dataclass(frozen=True)
class Weak(Kuhn):
    """Kuhn poker whose deals have numbers of a weak type."""

    def deal(self, deal):
        return replace(super().deal(deal), history=jnp.full(self.max_moves, -1))


def test_one_compilation_serves_every_update():
    algorithm, tables = PPO(num_envs=4, num_steps=2, width=4), self_play(Weak())
    first = jax.eval_shape(lambda key: begun(algorithm, tables, key), chance.key(0))
    second, _ = jax.eval_shape(lambda learner: updated(algorithm, tables, learner), first)
    assert not [leaf for leaf in jax.tree.leaves(first) if leaf.weak_type]
    assert jax.tree.map(jax.typeof, first) == jax.tree.map(jax.typeof, second)
