"""Games of feint in pgx: its own test of environments, and its search library's play."""

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pgx._src import api_test as suite

import feint
from feint import chance
from feint.connect import pgx

LONG = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kuhn", {}),
        ("leduc", {}),
        ("bidding", {}),
        pytest.param("liars-dice", {}, marks=LONG),
        pytest.param("bluff", {"players": 3}, marks=LONG),
        pytest.param("holdem", {}, marks=LONG),
        pytest.param("okey", {}, marks=LONG),
    ],
)
def test_pgxs_own_test_of_an_environment(name, options, monkeypatch):
    env = pgx.env(name, **options)
    # It wants the name of one of pgx's own games, and on today's JAX it fails on these as well: it draws along an axis that one table does not have.
    monkeypatch.setattr(suite, "EnvId", Literal[env.id])  # type: ignore[valid-type]
    monkeypatch.setattr(suite, "act_randomly", jax.jit(lambda key, legal: jax.random.categorical(key, jnp.log(legal))))
    suite.api_test(env, num=2)


def test_a_game_goes_as_it_does_in_feint():
    game, env = feint.make("leduc"), pgx.env("leduc")
    step, ours = jax.jit(env.step), jax.jit(game.step)
    for number in range(5):
        there, here = env.init(chance.key(number)), game.init(chance.key(number))
        draw = np.random.default_rng(number)
        while not here.terminated:
            assert there.current_player == here.current_player
            assert np.array_equal(there.legal_action_mask, here.legal_action_mask)
            action = draw.choice(np.flatnonzero(here.legal_action_mask))
            there, here = step(there, jnp.int32(action)), ours(here, jnp.int32(action))
            assert np.array_equal(there.rewards, here.rewards)
        assert there.terminated


def test_an_illegal_action_ends_the_game_with_what_losing_costs_at_most():
    env = pgx.env("leduc")
    state = env.init(chance.key(0))
    assert not state.legal_action_mask[0]  # nobody may fold before a bet
    after = jax.jit(env.step)(state, jnp.int32(0))
    assert after.terminated
    assert after.rewards[state.current_player] == feint.make("leduc").payoff_range[0]


def test_a_picture_shows_the_table(tmp_path):
    env = pgx.env("kuhn")
    env.init(chance.key(0)).save_svg(tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert "player_1" in text
