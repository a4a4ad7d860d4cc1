"""The claim on the table taken back: its cards are in the hand again, and the same picks and answers lead to what everybody saw."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.games.bluff.game import AnyMost, Bluff
from feint.games.bluff.view import counts
from tests.games.bluff.positions import hand, position

FOUR = Bluff()
SMALL = {"players": 3, "ranks": 5, "suits": 3, "most": 3}
REWOUND = jax.jit(FOUR.rewound)
VIEWS = jax.jit(lambda game, states, seat: jax.vmap(lambda state: game.observe(state, seat))(states))


@jax.jit
def replayed(game, key):
    """A random game's positions, and each with its claim taken back and made again: states, how many moves were taken back, states."""

    def again(state, key):
        start, actions, log = game.rewound(state, key)

        def follow(carry, action):
            state, legal = carry
            after = game.step(state, action)
            legal &= (action < 0) | state.legal_action_mask[action]
            return (jax.tree.map(lambda on, off: jnp.where(action < 0, off, on), after, state), legal), None

        (end, legal), _ = jax.lax.scan(follow, (start, jnp.bool_(True)), actions)
        return start, (actions >= 0).sum(), log, end, legal

    def advance(state, move):
        here = chance.move_key(key, move)
        return game.step(state, chance.choice(here, state.legal_action_mask)), (state, again(state, here))

    return jax.lax.scan(advance, game.init(chance.deal_key(key)), jnp.arange(120))[1]


@pytest.mark.parametrize("game", [Bluff(**SMALL), AnyMost(**SMALL)], ids=["bluff", "any most"])
def test_the_same_moves_lead_to_what_everybody_saw(game):
    for seed in range(3):
        states, (starts, moves, logs, ends, legal) = replayed(game, chance.game_key(seed, 0, 0))
        claimed = np.asarray(states.asked) > 0
        assert claimed.any()
        assert legal.all()
        assert (np.asarray(logs) <= 0).all()
        of_claim = (np.asarray(states.place) == game.in_claim).sum(axis=1)
        assert (np.asarray(moves) == np.where(claimed, of_claim + states.asked, 0)).all()
        assert (np.asarray(starts.asked) == 0).all()
        assert (np.asarray(starts.current_player)[claimed] == np.asarray(states.turn)[claimed] % 3).all()
        assert jax.vmap(game.is_valid)(starts).all()
        honest = jax.vmap(game.honest)
        assert (honest(states) == honest(ends))[claimed].all()
        assert (states.legal_action_mask == ends.legal_action_mask).all()
        for seat in range(3):
            seen, again = VIEWS(game, states, seat), VIEWS(game, ends, seat)
            laid = np.asarray(states.turn) % 3 == seat  # whose order of cards, and which suits went, is drawn anew
            for one, other in zip(jax.tree.leaves(seen), jax.tree.leaves(again), strict=True):
                assert (np.asarray(one) == np.asarray(other))[~(claimed & laid)].all()
            for one, other in zip(*(jax.tree.leaves(jax.vmap(counts)(each)) for each in (seen, again)), strict=True):
                assert (np.asarray(one) == np.asarray(other)).all()


def test_a_lie_is_taken_back():
    claim = position(FOUR, ["Ks 2s", "As 4s 4h 9s", "3s", "3h"], [(3, "Qs")], turn=1, claim="4d Ad", asked=2)
    orders = set()
    for number in range(40):
        start, actions, log = REWOUND(claim, chance.key(number))
        assert actions.tolist() == [
            2,
            12,
            FOUR.lay,
            FOUR.trust,
            -1,
            -1,
            -1,
        ]  # twos are due: a four is two above, an ace twelve
        assert np.isclose(log, -np.log(3 * 2))  # any of three fours and of two aces could have gone
        assert (int(start.current_player), int(start.asked), int(start.laid)) == (1, 0, 1)
        assert (np.asarray(start.log.player) == -1).all()
        order = hand(FOUR, start, 1).split()
        assert order.index("4d") < min(order.index("4s"), order.index("4h"))
        assert order.index("Ad") < order.index("As")
        orders.add(order[0])
    assert orders == {"4d", "Ad", "9s"}


def test_where_nothing_is_claimed_nothing_is_taken_back():
    picking = position(FOUR, ["Ks 2s", "As 4s", "3s", "3h"], turn=1, claim="4d")
    start, actions, log = REWOUND(picking, chance.key(0))
    assert (np.asarray(actions) == -1).all()
    assert log == 0
    same = jax.tree.map(lambda one, other: (np.asarray(one) == np.asarray(other)).all(), picking, start)
    assert all(jax.tree.leaves(same))
