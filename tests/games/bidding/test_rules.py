"""The rules of Bidding Elimination on positions worked out by hand."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import feint
from feint import chance
from feint.errors import NotSmall, UserError
from feint.games.bidding.game import Bidding
from feint.games.bidding.view import NONE
from feint.testing import check_game


@cache
def steps(game):
    return jax.jit(game.step), jax.jit(game.observe), jax.jit(game.bid_all)


def dealt(game, seed=0):
    return game.init(chance.deal_key(chance.game_key(seed, 0, 0)))


def play(game, *bids, state=None):
    step, _, _ = steps(game)
    state = dealt(game) if state is None else state
    for bid in bids:
        state = step(state, jnp.int32(bid))
    return state


def test_the_lowest_bidder_goes_out_and_all_bids_are_paid():
    game = Bidding(players=4, coins=10)
    state = play(game, 3, 1, 2, 4)
    assert state.coins.tolist() == [7, 9, 8, 6]
    assert state.alive.tolist() == [True, False, True, True]
    assert (int(state.lowest[0]), int(state.out[0]), int(state.round)) == (1, 1, 1)
    assert int(state.current_player) == 0
    state = play(game, 0, state=state)
    assert int(state.current_player) == 2  # the second seat is out and is not asked
    state = play(game, 5, 6, state=state)
    assert state.lowest.tolist() == [1, 0, NONE]
    assert state.out.tolist() == [1, 0, NONE]
    assert state.coins.tolist() == [7, 9, 3, 0]
    state = play(game, 3, 0, state=state)  # the last two: three coins against none
    assert bool(state.terminated)
    assert state.rewards.tolist() == [0, 0, 1, 0]


def test_bids_stay_sealed_until_all_are_in():
    game = Bidding(players=3, coins=10)
    _, observe, _ = steps(game)
    for other in (1, 2):
        seen = [observe(play(game, *bids), jnp.int32(other)) for bids in ((0,), (7,))]
        assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), *seen))
    own = observe(play(game, 7), jnp.int32(0))
    assert int(own.coins) == 3
    assert own.bids.tolist() == [7, NONE]
    # After the round the lowest bid is known, and no other.
    seen = [observe(play(game, *bids), jnp.int32(1)) for bids in ((2, 4, 5), (2, 4, 9))]
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), *seen))
    assert int(seen[0].lowest[0]) == 2


def test_the_last_two_must_bid_all_unless_the_final_is_played():
    state = play(Bidding(players=3, coins=5), 1, 2, 3)
    assert np.flatnonzero(state.legal_action_mask).tolist() == [3]
    state = play(Bidding(players=3, coins=5, final="played"), 1, 2, 3)
    assert np.flatnonzero(state.legal_action_mask).tolist() == [0, 1, 2, 3]


def test_the_papers_example_pays_nothing_a_half_and_a_half():
    game = Bidding(players=3, coins=2)
    deals = jax.vmap(game.deal)(game.deals()[0])
    _, _, bid_all = steps(game)
    first = jax.vmap(bid_all, (0, None))(deals, jnp.array([0, 2, 2]))
    last = jax.vmap(bid_all)(first, first.coins.astype(jnp.int32))
    assert last.rewards.mean(axis=0).tolist() == pytest.approx([0, 0.5, 0.5])


@pytest.mark.parametrize("bids", [[1, 1, 1, 1], [1, 1, 2, 1], [0, 3, 0, 5]])
def test_tied_players_go_out_equally_often(bids):
    game = Bidding(players=4, coins=5)
    deals, chances = game.deals()
    deals = jax.vmap(game.deal)(deals)
    assert chances.sum() == pytest.approx(1)
    out = jax.vmap(game.bid_all, (0, None))(deals, jnp.array(bids)).out[:, 0]
    tied = [seat for seat, bid in enumerate(bids) if bid == min(bids)]
    share = np.bincount(np.asarray(out), minlength=4) / len(out)
    assert share == pytest.approx([1 / len(tied) if seat in tied else 0 for seat in range(4)])


@settings(max_examples=30)
@given(st.integers(0, 1000), st.lists(st.floats(0, 1), min_size=14, max_size=14))
def test_a_whole_round_is_as_many_moves(seed, fractions):
    """Any bids, one by one and all at once, lead to the same states."""
    game = Bidding(players=5, coins=9)
    step, _, bid_all = steps(game)
    one_by_one = at_once = dealt(game, seed)
    rest = iter(fractions)
    while not one_by_one.terminated:
        bids = np.zeros(5, int)
        for seat in np.flatnonzero(at_once.alive):
            bids[seat] = at_once.coins[seat] if at_once.round == 3 else int(next(rest) * at_once.coins[seat])
            one_by_one = step(one_by_one, jnp.int32(bids[seat]))
        at_once = bid_all(at_once, jnp.asarray(bids))
        same = jax.tree.map(lambda a, b: bool((a == b).all()), one_by_one, at_once)
        assert jax.tree.all(same)
        assert bool(game.is_valid(at_once))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"coins": 0}, "coins must be a whole number from 1 to 1000, not 0"),
        ({"players": 1}, "players must be a whole number from 2 to 300, not 1"),
        ({"players": 301}, "players must be a whole number from 2 to 300, not 301"),
        ({"final": "never"}, "final must be one of all-in, played, not 'never'"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options, said):
    with pytest.raises(UserError, match=said):
        feint.make("bidding", **options)


def test_too_many_deals_are_not_listed():
    with pytest.raises(NotSmall, match=r"5\.18e\+05 deals"):
        Bidding(players=6).deals()


@pytest.mark.slow
def test_a_game_with_a_played_final_keeps_the_contract():
    check_game(Bidding(players=4, coins=5, final="played"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [Bidding(players=2, coins=1), Bidding(players=2, coins=3, final="played"), Bidding(players=10, coins=50)]
)
def test_games_of_other_sizes_keep_the_contract(game):
    check_game(game)
