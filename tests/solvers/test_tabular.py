"""Agents asked at every information set."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.agent import Memoryless, Random
from feint.errors import UserError
from feint.game import pytree
from feint.registry import make_agent
from feint.solvers.best_response import exploit
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build
from tests.solvers.openspiel import form


@pytree
class Tilted(Memoryless):
    """Takes the last legal action with this probability, else the first."""

    chance: float = 0.3

    def act(self, memory, view, legal, key):
        last = legal.size - 1 - jnp.argmax(legal[::-1])
        return jnp.where(jax.random.uniform(key) < self.chance, last, jnp.argmax(legal)), memory


@pytree
class Counting:
    """Remembers how often it acted: the first action at first, then the last legal one."""

    def begin(self, game, seat, key):
        return jnp.int32(0)

    def act(self, memory, view, legal, key):
        last = legal.size - 1 - jnp.argmax(legal[::-1])
        return jnp.where(memory > 0, last, jnp.argmax(legal)), memory + 1

    def finish(self, memory, view, rewards, key):
        return jnp.int32(0)


@pytree
class Moody(Counting):
    """Its memory is drawn."""

    def act(self, memory, view, legal, key):
        return jnp.argmax(legal), memory + jax.random.bernoulli(key)


def test_an_agent_that_says_its_probabilities_is_taken_at_its_word():
    ours = form("leduc")
    np.testing.assert_allclose(policy_of(ours, Random()), ours.uniform(), atol=1e-7)


def test_shares_of_draws_come_near_an_agents_probabilities():
    ours = form("kuhn")
    policy = policy_of(ours, Tilted(), draws=4000)
    assert policy[:, 1] == pytest.approx(np.full(12, 0.3), abs=0.03)
    assert (policy == policy_of(ours, Tilted(), draws=4000)).all()
    assert (policy != policy_of(ours, Tilted(), seed=1, draws=4000)).any()


def test_memory_goes_along_with_the_agents_own_actions():
    ours = form("kuhn")
    policy = policy_of(ours, Counting())
    acted = ours.tree.infosets.depth > 0
    np.testing.assert_array_equal(policy[:, 1], acted)


def test_a_memory_that_depends_on_chance_is_refused():
    with pytest.raises(UserError, match="memory depends on more than"):
        policy_of(form("kuhn"), Moody())


def test_plain_python_agents_are_refused():
    class Plain:
        def act(self, view, legal):
            return 0

    with pytest.raises(UserError, match="plain Python"):
        policy_of(form("kuhn"), Plain())


@pytest.fixture(scope="module")
def mini_bluff():
    return SequenceForm.of(build(feint.make("bluff", players=2, ranks=2, suits=2, cap=4)))


@pytest.mark.parametrize("name", ["no-bluff", "tit-for-tat"])
def test_thesis_agents_have_exact_policies_at_mini_bluff(mini_bluff, name):
    policy = policy_of(mini_bluff, make_agent(name, mini_bluff.tree.game))
    assert set(np.unique(policy)) == {0, 1}  # with two suits none of them draws
    found = exploit(mini_bluff, policy)
    assert found.values.sum() == pytest.approx(0, abs=1e-12)
    assert (found.gains >= -1e-12).all()


def test_an_agent_that_remembers_keys_is_asked_too():
    game = feint.make("bidding", players=3, coins=2)
    form = SequenceForm.of(build(game))
    policy = policy_of(form, make_agent("drifting(world=1)", game), draws=64)
    assert policy.sum(axis=1) == pytest.approx(1)
