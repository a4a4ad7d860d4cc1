"""Buckets of Hold'em: what a deal is told to be in each round is what its players see there."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.games.holdem.buckets import HoldemBets
from feint.games.holdem.state import CALL
from tests.games.holdem.test_agents import flat

GAME = feint.make("holdem")
EDGES = tuple(jnp.asarray(edges, jnp.float32) for edges in ([0.2], [0.2, 0.4], [0.6], [0.25, 0.5, 0.75]))
BETS = HoldemBets(GAME, EDGES, flat(0.5))


def test_a_deal_and_its_views_lie_in_the_same_buckets():
    assert BETS.sizes == (2, 3, 2, 4)
    step, draw = jax.jit(GAME.step), jax.jit(GAME.draw)
    bucket = jax.jit(lambda bets, state: bets.bucket(GAME.observe(state, state.current_player)))
    buckets = jax.jit(HoldemBets.buckets)
    rivers = set()
    for seed in range(12):
        deal = draw(chance.key(seed))
        told = np.asarray(buckets(BETS, deal))
        assert told[:3].tolist() == [[1, 1], [2, 2], [0, 0]]  # everything but the river is even
        state = jax.jit(GAME.init)(chance.key(seed))
        while not state.terminated:
            assert bucket(BETS, state) == told[state.round, state.current_player]
            state = step(state, CALL)
        strengths = np.asarray(BETS.strengths(deal))
        assert (told[3, 0] <= told[3, 1]) if strengths[0] < strengths[1] else (told[3, 0] >= told[3, 1])
        rivers |= set(told[3].tolist())
    assert rivers == {0, 1, 2, 3}


def test_other_boards_are_refused():
    with pytest.raises(feint.UserError, match="buckets are known for board=0,3,1,1, not 0,3"):
        HoldemBets.of(feint.make("holdem", board=(0, 3), bets=(10, 10), raises=(3, 4), first=(0, 1)), 10)
