"""Networks: shapes, masks, precision, and what reads sequences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn.inputs import Layout, Piece
from feint.learn.lazy_adam import lazy_adam
from feint.learn.networks import Architecture, Network, NetworkAgent, Reader
from feint.learn.ppo import PPO
from feint.learn.tables import self_play

LEDUC = feint.make("leduc")


def network_of(game, **shape):
    return Network(Architecture(width=16, **shape), Layout.of(game), game.actions, chance.key(0))


@pytest.mark.parametrize("kind", ["mlp", "residual", "attention"])
@pytest.mark.parametrize("half", [False, True])
def test_every_kind_gives_a_policy_that_is_near_to_even_at_first(kind, half):
    agent = NetworkAgent(network_of(LEDUC, network=kind, bfloat16=half), LEDUC)
    state = jax.jit(LEDUC.init)(chance.key(1))
    view = jax.jit(LEDUC.observe)(state, state.current_player)
    chances = jax.jit(NetworkAgent.probabilities)(agent, view, state.legal_action_mask)
    assert chances[0] == 0, "nobody folds without a bet"
    np.testing.assert_allclose(chances[1:], 0.5, atol=0.05)
    logits, value = jax.jit(Network.__call__)(agent.network, np.ones(Layout.of(LEDUC).size, np.float32))
    assert (logits.shape, value.shape, logits.dtype, value.dtype) == ((3,), (), jnp.float32, jnp.float32)


def test_half_precision_is_near_to_full_precision():
    full, half = network_of(LEDUC), network_of(LEDUC, bfloat16=True)
    features = jax.random.normal(chance.key(2), (Layout.of(LEDUC).size,))
    read = jax.jit(Network.__call__)
    assert float(read(full, features)[1]) == pytest.approx(float(read(half, features)[1]), abs=0.05)


def test_what_has_learned_in_half_precision_plays_in_full():
    features = jax.random.normal(chance.key(2), (Layout.of(LEDUC).size,))
    full, half = network_of(LEDUC), network_of(LEDUC, bfloat16=True)
    assert half.computing_in(bfloat16=True) == half
    read = jax.jit(Network.__call__)
    np.testing.assert_array_equal(read(half.computing_in(bfloat16=False), features)[0], read(full, features)[0])

    learning = PPO(num_envs=16, width=8, bfloat16=True)
    tables = self_play(feint.make("kuhn"))
    learner = jax.jit(learning.begin)(tables, chance.key(0))
    agent = learning.agent(tables, learner)
    assert (learner.network.shape.bfloat16, agent.network.shape.bfloat16, agent.critic.network.shape.bfloat16) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize("name", ["kuhn", "leduc", "bluff", "bidding"])
def test_the_sequences_of_a_game_tell_what_happened(name):
    """Their rows are empty at the deal, and not after a move."""
    game = feint.make(name)
    layout, step = Layout.of(game), jax.jit(game.step)
    state = jax.jit(game.init)(chance.key(0))

    @jax.jit
    def log(state):
        (rows,) = layout.sequences(layout.see(game, game.observe(state, jnp.int32(0))))[1]
        return rows

    assert not log(state).any()
    for _ in range(2):  # in Bluff a card is picked before it is laid
        state = step(state, np.flatnonzero(state.legal_action_mask)[-1])
    assert log(state).any()


def test_the_reader_sees_every_row_and_leaves_the_rest_alone():
    log = [Piece("who", (3, 2), rows=True), Piece("own", (2, 1)), Piece("what", (3, 1), rows=True)]
    layout = Layout((Piece("hand", (2,)), *log, Piece("more", (1, 2), rows=True)))
    network = Network(Architecture("attention", width=8), layout, 3, chance.key(0))
    assert [reader.positions.shape for reader in network.readers] == [(3, 8), (1, 8)]
    reading = jax.jit(Network._read)
    features = np.asarray(jax.random.normal(chance.key(1), (layout.size,)))
    read = np.asarray(reading(network, features))
    assert read.shape == (4 + 8 + 8,)
    assert np.array_equal(read[:4], features[[0, 1, 8, 9]])
    for place in [*range(2, 8), *range(10, 13)]:
        other = np.asarray(reading(network, features + (np.arange(layout.size) == place)))
        assert not np.allclose(other[4:12], read[4:12]), place
        assert np.array_equal(other[12:], read[12:]), place


def test_the_reader_knows_which_row_is_which():
    reader = Reader((3, 2), 8, chance.key(0))
    rows = np.asarray(jax.random.normal(chance.key(1), (3, 2)))
    read = jax.jit(Reader.__call__)
    assert not np.allclose(read(reader, rows[::-1]), read(reader, rows))


def test_the_judge_judges_every_action_alike_by_what_is_told_of_it():
    layout = Layout((Piece("told", (3, 2), by_action=True), Piece("hand", (2,)), Piece("more", (3, 1), by_action=True)))
    network = Network(Architecture("actions", width=8), layout, 3, chance.key(0))
    judged = jax.jit(lambda features: network.judges[0](layout.actions(features)[1], jnp.ones(8)))
    features = np.asarray(jax.random.normal(chance.key(1), (layout.size,)))
    rest, told = layout.actions(features)
    assert np.array_equal(rest, features[6:8])
    assert np.array_equal(told, np.column_stack([features[:6].reshape(3, 2), features[8:]]))
    exchanged = features[[2, 3, 0, 1, 4, 5, 6, 7, 9, 8, 10]]
    np.testing.assert_allclose(judged(exchanged), np.asarray(judged(features))[[1, 0, 2]], rtol=1e-5)
    logits = jax.jit(Network.__call__)
    moved = features + 9.0 * np.isin(np.arange(layout.size), [0, 1, 8])  # all that is told of the first action
    changed = np.asarray(logits(network, moved)[0] - logits(network, features)[0])
    assert changed[0] != 0
    assert np.array_equal(changed[1:], [0, 0])


def test_actions_are_judged_where_a_game_tells_of_them():
    Architecture("actions").check(feint.make("okey"))
    with pytest.raises(feint.UserError, match="tells nothing of single actions"):
        Architecture("actions").check(LEDUC)


def test_a_greedy_agent_plays_the_likeliest_action():
    agent = NetworkAgent(network_of(LEDUC), LEDUC, greedy=True)
    state = jax.jit(LEDUC.init)(chance.key(3))
    view, legal = jax.jit(LEDUC.observe)(state, state.current_player), state.legal_action_mask
    chances = jax.jit(NetworkAgent.probabilities)(agent, view, legal)
    assert sorted(chances.tolist()) == [0, 0, 1]
    assert jax.jit(NetworkAgent.act)(agent, (), view, legal, chance.key(0))[0] == np.argmax(chances)


def test_a_table_learns_each_view_by_itself():
    """What is learned of one view moves no other, and views that are seldom met keep what is known of their gradients."""
    table = network_of(LEDUC, network="table", table_size=64)
    one, other = jnp.zeros(Layout.of(LEDUC).size), jnp.ones(Layout.of(LEDUC).size) / 3
    assert table(one)[0].tolist() == [0, 0, 0]
    optimiser = lazy_adam()
    moments = optimiser.init(table)
    for features in (one, one, other):
        gradient = jax.grad(lambda network, features: network(features)[0][1])(table, features)
        steps, moments = optimiser.update(gradient, moments)
        table = jax.tree.map(lambda old, step: old - 0.5 * step, table, steps)
    assert table(one)[0].tolist() == pytest.approx([0, -2, 0], abs=1e-3)  # two rows, two steps of 0.5
    assert table(other)[0].tolist() == pytest.approx([0, -1, 0], abs=1e-3)
    assert table(jnp.round(other * 2**20) / 2**20)[0].tolist() == table(other)[0].tolist(), "however it is rounded"
