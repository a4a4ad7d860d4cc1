"""Networks: shapes, masks, precision, and what reads the log."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn.networks import Architecture, Network, NetworkAgent, Reader, features_of

LEDUC = feint.make("leduc")


def network_of(game, **shape):
    return Network(Architecture(width=16, **shape), features_of(game), game.actions, chance.key(0), game.log)


@pytest.mark.parametrize("kind", ["mlp", "residual", "attention"])
@pytest.mark.parametrize("half", [False, True])
def test_every_kind_gives_a_policy_that_is_near_to_even_at_first(kind, half):
    agent = NetworkAgent(network_of(LEDUC, network=kind, half=half), LEDUC)
    state = LEDUC.init(chance.key(1))
    chances = agent.probabilities(LEDUC.observe(state, state.current_player), state.legal_action_mask)
    assert chances[0] == 0, "nobody folds without a bet"
    np.testing.assert_allclose(chances[1:], 0.5, atol=0.05)
    logits, value = agent.network(jnp.ones(features_of(LEDUC)))
    assert (logits.shape, value.shape, logits.dtype, value.dtype) == ((3,), (), jnp.float32, jnp.float32)


def test_half_precision_is_near_to_full_precision():
    full, half = network_of(LEDUC), network_of(LEDUC, half=True)
    features = jax.random.normal(chance.key(2), (features_of(LEDUC),))
    assert float(full(features)[1]) == pytest.approx(float(half(features)[1]), abs=0.05)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "bluff"])
def test_the_log_of_a_game_is_the_end_of_its_encoding(name):
    """The rows of the log are empty at the deal, and not after a move."""
    game = feint.make(name)
    rows, widths = game.log
    size = rows * sum(widths)
    state = game.init(chance.key(0))

    def log(state):
        return np.asarray(game.encode(game.observe(state, jnp.int32(0)))[-size:])

    assert not log(state).any()
    for _ in range(2):  # in Bluff a card is picked before it is laid
        state = game.step(state, jnp.argmax(state.legal_action_mask[::-1]) * -1 + len(state.legal_action_mask) - 1)
    assert log(state).any()


def test_the_reader_sees_every_row_and_leaves_the_rest_alone():
    reader = Reader((3, (2, 1)), 8, chance.key(0))
    features = jax.random.normal(chance.key(1), (4 + 9,))
    read = reader(features)
    assert read.shape == (4 + 8,)
    assert np.array_equal(read[:4], features[:4])
    for place in range(4, 13):
        assert not np.allclose(reader(features.at[place].add(1.0))[4:], read[4:]), place


def test_a_greedy_agent_plays_the_likeliest_action():
    agent = NetworkAgent(network_of(LEDUC), LEDUC, greedy=True)
    state = LEDUC.init(chance.key(3))
    view, legal = LEDUC.observe(state, state.current_player), state.legal_action_mask
    chances = agent.probabilities(view, legal)
    assert sorted(chances.tolist()) == [0, 0, 1]
    assert agent.act((), view, legal, chance.key(0))[0] == jnp.argmax(chances)
