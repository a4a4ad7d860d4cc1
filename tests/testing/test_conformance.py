"""Every game passes the conformance suite, and for each of its checks there are broken games that fail that one, for the right reason."""

from contextlib import nullcontext

import pytest

import feint
from feint.catalogue import GAMES
from feint.testing import ConformanceError, check_game
from feint.testing.conformance import CHECKS, check_played
from feint.testing.many import check_positions
from feint.testing.random_play import play
from tests.compiling import optimised
from tests.testing import broken_deals, broken_rules, broken_views

VARIANTS = [
    *(pytest.param(name, {}, marks=pytest.mark.slow) if name == "okey" else (name, {}) for name in GAMES),
    ("kuhn", {"players": 3}),
    pytest.param("bluff", {"players": 2}, marks=pytest.mark.slow),
    pytest.param("bluff", {"players": 3, "remainder": "unused"}, marks=pytest.mark.slow),
    pytest.param("bluff", {"players": 5}, marks=pytest.mark.slow),
    pytest.param("bluff", {"players": 8, "most": 2}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_game_keeps_the_contract(name, options):
    with optimised() if name == "bluff" else nullcontext():  # random games of Bluff have thousands of moves
        played = play(feint.make(name, **options), seed=0, games=64)
    report = check_played(played)
    assert [check for check, _ in report.passed] == ["every game ends", *CHECKS]
    assert name in str(report)


@pytest.mark.slow
def test_two_decks_keep_the_contract():
    check_game(feint.make("bluff", decks=2, players=12))


def test_many_positions_are_looked_at():
    assert check_positions(feint.make("kuhn"), seed=0, positions=20_000).startswith("32,768 positions of ")


@pytest.mark.parametrize(
    ("toy", "complaint"),
    [
        (broken_views.Leaky, "A view changes when hidden things are dealt anew"),
        (broken_views.Polite, "Legal actions change"),
        (broken_views.Revived, "over, or not over"),
    ],
)
def test_a_broken_game_fails_at_one_of_many_positions(toy, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_positions(toy(), seed=0, positions=64)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_million_positions_keep_the_contract(name):
    check_positions(feint.make(name), seed=0, positions=1_000_000)


UNPLAYABLE = [
    (broken_rules.Endless, "is not over after max_moves = 3 moves"),
    (broken_rules.Misdealt, r"A deal is not valid by is_valid\(state\)"),
    (broken_rules.Sleeve, r"A state is not valid by is_valid\(state\) in the 1 moves after move"),
    (broken_rules.Stuck, "A game that is not over has no legal action"),
]

# The check that each fails, and what it says.
BROKEN = [
    (broken_rules.Boundless, "payoffs add up", "not a number"),
    (broken_rules.Hasty, "payoffs add up", "paid before the end, and pays_early does not say so"),
    (broken_rules.Modest, "payoffs add up", "leave the range from -1 to 1"),
    (broken_rules.Generous, "payoffs add up", "do not sum to 0"),
    (broken_rules.Alone, "somebody wins, or nobody", r"winners gives int32\[\], not bool\[2\]"),
    (broken_rules.Counted, "somebody wins, or nobody", r"winners gives int32\[2\], not bool\[2\]"),
    (broken_rules.Upside, "somebody wins, or nobody", "did not win is paid more than somebody who did"),
    (broken_rules.PaysAgain, "a finished game stays as it is", "pays again"),
    (broken_rules.GoesOn, "a finished game stays as it is", "changes .moves"),
    (broken_rules.Dicey, "deals and steps are deterministic", "differs between two compilations"),
    (broken_rules.ShortMask, "the mask is exact", r"shape \(2,\); the game has 3 actions"),
    (broken_rules.Idle, "the mask is exact", "Legal action 2 changes nothing"),
    (broken_rules.Redundant, "the mask is exact", "lead to the same state"),
    (broken_rules.Lax, "the mask is exact", "does not replace an illegal action"),
    (broken_views.Leaky, "nothing leaks", "its field .shown leaks"),
    (broken_views.Sly, "nothing leaks", "its field .history leaks"),
    (broken_views.Unnamed, "nothing leaks", "must give named pieces"),
    (broken_views.Unbounded, "nothing leaks", "its piece pace is not finite"),
    (broken_views.Rowless, "nothing leaks", r"the sequence history as float32\[rows, width\]"),
    (broken_views.Unsorted, "finished games show what they may", r"moves as float32\[players, ...\], by position"),
    (broken_views.Boastful, "finished games show what they may", "its bold are not"),
    (broken_views.Polite, "nothing leaks", "Legal actions change"),
    (broken_views.Careless, "nothing leaks", "over or not valid"),
    (broken_views.Seated, "spectators see what everybody knows", "SPECTATOR"),
    (broken_views.Peeping, "spectators see what everybody knows", "the field .card of its view"),
    (broken_views.Tattling, "spectators see what everybody knows", "the field .card of its view"),
    (broken_views.Revived, "finished games show what they may", "a game that is not over"),
    (broken_views.Worn, "finished games show what they may", "not valid"),
    (broken_views.Showing, "finished games show what they may", "dealt anew: .shown"),
    (broken_views.Secretive, "finished games show what they may", "does not follow from what a player sees"),
    (broken_views.Forgetful, "views are remembered", "own moves are the same"),
    (broken_views.Hindsight, "moves can be taken back", "takes back a move of whoever has the turn"),
    (broken_views.Discerning, "moves can be taken back", "depends on what is hidden: its field .moves"),
    (broken_rules.Mumbling, "every action has words", "same words"),
    (broken_deals.Nameless, "deals can be written down", "write @pytree above its class"),
    (broken_deals.Wrapped, "deals can be written down", "cannot be written down"),
    (broken_deals.Weighing, "deals can be written down", "refused when it is read again"),
    (broken_deals.Stacked, "deals can be written down", r"is not deal\(draw\(key\)\)"),
    (broken_deals.Unsure, "deals agree with draws", "sum to"),
    (broken_deals.Incomplete, "deals agree with draws", "does not list"),
    (broken_deals.Unfair, "deals agree with draws", "probabilities"),
    (broken_deals.Wishful, "redeals agree with deals", "probabilities"),
]


def test_every_check_has_its_broken_game():
    assert {check for _, check, _ in BROKEN} == set(CHECKS)


@pytest.mark.parametrize(("toy", "complaint"), UNPLAYABLE)
def test_a_game_that_cannot_be_played_fails(toy, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check_game(toy(), games=16)


@pytest.mark.parametrize(("toy", "check", "complaint"), BROKEN)
def test_a_broken_game_fails_its_check(toy, check, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        CHECKS[check](play(toy(), seed=0, games=16))


@pytest.mark.slow
@pytest.mark.parametrize(("toy", "check"), [each[:2] for each in BROKEN])
def test_a_broken_game_fails_no_other_check(toy, check):
    played = play(toy(), seed=0, games=64)
    for other, passes in CHECKS.items():
        if other != check:
            passes(played)
