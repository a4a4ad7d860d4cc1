"""The small games as people read and answer them."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.keyboard import keyboard
from feint.words import narration


def dealt(game, chance_of):
    """The start with this deal, which in the small games is one array."""
    return game.deal(type(game.draw(chance.key(0)))(jnp.asarray(chance_of, jnp.int32)))


def viewed(game, state, player):
    return jax.tree.map(np.asarray, game.observe(state, jnp.int32(player)))


def test_leduc_tells_when_the_community_card_is_turned_up():
    game = feint.make("leduc")
    words = narration(game, ["Ann", "Ben"], reader=0)
    start = dealt(game, [2, 0, 1])
    bet = game.step(start, jnp.int32(2))
    called = game.step(bet, jnp.int32(1))
    views = [viewed(game, state, 0) for state in (start, bet, called)]
    assert words.tell(0, views[0], 2, views[1]) == "You bet 2."
    assert words.tell(1, views[1], 1, views[2]) == "Ben calls 2. The community card is a queen."
    assert (
        words.show(views[1]) == "You hold a king; the community card is still face down. The pot is 4, 3 of it yours."
    )
    assert words.scene([viewed(game, start, seat) for seat in (0, 1)]) == "You hold a king.\nBen holds a jack."
    suited = feint.make("leduc", suits=True)
    assert narration(suited, ["Ann", "Ben"]).card(5) == "the king of spades"


@pytest.fixture
def dice():
    game = feint.make("liars-dice", dice=2)
    state = dealt(game, [[0, 1, 0, 0, 1, 0], [0, 0, 2, 0, 0, 0]])
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
    for typed in (" 3 x 1 ", "3×1", "3,1", "31", "three ones", "Bid 3 ones"):
        assert keyboard(words).read(view, legal, typed) == [12]
    for typed in ("liar", "L", "call", "c", "call Ann a liar"):
        assert keyboard(words).read(view, legal, typed) == [game.liar]
    for typed, says in (("2 2", "must top"), ("9 1", "4 dice with faces from 1 to 6"), ("many", "is not a bid")):
        with pytest.raises(UserError, match=says):
            keyboard(words).read(view, legal, typed)
    with pytest.raises(UserError, match="no bid to call"):
        keyboard(words).read(viewed(game, state, 0), np.asarray(state.legal_action_mask), "liar")


def test_choices_at_dice_are_grouped_by_their_count(dice):
    game, state, words = dice
    after = game.step(state, jnp.int32(8))
    choices = words.choices(viewed(game, after, 1), np.asarray(after.legal_action_mask))
    assert [choice.label for choice in choices[:4]] == ["bid 2 fours", "bid 2 fives", "bid 2 sixes", "bid 3 ones"]
    assert list(dict.fromkeys(choice.group for choice in choices)) == ["2 dice", "3 dice", "4 dice", "answer"]
    assert choices[-1].label == "call Ann a liar"
    first = words.choices(viewed(game, state, 0), np.asarray(state.legal_action_mask))
    assert (first[0].label, first[0].group) == ("bid 1 one", "1 die")
    assert words.question(viewed(game, after, 1), np.asarray(after.legal_action_mask)) == (
        "It is your turn: bid higher, or call Ann a liar."
    )


def test_advice_says_what_a_bid_takes_and_what_a_call_costs(dice):
    game, state, words = dice  # Ben has two threes
    assert words.advice(viewed(game, state, 0)) == ""
    for bid, said in ((8, "2 × 3 holds by your own dice alone."), (14, "3 × 3 takes 1 of the 2 dice that you cannot see: thrown blindly, they have them 56% of the time.")):  # fmt: skip
        assert words.advice(viewed(game, game.step(state, jnp.int32(bid)), 1)) == said
    sixes = viewed(game, game.step(state, jnp.int32(5)), 1)
    assert "31%" in words.advice(sixes)  # of a wild face no other counts: 1 - (5/6)²
    for name, deal, bet, said in (("kuhn", [2, 0], 1, (1, 3, "25%")), ("leduc", [2, 0, 1], 2, (2, 4, "33%"))):
        poker = feint.make(name)
        state, words = dealt(poker, deal), narration(poker, ["Ann", "Ben"], reader=1)
        assert words.advice(viewed(poker, state, 0)) == "It costs nothing to stay in."
        owes, pot, share = said
        assert words.advice(viewed(poker, poker.step(state, jnp.int32(bet)), 1)) == (
            f"You pay {owes} for a pot of {pot}: to call pays if you win more than {share} of the time."
        )


def end(game, deal, actions, cards, reader=None):
    state = dealt(game, deal)
    for action in actions:
        state = game.step(state, jnp.int32(action))
    assert state.terminated
    view = viewed(game, state, 0)
    assert view.shown.tolist() == cards
    return narration(game, ["Ann", "Ben", "Cy"][: game.players], reader).end(view, np.asarray(state.rewards))


def test_kuhn_ends_with_the_cards_shown():
    kuhn, three = feint.make("kuhn"), feint.make("kuhn", players=3)
    assert end(kuhn, [2, 0], [1, 1], [2, 0]) == (
        "Ann shows the king, Ben the jack: Ann takes the pot of 4. Ann: +2, Ben: -2."
    )
    assert end(kuhn, [2, 1], [0, 0], [2, 1], reader=1) == (
        "Ann shows the king, you the queen: Ann takes the pot of 2. Ann: +1, You: -1."
    )
    assert end(kuhn, [2, 0], [1, 0], [-1, -1]) == "Ann: +1, Ben: -1."
    assert end(three, [3, 1, 2], [0, 1, 0, 1], [3, 1, -1], reader=0) == (
        "You show the king, Ben the jack: you take the pot of 5. You: +3, Ben: -2, Cy: -1."
    )


def test_leduc_ends_with_pairs_and_shared_pots():
    leduc = feint.make("leduc")
    assert end(leduc, [0, 2, 0], [1, 1, 1, 1], [0, 2]) == (
        "Ann shows a jack for a pair, Ben a king: Ann takes the pot of 2. Ann: +1, Ben: -1."
    )
    assert end(leduc, [2, 2, 0], [2, 1, 1, 1], [2, 2], reader=1) == (
        "Ann shows a king, you a king: Ann and you share the pot of 6. The game ends in a draw."
    )
    suited = feint.make("leduc", suits=True)
    assert end(suited, [5, 0, 1], [1, 1, 1, 1], [5, 0]).startswith(
        "Ann shows the king of spades, Ben the jack of hearts for a pair: Ben takes"
    )


def test_liars_dice_ends_with_the_cups_lifted():
    dice, hands = feint.make("liars-dice", dice=2), [[0, 1, 0, 0, 0, 1], [0, 0, 2, 0, 0, 0]]
    assert end(dice, hands, [14, dice.liar], hands) == (
        "Ann shows 2 6, Ben 3 3. 3 × 3 was bid and 3 dice count: it holds, and Ben loses. Ann: +1, Ben: -1."
    )
    assert end(dice, hands, [7, 12, dice.liar], hands, reader=1) == (
        "Ann shows 2 6, you 3 3. 3 × 1 was bid and 1 die counts: it was too high, and you lose. Ann: +1, You: -1."
    )


def recap(game, deal, actions):
    """What is told after a game to its first player."""
    state, moves = dealt(game, deal), []
    for action in actions:
        moves.append((int(state.current_player), viewed(game, state, state.current_player), action))
        state = game.step(state, jnp.int32(action))
    return narration(game, ["Ann", "Ben"], 0).recap(moves, [viewed(game, state, seat) for seat in range(2)])


def test_what_was_hidden_is_told_after_the_game():
    kuhn, leduc, dice = feint.make("kuhn"), feint.make("leduc"), feint.make("liars-dice", dice=2)
    assert recap(kuhn, [2, 0], [1, 0]) == "You held the king and Ben held the jack."
    assert recap(kuhn, [0, 2], [1, 0]) == "You held the jack and Ben held the king. Ben folded the best hand."
    assert recap(kuhn, [2, 0], [1, 1]) == ""  # all was shown
    assert recap(leduc, [0, 2, 0], [1, 1, 1, 2, 0]) == "You held a jack and Ben held a king. You folded the best hand."
    hands = [[0, 1, 0, 0, 0, 1], [0, 0, 2, 0, 0, 0]]
    assert (
        recap(dice, hands, [7, 12, dice.liar])
        == "You: 1 bid, none too high.\nBen: 1 bid, 1 too high.\nThe call was right."
    )


def test_spectators_are_shown_what_everybody_knows(dice):
    game, state, words = dice
    nothing = replace(viewed(game, state, 0), seat=np.int32(-1), hand=np.zeros(6, np.int32))
    assert words.show(nothing) == "Nobody has bid yet. 6 counts as any face."
    for name, says in (
        ("kuhn", "Everybody holds one card; the deck is jack, queen and king."),
        ("leduc", "The community card is still face down. The pot is 2."),
    ):
        poker = feint.make(name)
        view = viewed(poker, dealt(poker, [2, 0, 1][: 2 if name == "kuhn" else 3]), 0)
        assert narration(poker, ["Ann", "Ben"]).show(replace(view, seat=np.int32(-1), card=np.int32(-1))) == says
