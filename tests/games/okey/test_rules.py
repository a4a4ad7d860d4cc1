"""The rules of Okey, by positions worked out by hand."""

import jax
import numpy as np
import pytest

import feint
from feint import chance, deals
from feint.errors import UserError
from feint.games.okey.game import Okey
from feint.games.okey.state import DECLARE, DISCARD, DRAW, FINISH, FINISH_WITH_JOKER, SHOW, TAKE, State
from feint.games.okey.tiles import counts, okey_of, shuffled, split
from tests.games.okey.positions import filled, kind, play, started, tiles

# Few programs for many tests: two players whose hands are short, with rules that do not meet, and four with as many others.
TWO = Okey(players=2, both=8, exhausted="last-discard", show_indicator=True, cap=80)
FOUR = Okey(partners=True, pairs="declared", doubled="red-and-black", countdown=20, hands=3, cap=6, show_indicator=True)
THESIS = feint.make("okey:thesis")
AGAIN = Okey(partners=True, exhausted="reshuffle")


def discard(name: str) -> int:
    return DISCARD + kind(name)


def finishing(rules: Okey, rack: str, indicator: str = "B4") -> list[int]:
    """The ways in which a starter with these 15 tiles may finish."""
    assert tiles(rack).sum() == 15
    mask = started(rules, filled(rules, indicator, rack)).legal_action_mask
    return [action for action in (FINISH, FINISH_WITH_JOKER) if mask[action]]


@pytest.mark.parametrize(("indicator", "okey"), [("B4", "B5"), ("Y13", "Y1"), ("R12", "R13"), ("K13", "K1")])
def test_the_joker_is_the_face_above_the_indicator(indicator, okey):
    assert okey_of(np.int8(kind(indicator))) == kind(okey)


def test_false_jokers_stand_for_the_face_of_the_joker():
    faces, jokers = split(tiles("B5 B5 F Y1 Y1 R13"), np.int8(kind("B5")))
    assert jokers == 2
    assert faces[1, 4] == 1
    assert faces[0, 0] == 2
    assert faces[3, 12] == 1
    assert faces.sum() == 4


def test_orders_are_whole_and_never_begin_with_a_false_joker():
    orders = jax.jit(jax.vmap(shuffled))(jax.random.split(chance.key(3), 2000))
    assert (jax.vmap(counts)(orders) == 2).all()
    first = np.bincount(np.asarray(orders[:, 0]), minlength=53)
    assert first[52] == 0
    assert first[:52].min() > 10
    assert abs((np.asarray(orders[:, 1]) == 52).mean() - 2 / 105) < 0.01  # as everywhere else


def test_the_deal():
    assert [Okey(players=players).centre for players in (2, 3, 4)] == [76, 62, 48]
    state = started(TWO, filled(TWO, "B4"))
    assert state.rack.sum(axis=1).tolist() == [15, 14]
    assert state.current_player == 0
    assert not state.drawing
    held = np.flatnonzero(state.rack[0]) + DISCARD
    assert np.flatnonzero(state.legal_action_mask).tolist() == held.tolist()


def test_a_turn_is_a_draw_and_a_discard():
    rules = TWO
    state = started(rules, filled(rules, "B4", "R1 Y7 B4", centre="K9 K9 Y2"))
    assert state.current_player == 0
    state = play(rules, state, discard("Y7"))
    assert (state.current_player, state.turn, bool(state.drawing)) == (1, 1, True)
    assert np.flatnonzero(state.legal_action_mask).tolist() == [DRAW, TAKE]
    drew = play(rules, state, DRAW)
    assert (drew.current_player, bool(drew.drawing)) == (1, False)
    assert drew.rack[1].sum() == 15
    assert drew.rack[1, kind("K9")] == state.rack[1, kind("K9")] + 1
    assert not drew.known.any()
    took = play(rules, state, TAKE)
    assert took.rack[1, kind("Y7")] == state.rack[1, kind("Y7")] + 1
    assert took.known[1, kind("Y7")] == 1
    assert took.lying.sum() == 0
    assert took.took[1]
    after = play(rules, took, discard("Y7"))
    assert after.known.sum() == 0
    assert after.log[:3].tolist() == [kind("Y7"), kind("Y7"), -1]
    assert after.lying[kind("Y7")] == 1


# B4 is the indicator, so that B5 is the joker and F stands for a plain blue 5.
MELDS = "R1-3 Y7-9 K10-13 Y2 B2 K2 R2"


@pytest.mark.parametrize(
    ("rack", "ways"),
    [
        (f"{MELDS} Y13", [FINISH]),
        (f"{MELDS} B5", [FINISH, FINISH_WITH_JOKER]),
        ("R1-3 Y7-9 K10-12 Y2 B2 K2 R2 Y13 R9", []),
        ("R1-3 Y7-9 K10-12 Y2 B2 K2 R2 B5 R9", [FINISH]),  # the joker is the black 13, or the black 9
        ("R1-3 Y7-9 K10-12 Y2 B2 K2 R2 B5 B5", [FINISH, FINISH_WITH_JOKER]),
        ("R12-13 R1 Y7-9 K10-13 Y2 B2 K2 R2 Y13", [FINISH]),  # 12-13-1
        ("R13 R1 R2 Y7-9 K10-13 Y4 B2 K4 R4 Y13", []),  # 13-1-2
        ("R1-5 Y7-9 K10-12 Y2 B2 K2 Y13", [FINISH]),  # 5 + 3 + 3 + 3
        ("R1-6 Y7-10 K9 Y9 R9 B9 Y13", [FINISH]),  # 6 + 4 + 4
        ("R1-13 R1 Y7", [FINISH]),  # 10-11-12-13-1 at the end of it
        ("B3 F B6 Y7-9 K10-13 Y2 B2 K2 R2 Y13", []),  # a false joker is not wild
        ("B3 B5 F Y7-9 K10-13 Y2 B2 K2 R2 Y13", [FINISH]),  # 3, the joker as 4, and the false joker as 5
        ("Y5 K5 F R5 Y7-9 K10-13 Y2 B2 K2 Y13", [FINISH]),
        ("Y5 K5 F F Y7-9 K10-13 Y2 B2 K2 Y13", []),  # two of one colour
        ("Y7 B7 K7 Y7 B7 R1 R2 R3 K7 R7 R4 R5 B5 Y1 Y2", [FINISH]),  # the joker as a second red 7
        ("Y8-10 Y8-10 R1-4 K1 K2 R6 B5 B5", [FINISH]),  # the jokers as a yellow 11 and the black 3
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R6 F F R13", [FINISH]),  # pairs
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R6 F B5 R13", [FINISH]),
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R6 F F B5", [FINISH, FINISH_WITH_JOKER]),
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R6 B5 B5 R13", [FINISH, FINISH_WITH_JOKER]),
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R8 F R11 R13", []),
        ("Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R8 B5 B5 R13", [FINISH]),
    ],
)
def test_finishing_is_legal_exactly_when_it_is_true(rack, ways):
    assert finishing(TWO, rack) == ways


PAIRS = "Y1 Y1 Y3 Y3 B9 B9 K2 K2 K4 K4 R6 R6 F F"


@pytest.mark.parametrize(
    ("rack", "ways"),
    [
        (f"{MELDS} Y13", [FINISH]),
        (f"{MELDS} B5", [FINISH]),  # the joker brings nothing
        (f"{PAIRS} R13", []),
        ("R1-5 Y7-9 K10-12 Y2 B2 K2 Y13", []),  # 5 + 3 + 3 + 3
        ("R1-7 Y7-9 K10-13 Y13", [FINISH]),  # 3 + 4 + 3 + 4
        ("R1-13 R1 Y7", [FINISH]),  # 3 + 3 + 4 + 4, the last 11-12-13-1
        ("R1-12 Y7 Y9 K1", []),
        ("R1-11 Y7-9 K1", [FINISH]),
    ],
)
def test_finishing_in_the_thesis(rack, ways):
    assert finishing(THESIS, rack) == ways


@pytest.mark.parametrize(
    ("rack", "action", "paid"),
    [
        (f"{MELDS} Y13", FINISH, 2),
        (f"{MELDS} B5", FINISH, 2),
        (f"{MELDS} B5", FINISH_WITH_JOKER, 4),
        (f"{PAIRS} Y13", FINISH, 4),
        (f"{PAIRS} B5", FINISH, 4),
        (f"{PAIRS} B5", FINISH_WITH_JOKER, 8),
        ("R1-3 R1-3 Y7-10 Y7-10 Y13", FINISH, 4),  # melds and pairs: the better of them
    ],
)
def test_what_a_hand_pays(rack, action, paid):
    state = play(TWO, started(TWO, filled(TWO, "B4", rack)), action)
    assert state.terminated
    assert state.rewards.tolist() == [paid, -paid]
    assert TWO.winners(state, state.rewards).tolist() == [True, False]
    assert (state.past.winner, bool(state.past.with_joker)) == (0, action == FINISH_WITH_JOKER)
    for seat in (0, 1):
        np.testing.assert_array_equal(TWO.observe(state, seat).past.rack, tiles(rack))


def test_the_indicators_twin_is_shown_once_and_paid_at_once():
    state = started(TWO, filled(TWO, "B4", f"{MELDS} B4"))
    assert state.legal_action_mask[SHOW]
    shown = play(TWO, state, SHOW)
    assert not shown.legal_action_mask[SHOW]
    assert (shown.shown, shown.known[0, kind("B4")]) == (0, 1)
    assert shown.points.tolist() == [1, -1]
    assert play(TWO, shown, FINISH).rewards.tolist() == [3, -3]
    assert not play(TWO, shown, discard("B4")).known.any()


def test_the_second_player_shows_before_its_first_draw_or_never():
    state = started(TWO, filled(TWO, "B4", "R1 Y7", "B4"))
    state = play(TWO, state, discard("R1"))
    assert state.legal_action_mask[SHOW]
    assert not play(TWO, state, DRAW).legal_action_mask[SHOW]
    silent = play(TWO, state, TAKE, discard("R1"), TAKE, discard("R1"))
    assert (silent.turn, bool(silent.drawing), bool(silent.legal_action_mask[SHOW])) == (3, True, False)


def test_an_empty_centre_ends_the_hand_when_the_discard_is_declined():
    state = discarded(TWO, started(TWO, filled(TWO, "B4")))
    for _ in range(76):
        state = discarded(TWO, state, DRAW)
    assert np.flatnonzero(state.legal_action_mask).tolist() == [DRAW, TAKE]
    took = play(TWO, state, TAKE)
    assert (took.rack.sum(), bool(took.terminated)) == (29, False)
    over = play(TWO, state, DRAW)
    assert over.terminated
    assert not over.rewards.any()
    assert not TWO.winners(over, over.rewards).any()


def discarded(rules: Okey, state: State, *actions: int) -> State:
    """The state after actions and a discard of the last kind that is held."""
    state = play(rules, state, *actions)
    return play(rules, state, int(np.flatnonzero(state.legal_action_mask)[-1]))


def test_an_empty_centre_ends_the_hand():
    state = discarded(THESIS, started(THESIS, filled(THESIS, "B4")))
    for _ in range(76):
        assert not state.terminated
        state = discarded(THESIS, state, DRAW)
    assert state.terminated
    assert not state.rewards.any()


def test_discards_become_a_new_centre():
    state = discarded(AGAIN, started(AGAIN, filled(AGAIN, "B4")))
    for turn in range(48):
        state = discarded(AGAIN, state, TAKE if turn == 3 else DRAW)
    assert (state.shuffles, AGAIN.centre - state.drawn, state.lying.sum()) == (0, 1, 48)
    state = discarded(AGAIN, state, DRAW)
    assert (state.shuffles, state.drawn) == (1, 0)
    assert state.lying.sum() == state.lying[state.log[state.turn - 1]] == 1
    np.testing.assert_array_equal(np.bincount(state.centre, minlength=53), state.recycled)
    assert AGAIN.is_valid(state)


def test_pairs_are_declared_before_the_first_discard():
    state = started(FOUR, filled(FOUR, "B4", f"{PAIRS} R13"))
    assert state.legal_action_mask[DECLARE]
    assert not state.legal_action_mask[FINISH]
    declared = play(FOUR, state, DECLARE)
    assert declared.declared.tolist() == [True, False, False, False]
    assert declared.legal_action_mask[FINISH]
    assert not declared.legal_action_mask[DECLARE]
    late = play(FOUR, state, discard("R13"))
    assert late.legal_action_mask[DECLARE]  # the second player, who has not discarded either
    assert not play(FOUR, late, DRAW).legal_action_mask[DECLARE]


def test_whoever_declared_pairs_finishes_by_nothing_else():
    state = started(FOUR, filled(FOUR, "B4", f"{MELDS} Y13"))
    assert state.legal_action_mask[FINISH]
    assert not play(FOUR, state, DECLARE).legal_action_mask[FINISH]


def test_partners_pay_together_and_red_and_black_count_double():
    state = play(FOUR, started(FOUR, filled(FOUR, "B4", f"{MELDS} Y13")), FINISH)
    assert state.points.tolist() == [20, 18, 20, 18]
    state = play(FOUR, started(FOUR, filled(FOUR, "K4", f"{MELDS} Y13")), FINISH)
    assert state.points.tolist() == [20, 16, 20, 16]
    state = play(FOUR, started(FOUR, filled(FOUR, "R4", f"{PAIRS} Y13")), DECLARE, FINISH)
    assert state.points.tolist() == [20, 12, 20, 12]
    state = play(AGAIN, started(AGAIN, filled(AGAIN, "B4", f"{MELDS} Y13")), FINISH)
    assert state.rewards.tolist() == [2, -2, 2, -2]
    assert AGAIN.winners(state, state.rewards).tolist() == [True, False, True, False]


def test_a_match_counts_down_and_the_starter_moves_on():
    order = filled(FOUR, "R4", f"{PAIRS} R4")
    state = play(FOUR, started(FOUR, order), SHOW, DECLARE, FINISH)
    assert state.points.tolist() == [20, 10, 20, 10]
    assert not state.terminated
    assert not state.rewards.any()
    assert (state.hand, state.current_player, state.turn) == (1, 1, 0)
    assert state.rack.sum(axis=1).tolist() == [14, 15, 14, 14]
    assert not state.declared.any()
    view = FOUR.observe(state, 2)
    assert (view.past.winner, bool(view.past.by_pairs), view.shown) == (0, True, -1)
    assert view.past.declared.tolist() == [True, False, False, False]
    np.testing.assert_array_equal(view.past.rack, tiles(f"{PAIRS} R4"))
    # The same tiles for the player who starts now: everything comes back.
    state = play(FOUR, state, SHOW, DECLARE, FINISH)
    assert state.points.tolist() == [10, 10, 10, 10]
    assert (state.hand, state.current_player) == (2, 2)
    state = play(FOUR, state, SHOW, DECLARE, FINISH)
    assert state.terminated
    assert state.points.tolist() == [10, 0, 10, 0]
    assert state.rewards.tolist() == [5, -5, 5, -5]
    assert FOUR.winners(state, state.rewards).tolist() == [True, False, True, False]


def test_a_hand_without_a_winner_goes_on_to_the_next_with_its_last_turns_in_view():
    state = started(FOUR, filled(FOUR, "B4", "Y7"))
    state = play(FOUR, state, discard("Y7"), *[TAKE, discard("Y7")] * 5)
    assert (state.hand, state.turn, state.points.tolist()) == (1, 0, [20] * 4)
    past = FOUR.observe(state, 0).past
    assert past.winner == -1
    assert not past.rack.any()
    assert past.log.tolist() == [-1, *[kind("Y7")] * 3]
    assert past.took.tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"partners": True, "players": 2}, "okey: partners need players=4, not 2."),
        ({"both": 6}, "okey: both must be 4 or 8, not 6."),
        ({"longest_run": 6}, "okey: longest_run must be a whole number from 4 to 5, not 6."),
        ({"pairs": "closed"}, "okey: pairs must be one of open, declared, none, not 'closed'."),
    ],
)
def test_rules_that_there_are_not(options, wrong):
    with pytest.raises(UserError) as refused:
        Okey(**options)
    assert str(refused.value) == wrong


def test_a_deal_that_is_none_is_refused():
    order = filled(THESIS, "B4", "Y7")
    turned = np.append(order[1:], order[:1])
    turned = np.roll(turned, -int(np.argmax(turned == 52)))  # a false joker turned up
    with pytest.raises(UserError, match="is not a deal of okey"):
        deals.read(THESIS, {"order": [turned.tolist()]})


def test_the_preset_and_what_is_given_beside_it():
    rules = feint.make("okey:thesis", players=3)
    assert (rules.players, rules.pairs, rules.joker_finish, rules.longest_run) == (3, "none", False, 4)
    for name, wrong in (
        ("okey:thesys", "There is no preset called 'thesys' of okey. Did you mean thesis? There are: thesis."),
        ("okey:x", "There is no preset called 'x' of okey. There are: thesis."),
        ("kuhn:x", "There is no preset called 'x' of kuhn. There are: none."),
        ("okay:thesis", "There is no game called 'okay'. Did you mean okey? There are: "),
    ):
        with pytest.raises(UserError) as refused:
            feint.make(name)
        assert str(refused.value).startswith(wrong)
