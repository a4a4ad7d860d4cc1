"""Agents of Hold'em at positions worked out by hand, what they count of opponents, and whole matches of them."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.agent import at_game
from feint.arena.rollout import play as play_games
from feint.games.holdem.beliefs import BINS, bin_of, filtered, shipped
from feint.games.holdem.boards import HOLDINGS
from feint.games.holdem.equities import ONE, Equities
from feint.games.holdem.risk_agents import RiskG, RiskS, _answered
from feint.games.holdem.state import CALL, FOLD, RAISE
from feint.games.holdem.tanh import RAISE_RATIO, Tanh, raise_ratio
from tests.games.holdem.positions import THREE, dealt, play, seen

KEYS = jax.random.split(chance.key(3), 2000)


def flat(strength: float) -> Equities:
    """Tables by which all cards are as strong before the river."""
    row = np.full((1, len(HOLDINGS)), round(strength * ONE), np.uint16)
    nothing = {"flops": np.zeros(22_100, np.int32), "turns": np.zeros(270_725, np.int32)}
    return Equities({"preflop": row[0], "flop": row, "turn": row} | nothing)


_acts = jax.jit(
    lambda agent, memory, view, legal, keys: jax.vmap(lambda key: agent.act(memory, view, legal, key)[0])(keys)
)


def often(agent, betting: str, memory=(), hole: str = "AsAd|KsKd|QsQd", board: str = "2c7d9hJsKc") -> list[float]:
    """How often an agent takes each action after this betting."""
    state = play(THREE, dealt(THREE, hole, board), betting)
    view = seen(THREE, state, int(state.current_player))
    actions = _acts(at_game(agent, THREE), memory, view, np.asarray(state.legal_action_mask), KEYS)
    return (np.bincount(np.asarray(actions), minlength=3) / len(KEYS)).tolist()


def test_tanh_raises_the_more_the_stronger_it_is():
    """Against two: tanh(2 (1 - .25)) / 1.928 + .255 with the best cards; .255 with average ones."""
    assert often(Tanh(equities=flat(1.0)), "") == pytest.approx([0, 1 - 0.7245, 0.7245], abs=0.03)
    assert often(Tanh(equities=flat(0.5)), "cc") == pytest.approx([0, 1 - 0.255, 0.255], abs=0.03)


def test_tanh_folds_where_the_pot_does_not_pay():
    """10 to pay for 15: .4 of the time is enough, which both of two opponents are beaten with .64 each."""
    careful = Tanh(shift=-1.0, equities=flat(0.63))
    assert often(careful, "") == [1, 0, 0]
    assert often(replace(careful, equities=flat(0.64)), "") == [0, 1, 0]
    assert often(careful, "cc") == [0, 1, 0]  # nothing to pay


def test_tanh_knows_how_strong_it_is_on_the_river():
    spot = {"betting": "ccc/ccc/ccc/", "board": "2c7d9hJsKc"}
    weak = often(Tanh(equities=flat(0.5)), hole="3s4d|KsKd|QsQd", **spot)
    strong = often(Tanh(equities=flat(0.5)), hole="KsKd|3s4d|QsQd", **spot)
    assert strong[RAISE] > 0.7
    assert weak[RAISE] < 0.1


def test_risk_g_weighs_what_a_raise_gains():
    """Never called, never raised: any cards raise. Always called, bad cards fold, where what is to be called is reckoned with."""
    feared = RiskG(fold_after_raise=1.0, raise_after_raise=0.0, equities=flat(0.1))
    assert often(feared, "")[RAISE] == 1
    called = RiskG(fold_after_raise=0.0, raise_after_raise=0.0, raise_after_call=0.0, equities=flat(0.3))
    assert often(replace(called, equities=flat(0.9)), "")[RAISE] == 1
    assert often(called, "")[FOLD] == 1
    assert often(replace(called, gains="literal"), "")[FOLD] == 0


def test_selten_measures_differently():
    """A raise that everybody folds to gains the pot; but others who would fold anyhow fold to a call, too."""
    bluff = RiskG(fold_after_raise=1.0, raise_after_raise=0.0, equities=flat(0.1))
    assert often(bluff, "")[RAISE] == 1
    assert often(replace(bluff, measure="selten"), "")[RAISE] < 1


def test_answers_of_two_are_one():
    """One folds half the time and else calls, and is then beaten half the time; the other calls or raises, and is always beaten."""
    likely, wins = jnp.array([[0.5, 0.5, 0], [0, 0.8, 0.2]]), jnp.array([[0.0, 0.5, 0], [0, 1, 1]])
    often, won = _answered(likely, wins, jnp.array([True, True]), jnp.bool_(True))
    assert often.tolist() == pytest.approx([0, 0.8, 0.2])
    assert won[1:].tolist() == pytest.approx([0.75, 0.75])
    often, _ = _answered(likely, wins, jnp.array([True, True]), jnp.bool_(False))  # nobody raises beyond the cap
    assert often.tolist() == pytest.approx([0, 1, 0])
    often, won = _answered(likely, wins, jnp.array([True, False]), jnp.bool_(True))
    assert often.tolist() == pytest.approx([0.5, 0.5, 0])
    assert won.tolist() == pytest.approx([1, 0.5, 1])


# ---- what risk-s learns


@pytest.fixture(scope="module")
def finish():
    return jax.jit(lambda agent, memory, view: agent.finish(memory, view, jnp.zeros(3), chance.key(0)))


def test_counts_are_of_the_strength_that_was_shown(finish):
    agent = at_game(RiskS(equities=flat(0.9)), THREE)
    state = play(THREE, dealt(THREE, "AsAd|KsKd|QsQd"), "rcc/rcf/cc/cc")
    counts = np.asarray(finish(agent, agent.begin(THREE, 0, chance.key(0)), seen(THREE, state, 0)))
    assert counts.shape == (2, 2, 3, 4, 3, BINS)
    # The next player, position 1, showed kings: it called a raise, and a bet on the flop, and checked twice.
    assert counts[0, 1, :, :, CALL].sum(axis=(0, 1)) == pytest.approx([0, 0, 0, 0, 2])
    assert counts[0, 0, :, :, CALL].sum(axis=(0, 1)) == pytest.approx([0, 0, 0, 0, 2])  # a set of kings on the river
    assert counts[0].sum() == 4
    # The other raised before the flop, and folded to the bet: with what cards nobody knows.
    assert counts[1, 1].sum(axis=(0, 1, 3)) == pytest.approx([1, 0, 1])
    assert counts[1, 1, :, :, FOLD].sum(axis=(0, 1)) == pytest.approx(shipped().first @ shipped().onward[0], abs=1e-3)


def test_counts_fade(finish):
    agent = at_game(RiskS(equities=flat(0.9), decay=0.5), THREE)
    view = seen(THREE, play(THREE, dealt(THREE, "AsAd|KsKd|QsQd"), "ff"), 1)
    once = finish(agent, agent.begin(THREE, 0, chance.key(0)), view)
    assert once.sum() == pytest.approx(2)
    assert finish(agent, once, view).sum() == pytest.approx(3)


def test_people_keep_their_tables_though_positions_move(finish):
    """The next player is the next player in every position."""
    agent = at_game(RiskS(equities=flat(0.9)), THREE)
    blank = agent.begin(THREE, 0, chance.key(0))
    for seat in range(3):
        state = play(THREE, dealt(THREE, "AsAd|KsKd|QsQd"), "rff")  # position 2 raises
        counts = finish(agent, blank, seen(THREE, state, seat))
        raises = np.asarray(counts[:, :, :, :, RAISE].sum(axis=(1, 2, 3, 4)))
        assert raises.tolist() == [float(seat == 1), float(seat == 0)]


def test_it_bluffs_whom_it_has_seen_fold():
    """With the same bad cards: others who always called are not raised, others who always folded are."""
    agent = at_game(RiskS(equities=flat(0.3)), THREE)
    blank = np.asarray(agent.begin(THREE, 0, chance.key(0)))
    folders, callers = blank.copy(), blank.copy()
    folders[:, 1, :, :, FOLD], callers[:, 1, :, :, CALL] = 1000, 1000
    assert often(agent, "", folders)[RAISE] == 1
    assert often(agent, "", callers)[RAISE] == 0


def test_beliefs_follow_what_is_told():
    course = shipped()
    assert course.onward.sum(axis=-1) == pytest.approx(np.ones((3, BINS)), abs=1e-3)
    told = jnp.zeros((4, 1, BINS))
    before = filtered(course, told, jnp.int32(3))
    assert before[0, 0] == pytest.approx(course.first, abs=1e-4)
    assert before[3, 0] == pytest.approx(np.full(BINS, 0.2), abs=0.02)  # on the river any strength is as likely
    strong = filtered(course, told.at[0, 0, 4].set(9.0), jnp.int32(3))
    assert strong[3, 0, 4] > 0.5
    assert bin_of(jnp.array([0.0, 0.199, 0.2, 1.0])).tolist() == [0, 0, 1, 4]


@pytest.mark.slow
def test_matches_with_memories():
    """All three at one table, whose memories last a match."""
    agents = [
        at_game(agent, THREE)
        for agent in (Tanh(equities=flat(0.5)), RiskG(equities=flat(0.5)), RiskS(equities=flat(0.5)))
    ]
    outcomes, memories = play_games(THREE, agents, [0, 1, 2], seed=0, first=0, matches=4, length=3)
    assert np.asarray(outcomes.rewards).sum(axis=-1) == pytest.approx(np.zeros((4, 3)), abs=1e-3)
    assert memories[2].shape[-1] == BINS
    assert float(memories[2].sum()) > 4 * 3


# ---- what the paper claims, in small


@pytest.mark.slow
def test_tanh_raises_as_often_as_the_papers_player():
    assert raise_ratio(Tanh(), 16_384) == pytest.approx(RAISE_RATIO, abs=0.003)


@pytest.mark.slow
def test_risk_s_overtakes_tanh_in_the_course_of_a_match():
    agents = [at_game(agent, THREE) for agent in (Tanh(), RiskG(), RiskS())]
    outcomes, _ = play_games(THREE, agents, [0, 1, 2], seed=1, first=0, matches=64, length=800)
    paid = np.asarray(outcomes.rewards)  # by match, hand and agent
    for hands, better, worse in ((slice(0, 200), 0, 2), (slice(400, 800), 2, 0), (slice(400, 800), 0, 1)):
        by_match = (paid[:, hands, better] - paid[:, hands, worse]).mean(axis=1)
        assert by_match.mean() > 2 * by_match.std() / np.sqrt(len(by_match))


def test_what_agents_say_they_do_is_what_they_do():
    """How likely each action is, beside how often it is drawn."""
    for kind, strength, betting in ((Tanh, 0.5, "cc"), (Tanh, 0.8, ""), (RiskG, 0.6, "")):
        agent = at_game(kind(equities=flat(strength)), THREE)
        state = play(THREE, dealt(THREE, "AsAd|KsKd|QsQd", "2c7d9hJsKc"), betting)
        view, legal = seen(THREE, state, int(state.current_player)), np.asarray(state.legal_action_mask)
        told = jax.jit(kind.probabilities)(agent, view, legal)
        assert often(agent, betting) == pytest.approx(np.asarray(told), abs=0.03)
