"""Turns, caps and pots of Hold'em, worked out by hand."""

import jax
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.games.holdem import cards
from feint.games.holdem.game import Holdem
from tests.games.holdem.positions import THREE, TWO, dealt, play, seen


def test_two_players_have_reverse_blinds():
    state = dealt(TWO, "AsAd|KsKd")
    assert state.paid.tolist() == [10, 5]
    assert state.current_player == 1  # the button acts first before the flop, and last from then on
    assert play(TWO, state, "cc").current_player == 0


def test_three_players_begin_after_the_big_blind():
    state = dealt(THREE, "AsAd|KsKd|QsQd")
    assert (state.paid.tolist(), int(state.current_player)) == ([5, 10, 0], 2)
    assert play(THREE, state, "cc").current_player == 1  # who may still raise
    assert play(THREE, state, "ccc").current_player == 0
    assert play(THREE, state, "cfc").current_player == 1  # the first one still in


def test_whoever_owes_nothing_cannot_fold_and_the_cap_ends_raising():
    state = dealt(TWO, "AsAd|KsKd")
    assert state.legal_action_mask.tolist() == [True, True, True]
    assert play(TWO, state, "c").legal_action_mask.tolist() == [False, True, True]
    capped = play(TWO, state, "rrr")
    assert capped.legal_action_mask.tolist() == [True, True, False]
    assert capped.paid.tolist() == [30, 40]
    flop = play(TWO, capped, "c")
    assert play(TWO, flop, "rrrr").legal_action_mask.tolist() == [True, True, False]
    assert play(TWO, flop, "rrrr").paid.tolist() == [70, 80]


@pytest.mark.parametrize(
    ("hole", "betting", "paid"),
    [
        ("AsAd|KsKd|QsQd", "ff", [-5, 5, 0]),
        ("AsAd|KsKd|QsQd", "rcc/ccc/ccc/ccc", [-20, 40, -20]),  # kings make three of a kind
        ("AsAd|QsQd|3s3d", "rcc/rcf/rc/rc", [90, -70, -20]),
        ("AsQd|AdQh|3s3d", "fcc/cc/cc/cc", [0, 0, 0]),  # ace and queen each: the pot of 20 is shared
        ("AsQd|3s3d|AdQh", "rcf/cc/cc/cc", [5, -10, 5]),
        ("AsQd|AdQh|AhQc", "ccc/ccc/ccc/ccc", [0, 0, 0]),
    ],
)
def test_pots(hole, betting, paid):
    state = play(THREE, dealt(THREE, hole), betting)
    assert state.terminated
    assert state.rewards.tolist() == paid


def test_a_pot_is_shared_to_the_fraction():
    state = play(THREE, dealt(THREE, "8s8d|AsQd|AdQh"), "cfc/cc/cc/cc")
    assert state.rewards.tolist() == [-5, 2.5, 2.5]


def test_hands_are_shown_only_at_a_showdown():
    start = dealt(THREE, "AsAd|KsKd|QsQd")
    shown = seen(THREE, play(THREE, start, "rcf/cc/cc/cc"), 1).shown
    assert shown.tolist() == [cards.read("AsAd"), [-1, -1], cards.read("QsQd")]
    assert (seen(THREE, play(THREE, start, "rcf/rf"), 1).shown == -1).all()


def test_the_board_is_turned_up_round_by_round():
    start = dealt(TWO, "AsAd|KsKd")
    for betting, cards_up in (("", 0), ("cc", 3), ("cccc", 4), ("cccccc", 5)):
        assert (seen(TWO, play(TWO, start, betting), 0).board >= 0).sum() == cards_up
    assert (seen(TWO, play(TWO, start, "ccrf"), 0).board >= 0).sum() == 3  # what nobody came to see stays hidden


def test_views_tell_who_did_what():
    view = seen(THREE, play(THREE, dealt(THREE, "AsAd|KsKd|QsQd"), "rcc/crf"), 0)
    assert view.history[:2, :4].tolist() == [[2, 1, 1, -1], [1, 2, 0, -1]]
    assert view.actors[:2, :4].tolist() == [[2, 0, 1, -1], [0, 1, 2, -1]]
    assert (int(view.to_call), int(view.pot), int(view.waiting), int(view.raises)) == (10, 70, 1, 1)
    assert view.live.tolist() == [True, True, False]


def test_redeals_are_uniform_over_what_is_not_seen():
    view = seen(TWO, play(TWO, dealt(TWO, "AsAd|KsKd"), "cc"), 0)
    worlds = 4000
    redeal = jax.jit(lambda rules, view, keys: jax.vmap(lambda key: rules.redeal(view, key))(keys))
    other = jax.device_get(redeal(TWO, view, jax.random.split(chance.key(3), worlds)))
    np.testing.assert_array_equal(other.hole[:, 0], np.tile(cards.read("AsAd"), (worlds, 1)))
    unseen = np.delete(np.arange(52), cards.read("AsAd2c7d9h"))
    for place in (other.hole[:, 1, 0], other.hole[:, 1, 1], other.board[:, 3], other.board[:, 4]):
        counts = np.bincount(place, minlength=52)
        assert counts[unseen].sum() == worlds
        assert abs(counts[unseen] - worlds / 47).max() < 6 * (worlds / 47) ** 0.5


def test_a_card_that_is_dealt_twice_is_noticed():
    valid = jax.jit(Holdem.is_valid)
    assert valid(TWO, dealt(TWO, "AsAd|KsKd"))
    assert not valid(TWO, dealt(TWO, "AsAd|AsKd"))
    assert not valid(TWO, dealt(TWO, "AsAd|2cKd"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"blinds": (1, 2, 4)}, "blinds has 3 entries"),
        ({"blinds": (0, 0)}, "more than 0 for somebody"),
        ({"board": (0, 3)}, "an entry for each round"),
        ({"board": (0, 1, 1, 1, 1)}, "at most 4 rounds"),
        ({"first": (3, 1, 1, 1)}, "positions from 1 to 2"),
        ({"board": (0, 3, 2, 1)}, "1 to 5 cards in all"),
        ({"players": 11}, "from 2 to 10"),
    ],
)
def test_options_that_do_not_go_together(options, says):
    with pytest.raises(UserError, match=says):
        feint.make("holdem", **options)


def test_results_are_told_in_mbb():
    unit = feint.make("holdem", blinds=(1, 2)).unit
    assert (unit.name, -1 * unit.scale, unit.total) == ("mbb/h", -500, "chips")


def test_a_raiser_raises_once_a_round_against_a_caller():
    result = feint.match(feint.make("holdem"), ["always-raise", "always-call"], games=64, seed=1)
    assert result.counter("raises", "always-raise") == 4 * 64
    assert result.counter("folds", "always-call") == 0
