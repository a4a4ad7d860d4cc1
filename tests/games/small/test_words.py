"""Leduc and Liar's Dice as people read and answer them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.errors import UserError
from feint.keyboard import keyboard
from feint.words import narration


def viewed(game, state, player):
    return jax.tree.map(np.asarray, game.observe(state, jnp.int32(player)))


def test_leduc_tells_when_the_card_for_all_is_turned_up():
    game = feint.make("leduc")
    words = narration(game, ["Ann", "Ben"], reader=0)
    start = game._deal(jnp.array([2, 0, 1]))
    bet = game.step(start, jnp.int32(2))
    called = game.step(bet, jnp.int32(1))
    views = [viewed(game, state, 0) for state in (start, bet, called)]
    assert words.tell(0, views[0], 2, views[1]) == "You bet 2."
    assert words.tell(1, views[1], 1, views[2]) == "Ben calls 2. The card for all is a queen."
    assert words.show(views[1]) == "You hold a king; the card for all is still face down. The pot is 4, 3 of it yours."
    assert words.scene([viewed(game, start, seat) for seat in (0, 1)]) == "You hold a king.\nBen holds a jack."
    suited = feint.make("leduc", suits=True)
    assert narration(suited, ["Ann", "Ben"]).card(5) == "the king of spades"


@pytest.fixture
def dice():
    game = feint.make("liars-dice", dice=2)
    state = game._deal(jnp.array([[0, 1, 0, 0, 1, 0], [0, 0, 2, 0, 0, 0]]))
    return game, state, narration(game, ["Ann", "Ben"], reader=1)


def test_dice_are_shown_and_bids_are_told(dice):
    game, state, words = dice
    after = game.step(state, jnp.int32(8))
    assert words.show(viewed(game, state, 0)) == "Your dice: 2 5. Nobody has bid yet. 6 counts as any face."
    assert words.tell(0, viewed(game, state, 1), 8, viewed(game, after, 1)) == "Ann bids 2 × 3."
    assert words.tell(1, viewed(game, after, 1), game.liar, None) == "You call Ann a liar."
    assert "The last bid is 2 × 3." in words.show(viewed(game, after, 1))


def test_bids_are_read_as_people_type_them(dice):
    game, state, words = dice
    after = game.step(state, jnp.int32(8))
    view, legal = viewed(game, after, 1), np.asarray(after.legal_action_mask)
    assert keyboard(words).read(view, legal, " 3 x 1 ") == [12]
    assert keyboard(words).read(view, legal, "liar") == [game.liar]
    for typed, says in (("2 2", "must top"), ("9 1", "4 dice with faces from 1 to 6"), ("many", "is no bid")):
        with pytest.raises(UserError, match=says):
            keyboard(words).read(view, legal, typed)
    with pytest.raises(UserError, match="no bid to call"):
        keyboard(words).read(viewed(game, state, 0), np.asarray(state.legal_action_mask), "liar")
