"""Agents of Okey at positions worked out by hand, and in whole games."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import feint
from feint import chance, registry
from feint.games.okey.game import Okey
from feint.games.okey.state import DISCARD, DRAW, FINISH, TAKE
from tests.games.okey.positions import filled, started
from tests.games.okey.test_hand import rack

GAME = feint.make("okey:thesis")
INDICATOR = 3 * 13 + 11  # the red 12: red 13s are jokers
CHANCE = chance.key(5)

observe = jax.jit(Okey.observe)


def seen(tiles: str, available: str | None = None):
    """The view of a player with these tiles who has to discard, or to draw where a discard is named; and what it may do."""
    view = observe(GAME, started(GAME, filled(GAME, "B4")), 0)
    faces = np.append(rack(tiles).ravel(), 0).astype(np.int8)
    turn = 0 if available is None else 1
    log = view.log if available is None else view.log.at[0].set(int(rack(available).ravel().argmax()))
    view = replace(
        view,
        rack=jnp.asarray(faces),
        indicator=jnp.int8(INDICATOR),
        log=log,
        turn=jnp.int16(turn),
        drawing=jnp.bool_(available is not None),
    )
    legal = np.zeros(GAME.actions, bool)
    if available is None:
        legal[DISCARD:] = faces > 0
    else:
        legal[[DRAW, TAKE]] = True
    return view, jnp.asarray(legal)


@pytest.fixture(scope="module")
def ask():
    acts = {}

    def asked(name: str, view, legal, key=CHANCE) -> int:
        agent = registry.make_agent(name, GAME)
        if name not in acts:
            acts[name] = jax.jit(lambda agent, view, legal, key: agent.act((), view, legal, key)[0])
        return int(acts[name](agent, view, legal, key))

    return asked


def kind(tile: str) -> int:
    return DISCARD + int(rack(tile).ravel().argmax())


FREE = "y1-3 b4-6 r8 b8 y8 k9-12 k2 r10"  # all but two tiles are in melds


@pytest.mark.parametrize("name", ["computer", "arranger", "exact"])
def test_the_thesis_opponent_discards_what_is_free(ask, name):
    view, legal = seen(FREE)
    picked = {ask(name, view, legal, chance.key(number)) for number in range(20)}
    assert picked == {kind("k2"), kind("r10")}


def test_an_exact_arranger_knows_which_melds_it_needs(ask):
    """A run and a set share the yellow 3: the set is as good with the others, and then nothing is free but the 13."""
    view, legal = seen("y1-3 b3 k3 r3 b5-8 k10-12 r1 r12")
    assert {ask("exact", view, legal, chance.key(number)) for number in range(20)} == {kind("r1"), kind("r12")}
    view, legal = seen(
        "y1-4 b4 k4 b5-8 k10-12 r1 r12"
    )  # either is whole without the yellow 4, both are not: 10 and 10 with it
    picked = {ask("exact", view, legal, chance.key(number)) for number in range(40)}
    assert picked == {kind("r1"), kind("r12")}


def test_the_thesis_opponent_draws_by_a_coin(ask):
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k9-12 k2", "r1")
    assert {ask("computer", view, legal, chance.key(number)) for number in range(20)} == {DRAW, TAKE}


def test_the_arranger_overlooks_jokers(ask):
    view, legal = seen(
        "y1-3 b4-6 r8 b8 y8 k9-11 r13 k2 r10"
    )  # the joker is the fourth of some meld, and the rack finished but for two
    assert ask("arranger", view, legal) in (kind("k2"), kind("r10"))
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k9-12 r13 r10")  # and here it is finished, which it does not see
    legal = legal.at[FINISH].set(True)
    assert ask("computer", view, legal) == FINISH
    assert ask("arranger", view, legal) != FINISH


WAITING = "y1-3 b4-6 r8 b8 y8 k9-11 k2 r10"


@pytest.mark.parametrize("name", ["greedy", "nearest"])
def test_what_brings_one_nearer_is_taken(ask, name):
    assert ask(name, *seen(WAITING, "k12")) == TAKE
    assert ask(name, *seen(WAITING, "b11")) == DRAW


@pytest.mark.slow
def test_ahead_weighs_what_the_next_tile_could_bring(ask):
    assert ask("ahead", *seen(WAITING, "k12")) == TAKE
    assert ask("ahead", *seen(WAITING, "b1")) == DRAW
    assert ask("ahead", *seen("y1-3 b4-6 r8 b8 y8 k9-12 k1 r5")) in (kind("k1"), kind("r5"))
    assert ask("ahead", *seen("y1-3 b4-6 r8 b8 y8 k7-9 b1 r4 r5")) == kind("b1")


@pytest.mark.slow
def test_racing_finds_out_what_its_agent_tosses_a_coin_for(ask):
    racing = "racing(computer, worlds=64, sure=0)"
    assert {ask(racing, *seen(WAITING, "k12"), chance.key(number)) for number in range(6)} == {TAKE}
    assert {ask(racing, *seen(WAITING, "b11"), chance.key(number)) for number in range(6)} == {DRAW}
    view, legal = seen(FREE)
    assert ask(racing, view, legal.at[FINISH].set(True)) == FINISH


def test_nearest_keeps_tiles_that_go_with_others(ask):
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k7-9 b1 r4 r5")
    assert ask("nearest", view, legal) == kind("b1")


def test_greedy_keeps_the_tile_that_more_can_help(ask):
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k9-12 k1 r5")  # 2 away without either: neighbours and equals help both
    assert ask("greedy", view, legal) in (kind("k1"), kind("r5"))
    view, legal = seen(
        "y1-3 b4-6 r8 b8 y8 k7-9 b1 r4 r5"
    )  # 4 and 5 of red wait for two faces; b1 for none that helps as much
    assert ask("greedy", view, legal) == kind("b1")


@pytest.mark.parametrize("name", ["greedy", "expectation"])
def test_nobody_discards_a_joker_that_counts(ask, name):
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k9-11 r13 k2 r10")
    assert ask(name, view, legal) in (kind("k2"), kind("r10"))


@pytest.mark.slow
def test_expectation_takes_the_other_half_of_a_pair_where_it_collects_pairs():
    game = feint.make("okey", players=2)
    agent = registry.make_agent("expectation(pairs=10)", game)  # whatever else could be sooner
    act = jax.jit(lambda agent, view, legal, key: agent.act((), view, legal, key)[0])
    six = "y1 y1 y5 y5 b9 b9 k3 k3 k8 k8 r11 r11 r2 b13"  # and nothing that could become melds
    for offered, taken in (("r2", TAKE), ("r4", DRAW)):
        assert act(agent, *seen(six, offered), CHANCE) == taken


def test_expectation_does_not_feed_the_next_player(ask):
    view, legal = seen("y1-3 b4-6 r8 b8 y8 k9-12 k1 r5")
    fed = replace(view, known=view.known.at[1, int(rack("r6").ravel().argmax())].set(1))
    assert ask("expectation(feed=100)", fed, legal) == kind("k1")


@pytest.mark.slow
def test_strength_beside_the_thesis_opponent():
    result = feint.match(GAME, ["greedy", "computer"], [(0, 1), (1, 0)], games=1000)
    assert result.agents["greedy"].wins.rate > 0.8
