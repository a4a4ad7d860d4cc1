"""The reading that gives the thesis' tables: its rules and agents at positions worked out by hand, and against plain Python."""

from dataclasses import fields, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from feint import chance
from feint.arena import statistics
from feint.games.bluff.game import Bluff
from feint.studies.bluff import as_run
from feint.studies.bluff.as_run import TRAINING, Anxious, AsRun, LateAnxious, Learner, Smart
from feint.studies.bluff.side_by_side import PROGRAM, PROGRAM_SIX
from feint.studies.run import Settings
from tests.games.bluff.positions import RANKS, position
from tests.studies import plain_as_run

GAME = AsRun()
KEY = chance.key(0)
BLANK = jax.jit(GAME.init)(KEY)
CARDS = jax.jit(lambda agent, state: agent.cards(GAME.observe(state, jnp.int32(0)), KEY))


def state_at(hands, turn=0, claim="", asked=0, **more):
    """A position of the program."""
    placed = position(Bluff(), hands, turn=turn, claim=claim, asked=asked)
    state = replace(BLANK, **{each.name: getattr(placed, each.name) for each in fields(placed)})
    return replace(state, **more)


def lays(agent, hand, due, **more):
    """The ranks an agent in seat 1 lays, in words."""
    turn = next(turn for turn in range(0, 52, 4) if RANKS[turn % 13] == due)
    cards = np.asarray(CARDS(agent, state_at([hand, "5s", "5h", "5d"], turn=turn, **more)))
    return " ".join(rank * int(count) for rank, count in zip(RANKS, cards, strict=True) if count)


def test_seats_are_asked_from_the_first():
    asked = [[int(GAME.asked_seat(jnp.int32(player), jnp.int32(number))) for number in range(4)] for player in range(4)]
    assert asked == [[0, 1, 2, 3], [1, 0, 2, 3], [2, 0, 1, 3], [3, 0, 1, 2]]


def test_smart_takes_its_first_card_if_it_is_late_enough():
    # At aces the late ranks are, from the last on: 10 6 2 J 7 3 Q 8; 4 K 9 5 come within four turns.
    assert lays(Smart(), "8s 6s Tc", "A") == "8"
    assert lays(Smart(), "4s 6s Tc", "A") == "T"
    assert lays(Smart(), "4s 9s Kc", "A") == "4"
    assert lays(Smart(), "4s Ac 9s Ad", "A") == "AA"
    # A learner in training lets its first card be a four as well.
    assert lays(Learner(), "4s 6s Tc", "A") == "4"


def test_anxious_lays_one_true_card_and_later_all():
    assert lays(Anxious(), "4s Ac Ad 9s", "A") == "A"
    assert lays(Anxious(), "4s Tc 9s", "A") == "4"
    assert lays(LateAnxious(), "4s Ac Ad 9s", "A") == "AA"
    assert lays(LateAnxious(), "4s Tc 9s", "A") == "T"


def test_a_trained_learner_goes_by_the_table():
    earned = jnp.zeros((13, 13), jnp.int8).at[0, 5].set(2).at[0, 0].set(1)
    through = {"learned": jnp.int32(TRAINING), "earned": earned}
    assert lays(Learner(), "Ac 6s Ad 6h", "A", **through) == "6"
    assert lays(Learner(), "Ac 7s Ad", "A", **through) == "AA"
    # Without a reward it lays any card but its first, and nothing if it has no other.
    assert {lays(Learner(), "7s 8s", "A", **through)} == {"8"}
    assert lays(Learner(), "7s", "A", **through) == ""


def test_the_table_is_what_the_trainings_before_this_game_earned():
    summed = np.zeros((as_run.LESSONS, 13, 13), np.float32)
    summed[10:, 0, 5], summed[20:, 0, 6] = 1, 2
    learner = Learner(lessons=summed)
    through = {"learned": jnp.int32(TRAINING)}
    assert lays(learner, "Ks 6s 7s", "A", **through, earlier=jnp.array([9, 30])) == "7"
    assert lays(learner, "Ks 6s 7s", "A", **through, earlier=jnp.array([9, 15])) == "6"
    assert lays(learner, "6s 7s", "A", **through, earlier=jnp.array([12, 15])) == "7"  # any but the first


def settled(state, called, caller=1):
    return GAME.settle(state, jnp.bool_(called), jnp.int32(caller))


def test_a_trained_learner_is_held_to_its_last_training():
    told = {"learner": jnp.array([True, False, False, False]), "learned": jnp.int32(TRAINING)}
    aces, sevens = jnp.array([0, -1, -1, -1], jnp.int8), jnp.array([6, -1, -1, -1], jnp.int8)
    truth = state_at(["5c", "Kd", "Kh", "Ks"], claim="As", asked=1, **told, trained=sevens)
    lie = state_at(["5c", "Kd", "Kh", "Ks"], claim="7s", asked=1, **told, trained=aces)
    assert not GAME.honest(truth)
    assert GAME.honest(lie)
    assert int((settled(truth, True).place == 0).sum()) == 2
    assert int((settled(lie, True).place == 1).sum()) == 2
    assert GAME.honest(replace(truth, learned=jnp.int32(TRAINING - 1)))  # in training its cards count


def test_training_is_rewarded_unless_it_is_caught():
    told = {"learner": jnp.array([True, False, False, False])}
    lie = state_at(["5c", "Kd", "Kh", "Ks"], claim="7s", asked=1, **told)
    believed, caught = settled(lie, False), settled(lie, True)
    assert np.argwhere(believed.earned).tolist() == [[0, 6]]
    assert not caught.earned.any()
    assert (int(believed.learned), int(believed.trained[0])) == (1, 6)
    truth = state_at(["5c", "Kd", "Kh", "Ks"], claim="As Ah", asked=1, **told)
    assert np.argwhere(settled(truth, True).earned).tolist() == [[0, 0]]
    assert not settled(replace(lie, learner=jnp.zeros(4, bool)), False).earned.any()


def test_nobody_is_asked_after_a_call_on_the_last_seat():
    last = state_at(["5c", "Kd", "Kh", "Ks Qs"], turn=3, claim="7s", asked=1)
    assert settled(last, True, 0).unasked
    assert not settled(last, False).unasked
    third = state_at(["5c", "Kd", "Kh Qs", "Ks"], turn=2, claim="7s", asked=1)
    assert not settled(third, True, 0).unasked
    holds_all = state_at(["5c", "As Ah Ad Ac", "Kh", "Ks"], claim="7s", asked=1)
    for agent in (Smart(), Learner(), Anxious(), LateAnxious()):
        assert agent.calls(GAME.observe(holds_all, jnp.int32(1)), KEY)
        assert not agent.calls(GAME.observe(replace(holds_all, unasked=jnp.bool_(True)), jnp.int32(1)), KEY)


def test_a_game_in_which_nothing_can_happen_any_more_is_a_draw():
    state = state_at(["5c", "6d", "7h", "8s"], asked=1, idle=jnp.int16(50))
    still = settled(state, False)
    assert (int(still.idle), bool(still.terminated)) == (51, False)
    over = settled(replace(still, asked=jnp.int8(1)), False)
    assert over.terminated
    assert not over.rewards.any()
    assert int(settled(replace(state, idle=jnp.int16(51)), True).idle) == 0


@pytest.mark.slow
def test_lessons_add_up():
    made = PROGRAM.made()
    summed = np.asarray(as_run.lessons(PROGRAM.game, made, jnp.array([2, 1, 2, 0]), jnp.int32(3)))
    each = np.diff(summed, axis=0, prepend=0)
    assert summed.shape == (as_run.LESSONS, 13, 13)
    assert each.min() >= 0
    assert each.sum(axis=(1, 2)).max() <= TRAINING
    assert each.sum(axis=(1, 2)).mean() > 15
    assert np.trace(summed[-1]) > summed[-1].sum() / 2  # most plays are true
    alone = as_run.lessons(PROGRAM.game, made, jnp.array([0, 0, 1, 2]), jnp.int32(3))
    assert float(alone[-1].sum()) < summed[-1].sum()  # a lone learner seldom gets through its training


def test_the_number_in_the_run_and_the_trainings_before_it_are_drawn_evenly():
    drawn = jax.jit(jax.vmap(lambda n: GAME.init(chance.game_key(1, n, 0)).earlier))
    earlier = np.asarray(drawn(jnp.arange(3000)))
    before = earlier[:, 1] - earlier[:, 0]
    assert (before.min(), before.max()) == (0, as_run.RUN - 1)
    assert statistics.goodness_of_fit(np.bincount(before // 30), np.ones(10))[2] > 1e-3
    assert earlier.min() >= 0
    assert earlier.max() < as_run.LESSONS


@pytest.mark.slow
@pytest.mark.usefixtures("optimised")
@pytest.mark.parametrize(
    "row",
    [
        ("no-bluff", "smart", "reinforcement", "anxious"),
        ("reinforcement", "smart", "reinforcement", "late-anxious"),
        ("reinforcement",) * 4,
        ("anxious", "no-bluff", "anxious", "smart"),
    ],
    ids=" ".join,
)
def test_wins_agree_with_plain_python(row):
    """Runs played game after game there, games drawn on their own here."""
    ours = PROGRAM.row(Settings(6000, 1), row).wins
    theirs = plain_as_run.wins(row, 20, seed=2)
    assert statistics.same_distribution(ours, theirs)[2] > 1e-4, (ours.tolist(), theirs)


@pytest.mark.slow
def test_six_seats_agree_with_plain_python():
    row = ("mutant", "mutant", *["smart"] * 4)
    ours = PROGRAM_SIX.row(Settings(6000, 1), row).wins
    theirs = plain_as_run.wins(row, 20, seed=2)
    assert statistics.same_distribution(ours, theirs)[2] > 1e-4, (ours.tolist(), theirs)


# Shares by seat in percent of 24,000 games, simulated by a third program when the reading was found.
FOUND = {
    ("no-bluff",) * 4: (40.5, 26.7, 18.9, 14.0),
    ("smart",) * 4: (33.2, 24.9, 21.3, 20.7),
    ("reinforcement",) * 4: (43.8, 18.6, 16.9, 20.6),
    ("anxious",) * 4: (34.1, 15.8, 25.6, 24.6),
    ("no-bluff", "smart") * 2: (32.0, 28.2, 20.5, 19.4),
    ("no-bluff", "smart", "reinforcement", "anxious"): (40.7, 26.3, 32.1, 0.9),
    ("no-bluff", "smart", "reinforcement", "late-anxious"): (34.4, 20.2, 25.6, 19.8),
    ("no-bluff", "smart", "reinforcement", "reinforcement"): (32.3, 18.5, 22.2, 26.9),
    ("no-bluff", "smart", "smart", "smart"): (31.0, 17.2, 23.3, 28.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("row", FOUND, ids=" ".join)
def test_rows_are_those_by_which_the_reading_was_found(row):
    ours = PROGRAM.row(Settings(20_000, 3), row).wins
    theirs = np.round(np.array(FOUND[row]) * 240)
    assert statistics.same_distribution(ours, theirs)[2] > 1e-4
