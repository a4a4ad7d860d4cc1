"""The field: bidders draw what they say they draw."""

from collections import Counter
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import feint
from feint import chance, registry
from feint.errors import UserError
from feint.games.bidding import bidders
from feint.games.bidding.game import Bidding

GAME = Bidding(players=4, coins=6)


def drawn(agent, coins, round=0, games=4000):
    """Bids of a player with so many coins, int[games]."""
    view = GAME.observe(GAME.init(chance.key(0)), jnp.int32(0))
    spent = jnp.full(3, -1, jnp.int16).at[0].set(6 - coins) if round else view.bids
    view = jax.tree.map(
        jnp.asarray, feint.game.replace(view, coins=jnp.int16(coins), bids=spent, round=jnp.int32(round))
    )
    legal = GAME.affordable(view.coins, view.left)
    keys = jax.vmap(lambda n: chance.game_key(1, n, 0))(jnp.arange(games))
    memory = agent.begin(GAME, jnp.int32(0), chance.key(0))
    return np.asarray(jax.jit(jax.vmap(lambda key: agent.act(memory, view, legal, key)[0]))(keys))


def agrees(bids, chances):
    counts = np.bincount(bids, minlength=len(chances))
    expected = np.asarray(chances) * len(bids)
    assert counts[expected == 0].sum() == 0
    kept = expected > 0
    return kept.sum() == 1 or stats.chisquare(counts[kept], expected[kept]).pvalue > 1e-4


def test_composition_splits_all_coins_evenly_over_all_ways():
    """With three rounds to come and five coins there are 21 ways; a bid is as likely as the ways that begin with it."""
    ways = [way for way in product(range(6), repeat=3) if sum(way) == 5]
    first = Counter(way[0] for way in ways)
    expected = [first[bid] / len(ways) for bid in range(6)] + [0]
    assert bidders.chances(bidders.Composition(), 4, 6)[4, 5] == pytest.approx(expected, abs=1e-6)
    assert agrees(drawn(bidders.Composition(), 5), expected)


def test_share_bids_up_to_twice_an_even_share():
    assert agrees(drawn(bidders.Share(), 6), [0.2] * 5 + [0, 0])  # 2 * 6 / 3 opponents
    assert agrees(drawn(bidders.Share(), 2), [0.5, 0.5] + [0] * 5)


def test_split_bids_as_often_as_it_says():
    for concentration, coins, round in ((5.0, 6, 0), (5.0, 4, 1), (0.3, 6, 0), (300.0, 6, 0)):
        agent = bidders.Split(concentration)
        assert agrees(drawn(agent, coins, round), bidders.chances(agent, 4, 6)[4 - round, coins]), concentration


def test_a_mixed_strategy_is_kept_over_what_can_be_paid():
    agent = registry.make_agent("mixed([0.1, 0.2, 0.1, 0.1, 0.3, 0.1, 0.1])", GAME)
    assert agrees(drawn(agent, 6), [0.1, 0.2, 0.1, 0.1, 0.3, 0.1, 0.1])
    assert agrees(drawn(agent, 2, round=1), [0.25, 0.5, 0.25, 0, 0, 0, 0])
    only_four = registry.make_agent("mixed([0, 0, 0, 0, 1, 0, 0])", GAME)
    assert set(drawn(only_four, 3, round=1, games=50)) == {3}  # the most it can pay


def test_everybody_bids_all_when_two_are_left():
    played = Bidding(players=4, coins=6, final="played")
    view = played.observe(played.init(chance.key(0)), jnp.int32(0))
    view = feint.game.replace(view, coins=jnp.int16(4), round=jnp.int32(2))
    for name in ("uniform", "split", "drifting", "convention([1, 1, 1])"):
        agent = registry.make_agent(name, played)
        memory = agent.begin(played, jnp.int32(0), chance.key(0))
        bid, _ = agent.act(memory, view, jnp.arange(7) <= 4, chance.key(1))
        assert int(bid) == 4, name


def test_split_divides_by_dirichlet_shares():
    bids = drawn(bidders.Split(5.0), 6)
    expected = [stats.beta.cdf((bid + 0.5) / 6, 5, 10) - stats.beta.cdf((bid - 0.5) / 6, 5, 10) for bid in range(7)]
    assert agrees(np.minimum(bids, 5), [*expected[:5], expected[5] + expected[6]])


def test_a_drifting_bidder_changes_about_as_often_as_it_says():
    agent = bidders.Drifting(1.0, 0.1)
    view = GAME.observe(GAME.init(chance.key(0)), jnp.int32(0))

    def next_game(memory, _):
        after = agent.finish(memory, view, jnp.zeros(4), chance.key(0))
        return after, (after.logs != memory.logs).any()

    _, changed = jax.lax.scan(next_game, agent.begin(GAME, jnp.int32(0), chance.key(0)), None, length=2000)
    assert 150 < int(changed.sum()) < 250


def test_bidders_of_one_world_change_together_and_those_of_none_do_not():
    def start(world, seat, key):
        return bidders.Drifting(1.0, 0.3, world).begin(GAME, jnp.int32(seat), chance.key(key))

    one, other = start(7, 1, 0), start(7, 2, 5)
    assert (jax.random.key_data(one.clock) == jax.random.key_data(other.clock)).all()
    assert (one.logs != other.logs).any()
    assert (one.logs == start(7, 1, 9).logs).all()
    assert (start(-1, 1, 0).logs != start(-1, 1, 1).logs).any()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mixed([0.2, 0.55, 0.15])", r"probabilities sum to 1; those of \[0.2, 0.55, 0.15\] sum to 0.9"),
        ("mixed([0.5, -0.5, 1])", "must be a list of probabilities"),
        ("mixed(3)", "must be a list of probabilities"),
        ("convention([4, 3.5])", "list of whole numbers of coins"),
        ("drifting(1, 2, 3, 4)", "at most 3 settings"),
    ],
)
def test_bad_strategies_are_refused_in_a_sentence(spec, said):
    with pytest.raises(UserError, match=said):
        registry.make_agent(spec, GAME)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mixed([0.5, 0.5])", "A strategy for 6 coins has 7 probabilities, from bidding 0 to bidding 6, not 2"),
        ("convention([4, 2])", "A convention of 4 players has 3 bids, one a round, not 2"),
        ("optim", "optim plays bidding with players=3 and final=all-in"),
        ("oracle", "oracle plays bidding with players=3"),
    ],
)
def test_agents_refuse_a_game_that_is_not_theirs(spec, said):
    with pytest.raises(UserError, match=said):
        registry.make_agent(spec, GAME).begin(GAME, jnp.int32(0), chance.key(0))
