"""Liar's Dice: calls worked by hand, for two and for three players."""

import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.errors import NotSmall
from feint.games.small import liars_dice


def play(game, faces, *actions):
    hands = (np.array(faces)[:, :, None] == np.arange(1, game.sides + 1)).sum(axis=1)
    state = game.deal(liars_dice.Deal(jnp.asarray(hands, jnp.int32)))
    for action in actions:
        state = game.step(state, jnp.int32(action))
    return state


def bid(game, count, face):
    return (count - 1) * game.sides + face - 1


@pytest.mark.parametrize(
    ("faces", "count", "face", "payoff"),
    [
        ([[2], [2]], 2, 2, 1),  # the bid holds: the caller loses
        ([[2], [3]], 2, 2, -1),
        ([[2], [6]], 2, 2, 1),  # sixes are wild
        ([[2], [6]], 1, 6, 1),
        ([[2], [6]], 2, 6, -1),  # but others are no sixes
    ],
)
def test_a_call_by_hand(faces, count, face, payoff):
    game = feint.make("liars-dice")
    state = play(game, faces, bid(game, count, face), game.liar)
    assert bool(state.terminated)
    assert state.rewards.tolist() == [payoff, -payoff]


def test_bids_only_rise_and_the_highest_leaves_only_the_call():
    game = feint.make("liars-dice", sides=3)
    state = play(game, [[1], [2]], bid(game, 1, 3))
    assert np.flatnonzero(state.legal_action_mask).tolist() == [3, 4, 5, game.liar]
    state = play(game, [[1], [2]], bid(game, 2, 3))
    assert np.flatnonzero(state.legal_action_mask).tolist() == [game.liar]
    assert not play(game, [[1], [2]]).legal_action_mask[game.liar]


def test_with_three_the_loser_pays_the_others():
    game = feint.make("liars-dice", players=3)
    state = play(game, [[1], [2], [3]], bid(game, 1, 1), bid(game, 3, 1), game.liar)
    assert state.rewards.tolist() == [0.5, -1, 0.5]


def test_deals_weigh_equal_dice_less():
    deals, chances = feint.make("liars-dice", dice=2, sides=2).deals()
    alike = np.asarray(deals.hands).max(axis=2) == 2  # bool[deals, players]
    assert chances == pytest.approx(np.where(alike, 1 / 4, 1 / 2).prod(axis=1))


def test_too_many_deals_is_one_clear_sentence():
    with pytest.raises(NotSmall, match="more than the 100,000"):
        feint.make("liars-dice", players=3, dice=5).deals()
