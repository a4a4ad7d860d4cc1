"""Three players: the estimates of the paper's agent, the oracle, and estimates that notice a change."""

from functools import partial
from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint.arena import rollout
from feint.games.bidding import analysis
from feint.games.bidding.bidders import Drifting, mixed
from feint.games.bidding.game import Bidding
from feint.games.bidding.three_players import Estimates, Optim, Oracle, likelihood, payoffs, possible_counts, utilities


@pytest.mark.parametrize("coins", [1, 2, 5])
def test_the_median_bid_wins_and_ties_are_split(coins):
    """The closed form that agents use, beside the rules played out over every deal."""
    assert np.asarray(payoffs(coins)) == pytest.approx(analysis.payoffs(coins)[0])


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_likelihood_is_the_share_of_deals_that_show_the_same(seat):
    """For every pair of the others' bids, by playing them out over every deal."""
    game, own = Bidding(3, 2), 1
    deals = jax.vmap(game.deal)(game.deals()[0])

    @jax.jit
    @jax.vmap
    def played(others):
        bids = jnp.zeros(3, int).at[seat].set(own)
        bids = bids.at[(seat + 1) % 3].set(others[0]).at[(seat + 2) % 3].set(others[1])

        def from_deal(deal):
            after = game.bid_all(deal, bids)
            return game.bid_all(after, after.coins.astype(jnp.int32))

        ends = jax.vmap(from_deal)(deals)
        return ends.lowest, ends.out, ends

    pairs = np.array(list(product(range(3), repeat=2)))
    lowest, out, ends = played(jnp.asarray(pairs))
    seen = np.concatenate([np.asarray(lowest), np.asarray(out)], axis=-1)  # [pairs, deals, 4]
    for pair, deal in product(range(9), range(0, 12, 5)):
        end = jax.tree.map(lambda leaf: leaf[pair, deal], ends)  # noqa: B023
        expected = (seen == seen[pair, deal]).all(axis=-1).mean(axis=1).reshape(3, 3)
        assert np.asarray(likelihood(game.observe(end, jnp.int32(seat)), 2)) == pytest.approx(expected)


def test_optim_gives_every_possible_bid_an_equal_share():
    """The paper's example: an opponent who bid 1 or 2 counts as [0, 1/2, 1/2], one who bid 1 as [0, 1, 0]."""
    seen = jnp.zeros((3, 3)).at[1, 1].set(1.0).at[2, 1].set(0.5)
    assert possible_counts(seen).tolist() == [[0, 0.5, 0.5], [0, 1, 0]]


def test_utilities_are_those_of_the_papers_equation():
    a, b = 0.3, 0.5
    worth = utilities(jnp.array([[a, b, 1 - a - b]] * 2))
    published = [
        -2 / 3 * a**2 + a,
        -2 * a**2 - 2 / 3 * b**2 - 2 * a * b + 2 * a + b,
        (a + b) * (1 - a - b) + (1 - a - b) ** 2 / 3,
    ]
    assert worth.tolist() == pytest.approx(published)


def last_beliefs(memories):
    return memories[0]


def test_optim_learns_static_strategies():
    """Fig. 2, its misprint aside: beliefs after 2000 games are near what the opponents play."""
    agents = [Optim(), mixed([0.25, 0.55, 0.2]), mixed([0.4, 0.15, 0.45])]
    played, _ = rollout.play(
        Bidding(3, 2), agents, [0, 1, 2], seed=0, first=0, matches=16, length=500, watch=last_beliefs
    )
    beliefs = np.asarray(played.seen)[:, -1, 0].mean(axis=0)
    # Equal shares are not probabilities: estimates stay biased towards what cannot be told apart, by up to a fifth here.
    assert np.abs(beliefs - [[0.25, 0.55, 0.2], [0.4, 0.15, 0.45]]).max() < 0.2


def opponents(match, agent, concentration, change):
    """One agent and the two drifting bidders of a world of their own."""
    made = Oracle(concentration, change, match) if agent is Oracle else agent()
    return [made, Drifting(concentration, change, match)]


def win_rate(agent, matches=48, length=300):
    agents = partial(opponents, agent=agent, concentration=0.1, change=0.02)
    played, _ = rollout.play(Bidding(3, 10), agents, [0, 1, 1], seed=1, first=0, matches=matches, length=length)
    return float(played.winners[..., 0].mean())


@pytest.mark.slow
def test_estimates_notice_a_change_sooner_than_optim_and_stay_below_the_oracle():
    """Opponents with narrow strategies, new ones every fifty games; known: optim 55, oracle 67%."""
    optim, estimates, oracle = map(win_rate, (Optim, Estimates, Oracle))
    assert estimates - optim > 0.04
    assert oracle - estimates > 0.005
