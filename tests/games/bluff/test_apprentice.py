import jax
import numpy as np
import pytest

import feint
from feint.arena.match import match
from feint.arena.rollout import play
from feint.games.bluff.agents import Anxious, NoBluff, Smart
from feint.games.bluff.apprentice import Apprentice, Watched, shipped_rewards
from feint.games.bluff.reinforcement import Reinforcement

SMALL = feint.make("bluff", ranks=5, suits=2, cap=60)


@pytest.fixture(scope="module")
def tables():
    """What was noted of each seat over a match, and what the arena counted."""
    learner = Reinforcement(training=True, rewards=np.zeros((13, 13), np.float32))
    agents = [Watched(agent) for agent in (NoBluff(), Smart(), learner, Anxious())]
    outcomes, memories = play(SMALL, agents, range(4), seed=3, first=0, matches=1, length=8)
    noted = [jax.tree.map(lambda leaf, seat=seat: leaf[0, seat], memories[seat]) for seat in range(4)]
    return noted, jax.tree.map(lambda leaf: np.asarray(leaf)[0].sum(axis=0), outcomes.events)


@pytest.mark.slow
def test_every_play_of_every_player_is_noted(tables):
    noted, events = tables
    for seat, (_, table) in enumerate(noted):
        assert table.played.sum() == events["plays"][seat] > 0
        assert (np.asarray(table.rewards) <= np.asarray(table.played)).all()


def test_who_trains_notes_the_same_of_itself(tables):
    noted, _ = tables
    own, watched = noted[2]
    np.testing.assert_array_equal(own.played, watched.played)
    np.testing.assert_array_equal(own.rewards, watched.rewards)


def test_a_play_that_is_caught_has_no_reward(tables):
    noted, events = tables
    punished = sum(float(table.played.sum() - table.rewards.sum()) for _, table in noted)
    assert punished == events["calls right"].sum() > 0


@pytest.mark.slow
def test_watching_does_not_change_the_games():
    seats = [range(4)]
    plain = match(SMALL, [NoBluff(), Smart(), Smart(), Anxious()], seats, 64)
    watched = match(SMALL, [Watched(agent) for agent in (NoBluff(), Smart(), Smart(), Anxious())], seats, 64)
    np.testing.assert_array_equal(plain.wins, watched.wins)
    np.testing.assert_array_equal(plain.moves, watched.moves)


def test_the_apprentice_plays_by_name_from_a_table_that_all_four_filled():
    made = feint.make_agent("apprentice", feint.make("bluff"))
    assert isinstance(made, Apprentice)
    assert shipped_rewards().sum() > 3 * Reinforcement().rewards.sum()
