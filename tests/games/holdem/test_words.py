"""Hold'em as people read and answer it."""

import numpy as np
import pytest

from feint.errors import UserError
from feint.games.holdem import cards
from feint.games.holdem.game import Holdem
from feint.games.holdem.naming import named, strength
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.keyboard import keyboard
from feint.words import narration
from tests.games.holdem.positions import THREE, TWO, dealt, play, seen

HOLE = "AsAd|KsQd|8s8d"
NAMES = ["Ann", "Ben", "Cyd"]


@pytest.mark.parametrize(
    ("hand", "name", "whole"),
    [
        ("2c7d9hJsKc", "king high", "king high with J 9 7 2"),
        ("2c2d9hJsKc", "a pair of twos", "a pair of twos with K J 9"),
        ("4c4d9hKsKc", "two pair, kings and fours", "two pair, kings and fours with 9"),
        ("6c6d6hJsKc", "three sixes", "three sixes with K J"),
        ("Ac2d3h4s5c", "a straight, five high", "a straight, five high"),
        ("TcJdQhKsAc", "a straight, ace high", "a straight, ace high"),
        ("2c5c9cJcKc", "a flush, king high", "a flush, king high with J 9 5 2"),
        ("2c2d2h9s9c", "a full house, twos and nines", "a full house, twos and nines"),
        ("2c2d2h2s9c", "four twos", "four twos with 9"),
        ("5c6c7c8c9c", "a straight flush, nine high", "a straight flush, nine high"),
        ("TcJcQcKcAc", "a royal flush", "a royal flush"),
    ],
)
def test_hands_have_names(hand, name, whole):
    worth = strength(cards.read(hand))
    assert (named(worth), named(worth, whole=True)) == (name, whole)


def test_bets_are_told_and_the_board_is_turned_up():
    words = narration(THREE, NAMES, reader=0)
    start = dealt(THREE, HOLE)
    views = [seen(THREE, play(THREE, start, betting), 0) for betting in ("", "r", "rc", "rcf", "rcfr")]
    assert words.tell(2, views[0], RAISE, views[1]) == "Cyd raises by 10."
    assert words.tell(0, views[1], CALL, views[2]) == "You call 15."
    assert words.tell(1, views[2], FOLD, views[3]) == "Ben folds.\nFlop: 2♣ 7♦ 9♥."
    assert words.tell(0, views[3], RAISE, views[4]) == "You bet 10."


def test_the_table_is_shown():
    words = narration(THREE, NAMES, reader=0)
    state = play(THREE, dealt(THREE, HOLE), "rcf/crr")
    assert words.show(seen(THREE, state, 2)).splitlines() == [
        "Flop: 2♣ 7♦ 9♥. The pot is 80, a bet is 10.",
        "You (small blind)\tpaid 40\tcheck, raise",
        "Ben (big blind)\tpaid 10\tfolded",
        "Cyd (button)\tpaid 30\tbet",
        "You hold 8♠ 8♦: a pair of eights.",
    ]
    assert "hold" not in words.show(seen(THREE, state, -1))
    view, legal = seen(THREE, state, 2), np.asarray(state.legal_action_mask)
    assert words.question(view, legal) == "It is your turn: fold, call 10 or raise by 10."
    assert words.notes(view) == "Preflop: Cyd raises, You call, Ben folds.\nFlop: You check, Cyd bets, You raise."
    assert words.advice(view) == "You pay 10 for a pot of 80: to call pays if you win more than 11% of the time."


def end(rules, hole, betting, reader=None):
    state = play(rules, dealt(rules, hole), betting)
    return narration(rules, NAMES[: rules.players], reader).end(seen(rules, state, 0), np.asarray(state.rewards))


def test_the_showdown_is_told():
    assert end(THREE, HOLE, "rcf/cc/cc/cc", reader=0) == (
        "Showdown: 2♣ 7♦ 9♥ J♠ K♣.\nYou show\tA♠ A♦\ta pair of aces\nCyd shows\t8♠ 8♦\ta pair of eights\n"
        "You take the pot of 50: You +30, Ben -10, Cyd -20."
    )
    assert end(TWO, "KsQd|KhTd", "cc/cc/cc/cc").splitlines()[1:3] == [
        "Ann shows\tK♠ Q♦\ta pair of kings with Q J 9",
        "Ben shows\tK♥ 10♦\ta pair of kings with J 10 9",
    ]
    assert (
        end(TWO, "KsQd|KhQs", "cc/cc/cc/cc", reader=1).splitlines()[-1]
        == "Ann and you share the pot of 20: Ann +0, You +0."
    )
    assert end(TWO, "KsQd|KhQs", "f") == "Ann takes the pot of 15: Ann +5, Ben -5."


def test_what_was_hidden_is_told_afterwards():
    words = narration(THREE, NAMES)
    state = play(THREE, dealt(THREE, HOLE), "rcf/cc/cc/rf")
    views = [seen(THREE, state, seat) for seat in range(3)]
    assert words.recap([], views) == ("Ann held A♠ A♦, Ben held K♠ Q♦ and Cyd held 8♠ 8♦.")
    state = play(THREE, dealt(THREE, "KsQd|AsAd|8s8d"), "rcf/cc/cc/cc")
    views = [seen(THREE, state, seat) for seat in range(3)]
    assert words.recap([], views) == "Ben held A♠ A♦. Ben folded the best hand, a pair of aces."


def test_what_is_typed():
    words = narration(THREE, NAMES, reader=2)
    start = dealt(THREE, HOLE)
    view, legal = seen(THREE, start, 2), np.asarray(start.legal_action_mask)
    keys = keyboard(words)
    assert keys.ask(view, legal) == "Fold, call 10 or raise by 10? [f/c/r] "
    for typed, action in (
        ("F", FOLD),
        ("fold", FOLD),
        (" c ", CALL),
        ("call 10", CALL),
        ("k", CALL),
        ("r", RAISE),
        ("bet", RAISE),
    ):
        assert keys.read(view, legal, typed) == [action]
    for typed in ("x", "all in"):
        with pytest.raises(UserError, match=f"^'{typed}' is not one of the choices: type fold, call 10 or raise by 10"):
            keys.read(view, legal, typed)
    with pytest.raises(UserError, match=r"^Type fold, call 10 or raise by 10"):
        keys.read(view, legal, " ")
    free = play(THREE, start, "cc")
    with pytest.raises(UserError, match="nothing to pay"):
        keys.read(seen(THREE, free, 1), np.asarray(free.legal_action_mask), "f")
    capped = play(THREE, start, "rrr")
    with pytest.raises(UserError, match="3 bets and raises, which is the most"):
        keys.read(seen(THREE, capped, 2), np.asarray(capped.legal_action_mask), "r")


def test_the_rules_name_the_options():
    assert "the button pays 5 and the other player 10" in narration(TWO, NAMES[:2]).rules()
    text = narration(THREE, NAMES).rules()
    assert "the first seats after the button pay 5 and 10" in text
    assert "three cards, the flop" in text
    odd = Holdem(board=(0, 3, 2), bets=(1, 2, 3), raises=(1, 1, 0), first=(0, 1, 1))
    text = narration(odd, NAMES[:2]).rules()
    assert "0, 3 and 2 cards before the 3 rounds of betting" in text
    assert "1, 2 and 3 in the 3 rounds of betting" in text
