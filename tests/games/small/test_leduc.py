"""Leduc: positions worked by hand, and what a view holds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.errors import NotSmall
from feint.games.small import leduc
from feint.games.small.leduc import CALL, FOLD, RAISE

GAME = feint.make("leduc")
STEP = jax.jit(GAME.step)


def play(cards, *actions):
    state = GAME.deal(leduc.Deal(jnp.asarray(cards)))
    for action in actions:
        state = STEP(state, jnp.int32(action))
    return state


@pytest.mark.parametrize(
    ("cards", "actions", "payoff"),
    [
        ([0, 1, 2], [CALL, CALL, CALL, CALL], -1),  # the higher card takes the antes
        ([0, 1, 0], [CALL, CALL, CALL, CALL], 1),  # a pair beats it
        ([1, 1, 2], [RAISE, CALL, RAISE, CALL], 0),  # the same rank shares the pot
        ([2, 0, 1], [RAISE, FOLD], 1),
        ([2, 0, 1], [RAISE, RAISE, FOLD], -3),
        ([2, 0, 1], [RAISE, RAISE, CALL, RAISE, RAISE, CALL], 13),  # 1 + 2 + 2 + 4 + 4
    ],
)
def test_payoffs_by_hand(cards, actions, payoff):
    state = play(cards, *actions)
    assert bool(state.terminated)
    assert state.rewards.tolist() == [payoff, -payoff]


def test_the_card_for_all_is_hidden_until_the_second_round():
    before, after = play([2, 0, 1], CALL), play([2, 0, 1], CALL, CALL)
    assert int(GAME.observe(before, 0).public) == -1
    assert int(GAME.observe(after, 0).public) == 1


def test_words():
    view = GAME.observe(play([2, 0, 1]), 0)
    assert [GAME.describe(view, action) for action in (CALL, RAISE)] == ["check", "bet 2"]
    view = GAME.observe(play([2, 0, 1], CALL, CALL, RAISE), 1)
    assert [GAME.describe(view, action) for action in (FOLD, CALL, RAISE)] == ["fold", "call 4", "raise by 4"]


def test_deals_merge_suits_with_their_right_weight():
    deals, chances = GAME.deals()
    suited, even = feint.make("leduc", suits=True).deals()
    ranks = {}
    for cards, weight in zip(np.asarray(suited.cards) // 2, np.asarray(even), strict=True):
        ranks[tuple(cards)] = ranks.get(tuple(cards), 0) + weight
    assert dict(zip(map(tuple, np.asarray(deals.cards)), chances, strict=True)) == pytest.approx(ranks, abs=1e-12)


def test_too_many_deals_is_one_clear_sentence():
    with pytest.raises(NotSmall, match="too many deals"):
        feint.make("leduc", players=6, suits=True).deals()
