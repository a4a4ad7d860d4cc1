"""Options: what they may be, how they are typed and how files keep them."""

import json
import re
from dataclasses import dataclass

import pytest

from feint.errors import UserError
from feint.games.small.kuhn import Kuhn
from feint.options import changed, check_names, chosen, make, option, typed, usual, written


@dataclass(frozen=True)
class Stakes:
    """Settings of every kind."""

    rounds: int = option(3, "how many", least=1)
    rake: float = option(0.05, "the share of the house", least=0, most=0.5)
    limit: str = option("fixed", "how bets grow", choices=("fixed", "pot"))
    ante: bool = option(False, "whether all pay")
    depth: float = option(-1.0, "below water", most=0)
    blinds: tuple[int, ...] = option((5, 10), "what is paid unseen", least=1, most=100)
    shares: tuple[float, ...] = option((0.5, 0.5), "who gets what")
    suits: tuple[str, ...] = option(("clubs",), "the deck", choices=("clubs", "spades"))


@dataclass(frozen=True)
class Blinded(Kuhn):
    """A game with an option that is a tuple."""

    name = "blinded"
    blinds: tuple[int, ...] = option((5, 10), "what is paid unseen", least=1)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"rounds": "3"}, "Stakes: rounds must be a whole number from 1 to 2147483647, not '3'."),
        ({"rounds": True}, "Stakes: rounds must be a whole number from 1 to 2147483647, not True."),
        ({"rounds": 2.0}, "Stakes: rounds must be a whole number from 1 to 2147483647, not 2.0."),
        ({"rake": 0.6}, "Stakes: rake must be a number from 0 to 0.5, not 0.6."),
        ({"rake": float("nan")}, "Stakes: rake must be a number from 0 to 0.5, not nan."),
        ({"depth": float("-inf")}, "Stakes: depth must be a number 0 or less, not -inf."),
        ({"limit": "no"}, "Stakes: limit must be one of fixed, pot, not 'no'."),
        ({"ante": 1}, "Stakes: ante must be true or false, not 1."),
        ({"blinds": 5}, "Stakes: blinds must be whole numbers from 1 to 100, such as 5,10, not 5."),
        ({"blinds": ()}, "Stakes: blinds must be whole numbers from 1 to 100, such as 5,10, not ()."),
        ({"blinds": [5, 0]}, "Stakes: blinds must be whole numbers from 1 to 100, such as 5,10, not [5, 0]."),
        ({"blinds": (5, "x")}, "Stakes: blinds must be whole numbers from 1 to 100, such as 5,10, not (5, 'x')."),
        ({"blinds": [5, [1]]}, "Stakes: blinds must be whole numbers from 1 to 100, such as 5,10, not [5, [1]]."),
        ({"shares": [float("inf")]}, "Stakes: shares must be numbers, such as 0.5,0.5, not [inf]."),
        ({"suits": ["hearts"]}, "Stakes: suits must be one of clubs, spades, such as clubs, not ['hearts']."),
        ({"blind": 3}, "Stakes has no setting 'blind'. Did you mean blinds? It has: rounds, rake, "),
    ],
)
def test_what_a_value_may_not_be_is_refused_in_one_sentence(given, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        make(Stakes, given)


def test_values_are_held_as_their_field_has_them():
    made = make(Stakes, {"rake": 0, "blinds": [1, 2, 4], "shares": [1, 0.0], "suits": ["spades"]})
    assert (made.blinds, made.shares, made.suits) == ((1, 2, 4), (1.0, 0.0), ("spades",))
    assert [type(each) for each in (made.rake, *made.shares)] == [float] * 3


def test_values_are_typed_by_name():
    texts = [" rounds = 7", "rake=.25", "ante=Yes", "blinds=2, 4,8", "shares=1", "limit=pot", "other=1"]
    given = typed(texts, usual(Stakes), "setting", "rounds=3")
    assert given == {
        "rounds": 7,
        "rake": 0.25,
        "ante": True,
        "blinds": (2, 4, 8),
        "shares": (1.0,),
        "limit": "pot",
        "other": "1",
    }
    assert typed(["blinds=(2, 4)"], usual(Stakes), "setting", "") == {"blinds": (2, 4)}
    for text in ("rounds", "=3"):
        with pytest.raises(UserError, match=f"The setting {text!r} must be written as NAME=VALUE, such as rounds=3."):
            typed([text], usual(Stakes), "setting", "rounds=3")


def test_a_value_is_given_once_or_the_same():
    assert typed(["rounds=4", "rounds=4"], usual(Stakes), "setting", "") == {"rounds": 4}
    with pytest.raises(UserError, match=r"^rounds cannot be both 4 and 5: give one of them\.$"):
        typed(["rounds=4", "rounds=5"], usual(Stakes), "setting", "")


@pytest.mark.parametrize("text", ["blinds=", "blinds=5,,10", "blinds=five", "rake=nan", "rake=inf", "rounds=1e3"])
def test_what_was_typed_and_is_none_is_refused_by_its_owner(text):
    with pytest.raises(UserError, match=rf"^Stakes: {text.partition('=')[0]} must be .*\.$"):
        make(Stakes, typed([text], usual(Stakes), "setting", "rounds=3"))


def test_numbers_that_cannot_be_read_are_told_as_they_were_typed():
    with pytest.raises(UserError, match=r"such as 5,10, not '5,,ten'\.$"):
        make(Stakes, typed(["blinds=5,,ten"], usual(Stakes), "setting", ""))


def test_what_is_written_is_read_again():
    made = Stakes(rounds=4, ante=True, blinds=(1, 2))
    assert changed(made) == ["rounds=4", "ante=true", "blinds=1,2"]
    assert make(Stakes, typed(changed(made), usual(Stakes), "setting", "")) == made
    assert changed(Stakes()) == []
    assert written((0.5, 1.0)) == "0.5,1.0"


def test_a_game_keeps_its_tuples_through_json():
    game = Blinded(blinds=[1, 2])
    assert game.blinds == (1, 2)
    assert hash(game) == hash(Blinded(blinds=(1, 2)))
    kept = json.loads(json.dumps(chosen(game)))
    assert kept == chosen(game) == {"players": 2, "blinds": [1, 2]}
    assert Blinded(**kept) == game
    with pytest.raises(
        UserError,
        match=re.escape("blinded: blinds must be whole numbers from 1 to 2147483647, such as 5,10, not (0,)."),
    ):
        Blinded(blinds=(0,))


def test_an_empty_tuple_tells_nobody_what_its_entries_are():
    with pytest.raises(TypeError, match="cannot be empty"):
        option((), "nothing")


def test_names_that_there_are_not_are_refused():
    with pytest.raises(UserError, match=r"^kuhn has no option 'x'. It has: none\.$"):
        check_names("kuhn", ["x"], [], "option")
