"""What people read: bids stay secret until the game is over."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.errors import UserError
from feint.games.bidding.game import Bidding
from feint.games.bidding.words import BiddingNarration
from feint.keyboard import Keyboard, keyboard

GAME = Bidding(players=3, coins=6)


def views(*bids):
    """Everybody's views after some bids, as numpy."""
    state = GAME.init(chance.key(0))
    for bid in bids:
        state = GAME.step(state, jnp.int32(bid))
    return [jax.device_get(GAME.observe(state, jnp.int32(seat))) for seat in range(3)]


def words(reader=None) -> BiddingNarration:
    return BiddingNarration(GAME, ["Ann", "Ben", "Cy"], reader)


def keys(reader: int) -> Keyboard:
    return keyboard(words(reader))


def test_a_bid_is_told_without_its_amount_and_the_last_one_with_the_outcome():
    assert words().tell(0, views()[1], 2, views(2)[1]) == "Ann bids."
    said = words(reader=0).tell(2, views(2, 3)[1], 5, views(2, 3, 5)[1])
    assert said == "Cy bids. The lowest bid was 2 coins: You are out, 2 are left."
    assert words().reveal(2, views(2, 3)[2], 5, views(2, 3, 5)[2]).startswith("Cy bids 5 coins.")


def test_the_player_sees_its_purse_and_who_is_left():
    view = views(2, 3, 5)[1]
    assert words(reader=1).show(view) == "Round 2: you have 3 coins; against you Cy."
    assert words(reader=1).notes(view) == "Round 1: you bid 3. The lowest bid was 2 coins: Ann is out, 2 are left."
    assert words().scene(views(2, 3, 5)) == "Round 2, coins: Ben 3, Cy 1."
    assert words().scene(views(2)) == ""


def test_advice_is_what_the_purse_has_to_last_for():
    assert words(0).advice(views()[0]) == "To win you stay in for 2 rounds: 6 coins come to 3 a round."
    assert words(1).advice(views(2, 3, 5)[1]) == "This is the last round: what you keep counts for nothing."


def test_bids_are_typed_as_numbers():
    legal = np.arange(7) <= 6
    assert keys(0).ask(views()[0], legal) == "Your bid, 0 to 6: "
    assert keys(0).read(views()[0], legal, " 4 ") == keys(0).read(views()[0], legal, "Bid 4 coins") == [4]
    assert (keys(0).read(views()[0], legal, "all"), keys(0).read(views()[0], legal, "nothing")) == ([6], [0])
    with pytest.raises(UserError, match="'7' is not a bid that you can make: type a whole number of coins, 0 to 6"):
        keys(0).read(views()[0], legal, "7")
    forced = np.arange(7) == 3
    assert keys(1).read(views(2, 3, 5)[1], forced, "") == [3]


def test_bids_have_words():
    view = views()[0]
    assert [GAME.describe(view, bid) for bid in (0, 1, 2, 6)] == [
        "bid nothing",
        "bid 1 coin",
        "bid 2 coins",
        "bid all 6 coins",
    ]


def test_the_end_names_the_winner():
    assert words(reader=2).end(views(2, 3, 5)[0], np.array([0, 0, 1.0])) == "You win, the last one standing."
    assert "the last two must bid all" in keys(0).help()


def test_all_bids_are_told_after_the_game():
    assert words(reader=1).recap([], views(2, 3, 5)) == "Bids of round 1: Ann 2, You 3, Cy 5."
    tied = views(2, 2, 5)
    loser = ("Ann", "You")[int(tied[0].out[0])]
    assert words(reader=1).recap([], tied) == f"Bids of round 1: Ann 2, You 2, Cy 5; {loser} went out by lot."


def test_a_page_has_bids_to_choose_from():
    legal = np.arange(7) <= 6
    choices = words(reader=0).choices(views()[0], legal)
    assert [choice.label for choice in choices[::3]] == ["bid nothing", "bid 3 coins", "bid all 6 coins"]
    assert {choice.group for choice in choices} == {"bid"}
    assert words(reader=0).question(views()[0], legal) == "It is your turn: bid 0 to 6 coins."
    assert words(reader=1).question(views()[1], np.arange(7) == 1) == "It is your turn: you can only bid 1 coin."


def test_who_is_out_or_only_watches_sees_who_is_left():
    after = views(2, 3, 5)
    assert words(reader=0).show(after[0]) == "Round 2: still in are Ben, Cy."
    assert words().show(replace(after[0], seat=np.int32(-1))) == "Round 2: still in are Ben, Cy."
