"""Values and best responses, equal to OpenSpiel's on policies handed over action by action."""

import jax.numpy as jnp
import numpy as np
import pyspiel
import pytest

from feint.agent import Random
from feint.errors import UserError
from feint.game import pytree
from feint.solvers.best_response import best_response, check_policy, exploit, joined, mixture, values
from feint.solvers.tabular import policy_of
from tests.solvers.openspiel import SMALL, as_theirs, form, peer, random_policy

GAMES = [*SMALL, ("liars-dice", {"dice": 2, "sides": 2})]


@pytree
class Cautious:
    """A heuristic of no particular game: the first legal action, and the last one at every third move."""

    def begin(self, game, seat, key):
        return ()

    def act(self, memory, view, legal, key):
        first, final = jnp.argmax(legal), legal.size - 1 - jnp.argmax(legal[::-1])
        return jnp.where(view.moves % 3 == 2, final, first), memory

    def finish(self, memory, view, rewards, key):
        return memory


def their_exploitation(name, options, ours, policy):
    game, theirs = peer(name, **options), as_theirs(ours, policy)
    worth = pyspiel.expected_returns(game.new_initial_state(), theirs, -1, True)
    return worth, pyspiel.nash_conv(game, theirs)


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
@pytest.mark.parametrize("kind", ["random", "heuristic", "uniform"])
def test_values_and_nash_conv_are_openspiels(name, options, kind):
    ours = form(name, **options)
    policy = {
        "random": lambda: random_policy(ours, 1),
        "heuristic": lambda: policy_of(ours, Cautious()),
        "uniform": lambda: policy_of(ours, Random()),
    }[kind]()
    worth, nash_conv = their_exploitation(name, options, ours, policy)
    found = exploit(ours, policy)
    assert found.values == pytest.approx(worth, abs=1e-9)
    assert found.nash_conv == pytest.approx(nash_conv, abs=1e-9)


@pytest.mark.slow
def test_three_player_leduc_is_openspiels():
    ours = form("leduc", players=3)
    policy = random_policy(ours, 2)
    worth, nash_conv = their_exploitation("leduc", {"players": 3}, ours, policy)
    found = exploit(ours, policy)
    assert found.values == pytest.approx(worth, abs=1e-9)
    assert found.nash_conv == pytest.approx(nash_conv, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1, 2])
def test_a_best_response_earns_what_it_promises_and_no_other_policy_more(player):
    ours = form("kuhn", players=3)
    policy = random_policy(ours, 3)
    promised, with_it = best_response(ours, policy, player)
    assert values(ours, with_it)[player] == pytest.approx(promised, abs=1e-12)
    for seed in range(50):
        other = joined(ours, [random_policy(ours, seed) if p == player else policy for p in range(3)])
        assert values(ours, other)[player] <= promised + 1e-12


def test_a_mixture_earns_the_mixture_of_what_its_parts_earn():
    ours = form("leduc")
    one, other, field = (random_policy(ours, seed) for seed in (4, 5, 6))
    mixed = mixture(ours, [one, other], [0.3, 0.7])
    earns = [values(ours, joined(ours, [policy, field]))[0] for policy in (mixed, one, other)]
    assert earns[0] == pytest.approx(0.3 * earns[1] + 0.7 * earns[2], abs=1e-12)


def test_bad_policies_are_refused_in_one_sentence():
    ours = form("kuhn")
    with pytest.raises(UserError, match=r"array \[12, 2\]"):
        check_policy(ours, np.ones((3, 2)))
    with pytest.raises(UserError, match="sum to one"):
        check_policy(ours, np.ones((12, 2)))
    with pytest.raises(UserError, match="2 policies"):
        mixture(ours, [ours.uniform()] * 2, [0.5, 0.6])
    with pytest.raises(UserError, match="as many policies"):
        joined(ours, [ours.uniform()])
