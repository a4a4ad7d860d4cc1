"""What a model of players reads of a decision, worked out by hand."""

from math import log

import jax
import numpy as np
import pytest

from feint.games.holdem.modelling import PUBLIC, HoldemReader
from feint.games.holdem.strength import measured
from tests.games.holdem.positions import THREE, dealt, play, seen
from tests.games.holdem.test_agents import flat

READER = HoldemReader(THREE, flat(0.375))  # with tables that need not be made


@pytest.fixture(scope="module")
def view():
    """Everybody is in for 20; on the flop one checks and the next bets, and the button, who raised before, is to act."""
    return seen(THREE, play(THREE, dealt(THREE, "AsKd|QhQc|7c2d"), "rcc/cr"), 2)


def test_a_decision_by_hand(view):
    read = jax.jit(HoldemReader.read)(READER, view)
    expected = (1, 0, 1 / 4, 1 / 4, 1 / 3, 1 / 2, 10 / 80, log(7) / log(50), 1, 1, 0)
    assert dict(zip(PUBLIC, read.public.tolist(), strict=True)) == pytest.approx(
        dict(zip(PUBLIC, expected, strict=True)), abs=1e-6
    )
    assert int(read.situation) == 1
    np.testing.assert_allclose(read.hidden, [0.375], atol=1e-4)


@pytest.mark.slow
def test_how_strong_the_cards_are_is_exact(view):
    read = jax.jit(HoldemReader.read)(HoldemReader(THREE), view)
    np.testing.assert_allclose(read.hidden, [jax.jit(measured)(view.cards, view.board[:3]).ehs], atol=1e-4)


def test_at_the_start_there_is_little_to_read():
    view = seen(THREE, dealt(THREE, "AsKd|QhQc|7c2d"), 2)
    public = np.asarray(jax.jit(HoldemReader.public)(READER, view))
    assert public[:5].tolist() == [0, 0, 0, 0, 0]
    assert public[PUBLIC.index("pot")] == pytest.approx(log(1.5) / log(50))
