"""What holds for the words of every game, its own or those it is given."""

import json
import re

import numpy as np
import pytest

import feint
from feint.keyboard import Keyboard, keyboard
from feint.story import Story
from feint.table import Table
from feint.views import as_json
from feint.words import Choice, Narration, listed, narration
from tests.playthroughs import EACH
from tests.test_views import short


@pytest.mark.parametrize("name", EACH)
def test_choices_are_what_may_be_done_and_a_keyboard_takes_all_of_them(name):
    game = short(name)
    table, names = Table(game, ["random"] * game.players, seed=4), [f"Ann {seat}" for seat in range(game.players)]
    for _ in range(40):
        if table.over:
            break
        view, legal = table.view(table.player), table.legal
        for words in (narration(game, names, table.player), Narration(game, names, table.player)):
            choices = words.choices(view, legal)
            assert [choice.action for choice in choices] == np.flatnonzero(legal).tolist()
            assert len({choice.label for choice in choices}) == len(choices)
            assert all(choice.label and choice.group for choice in choices)
            assert [Choice(**each) for each in json.loads(json.dumps(as_json(choices)))] == choices
            plain = Keyboard(words)
            for key, choice in zip(plain.keys(choices), choices, strict=True):
                assert plain.read(view, legal, key) == plain.read(view, legal, choice.label.upper()) == [choice.action]
            assert re.fullmatch(r"\S.*[.?]", words.question(view, legal))
            assert plain.show(view)
        own = keyboard(narration(game, names, table.player))
        assert own.show(view)
        assert own.ask(view, legal).endswith(" ")
        table.act()


@pytest.mark.parametrize("name", EACH)
def test_rules_are_taught_whole(name):
    rules = narration(short(name), ["Ann"] * short(name).players, 0).rules()
    assert len(rules.split()) > 60
    assert re.search(r"(?m)^The end: ", rules)


@pytest.mark.parametrize("name", EACH)
def test_what_is_told_is_the_same_through_every_eye(name):
    game = short(name)
    table = Table(game, ["random"] * game.players, seed=5)
    words = narration(game, table.names)
    while not table.over:
        player, before = table.player, [table.view(seat) for seat in range(game.players)]
        action = table.act()
        told = {words.tell(player, before[seat], action, table.view(seat)) for seat in range(game.players)}
        assert len(told) == 1
    assert len({words.end(table.view(seat), table.rewards) for seat in range(game.players)}) == 1


def test_a_page_is_sent_what_one_seat_may_know():
    game = feint.make("kuhn")
    table = Table(game, ["me:Ann", "me:Ben"], seed=3)
    ann, all_of_them = Story(table, reader=0), Story(table)
    message = ann.message(table.view(0))
    assert message["choices"] == [
        {"action": 0, "label": "check", "group": "betting"},
        {"action": 1, "label": "bet", "group": "betting"},
    ]
    assert (message["number"], message["turn"], message["question"]) == (0, 0, "It is your turn: check or bet.")
    for action in (0, 1):
        table.play(action)
        ann.tell(action), all_of_them.tell(action)
    assert Story(table, reader=1).message(table.view(1))["choices"] == []
    table.play(0)
    ann.tell(0), all_of_them.tell(0)
    message = json.loads(json.dumps(ann.message(table.view(0), since=1)))
    assert message["told"] == ["Ben bets.", "You fold."]
    assert all_of_them.told == ["Ann checks.", "Ben bets.", "Ann folds."]
    assert (message["number"], message["turn"], message["question"], message["choices"]) == (3, None, "", [])
    assert message["end"].endswith("You: -1, Ben: +1.")
    assert message["view"]["history"] == [0, 1, 0]


def test_a_text_is_cut_where_its_emphasis_changes():
    class Loud(Narration):
        emphasis = {r"\bno\b": "striking", r"\d+(th|st)?": "strong"}  # noqa: RUF012

    assert Loud.spans("no 4th one, none") == [("no", "striking"), (" ", ""), ("4th", "strong"), (" one, none", "")]
    assert Narration.spans("no 4th") == [("no 4th", "")]


def test_names_in_a_row():
    assert [listed(names) for names in (["Ann"], ["Ann", "Ben"], ["Ann", "Ben", "Cy"])] == [
        "Ann",
        "Ann and Ben",
        "Ann, Ben and Cy",
    ]
