"""Okey keeps the contract with every option: in random games, and in deals from which even random play finishes."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest

import feint
from feint import chance
from feint.games.okey.game import Okey
from feint.testing import check_game
from tests.games.okey.positions import Rigged, filled, started
from tests.games.okey.test_rules import TWO

MATCH = {"countdown": 6, "hands": 5, "cap": 30, "show_indicator": True, "doubled": "red-and-black", "both": 8}


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        Okey(players=2),
        Okey(players=3),
        Okey(partners=True),
        feint.make("okey:thesis"),
        Okey(exhausted="reshuffle"),
        Rigged(players=2, exhausted="last-discard"),
        Rigged(players=3, pairs="declared", show_indicator=True),
        Rigged(partners=True, pairs="declared", **MATCH),
        Rigged(players=3, exhausted="reshuffle", **MATCH),
    ],
    ids=lambda rules: f"{type(rules).__name__}-{rules.chosen()}",
)
def test_okey_keeps_the_contract(rules):
    check_game(rules, games=64)


def all_tiles_in(rules: Okey, games: int) -> bool:
    """Whether there are 106 tiles at every step of so many random games, and some of them are finished."""

    def game(rules: Okey, key: chance.Key):
        def advance(carry, move):
            state, whole = carry
            action = chance.choice(chance.move_key(key, move), state.legal_action_mask)
            state = rules.step(state, action)
            return (state, whole & rules.is_valid(state)), None

        state = rules.init(chance.deal_key(key))
        (state, whole), _ = jax.lax.scan(advance, (state, rules.is_valid(state)), jnp.arange(rules.max_moves))
        return whole & state.terminated

    keys = jax.random.split(chance.key(2), games)
    return bool(jax.jit(lambda rules: jax.lax.map(lambda key: game(rules, key), keys, batch_size=500))(rules).all())


@pytest.mark.slow
@pytest.mark.parametrize("rules", [Okey(), Rigged(players=2, exhausted="reshuffle", show_indicator=True)], ids=str)
def test_106_tiles_are_there_at_every_step_of_ten_thousand_games(rules):
    assert all_tiles_in(rules, 10_000)


def test_a_tile_that_is_missing_is_noticed():
    rules = TWO
    state = jax.tree.map(jnp.asarray, started(rules, filled(rules, "B4")))
    valid = jax.jit(Okey.is_valid)
    assert valid(rules, state)
    assert not valid(rules, replace(state, lying=state.lying.at[5].add(1)))
    assert not valid(rules, replace(state, rack=state.rack.at[0, jnp.argmax(state.rack[0])].add(-1)))
    assert not valid(rules, replace(state, known=state.known.at[1, jnp.argmin(state.rack[1])].add(1)))
    assert not valid(rules, replace(state, indicator=jnp.int8(52)))
