"""Whole rounds play the games that single moves play."""

import numpy as np
import pytest

from feint.agent import Random
from feint.arena import rollout
from feint.games.bidding import rounds
from feint.games.bidding.adaptive import Adaptive
from feint.games.bidding.bidders import Drifting, Uniform
from feint.games.bidding.rules import Bidding
from feint.games.bidding.three import Optim


@pytest.mark.parametrize(
    ("game", "agents", "seating"),
    [
        (Bidding(players=3, coins=5), [Optim(), Drifting(1.0, 0.1, 5)], [1, 0, 1]),
        (Bidding(players=5, coins=8), [Adaptive(), Random(), Drifting(0.3, 0.2)], [1, 0, 2, 0, 2]),
    ],
    ids=["three players", "five players"],
)
def test_rounds_and_moves_give_the_same_games(game, agents, seating):
    """Memories included: agents learn from game to game. The number of lanes does not matter either."""
    single, _ = rollout.play(game, agents, seating, seed=3, first=0, matches=5, length=6)
    whole = rounds.play(game, agents, seating, seed=3, matches=5, length=6, lanes=2)
    assert (whole.winner == np.asarray(single.rewards).argmax(axis=-1)).all()


def test_three_hundred_players_leave_one():
    played = rounds.play(Bidding(players=300, coins=50), [Uniform()], [0] * 300, matches=2)
    assert played.winner.shape == (2, 1)
    assert ((played.winner >= 0) & (played.winner < 300)).all()
