"""Kuhn poker enumerated exactly: every deal, every sequence of actions, and its known value."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint.games.small import kuhn
from feint.games.small.kuhn import BET, PASS

J, Q, K = 0, 1, 2


class Enumeration:
    """Every deal with every sequence of actions, and what it pays; what stands after the end of a game is PASS."""

    def __init__(self, players: int) -> None:
        game = feint.make("kuhn", players=players)
        deals, self.chances = game.deals()
        deals = jax.vmap(game.deal)(deals)
        self.sequences = np.array(list(product((PASS, BET), repeat=game.max_moves)))

        def play(deal, actions):
            def step(state, action):
                after = game.step(state, action)
                return after, (state.current_player, ~state.terminated, after.rewards)

            end, (mover, on, rewards) = jax.lax.scan(step, deal, actions)
            return end.terminated, mover, on, rewards.sum(axis=0)

        over_actions = jax.vmap(play, (None, 0))
        every = jax.jit(jax.vmap(over_actions, (0, None)))(deals, jnp.asarray(self.sequences))
        self.over, self.mover, self.on, self.payoffs = (np.asarray(each) for each in every)
        self.cards = np.asarray(deals.cards)
        # One spelling of each end: no bets once it is over.
        self.counted = ~((self.sequences == BET) & ~self.on).any(axis=2)  # bool[deals, sequences]

    def terminal_sequences(self) -> set[tuple[int, ...]]:
        rows = np.argwhere(self.counted)
        return {tuple(self.sequences[s][self.on[d, s]].tolist()) for d, s in rows}

    def values(self, bets: list[dict]) -> np.ndarray:
        """What each seat earns where seat s bets with chance bets[s][card, actions so far]."""
        total = np.zeros(self.payoffs.shape[-1])
        for d, s in np.argwhere(self.counted):
            reach = float(self.chances[d])
            for move in np.flatnonzero(self.on[d, s]):
                seat, past = int(self.mover[d, s, move]), tuple(self.sequences[s, :move].tolist())
                bet = bets[seat][int(self.cards[d, seat]), past]
                reach *= bet if self.sequences[s, move] == BET else 1 - bet
            total += reach * self.payoffs[d, s]
        return total


@pytest.fixture(scope="module")
def two():
    return Enumeration(2)


def equilibrium(alpha: float) -> list[dict]:
    """The known equilibria: how often the first player bluffs with a jack is free from 0 to 1/3."""
    first, second, check_bet = (), (PASS,), (PASS, BET)
    return [
        {
            (J, first): alpha, (Q, first): 0, (K, first): 3 * alpha,
            (J, check_bet): 0, (Q, check_bet): alpha + 1 / 3, (K, check_bet): 1,
        },
        {
            (J, second): 1 / 3, (Q, second): 0, (K, second): 1,
            (J, (BET,)): 0, (Q, (BET,)): 1 / 3, (K, (BET,)): 1,
        },
    ]  # fmt: skip


def test_five_ways_a_game_of_two_can_go(two):
    assert two.over.all()
    assert two.terminal_sequences() == {(0, 0), (0, 1, 0), (0, 1, 1), (1, 0), (1, 1)}


def test_thirteen_ways_a_game_of_three_can_go():
    three = Enumeration(3)
    assert three.over.all()
    assert len(three.terminal_sequences()) == 13
    assert np.abs(three.payoffs.sum(axis=2)).max() == 0
    assert len(three.chances) == 24


@pytest.mark.parametrize("alpha", [0, 1 / 6, 1 / 3])
def test_the_first_player_loses_an_eighteenth(two, alpha):
    assert two.values(equilibrium(alpha)) == pytest.approx([-1 / 18, 1 / 18], abs=1e-7)


@pytest.mark.parametrize("seat", [0, 1])
def test_nothing_gains_against_an_equilibrium(two, seat):
    bets = equilibrium(1 / 6)
    earned = []
    for pure in product((0, 1), repeat=len(bets[seat])):
        other = list(bets)
        other[seat] = dict(zip(bets[seat], pure, strict=True))
        earned.append(two.values(other)[seat])
    assert max(earned) == pytest.approx((-1 / 18, 1 / 18)[seat], abs=1e-7)
    assert min(earned) < -0.2  # plans do differ


@pytest.mark.parametrize(
    ("cards", "actions", "payoffs"),
    [
        ([K, J], [PASS, PASS], [1, -1]),
        ([J, K], [PASS, BET, PASS], [-1, 1]),
        ([J, K], [BET, PASS], [1, -1]),  # a bluff that works
        ([J, Q], [BET, BET], [-2, 2]),  # and one that does not
        ([0, 3, 2], [PASS, BET, BET, PASS], [-1, 3, -2]),
        ([3, 1, 2], [PASS, PASS, BET, PASS, PASS], [-1, -1, 2]),
    ],
)
def test_payoffs_by_hand(cards, actions, payoffs):
    game = feint.make("kuhn", players=len(cards))
    state = game.deal(kuhn.Deal(jnp.asarray(cards)))
    for action in actions:
        assert not state.terminated
        state = game.step(state, jnp.int32(action))
    assert state.terminated
    assert state.rewards.tolist() == payoffs


def test_words():
    game = feint.make("kuhn")
    state = game.deal(kuhn.Deal(jnp.asarray([J, K])))
    assert [game.describe(game.observe(state, 0), action) for action in (PASS, BET)] == ["check", "bet"]
    state = game.step(state, jnp.int32(BET))
    assert [game.describe(game.observe(state, 1), action) for action in (PASS, BET)] == ["fold", "call"]
