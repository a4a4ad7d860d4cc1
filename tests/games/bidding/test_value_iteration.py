"""Plans against named fields, the paper's sampled value iteration, and the convention of fictitious play."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance, registry
from feint.arena import rollout
from feint.errors import UserError
from feint.games.bidding.bidders import Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import best_plan, sample_minima
from feint.games.bidding.value_iteration import (
    MaximumLikelihood,
    Transitions,
    is_convention,
    maximum_likelihood,
    settled,
)


def test_a_plan_against_any_agent_by_name():
    """Against a convention the best answer is to keep to it."""
    game = Bidding(4, 6)
    agent = registry.make_agent('value-iteration("convention([3, 1, 2])")', game)
    view = game.observe(game.init(chance.key(0)), jnp.int32(0))
    bid, _ = jax.jit(agent.act)((), view, game.affordable(view.coins, view.left), chance.key(0))
    assert int(bid) == 3


SIZES = [(3, 10), (3, 50), (4, 20), (5, 10), (5, 30), (6, 30), (7, 40), (8, 20), (9, 50), (10, 50)]
FAST = [("zoo:bidding-2", 4, 20), ("zoo:bidding-2", 10, 50), ("zoo:bidding-3", 4, 37)]


@pytest.mark.parametrize(
    ("name", "players", "coins"),
    [
        *FAST,
        *(
            pytest.param("zoo:bidding-2", *size, marks=pytest.mark.slow)
            for size in SIZES
            if ("zoo:bidding-2", *size) not in FAST
        ),
    ],
)
def test_nobody_gains_in_the_place_of_one_of_the_networks_for_any_table(name, players, coins):
    """All of them bid the same, so that a plan against them is exact: it wins an even share."""
    game = Bidding(players, coins)
    minima = sample_minima(game, [registry.make_agent(name, game)], [0] * (players - 1), 8)
    assert (minima.lowest == minima.lowest[0]).all()
    assert (minima.tied[0] == range(players - 1, 0, -1)).all()
    assert float(best_plan(minima, coins).value[0, coins]) == pytest.approx(1 / players)


def test_a_field_that_does_not_exist_is_refused():
    game = Bidding(4, 6)
    view = game.observe(game.init(chance.key(0)), jnp.int32(0))
    agent = registry.make_agent('value-iteration("nobody")', game)
    with pytest.raises(UserError, match="no bidding agent called 'nobody'"):
        agent.act((), view, view.alive, chance.key(0))


def test_transitions_of_a_game_are_what_was_bid_with_what():
    game = Bidding(4, 10)
    state = game.init(chance.key(0))
    for bids in ([3, 1, 5, 2], [4, 0, 2, 5], [3, 0, 3, 3]):
        state = game.bid_all(state, jnp.array(bids))
    first, third = (Transitions.none(game).and_of(game.observe(state, jnp.int32(seat))) for seat in (0, 2))
    assert [tuple(map(int, at)) for at in np.argwhere(first.tried)] == [(0, 10, 3), (1, 7, 4), (2, 3, 3)]
    assert [tuple(map(int, at)) for at in np.argwhere(third.tried)] == [(0, 10, 5), (1, 5, 2)]
    assert [tuple(map(int, at)) for at in np.argwhere(third.survived)] == [(0, 10, 5)]


@pytest.mark.slow
def test_sampled_value_iteration_explores_and_then_plays_what_won():
    """The agent within a match and the table from as many games apart both come to play well: far above 1 in 4."""
    game, seating = Bidding(4, 6), [0, 1, 1, 1]
    played, _ = rollout.play(
        game, [MaximumLikelihood(1000), Uniform()], seating, seed=0, first=0, matches=16, length=1500
    )
    won = played.winners[..., 0]
    assert won[:, :1000].mean() == pytest.approx(0.25, abs=0.02)
    assert won[:, 1000:].mean() > 0.45
    table = maximum_likelihood(game, Uniform(), 1000)
    again, _ = rollout.play(game, [table, Uniform()], seating, seed=0, first=0, matches=64, length=50)
    won = again.winners[..., 0]
    assert won.mean() > 0.45


def test_fictitious_play_settles_on_a_convention():
    bids = settled(4, 10)
    assert sum(bids) == 10
    assert is_convention(np.array(bids), 10)
    assert not is_convention(np.array([2, 2, 2]), 10)  # whoever keeps coins back is outbid
