"""Blueprints: the betting tree is the game's own, and with buckets that forget nothing the average policy nears an equilibrium."""

import jax
import numpy as np
import pytest

import feint
from feint import chance
from feint.solvers import blueprint
from feint.solvers.betting import NOBODY, betting_tree, payoffs
from feint.solvers.blueprint import Blueprint
from feint.solvers.blueprint_agent import agent_of

LEDUC = feint.make("leduc")
BETS = LEDUC.betting.of(LEDUC, None)
BATCH = 64


@pytest.fixture(scope="module")
def tree():
    return betting_tree(BETS)


@pytest.fixture(scope="module")
def solved(tree):
    found = Blueprint(BETS, tree, BATCH, seed=0)
    found.run(1000)
    return found


def test_the_betting_tree_is_the_games_own(tree):
    """Random games walk down it: the same players, legal actions and payoffs."""
    step, draw = jax.jit(LEDUC.step), np.random.default_rng(0)
    for seed in range(20):
        state = jax.jit(LEDUC.init)(chance.key(seed))
        deal = jax.jit(LEDUC.draw)(chance.key(seed))
        at = 0
        while not state.terminated:
            assert at < tree.decisions
            assert tree.player[at] == state.current_player
            assert np.array_equal(tree.legal[at], state.legal_action_mask)
            action = draw.choice(np.flatnonzero(state.legal_action_mask))
            state, at = step(state, action), int(tree.children[at, action])
        ends = payoffs(tree, BETS.strengths(deal))
        np.testing.assert_allclose(ends[at - tree.decisions], state.rewards)


def test_with_every_hand_in_a_bucket_of_its_own_it_nears_an_equilibrium(solved):
    assert feint.exploitability(LEDUC, agent_of(solved, keep=100)) < 0.08  # antes; 0.065 was measured


def test_a_run_in_parts_comes_to_the_same(tree):
    def ran(*iterations):
        found = Blueprint(BETS, tree, BATCH, seed=0)
        for count in iterations:
            found.run(count)
        return jax.tree.leaves(found.known)

    assert all(np.array_equal(a, b) for a, b in zip(ran(20), ran(5, 15), strict=True))


def test_deals_are_added_up_in_copies_of_a_table_to_the_same_sums(monkeypatch):
    draw = np.random.default_rng(0)
    table = draw.integers(0, 9, (10, 3)).astype(np.float32)
    rows = np.stack([draw.permutation(10)[:4] for _ in range(8)], axis=1)
    more = draw.integers(0, 9, (4, 3, 8)).astype(np.float32)
    expected = table.copy()
    for deal in range(8):
        expected[rows[:, deal]] += more[:, :, deal]
    assert np.array_equal(blueprint._added(table, jax.numpy.asarray(rows), jax.numpy.asarray(more)), expected)
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    monkeypatch.setattr(blueprint, "ROOM", 4 * table.size)
    assert np.array_equal(blueprint._added(table, jax.numpy.asarray(rows), jax.numpy.asarray(more)), expected)


def test_an_agent_finds_the_decisions_that_are_kept(tree, solved):
    """All of them by all that can be bet; of fewer, the same ones, and nobody knows the others."""
    every, few = agent_of(solved, keep=100), agent_of(solved, keep=20)
    follow = jax.jit(lambda agent, decision, action: agent._led_to(decision, action))
    assert len(every.leads) == tree.decisions
    assert len(few.leads) == 20
    found = {0: 0}
    for decision in range(tree.decisions):
        for action in range(LEDUC.actions):
            led = int(tree.children[decision, action])
            assert follow(every, decision, action) == (led if led < tree.decisions else NOBODY)
            if decision in found and (number := int(follow(few, found[decision], action))) != NOBODY:
                found[led] = number
    assert sorted(found.values()) == list(range(20))
    for decision, number in found.items():
        assert few.round[number] == tree.round[decision]
        size = BETS.sizes[int(tree.round[decision])]
        start, first = int(few._first_row(number)), int(solved.first[decision])
        assert np.array_equal(few.chances[start : start + size], every.chances[first : first + size])


def test_where_a_decision_is_not_kept_its_situation_tells_what_is_done(solved):
    """Of one decision nothing but the first round's beginning is known; the rest is told by round and card alone."""
    few = agent_of(solved, keep=1)
    state = LEDUC.init(chance.key(0))
    state = LEDUC.step(LEDUC.step(state, 2), 2)  # raised twice
    view = LEDUC.observe(state, state.current_player)
    expected = np.asarray(few.rest[0, int(view.card)], float) * np.asarray(state.legal_action_mask)
    got = few.probabilities(view, state.legal_action_mask)
    np.testing.assert_allclose(got, expected / expected.sum(), rtol=1e-6)


def test_a_tree_that_is_too_large_is_refused():
    with pytest.raises(feint.UserError, match="more than 10 decisions of betting"):
        betting_tree(BETS, most=10)
