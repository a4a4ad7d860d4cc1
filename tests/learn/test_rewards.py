"""Rewards by name: what a shaping pays, worked out by hand, by every learner that takes one."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.games.small.kuhn import Kuhn
from feint.learn.actor_critic import ActorCritic
from feint.learn.algorithm import begun
from feint.learn.dqn import DQN
from feint.learn.nfsp import NFSP
from feint.learn.rewards import potential
from feint.learn.tables import self_play

QUICK = {"num_envs": 16, "num_steps": 6, "gamma": 1.0}


@dataclass(frozen=True)
class Proud(Kuhn):
    """Kuhn poker in which one may be paid for good cards."""

    def shapings(self):
        return {"card": lambda view: 10.0 * view.card}


def played_by(algorithm):
    """Features, transitions and which of them are known, of the first games of a learner that plays itself."""
    tables = self_play(Proud())
    learner = begun(algorithm, tables, chance.key(1))
    if isinstance(algorithm, ActorCritic):
        _, rows, known, _ = jax.jit(algorithm._play)(tables, learner)
        return rows.features.features, rows, known
    play = algorithm._play_both if isinstance(algorithm, NFSP) else algorithm._play
    rows, known = jax.jit(play)(tables, learner, jnp.float32(0.5))[1:3]
    return rows.features, rows, known


@pytest.mark.parametrize("kind", [ActorCritic, DQN, pytest.param(NFSP, marks=pytest.mark.slow)])
def test_a_shaping_pays_its_rise_and_takes_all_back_at_the_end(kind):
    """A card does not change, so a decision before the last pays nothing more; the last one takes back what the card stood for."""
    features, shaped, known = played_by(kind(rewards="card", **QUICK))
    _, sparse, _ = played_by(kind(**QUICK))
    np.testing.assert_array_equal(shaped.action, sparse.action)  # the same games
    card = np.argmax(features[:, 2:5], axis=1)
    final = np.asarray(sparse.discount) == 0
    assert 0 < final.mean() < 1
    expected = np.asarray(sparse.reward) - np.where(final, 10.0 * card, 0.0)
    np.testing.assert_allclose(np.asarray(shaped.reward)[known], expected[known], atol=1e-5)


def test_an_unknown_shaping_is_refused():
    with pytest.raises(UserError, match="rewards of kuhn must be one of sparse, not 'hand'"):
        potential(Kuhn(), "hand")
    for algorithm in (ActorCritic, DQN):
        with pytest.raises(UserError, match="rewards of kuhn must be one of sparse, not 'hand'"):
            algorithm(rewards="hand").check(Kuhn())


def test_bluff_is_shaped_by_the_cards_in_the_hand():
    game = feint.make("bluff")
    view = game.observe(game.init(chance.key(0)), 0)
    assert float(potential(game, "hand")(view)) == pytest.approx(-1.0)
