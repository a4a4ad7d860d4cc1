"""Whole rounds play the games that single moves play."""

import jax
import numpy as np
import pytest

from feint.agent import Random
from feint.arena import rollout
from feint.games.bidding.adaptive import Adaptive
from feint.games.bidding.bidders import Drifting, Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.three_players import Optim


class Single(Bidding):
    """The game without its whole rounds."""

    def ways(self, agents):
        return None


THREE = {"players": 3, "coins": 5}, [Optim(), Drifting(1.0, 0.1, 5)], [1, 0, 1]


@pytest.mark.parametrize(
    ("game", "agents", "seating"),
    [
        THREE,
        # A size for which the adaptive agent knows its kinds of opponents from tests of its own.
        pytest.param(
            {"players": 5, "coins": 20},
            [Adaptive(), Random(), Drifting(0.3, 0.2)],
            [1, 0, 2, 0, 2],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["three players", "five players"],
)
def test_rounds_and_moves_give_the_same_games(game, agents, seating):
    """Memories included: agents learn from game to game."""
    single, kept = rollout.play(Single(**game), agents, seating, seed=3, first=0, matches=5, length=6, lanes=5)
    whole, learned = rollout.play(Bidding(**game), agents, seating, seed=3, first=0, matches=5, length=6, lanes=5)
    for name in ("rewards", "winners", "moves"):
        assert (np.asarray(getattr(single, name)) == np.asarray(getattr(whole, name))).all(), name
    for one, other in zip(jax.tree.leaves(kept), jax.tree.leaves(learned), strict=True):
        if not jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_the_number_of_lanes_does_not_matter():
    game, agents, seating = THREE
    few, many = (
        rollout.play(Bidding(**game), agents, seating, seed=3, first=0, matches=5, length=6, lanes=lanes)[0]
        for lanes in (2, 5)
    )
    for name in ("rewards", "winners", "moves"):
        assert (np.asarray(getattr(few, name)) == np.asarray(getattr(many, name))).all(), name


@pytest.mark.usefixtures("optimised")
def test_three_hundred_players_leave_one():
    played, _ = rollout.play(Bidding(players=300, coins=50), [Uniform()], [0] * 300, seed=0, first=0, matches=2)
    assert played.winners.shape == (2, 1, 300)
    assert (np.asarray(played.winners).sum(axis=-1) == 1).all()
