"""Hidden worlds of Okey: what is known stays, all else is spread evenly."""

import jax
import numpy as np

from feint import chance
from feint.games.okey.game import Okey
from feint.games.okey.state import DRAW, TAKE, State
from feint.games.okey.view import View
from tests.games.okey.positions import filled, kind, play, started
from tests.games.okey.test_rules import AGAIN, FOUR, TWO, discard, discarded

WORLDS = 400


@jax.jit
def _worlds(rules: Okey, view: View) -> State:
    return jax.vmap(lambda key: rules.redeal(view, key))(jax.random.split(chance.key(5), WORLDS))


def worlds(rules: Okey, view: View) -> State:
    return jax.device_get(_worlds(rules, view))


def test_what_is_known_stays_and_all_else_is_spread_evenly():
    state = play(TWO, started(TWO, filled(TWO, "B4", "Y7 Y7")), discard("Y7"), TAKE)
    state = discarded(TWO, state)
    view = TWO.observe(state, 0)
    assert view.unseen[kind("Y7")] == 0
    assert view.unseen.sum() == 13 + 76
    racks = worlds(TWO, view).rack
    np.testing.assert_array_equal(racks[:, 0], np.tile(state.rack[0], (WORLDS, 1)))
    assert (racks[:, 1].sum(axis=1) == 14).all()
    assert (racks[:, 1, kind("Y7")] == 1).all()
    # Of 89 unseen tiles 13 are in the other rack: a kind's mean lies within five standard errors of that share.
    spread = np.delete(np.asarray(view.unseen), kind("Y7"))
    mean = np.delete(racks[:, 1].mean(axis=0), kind("Y7"))
    share = 13 / 89
    error = np.sqrt(spread * share * (1 - share) / WORLDS)
    assert (abs(mean - spread * share) <= 5 * error).all()


def test_both_a_taken_and_a_discarded_tile_of_a_kind_leave_nothing_known():
    state = play(TWO, started(TWO, filled(TWO, "B4", "Y7", "Y7")), discard("Y7"), TAKE)
    assert state.known[1, kind("Y7")] == 1  # of the two that it holds
    state = play(TWO, state, discard("Y7"))
    assert (state.rack[1, kind("Y7")], state.known[1, kind("Y7")]) == (1, 0)
    assert TWO.observe(state, 0).unseen[kind("Y7")] == 1


def test_a_new_centre_holds_nothing_but_discards():
    state = discarded(AGAIN, started(AGAIN, filled(AGAIN, "B4")))
    for _ in range(51):
        state = discarded(AGAIN, state, DRAW)
    assert state.shuffles == 1
    view = AGAIN.observe(state, 1)
    for centre in worlds(AGAIN, view).centre:
        assert (np.bincount(centre[state.drawn :], minlength=53) <= state.recycled).all()


def test_later_hands_are_dealt_anew():
    state = started(FOUR, filled(FOUR, "B4"))
    other = worlds(FOUR, FOUR.observe(state, 3))
    assert len(np.unique(other.orders[:, 0], axis=0)) == WORLDS
    np.testing.assert_array_equal(other.rack[:, 3], np.tile(state.rack[3], (WORLDS, 1)))
