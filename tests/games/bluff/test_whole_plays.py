"""Whole plays of agents that pick card by card: the same views, the same actions, the same games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.arena import rollout
from feint.games.bluff.agents import Smart
from feint.games.bluff.game import Bluff
from feint.games.bluff.whole_plays import WholePlays, picks, with_pick
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent

BLUFF = Bluff(cap=40)  # who has not learned anything may play for ever


def untrained(seed, greedy=True):
    network = Network(Architecture(width=16, depth=1), Layout.of(BLUFF), BLUFF.actions, chance.key(seed))
    return NetworkAgent(network, BLUFF, greedy)


def test_views_after_picks_are_those_the_rules_show():
    step, observe, choose = jax.jit(BLUFF.step), jax.jit(BLUFF.observe), jax.jit(chance.choice)
    picked = jax.jit(lambda view, action: (with_pick(view, action), picks(view)))
    seen = 0
    for seed in range(4):
        state = jax.jit(BLUFF.init)(chance.key(seed))
        for move in range(60):
            key = jax.random.fold_in(chance.key(100 + seed), move)
            action = choose(key, state.legal_action_mask)
            after = step(state, action)
            if state.asked == 0:
                expected, legal = picked(observe(state, state.current_player), action)
                np.testing.assert_array_equal(legal, state.legal_action_mask)
                if action < BLUFF.lay:
                    jax.tree.map(np.testing.assert_array_equal, expected, observe(after, state.current_player))
                    seen += 1
            state = after
    assert seen > 30


class Single(Bluff):
    """The game without its whole turns."""

    def ways(self, agents):
        return None


@pytest.mark.slow
def test_games_are_those_of_single_picks():
    """Networks without a memory play whole turns, and draw by the keys that their single moves would have."""
    agents = [untrained(1, greedy=True), untrained(2, greedy=False), Smart()]
    assert BLUFF.ways(agents)
    whole, single = (
        rollout.play(game, agents, (0, 1, 2, 0), seed=3, first=0, matches=32, lanes=32)[0]
        for game in (BLUFF, Single(cap=40))
    )
    jax.tree.map(np.testing.assert_array_equal, whole, single)


def test_what_is_drawn_is_drawn_anew_at_every_pick():
    """Each number of cards is laid as often as picking one by one lays it, within five standard errors of 4,000 plays."""
    agent, state = untrained(5, greedy=False), BLUFF.init(chance.key(0))
    keys = jax.random.split(chance.key(9), 4000)
    cards = jax.jit(jax.vmap(lambda key: WholePlays(agent).cards(BLUFF.observe(state, 0), key)))(keys)

    def one_by_one(key):
        def move(number, at):
            action, _ = agent.act(
                (), BLUFF.observe(at, 0), at.legal_action_mask, jax.random.fold_in(key, 1000 + number)
            )
            return jax.tree.map(lambda old, new: jnp.where(at.asked > 0, old, new), at, BLUFF.step(at, action))

        return jax.lax.fori_loop(0, 5, move, state).log.count[0]

    singly = np.bincount(np.asarray(jax.jit(jax.vmap(one_by_one))(keys)), minlength=5) / 4000
    at_once = np.bincount(np.asarray(cards.sum(axis=1)), minlength=5) / 4000
    assert at_once[0] == singly[0] == 0
    assert np.abs(at_once - singly).max() < 5 * (2 * 0.25 / 4000) ** 0.5
    assert (at_once[1:] > 0.01).all()
