"""The rules of Bluff on positions worked out by hand, and what must hold in every game."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import feint
from feint import chance
from feint.agent import Random
from feint.arena import rollout
from feint.errors import UserError
from feint.games.bluff.game import Bluff
from tests.games.bluff.positions import card, hand, position

RULES = Bluff()
THREE = Bluff(players=3)
LAY, TRUST, CALL = RULES.lay, RULES.trust, RULES.call
STEP = jax.jit(RULES.step)
STEP3 = jax.jit(THREE.step)
OBSERVE = jax.jit(THREE.observe)


def play(step, state, *actions):
    for action in actions:
        assert state.legal_action_mask[action], f"{action} is not legal"
        state = step(state, jnp.int32(action))
    return state


def legal(state):
    return set(np.flatnonzero(state.legal_action_mask).tolist())


def test_deal_shares_cards_and_gives_the_rest_to_the_first_seats():
    sizes = {n: Bluff(players=n).observe(Bluff(players=n).init(chance.key(n)), 0).sizes.tolist() for n in (2, 3, 5, 8)}
    assert sizes == {2: [26, 26], 3: [18, 17, 17], 5: [11, 11, 10, 10, 10], 8: [7, 7, 7, 7, 6, 6, 6, 6]}


def test_remainder_can_be_left_out():
    rules = Bluff(players=5, remainder="unused")
    state = rules.init(chance.key(1))
    assert rules.observe(state, 0).sizes.tolist() == [10] * 5
    assert (state.place == rules.out_of_play).sum() == 2


def test_picks_go_upwards_from_the_rank_due_and_stop_at_most():
    rules = Bluff(players=2, most=2)
    state = position(rules, ["Ah 3s 3d Kc", "2s"], turn=2)  # threes are due
    assert legal(state) == {0, 10, 11}  # a three, the king ten above, the ace eleven above
    one = rules.step(state, 10)
    assert legal(one) == {11, rules.lay}  # no three any more: it would have come first
    assert legal(rules.step(one, 11)) == {rules.lay}


def test_of_a_rank_the_card_longest_in_the_hand_goes():
    state = position(THREE, ["3s 3h As", "2s", "4s"])
    after = play(STEP3, state, 2)
    assert after.place[card("3s")] == THREE.in_claim
    assert hand(THREE, after, 0) == "3h As"


def test_others_are_asked_clockwise_and_the_pile_grows():
    state = position(THREE, ["As Ks", "2s 3s", "4s 5s"])
    state = play(STEP3, state, 0, LAY)
    assert state.current_player == 1
    assert legal(state) == {TRUST, CALL}
    state = play(STEP3, state, TRUST)
    assert state.current_player == 2
    state = play(STEP3, state, TRUST)
    view = OBSERVE(state, 2)
    assert (int(view.turn), int(view.due), int(view.player), int(state.current_player)) == (1, 1, 1, 1)
    assert view.pile[:2].tolist() == [0, -1]
    assert view.sizes.tolist() == [1, 2, 2]


def test_a_wrong_call_takes_the_pile_in_the_order_it_was_laid():
    state = position(THREE, ["As Ks", "2s 3s", "4s 5s"], pile=[(1, "9h"), (2, "7d 8d")])
    state = play(STEP3, state, 0, LAY, TRUST, CALL)
    assert hand(THREE, state, 2) == "4s 5s 9h 7d 8d As"
    assert hand(THREE, state, 0) == "Ks"
    assert OBSERVE(state, 0).pile_size == 0
    assert state.log.honest[0] == 1
    assert state.log.caller[0] == 2


def test_a_caught_lie_takes_the_pile():
    state = position(THREE, ["As Ks", "2s 3s", "4s 5s"], pile=[(1, "9h")])
    state = play(STEP3, state, 12, LAY, CALL)  # a king as an ace
    assert hand(THREE, state, 0) == "As 9h Ks"
    assert state.log.honest[0] == 0
    assert state.log.shown[0].tolist() == [card("Ks"), -1, -1, -1]


def test_one_false_card_among_true_ones_is_a_lie():
    state = play(STEP3, position(THREE, ["As Ah Ks 9d", "2s", "4s"]), 0, 0, 12, LAY, CALL)
    assert state.log.honest[0] == 0


def test_an_empty_hand_that_is_believed_wins():
    state = play(STEP3, position(THREE, ["Ks", "2s", "4s"]), 12, LAY, TRUST)
    assert not state.terminated
    state = play(STEP3, state, TRUST)
    assert state.terminated
    assert state.rewards.tolist() == [1.0, -0.5, -0.5]


def test_an_empty_hand_that_told_the_truth_wins_though_called():
    state = play(STEP3, position(THREE, ["As", "2s", "4s"]), 0, LAY, CALL)
    assert state.terminated
    assert state.rewards.tolist() == [1.0, -0.5, -0.5]
    assert hand(THREE, state, 1) == "2s As"


def test_a_caught_last_bluff_does_not_win():
    state = play(STEP3, position(THREE, ["Ks", "2s", "4s"]), 12, LAY, TRUST, CALL)
    assert not state.terminated
    assert hand(THREE, state, 0) == "Ks"
    assert state.current_player == 1


def test_the_cap_is_a_draw():
    rules = Bluff(players=2, cap=1)
    state = position(rules, ["As Ks", "2s 3s"])
    for action in (0, rules.lay, rules.trust):
        state = rules.step(state, action)
    assert state.terminated
    assert state.rewards.tolist() == [0, 0]


def test_ranks_wrap_after_kings():
    state = position(THREE, ["As Ks", "2s 3s", "4s 5s"], turn=13)
    assert OBSERVE(state, 0).due == 0
    assert state.current_player == 1


def test_picking_is_hidden_until_the_cards_are_laid():
    before = position(THREE, ["As Ks 9d", "2s 3s", "4s 5s"])
    picked = play(STEP3, before, 0, 8)
    for seat in (1, 2):
        same = jax.tree.map(lambda a, b: bool((a == b).all()), OBSERVE(before, seat), OBSERVE(picked, seat))
        assert all(jax.tree.leaves(same))
    assert OBSERVE(picked, 0).picked.sum() == 2


class TestInfoTable:
    """What each player knows of where cards are."""

    def located(self, state, seat, name):
        return int(OBSERVE(state, seat).located.ravel()[card(name)])

    def test_own_cards_in_a_taken_pile_and_shown_cards_are_located(self):
        state = position(THREE, ["As Ks", "2s 3s", "4s 5s"], pile=[(1, "9h"), (2, "7d")])
        state = play(STEP3, state, 12, LAY, CALL)  # player 0 is caught with a king and takes 9h 7d Ks
        assert self.located(state, 1, "9h") == 0  # laid it itself
        assert self.located(state, 1, "Ks") == 0  # saw it shown
        assert self.located(state, 1, "7d") == -1  # player 2 laid that unseen
        assert self.located(state, 2, "7d") == 0
        assert [self.located(state, 0, name) for name in ("9h", "7d", "Ks", "As")] == [0, 0, 0, 0]

    def test_a_located_card_stays_with_its_player_until_somebody_else_takes_its_unseen_cards(self):
        state = position(THREE, ["As Ks", "2s 3s 6c", "4s 5s 6d"], pile=[(1, "9h")])
        state = play(STEP3, state, 12, LAY, CALL)  # 0 takes 9h Ks
        state = play(STEP3, state, 0, LAY, TRUST, TRUST)  # 1 lays its two
        state = play(STEP3, state, 1, LAY, TRUST, TRUST)  # 2 lays a four as a three
        assert self.located(state, 1, "9h") == 0
        state = play(STEP3, state, 5, LAY, TRUST, TRUST)  # 0 lays the nine as a four, unseen
        assert self.located(state, 1, "9h") == 0  # in the hand or laid since: one cannot tell
        lied = play(STEP3, state, 1, LAY, CALL)  # 1 lays a six as a five; 2 calls: 1 takes all and sees the nine
        assert self.located(lied, 1, "9h") == 1
        assert self.located(lied, 2, "Ks") == -1  # was located with 0, who laid something unseen

    def test_cleared_ranks_are_those_passed_since_the_last_pick_up(self):
        state = position(THREE, ["As Ks", "2s 3s", "4s 5s"])
        state = play(STEP3, state, 0, LAY, TRUST, TRUST, 0, LAY, TRUST, TRUST)
        assert np.flatnonzero(state.cleared[0]).tolist() == [0]
        assert np.flatnonzero(state.cleared[1]).tolist() == [1]
        state = play(STEP3, state, 1, LAY, CALL)  # 2 lays a four as a three and takes the pile
        assert not state.cleared[2].any()
        assert state.cleared[:2].any(axis=1).all()


def test_answers_are_counted_by_the_size_of_the_claim_and_end_with_a_call():
    state = position(THREE, ["As Ks Kd", "2s 3s 9c", "4s 5s 9d"])
    state = play(STEP3, state, 0, 12, LAY, TRUST, CALL)  # 0 lays two, 1 trusts, 2 calls
    state = play(STEP3, state, 0, LAY, CALL)  # 1 lays its two, 2 calls; 0 is not asked
    assert state.answers[0].sum() == 0
    assert state.answers[1].tolist() == [[0, 0], [1, 0], [0, 0], [0, 0]]
    assert state.answers[2].tolist() == [[0, 1], [0, 1], [0, 0], [0, 0]]


def test_events_are_counted_for_who_acts():
    state = position(THREE, ["As Ks", "2s 3s", "4s 5s"])
    state = play(STEP3, state, 12)
    events = {name: int(count) for name, count in THREE.events(state, jnp.int32(LAY)).items()}
    assert events == {"plays": 1, "bluffs": 1, "calls right": 0, "calls wrong": 0}
    state = play(STEP3, state, LAY)
    assert int(THREE.events(state, jnp.int32(CALL))["calls right"]) == 1
    assert int(THREE.events(state, jnp.int32(TRUST))["calls right"]) == 0


def test_redeal_keeps_what_is_known_and_moves_the_rest():
    state = position(THREE, ["As Ks", "2s 3s 6c", "4s 5s 6d"], pile=[(1, "9h"), (2, "7d")])
    state = play(STEP3, state, 12, LAY, CALL)
    view = OBSERVE(state, 1)
    worlds = jax.jit(jax.vmap(THREE.redeal, (None, 0)))(view, jax.random.split(chance.key(1), 200))
    assert (worlds.place[:, card("9h")] == 0).all()
    assert (worlds.place[:, card("2s")] == 1).all()
    assert set(np.unique(worlds.place[:, card("4s")]).tolist()) >= {0, 2}


@dataclass(frozen=True)
class Audited(Bluff):
    """Counts the moves after which cards are not all there."""

    def events(self, state, action):
        return {"unsound": (~self.is_valid(self.step(state, action))).astype(jnp.int32)}


@pytest.mark.slow  # that all states of random games are sound and all games end is among the checks of the contract
@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize("games", [300, 10_000])
def test_random_games_end_soundly(games):
    outcomes, _ = rollout.play(Audited(), [Random()], [0] * 4, seed=7, first=0, matches=games, lanes=games // 10)
    assert outcomes.moves.min() > 0  # every game was played to its end
    assert outcomes.events["unsound"].sum() == 0
    assert np.allclose(outcomes.rewards.sum(axis=-1), 0, atol=1e-6)
    # A fair game of random players but for the seats: nobody is far from a quarter, beyond three standard errors.
    assert np.abs((outcomes.rewards > 0).mean(axis=(0, 1)) - 0.25).max() < 0.05 + 3 * (0.25 * 0.75 / games) ** 0.5


@settings(max_examples=25)
@given(seed=st.integers(0, 2**31 - 1), choices=st.lists(st.integers(0, 10**6), min_size=20, max_size=60))
def test_cards_are_conserved_and_views_agree(seed, choices):
    state = DEAL(chance.key(seed))
    for choice in choices:
        options = np.flatnonzero(state.legal_action_mask)
        state = STEP3(state, jnp.int32(options[choice % len(options)]))
        views = [OBSERVE(state, jnp.int32(seat)) for seat in range(3)]
        picked = sum(int(view.picked.sum()) for view in views)
        assert sum(int(view.hand.sum()) for view in views) + int(views[0].pile_size) + picked == 52
        assert all(view.sizes.tolist() == views[0].sizes.tolist() for view in views)
        if state.terminated:
            break


DEAL = jax.jit(THREE.init)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"players": 1}, "players must be a whole number from 2 to 16, not 1"),
        ({"players": 9}, "9 players need decks=2"),
        ({"players": 4.0}, "players must be a whole number from 2 to 16, not 4.0"),
        ({"remainder": "burnt"}, "remainder must be one of dealt, unused, not 'burnt'"),
        ({"players": 8, "ranks": 2, "suits": 2}, "8 players cannot share 4 cards"),
        ({"jokers": 2}, "bluff has no option 'jokers'"),
    ],
)
def test_bad_options_get_one_sentence(options, sentence):
    with pytest.raises(UserError, match=sentence):
        feint.make("bluff", **options)
