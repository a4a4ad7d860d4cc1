"""The claim on the table taken back: its cards are in the hand again, and the same picks and answers lead to what everybody saw."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.games.bluff.game import AnyMost, Bluff
from tests.games.bluff.positions import hand, position

FOUR = Bluff()
SMALL = {"players": 3, "ranks": 5, "suits": 3, "most": 3}
REWOUND = jax.jit(FOUR.rewound)
STEP = jax.jit(FOUR.step)
VIEWS = jax.jit(lambda state: [FOUR.observe(state, jnp.int32(seat)) for seat in range(4)])


@jax.jit
def positions(game, key):
    """A random game's positions, each with what it was before."""

    def advance(state, move):
        here = chance.move_key(key, move)
        return game.step(state, chance.choice(here, state.legal_action_mask)), (state, game.rewound(state, here))

    return jax.lax.scan(advance, game.init(chance.deal_key(key)), jnp.arange(120))[1]


@pytest.mark.parametrize("game", [Bluff(**SMALL), AnyMost(**SMALL)], ids=["bluff", "any most"])
def test_claims_are_taken_back(game):
    for seed in range(3):
        states, starts = positions(game, chance.game_key(seed, 0, 0))
        claimed = np.asarray(states.asked) > 0
        assert claimed.any()
        assert jax.vmap(game.is_valid)(starts).all()
        assert (np.asarray(starts.asked) == 0).all()
        claimants = np.asarray(states.turn) % 3
        assert (np.asarray(starts.current_player)[claimed] == claimants[claimed]).all()
        in_claim = np.asarray(states.place) == game.in_claim
        before = np.where(in_claim, claimants[:, None], states.place)
        assert (np.asarray(starts.place)[claimed] == before[claimed]).all()
        for one, other in zip(jax.tree.leaves(states), jax.tree.leaves(starts), strict=True):
            assert (np.asarray(one) == np.asarray(other))[~claimed].all()


def same(one, other) -> bool:
    return all(map(np.array_equal, jax.tree.leaves(one), jax.tree.leaves(other)))


def test_a_lie_is_taken_back_and_told_again():
    claim = position(FOUR, ["Ks 2s", "As 4s 4h 9s", "3s", "3h"], [(3, "Qs")], turn=1, claim="4d Ad", asked=2)
    seen, laid = VIEWS(claim), Counter()
    for number in range(60):
        state = REWOUND(claim, chance.key(number))
        assert (int(state.current_player), int(state.asked), int(state.laid)) == (1, 0, 1)
        assert (np.asarray(state.log.player) == -1).all()
        assert sorted(hand(FOUR, state, 1).split()) == ["4d", "4h", "4s", "9s", "Ad", "As"]
        for action in (2, 12, FOUR.lay, FOUR.trust):  # twos are due: a four is two above, an ace twelve
            assert state.legal_action_mask[action]
            state = STEP(state, jnp.int32(action))
        again = VIEWS(state)
        assert all(same(seen[seat], again[seat]) for seat in (0, 2, 3))
        left = hand(FOUR, state, 1).split()
        laid[next(card for card in ("4s", "4h", "4d") if card not in left)] += 1
    assert min(laid.values()) > 8, "any of three fours may have come first"


def test_where_nothing_is_claimed_nothing_is_taken_back():
    picking = position(FOUR, ["Ks 2s", "As 4s", "3s", "3h"], turn=1, claim="4d")
    assert same(picking, REWOUND(picking, chance.key(0)))
