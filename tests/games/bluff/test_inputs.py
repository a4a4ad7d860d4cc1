"""What a network reads of Bluff: ranks in the order in which they come to each player."""

from dataclasses import replace

import jax
import numpy as np
import pytest

import feint
from feint.games.bluff.inputs import encode
from tests.games.bluff.positions import RANKS, position


@pytest.mark.parametrize(
    ("players", "coming"),
    [
        (4, "4 8 Q 3 7 J 2 6 T A 5 9 K"),  # with four, every fourth rank is one's own
        (5, "4 9 A 6 J 3 8 K 5 T 2 7 Q"),
    ],
)
def test_own_cards_are_told_in_the_order_of_one_s_next_turns(players, coming):
    """The second player lays twos. The fourth lays fours next, and what then comes round to it; it holds a four and a queen."""
    rules = feint.make("bluff", players=players)
    state = position(rules, ["As", "2s", "3s", "4s Qd", *["5s"] * (players - 4)], turn=1)
    own = jax.jit(lambda state: encode(rules, rules.observe(state, 3)))(state)["own_turns"]
    assert np.flatnonzero(own[0]).tolist() == [coming.split().index("4"), coming.split().index("Q")]
    assert not own[1:].any(), "one of each"
    assert sorted(coming.split(), key=RANKS.index) == list(RANKS)


def test_what_is_known_of_others_is_told_in_the_order_of_their_turns():
    """Five play, and the second lays twos: the third, who showed a three, lays it next; the first lays a six next, then a jack, as it showed."""
    rules = feint.make("bluff", players=5)
    state = position(rules, ["Jd", "2s", "3s", "4s", "5s"], turn=1)

    @jax.jit
    def seen(state):
        view = rules.observe(state, 3)
        shown = view.located.at[0, RANKS.index("3")].set(2).at[2, RANKS.index("J")].set(0)
        return encode(rules, replace(view, located=shown))["located_turns"]

    after_fourth = ["fifth", "first", "second", "third"]
    found = [(after_fourth[player], int(turn)) for player, turn in np.argwhere(np.asarray(seen(state)))]
    assert found == [("first", 1), ("third", 0)]
