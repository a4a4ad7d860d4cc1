"""Situations: of boards by hand, and of every decision of hands played at random, as they were when it was made."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.games.holdem import cards
from feint.games.holdem.game import Holdem
from feint.games.holdem.situation import board_potential, decisions, situation
from tests.games.holdem.positions import THREE, dealt, play, seen

_potential = jax.jit(board_potential)
_situation, _decisions = jax.jit(situation), jax.jit(decisions)
_observe, _step = jax.jit(Holdem.observe), jax.jit(Holdem.step)


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("", 0),
        ("2c7dJh", 0),
        ("2c7dJc", 0.4),
        ("2c7cJc", 1),
        ("3h4c7d", 0.5),
        ("Ah2c4d", 0.5),  # the ace counts as the lowest, too
        ("KhAc2d", 0),  # and not as both at once
        ("3h4c6d7s", 1),
        ("3h3c9d", 0.4),
        ("3h3d4h5h6c", 1 + 1 + 0.4),
    ],
)
def test_how_much_a_board_may_have_helped(board, expected):
    shown = cards.read(board)
    assert _potential(jnp.array([*shown, *[-1] * (5 - len(shown))], jnp.int8)) == pytest.approx(expected / 2.4)


def test_a_situation_by_hand():
    state = play(THREE, dealt(THREE, "AsAd|KsKd|QsQd", "2c7cJc3h4d"), "rcc/r")
    found = _situation(seen(THREE, state, 1))
    assert (int(found.facing), int(found.board), int(found.pot)) == (1, 1, 2)  # 70 chips are seven bets of 10


@pytest.mark.parametrize("players", [2, 3])
def test_decisions_are_told_as_they_were_made(players):
    rules = Holdem(players=players)
    random = np.random.default_rng(players)
    for number in range(6):
        state, made = rules.init(jax.random.key(number)), []
        while not state.terminated:
            view = _observe(rules, state, state.current_player)
            legal = np.flatnonzero(state.legal_action_mask)
            action = int(random.choice(legal[legal > 0] if random.random() < 0.8 else legal))
            here = _situation(view)
            made.append(
                (int(state.current_player), action, *(int(each) for each in (here.facing, here.board, here.pot)))
            )
            state = _step(rules, state, jnp.int32(action))
        told = _decisions(rules, _observe(rules, state, jnp.int32(0)))
        at = told.situation
        rows = zip(
            *(np.asarray(each)[told.made].tolist() for each in (told.player, told.action, at.facing, at.board, at.pot)),
            strict=True,
        )
        assert list(rows) == made
