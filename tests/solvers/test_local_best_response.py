"""Local best responses: what they win is what can be worked out by hand, and never more than a best response does."""

import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.agent import Memoryless, Random
from feint.game import pytree
from feint.solvers.betting import CALL, FOLD
from feint.solvers.local_best_response import winnings

LEDUC = feint.make("leduc")
BETS = LEDUC.betting.of(LEDUC, None)


@pytree
class Timid(Memoryless):
    """Folds to every bet, and makes none."""

    def act(self, memory, view, legal, key):
        return jnp.where(legal[FOLD], FOLD, CALL), memory


def test_whoever_folds_to_every_bet_loses_the_ante():
    assert np.asarray(winnings(BETS, Timid(), 0, 64, seed=0)).tolist() == [1.0] * 64


def test_it_wins_less_than_a_best_response():
    won = np.asarray(winnings(BETS, Random(), 0, 1024, seed=0))
    error = won.std() / np.sqrt(len(won))
    best = feint.exploitability(
        LEDUC, Random()
    )  # what best responses gain on average is what they win, too: seats are even
    assert 1.7 < won.mean() < best + 2 * error


def test_three_players_are_refused():
    game = feint.make("leduc", players=3)
    with pytest.raises(feint.UserError, match="for 2 players, not for 3"):
        winnings(game.betting.of(game, None), Random(), 0, 64, seed=0)
