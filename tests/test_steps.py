"""Agents that take long to answer are asked only where the turn is theirs, and answer the same."""

from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.agent import Memoryless, Random, is_heavy
from feint.arena import rollout
from feint.game import pytree
from feint.steps import asked_where

GAME = feint.make("leduc", players=4)


@pytree
class Quick:
    """Remembers how often it was asked, and lets that and its key decide."""

    bias: float = 0.0

    def begin(self, game, seat, key):
        return jnp.int32(0)

    def act(self, memory, view, legal, key):
        noise = jax.random.uniform(key, legal.shape) + self.bias * memory * view.card
        return jnp.argmax(jnp.where(legal, noise, -1.0)), memory + 1

    def finish(self, memory, view, rewards, key):
        return memory


@pytree
class Heavy(Quick):
    heavy: ClassVar[bool] = True


def test_heavy_agents_play_the_same_games_as_quick_ones():
    assert is_heavy(Heavy())
    assert not is_heavy(Quick())
    played = [
        rollout.play(GAME, [kind(0.1), kind(0.7), Random()], [0, 1, 2, 0], seed=3, first=0, matches=600, lanes=300)
        for kind in (Quick, Heavy)
    ]
    for one, other in zip(jax.tree.leaves(played[0]), jax.tree.leaves(played[1]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_agent_is_asked_at_a_single_table_too():
    ask = jax.vmap(asked_where(0.25, 64), (None, 0, None, 0, None, None))
    answers, _ = ask(
        Network(jnp.eye(3)), jnp.ones(1, bool), (), jnp.array([[0.0, 1.0, 2.0]]), jnp.ones(3, bool), chance.key(0)
    )
    assert answers.tolist() == [2]


@pytree
class Network(Memoryless):
    weight: jax.Array

    def act(self, memory, view, legal, key):
        return jnp.argmax(self.weight @ view), memory


ASKED = []


@pytree
class Counting(Random):
    """Writes down that it was asked."""

    heavy: ClassVar[bool] = True
    tables: ClassVar[int] = 1

    def act(self, memory, view, legal, key):
        jax.debug.callback(ASKED.append, view.seat)
        return super().act(memory, view, legal, key)


def test_nobody_is_asked_in_vain():
    """Neither at tables for which there is no match, nor at those that wait for others to be through."""
    ASKED.clear()
    game = feint.make("liars-dice")
    outcomes, _ = rollout.play(
        game, [Counting(), Counting()], [0, 1], seed=1, first=0, matches=5, lanes=16, capacity=16
    )
    jax.effects_barrier()
    assert len(ASKED) == outcomes.moves.sum()


@pytest.mark.parametrize(("share", "fewest", "looked_at"), [(0.25, 64, 64), (0.25, 16, 16), (1.0, 64, 256)])
def test_no_more_tables_are_looked_at_than_must_be(share, fewest, looked_at):
    """Of 256 tables of which a quarter asks, 64 go through the network at once, or fewer where these keep a CPU busy."""
    ask = asked_where(share, fewest)
    views, asked = jnp.arange(256.0)[:, None] * jnp.ones(3), jnp.arange(256) % 4 == 1
    keys = jax.random.split(chance.key(0), 256)
    mapped = jax.vmap(ask, (None, 0, None, 0, None, 0))
    arguments = Network(jnp.eye(3)), asked, (), views, jnp.ones(3, bool), keys
    shapes = str(jax.make_jaxpr(mapped)(*arguments))
    assert (f"f32[{looked_at},3] = dot_general" in shapes) or (f"f32[3,{looked_at}] = dot_general" in shapes)
    answers, _ = mapped(*arguments)
    assert (np.asarray(answers)[np.asarray(asked)] == 0).all()
