"""Actor-critic: rewards worked out by hand, best responses whose value is known, and runs that go on to the last bit."""

from dataclasses import dataclass

import jax
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.games.small.kuhn import Kuhn
from feint.learn.actor_critic import ActorCritic
from feint.learn.tables import make_tables, self_play
from tests.learn.learning import goes_on_to_the_same_numbers, share_of_best, trained

KUHN = feint.make("kuhn")
REMEMBERS = {"selection": "greedy", "capacity": 20_000}


@dataclass(frozen=True)
class Proud(Kuhn):
    """Kuhn poker in which one may be paid for good cards."""

    def shapings(self):
        return {"card": lambda view: 10.0 * view.card}


def test_a_shaping_pays_its_rise_and_takes_all_back_at_the_end():
    """A card does not change, so a decision before the last pays nothing more; the last one takes back what the card stood for."""
    algorithm = ActorCritic(rewards="card", lanes=16, horizon=6, discount=1.0)
    plain = ActorCritic(lanes=16, horizon=6, discount=1.0)
    tables = self_play(Proud())
    learner = jax.jit(algorithm.begin)(tables, chance.key(1))
    _, shaped, known, _ = jax.jit(algorithm._play)(tables, learner)
    _, sparse, _, _ = jax.jit(plain._play)(tables, learner)
    np.testing.assert_array_equal(shaped.action, sparse.action)  # the same games
    card = np.argmax(shaped.features.features[:, 2:5], axis=1)
    final = np.asarray(sparse.discount) == 0
    assert 0 < final.mean() < 1
    expected = np.asarray(sparse.reward) - np.where(final, 10.0 * card, 0.0)
    np.testing.assert_allclose(np.asarray(shaped.reward)[known], expected[known], atol=1e-5)


def test_an_unknown_shaping_is_refused():
    with pytest.raises(UserError, match="rewards of kuhn are one of sparse, not 'hand'"):
        ActorCritic(rewards="hand").begin(self_play(KUHN), chance.key(0))


def test_bluff_is_shaped_by_the_cards_in_the_hand():
    game = feint.make("bluff")
    view = game.observe(game.init(chance.key(0)), 0)
    assert float(game.shapings()["hand"](view)) == pytest.approx(-1.0)


def test_greedy_actors_explore_and_stochastic_ones_play_their_policy():
    logits, legal = np.array([0.0, 1.0, -1e9]), np.array([True, True, False])
    np.testing.assert_allclose(
        ActorCritic(selection="greedy", epsilon=0.2)._chances(logits, legal), [0.1, 0.9, 0], atol=1e-6
    )
    softmax = np.exp([0, 1.0]) / np.exp([0, 1.0]).sum()
    np.testing.assert_allclose(ActorCritic()._chances(logits, legal), [*softmax, 0], atol=1e-6)


@pytest.mark.parametrize(("how", "share"), [({"horizon": 2}, 0.95), (REMEMBERS, 0.95)])
def test_the_best_response_in_kuhn_is_learned(how, share):
    agent = trained(ActorCritic(steps=100_000, lanes=64, width=64, **how), KUHN, ["random"])
    earned, best = share_of_best(agent, "kuhn", "random")
    assert earned > share * best


def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    algorithm = ActorCritic(steps=100_000, lanes=64, width=64, **REMEMBERS)
    goes_on_to_the_same_numbers(algorithm, make_tables(KUHN, [["random"]]), tmp_path)


@pytest.mark.slow
def test_most_of_a_best_response_in_leduc_is_learned():
    agent = trained(ActorCritic(steps=4_000_000, lanes=256, horizon=4), feint.make("leduc"), ["random"])
    earned, best = share_of_best(agent, "leduc", "random")
    assert earned > 0.9 * best
