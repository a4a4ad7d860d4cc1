"""From flags to a game and its seats."""

import re

import pytest

from feint.errors import UserError
from feint.terminal.seating import chosen_game, seated


def test_options_are_read_by_their_kind():
    game = chosen_game("bluff", ["most=3", " remainder = unused "], seats=5)
    assert (game.players, game.most, game.remainder) == (5, 3, "unused")
    assert chosen_game("leduc", ["suits=true"]).suits is True


@pytest.mark.parametrize(
    ("options", "players", "wrong"),
    [
        (["most"], None, "The option 'most' must be written as NAME=VALUE"),
        (["most=many"], None, "most must be a whole number from 1 to 8, not 'many'"),
        (["most=9"], None, "from 1 to 8, not 9"),
        (["mast=3"], None, "has no option 'mast'. Did you mean most?"),
        (["remainder=kept"], None, "one of dealt, unused, not 'kept'"),
        (["players=3"], 4, "The rules are to have 3 players, but the table has 4 seats."),
        ([], 9, "9 players need decks=2"),
    ],
)
def test_wrong_options_are_refused(options, players, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        chosen_game("bluff", options, players)


def test_who_sits_down_when_nobody_is_named():
    assert seated("bluff", None, None, [], watch=False)[1] == ["me", "zoo:bluff-dqn", "smart", "anxious"]
    assert seated("bluff", None, 5, [], watch=False)[1] == [
        "me",
        "smart",
        "anxious",
        "no-bluff",
        "smart",
    ]  # the zoo plays four
    assert seated("bluff", None, 2, [], watch=True)[1] == ["smart", "anxious"]
    assert seated("leduc", None, None, ["players=3"], watch=False)[1] == ["me", "random", "random"]


def test_opponents_by_level_or_by_name():
    assert seated("bluff", None, None, [], False, "Strong")[1] == ["me", "zoo:bluff-10", "zoo:bluff-13", "zoo:bluff-10"]
    assert seated("bluff", None, 6, [], False, "strong")[1] == ["me", *("zoo:bluff-13", "counter", "anxious") * 2][:6]
    assert seated("bluff", None, 2, ["most=2"], False, "strong")[1] == ["me", "zoo:bluff-13"]  # for any most cards
    nobody_learned = seated("bluff", None, 5, ["ranks=10"], False, "strong")[1]
    assert nobody_learned == ["me", "counter", "anxious", "counter", "anxious"]
    strong = ["me", "zoo:bidding-2", "adaptive", "zoo:bidding-4"]
    assert seated("bidding", None, 4, ["coins=20"], False, "strong")[1] == strong
    assert seated("bidding", None, 4, [], False, "strong")[1] == ["me", "adaptive", "zoo:bidding-3", "adaptive"]
    assert seated("holdem", None, 2, [], False, "strong")[1][1] == "think(zoo:holdem-2p-2, worlds=256, candidates=3)"
    assert seated("holdem", None, 3, [], False, "strong")[1] == ["me", "zoo:holdem-3p-2", "zoo:holdem-1"]
    assert seated("holdem", None, 4, [], False, "strong")[1] == ["me", "zoo:holdem-1", "zoo:holdem-1", "zoo:holdem-1"]
    assert seated("leduc", None, None, [], False, "easy")[1] == ["me", "random"]
    assert seated("okey", None, 2, [], False, "strong")[1] == ["me", "zoo:okey-3"]  # which plays tables of any size
    assert seated("okey", None, 3, [], False, "strong")[1] == ["me", "zoo:okey-3", "zoo:okey-3"]
    assert seated("okey", None, 4, ["pairs=declared"], False, "strong")[1] == ["me", "ahead", "ahead", "ahead"]
    game, seats = seated("bluff", None, None, [], False, "anxious(2),smart")
    assert (game.players, seats) == (3, ["me", "anxious(2)", "smart"])
    assert seated("bluff", None, None, [], False, "Smart")[1] == ["me", "Smart"]
    with pytest.raises(UserError, match="--opponents must be easy, fair or strong, or the names of agents, not 'hard'"):
        seated("bluff", None, None, [], False, "hard")


def test_seats_make_the_number_of_players():
    game, seats = seated("bluff", "me:Ann, anxious(2, call_three=0.5),me", None, [], watch=False)
    assert game.players == 3
    assert seats == ["me:Ann", "anxious(2, call_three=0.5)", "me"]


@pytest.mark.parametrize(
    ("seats", "players", "watch", "wrong"),
    [
        ("me,smart", 3, False, "--seats names 2 seats, but --players asks for 3"),
        ("me,smart", None, True, "--watch is for agents alone"),
        ("me,,smart", None, False, "has an empty seat"),
        ("me", None, False, "One player makes no game: name everybody at the table of"),
    ],
)
def test_wrong_seats_are_refused(seats, players, watch, wrong):
    with pytest.raises(UserError, match=wrong):
        seated("bluff", seats, players, [], watch)


def test_the_number_of_players_is_given_once_or_the_same():
    assert seated("bluff", None, 3, ["players=3"], watch=False)[0].players == 3
    with pytest.raises(UserError, match="players cannot be both 4 and 3: give one of them"):
        seated("bluff", None, 3, ["players=4"], watch=False)
