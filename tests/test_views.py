"""Views go through JSON and come back the same; what is no view is refused in a sentence."""

import json
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance
from feint.errors import UserError
from feint.table import Table
from feint.views import as_json, from_json
from tests.playthroughs import EACH, GAMES


def short(name: str):
    """A game of the playthroughs; one that takes thousands of moves ends after some turns."""
    game, options = GAMES[name]
    return feint.make(game, **options | ({"cap": 30} if game == "bluff" else {}))


def assert_same(view, other) -> None:
    assert jax.tree.structure(view) == jax.tree.structure(other)
    for leaf, again in zip(jax.tree.leaves(view), jax.tree.leaves(other), strict=True):
        assert (leaf.dtype, leaf.shape) == (again.dtype, again.shape)
        np.testing.assert_array_equal(leaf, again)


@pytest.mark.parametrize("name", EACH)
def test_every_view_of_a_random_game_comes_back_the_same(name):
    game, rng = short(name), np.random.default_rng(7)
    rules = type(game)
    init, step, observe = (partial(jax.jit(each), game) for each in (rules.init, rules.step, rules.observe))
    for seed in range(3):
        state = init(chance.key(seed))
        while True:
            if state.terminated or rng.random() < 0.2:
                for seat in range(game.players):
                    view = jax.device_get(observe(state, jnp.int32(seat)))
                    written = as_json(view)
                    assert written["seat"] == seat
                    assert_same(view, from_json(game, json.loads(json.dumps(written, allow_nan=False))))
            if state.terminated:
                break
            state = step(state, jnp.int32(rng.choice(np.flatnonzero(state.legal_action_mask))))


def test_nested_parts_and_flags_are_what_they_are():
    written = as_json(Table(feint.make("bluff"), ["random"] * 4).view(0))
    assert written["log"]["player"] == [-1] * 8
    assert written["picked"][0][0] is False
    assert type(written["turn"]) is int


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("card", [1]),
        ("card", 1.0),
        ("card", True),
        ("card", "1"),
        ("card", None),
        ("card", 2**40),
        ("history", [0, 1]),
        ("history", [[0], [1, 2], []]),
        ("history", {"0": 1}),
    ],
)
def test_what_is_no_view_is_refused_by_its_field(field, value):
    kuhn = feint.make("kuhn")
    written = as_json(Table(kuhn, ["random"] * 2).view(0))
    with pytest.raises(UserError, match=rf"not a view of this game: {field} is missing or not int32"):
        from_json(kuhn, written | {field: value})
    del written[field]
    with pytest.raises(UserError, match=f"{field} is missing"):
        from_json(kuhn, written)
    with pytest.raises(UserError, match="is missing"):
        from_json(kuhn, "nothing of the kind")


def test_a_spectators_seat_is_kept():
    kuhn = feint.make("kuhn")
    view = replace(Table(kuhn, ["random"] * 2).view(0), seat=np.int32(-1))
    assert from_json(kuhn, as_json(view)).seat == -1
