"""Bluff in words: what people type is understood or refused in a sentence, and what everybody is told gives nothing away."""

import re
from dataclasses import replace
from math import comb

import numpy as np
import pytest

import feint
from feint.errors import UserError
from feint.games.bluff.keyboard import BluffKeyboard
from feint.games.bluff.words import SIGNS, SUITS, BluffNarration
from feint.table import Table
from feint.words import Choice

GAME = feint.make("bluff", players=3)
NAMES = ["Ann", "Ben", "Cem"]


def table(seed: int = 1) -> Table:
    return Table(GAME, [f"me:{name}" for name in NAMES], seed)


@pytest.fixture(scope="module")
def dealt() -> Table:
    return table()


def typed_by(reader: int, width: int = 80) -> BluffKeyboard:
    return BluffKeyboard(BluffNarration(GAME, NAMES, reader), width)


@pytest.fixture(scope="module")
def keys() -> BluffKeyboard:
    return typed_by(0)


def hand_of(shown: str) -> list[str]:
    """The faces in a hand as it is shown, in order."""
    return re.findall(rf"\S+[{SUITS}]", shown)


def rank(face: str) -> str:
    return face[:-1]


def test_the_hand_is_shown_sorted_and_numbered(dealt, keys):
    shown = keys.show(dealt.view(0))
    faces = hand_of(shown)
    assert len(faces) == 18  # 52 cards among three: the first seat has one more
    assert [SIGNS.index(rank(face)) for face in faces] == sorted(SIGNS.index(rank(face)) for face in faces)
    assert len(set(faces)) == 18
    assert shown.startswith("Rank to play: Aces. The pile is empty. Cards in hand: Ben 17, Cem 17.\nYour 18 cards:\n")
    numbers, cards = shown.splitlines()[2:4]
    assert numbers.split() == [str(n) for n in range(1, 19)]
    assert len(numbers) == len(cards) <= 80
    narrow = typed_by(0, width=24).show(dealt.view(0))
    assert hand_of(narrow) == faces
    assert max(map(len, narrow.splitlines()[2:])) <= 24


def test_cards_go_by_rank_or_by_number(dealt, keys):
    view, legal = dealt.view(0), dealt.legal
    faces = hand_of(keys.show(view))
    read = lambda typed: keys.read(view, legal, typed)  # noqa: E731
    first, last = rank(faces[0]), rank(faces[-1])
    wanted = [SIGNS.index(first), SIGNS.index(last), GAME.lay]  # aces are due, so ranks are actions
    assert read(f"{first} {last}") == wanted
    assert read(f" {last.lower()}  {first.lower()} ") == wanted
    assert read(f"1,{len(faces)}") == wanted
    assert read(f"#1 #{len(faces)}") == wanted
    assert read(f"#1 {last}") == wanted
    assert read(f"1 {len(faces)}") == wanted  # 1 is not a rank, so these are numbers
    assert read(f"{faces[0]} {faces[-1]}") == read(f"{faces[0]}, {faces[-1]}".lower()) == wanted
    spelled = [face.translate(str.maketrans(SUITS, "shdc")) for face in (faces[0], faces[-1])]
    assert read(" ".join(spelled)) == read("".join(spelled).upper()) == wanted
    assert read("3,") == read("#3") == [SIGNS.index(rank(faces[2])), GAME.lay]


def test_tens_are_10_or_t():
    game = table()
    view = game.view(0)
    view = type(view)(**{**vars(view), "hand": np.ones_like(view.hand)})
    assert typed_by(0).read(view, game.legal, "10 T t") == [9, 9, 9, GAME.lay]
    assert (
        typed_by(0).read(view, game.legal, "AAK")
        == typed_by(0).read(view, game.legal, "aces Ace king")
        == [0, 0, 12, GAME.lay]
    )
    assert typed_by(0).read(view, game.legal, "10T 33") == [2, 2, 9, 9, GAME.lay]


@pytest.mark.parametrize(
    ("typed", "wrong"),
    [
        ("", "Nobody may pass"),
        ("1x", "'1x' is not a card: type cards as they are shown, such as A♠ or As, by rank, A 2 K, or by number"),
        ("zero", "'zero' is not a card"),
        ("1,2,3,4,5", "That is 5 cards, and at most 4"),
        ("19,", "no card number 19: your cards go from 1 to 18"),
        ("0,", "no card number 0"),
        ("1,1", "names a card twice"),
        ("#2 #2", "names a card twice"),
        ("#x", "'#x' is not the number of a card"),
        ("²,", "is not a card"),
    ],
)
def test_what_makes_no_sense_is_refused(dealt, keys, typed, wrong):
    with pytest.raises(UserError, match=re.escape(wrong)):
        keys.read(dealt.view(0), dealt.legal, typed)


def test_cards_one_does_not_hold_are_refused(dealt, keys):
    view = dealt.view(0)
    held = [rank(face) for face in hand_of(keys.show(view))]
    single = next(sign for sign in SIGNS if held.count(sign) == 1)
    with pytest.raises(UserError, match=r"You hold an? \w+, not 2\."):
        keys.read(view, dealt.legal, f"{single} {single}")
    other = table().view(1)
    missing = next(sign for sign in SIGNS if sign not in [rank(face) for face in hand_of(keys.show(other))])
    with pytest.raises(UserError, match=r"You hold no \w+\."):
        keys.read(other, dealt.legal, missing)
    faces = hand_of(keys.show(view))
    absent = next(rank(face) + suit for face in faces for suit in SUITS if rank(face) + suit not in faces)
    with pytest.raises(UserError, match=f"You do not hold {absent}."):
        keys.read(view, dealt.legal, absent)


def test_a_play_is_shown_back_as_it_will_be_laid_and_told_without_its_cards():
    game = table(4)
    words = BluffNarration(GAME, NAMES)
    rng = np.random.default_rng(0)
    for _ in range(12):
        player, view = game.player, game.view(game.player)
        count = rng.integers(1, 5)
        numbers = rng.choice(int(view.hand.sum()), count, replace=False) + 1
        typed = ",".join(map(str, numbers)) + ","
        actions = typed_by(player).read(view, game.legal, typed)
        promised = hand_of(typed_by(player).confirm(view, actions))
        for action in actions:  # each must be legal, or the table refuses
            before = game.view(player)
            game.play(action)
        assert hand_of(words.reveal(player, before, actions[-1], game.view(player))) == promised
        told = words.tell(player, before, actions[-1], game.view((player + 1) % 3))
        assert re.fullmatch(rf"{NAMES[player]} lays {count} cards? as .*, \d+ left\.", told)
        assert not hand_of(told)
        for answer in range(2):
            game.play(typed_by(game.player).read(game.view(game.player), game.legal, "ny"[answer > 0])[0])


def test_what_everybody_is_told_is_the_same_through_every_eye():
    game = Table(GAME, ["random"] * 3, seed=2)
    words = BluffNarration(GAME, NAMES)
    for _ in range(120):
        player, before = game.player, [game.view(seat) for seat in range(3)]
        action = game.act()
        told = {words.tell(player, before[seat], action, game.view(seat)) for seat in range(3)}
        assert len(told) == 1
        assert bool(told.pop()) == (action in (GAME.lay, GAME.call))


def test_a_lie_called_a_truth_called_and_a_win():
    small = feint.make("bluff", players=2, ranks=2, suits=1)  # an ace and a two, one card each
    deals = {}
    for seed in range(20):
        game = Table(small, ["me:Ann", "me:Ben"], seed)
        deals.setdefault(hand_of(BluffNarration(small, NAMES[:2], 0).show(game.view(0)))[0], game)
    for face, verdict in (("2♠", "a lie! You take"), ("A♠", "the truth. Ben takes")):
        game, words = deals[face], BluffNarration(small, NAMES[:2], reader=0)
        lies = face == "2♠"
        game.play(int(lies))
        game.play(small.lay)
        assert words.show(game.view(1)).startswith("You hold an Ace (A♠)" if lies else "You hold no Aces")
        before = game.view(1)
        game.play(small.call)
        told = words.tell(1, before, small.call, game.view(1))
        assert told == f"Ben calls bluff: You show {face} - {verdict} the pile of 1 card."
        assert game.over != lies  # the last card, laid truly, wins
        if not lies:
            assert words.end(game.view(1), game.rewards) == "You win after 1 turn, with no cards left."
    draw = BluffNarration(small, NAMES[:2]).end(game.view(0), np.zeros(2))
    assert draw == "A draw after 1 turn: nobody is rid of all cards."


def test_answers_to_a_claim():
    game = table()
    keys = typed_by(1)
    for action in keys.read(game.view(0), game.legal, "#1"):
        game.play(action)
    view = game.view(1)
    assert keys.ask(view, game.legal) == "Call bluff? [y/N] "
    for typed, action in (
        ("y", GAME.call),
        ("Yes", GAME.call),
        ("n", GAME.trust),
        ("", GAME.trust),
        ("NO", GAME.trust),
        ("C", GAME.call),
        ("Call  bluff", GAME.call),
        ("pass", GAME.trust),
    ):
        assert keys.read(view, game.legal, typed) == [action]
        assert keys.confirm(view, [action]) == ""
    with pytest.raises(UserError, match="'7' is not an answer: type y to call bluff"):
        keys.read(view, game.legal, "7")


def test_notes_tell_what_was_seen_going_into_a_hand():
    game = table()
    keys = typed_by(0)
    actions = keys.read(game.view(0), game.legal, "#1")
    laid = hand_of(keys.confirm(game.view(0), actions))
    for action in actions:
        game.play(action)
    assert f"Yours in the pile: {laid[0]}." in BluffNarration(GAME, NAMES, 0).notes(game.view(0))
    truth = rank(laid[0]) == "A"
    game.play(GAME.call)
    taker, watcher = (1, 2) if truth else (0, 2)
    notes = BluffNarration(GAME, NAMES, watcher).notes(game.view(watcher))
    assert f"{NAMES[taker]}: {laid[0]}, held or laid since" in notes


def test_the_open_table_and_the_recap_of_a_game():
    game = Table(GAME, ["smart", "no-bluff", "smart"], seed=3)
    words = BluffNarration(GAME, NAMES)
    first = words.scene([game.view(seat) for seat in range(3)])
    assert len(hand_of(first)) == 52
    moves, lies, called = [], 0, 0
    while not game.over:
        player, before = game.player, game.view(game.player)
        action = game.act()
        moves.append((player, before, action))
        lies += words.reveal(player, before, action, game.view(player)).endswith(": a lie.")
        called += action == GAME.call
        if before.asked > 0 and game.view(0).asked > 0:
            assert words.scene([game.view(seat) for seat in range(3)]) == ""
    recap = words.recap(moves, [game.view(seat) for seat in range(3)]).splitlines()
    assert re.fullmatch(r"The winning play was (a lie|the truth): .+ as .+\.", recap[0])
    counts = np.array(
        [
            [int(n) for n in re.findall(r"\d+", line)]
            for line in recap
            if ": " in line and "play" in line and "winning" not in line
        ]
    )
    plays, told, caught, calls, right = counts.sum(axis=0)
    assert plays == int(game.view(0).turn)
    assert (told, calls) == (lies, called)
    assert caught == right <= calls


def test_two_decks_and_words_of_actions():
    double = feint.make("bluff", players=9, decks=2)
    view = Table(double, ["random"] * 9, 1).view(0)
    faces = hand_of(BluffNarration(double, [str(n) for n in range(9)], 0).show(view))
    assert len(faces) == 12
    assert GAME.describe(table().view(0), 0) == "pick an ace"
    assert GAME.describe(table().view(0), 1) == "pick a two"
    assert GAME.describe(table().view(0), GAME.call) == "call bluff"


def test_a_page_has_cards_to_pick_and_an_answer_to_give():
    game = table()
    words = BluffNarration(GAME, NAMES, 0)
    view = game.view(0)
    choices = words.choices(view, game.legal)
    assert {choice.group for choice in choices} == {"cards"}
    held = [rank(face) for face in hand_of(words.show(view))]
    assert [int(re.search(r"\((\d) held\)", choice.label)[1]) for choice in choices] == [
        held.count(sign) for sign in dict.fromkeys(held)
    ]
    assert re.fullmatch(r"pick an? [A-Z]\w+ \(\d held\)", choices[0].label)
    assert words.question(view, game.legal) == "It is your turn: lay 1 to 4 cards as Aces."
    game.play(choices[0].action)
    assert words.choices(game.view(0), game.legal)[-1] == Choice(GAME.lay, "lay them down", "play")
    assert "\nPicked: " in words.show(game.view(0))
    game.play(GAME.lay)
    asked = BluffNarration(GAME, NAMES, 1)
    assert asked.choices(game.view(1), game.legal) == [
        Choice(GAME.trust, "let it pass", "answer"),
        Choice(GAME.call, "call bluff", "answer"),
    ]
    assert asked.question(game.view(1), game.legal) == "Ann has laid 1 card as an Ace: do you call bluff?"
    assert "you have 17 left, the pile has 1." in words.show(game.view(0))


def test_a_spectator_sees_no_cards():
    game, words = table(), BluffNarration(GAME, NAMES)

    def watched():
        view = game.view(0)
        nothing = {name: np.zeros_like(getattr(view, name)) for name in ("hand", "picked", "buried", "stamp")}
        return replace(view, seat=np.int32(-1), located=np.full_like(view.located, -1), **nothing)

    assert words.show(watched()) == "Rank to play: Aces. The pile is empty. Cards in hand: Ann 18, Ben 17, Cem 17."
    assert words.notes(watched()) == "Ann: nothing known.\nBen: nothing known.\nCem: nothing known."
    before = watched()
    for action in typed_by(0).read(game.view(0), game.legal, "#1 #2"):
        game.play(action)
    assert words.tell(0, before, GAME.lay, watched()) == "Ann lays 2 cards as Aces, 16 left."
    assert words.show(watched()) == "Ann has laid 2 cards as Aces, 16 left; the pile has 2 cards."


def test_advice_is_what_the_cards_tell():
    """Ann lays cards as Aces: how often she has as many among the cards that Ben cannot see is counted by hand."""
    laid = table()
    advice = BluffNarration(GAME, NAMES, 0).advice(laid.view(0))
    own = int(laid.view(0).hand[:, 0].sum())
    assert advice.startswith("You have no Aces" if not own else "You have ")
    laid.play(int(laid.legal.argmax()))
    laid.play(GAME.lay)
    ben = laid.view(1)
    held, hidden, hand = int(ben.hand[:, 0].sum()), 52 - 17, 18
    chance = 1 - comb(hidden - (4 - held), hand) / comb(hidden, hand)
    assert BluffNarration(GAME, NAMES, 1).advice(ben) == (
        f"By the cards alone, Ann had an Ace in {chance:.0%} of the deals that fit what you know; whoever is wrong takes 1 card."
    )
    all_of_them = ben.located.copy()
    all_of_them[:, 0] = 1
    assert BluffNarration(GAME, NAMES, 1).advice(replace(ben, located=all_of_them)) == (
        "Ann cannot have had an Ace: you know where too many of them are."
    )
