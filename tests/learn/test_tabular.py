"""Tabular Q-learning: cells and means worked out by hand, and best responses learned to the exact value."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.learn.policy_file import PolicyFile
from feint.learn.tables import make_tables
from feint.learn.tabular import EMPTY, Place, QLearning, QTable, QTableAgent
from tests.learn.learning import goes_on_to_the_same_numbers, share_of_best, trained

KUHN = feint.make("kuhn")
QUICK = QLearning(total_timesteps=60_000, table_size=4096)


def places(cells, owners):
    return Place(jnp.asarray(cells), jnp.asarray(owners, jnp.uint32))


def test_values_are_means_at_first_and_follow_at_the_least_rate_later():
    table = QTable.blank(4, 2).claimed(places([1], [7]), jnp.array([True]))
    three = places([1, 1, 1], [7, 7, 7])
    table = table.learned(
        three, jnp.array([0, 0, 1]), jnp.array([1.0, 4.0, 9.0]), jnp.ones(3, bool), min_learning_rate=0.1
    )
    assert table.at(places([1], [7])).tolist() == [[2.5, 9.0]]
    assert table.tries[1].tolist() == [2, 1]
    one = jnp.array([True])
    for _ in range(60):
        table = table.learned(places([1], [7]), jnp.array([0]), jnp.array([2.5]), one, min_learning_rate=0.1)
    table = table.learned(places([1], [7]), jnp.array([0]), jnp.array([12.5]), one, min_learning_rate=0.1)
    assert float(table.value[1, 0]) == pytest.approx(2.5 + 0.1 * 10)


def test_a_cell_belongs_to_one_view_and_others_neither_read_nor_write_it():
    both = places([2, 2, 0], [5, 9, 4])
    table = QTable.blank(4, 2).claimed(both, jnp.array([True, True, False]))
    assert table.owner.tolist() == [EMPTY, EMPTY, 9, EMPTY]
    table = table.learned(both, jnp.zeros(3, int), jnp.array([1.0, 2.0, 3.0]), jnp.ones(3, bool), min_learning_rate=0.5)
    assert table.value.tolist() == [[0, 0], [0, 0], [2, 0], [0, 0]]
    assert table.at(both)[:, 0].tolist() == [0, 2, 0]
    assert table.claimed(places([2], [11]), jnp.array([True])).owner[2] == 9


@pytest.fixture(scope="module")
def agent():
    return trained(QUICK, KUHN, ["random"])


def test_the_best_response_in_kuhn_is_learned_exactly(agent):
    earned, best = share_of_best(agent, "kuhn", "random")
    assert earned == pytest.approx(best)


def test_it_is_kept_in_a_file(agent, tmp_path):
    PolicyFile.of(agent, KUHN, {}).save(tmp_path / "kuhn.npz")
    again = feint.make_agent(f"policy:{tmp_path / 'kuhn.npz'}", KUHN)
    assert isinstance(again, QTableAgent)
    for one, other in zip(jax.tree.leaves(agent), jax.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(one, other)
    file = PolicyFile.of(agent, KUHN, {})
    numbers = {name.replace(".q_table", ".worth"): each for name, each in file.numbers.items()}
    replace(file, kind="WorthAgent", recipe={"cells": 4096}, numbers=numbers).save(tmp_path / "old.npz")
    old = feint.make_agent(f"policy:{tmp_path / 'old.npz'}", KUHN)
    assert jax.tree.structure(old) == jax.tree.structure(agent)


def test_where_nothing_is_known_every_legal_action_is_as_likely():
    view = KUHN.observe(KUHN.init(chance.key(0)), 0)
    nobody = QTableAgent(QTable.blank(8, 2), KUHN)
    assert nobody.probabilities(view, jnp.array([True, True])).tolist() == [0.5, 0.5]
    assert nobody.probabilities(view, jnp.array([False, True])).tolist() == [0, 1]


def test_a_run_goes_on_to_the_same_numbers(tmp_path):
    goes_on_to_the_same_numbers(QUICK, make_tables(KUHN, [["random"]]), tmp_path)


@pytest.mark.slow
def test_the_best_response_in_leduc_is_learned_to_within_1_percent():
    earned, best = share_of_best(
        trained(QLearning(total_timesteps=4_000_000, num_envs=256), feint.make("leduc"), ["random"]), "leduc", "random"
    )
    assert earned > 0.99 * best
