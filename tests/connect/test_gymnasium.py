"""Gymnasium's own checks, and games that are those of feint's own tables."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from feint import registry
from feint.connect.gymnasium import LastShown, Seat, Tables
from feint.connect.gymnasium_play import SHARES, SMALLEST
from feint.errors import UserError
from feint.table import Table


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of spaces without bounds
        yield


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "opponents"),
    [
        ("Kuhn", ["random"]),
        ("Bidding", ["uniform"]),
        ("LiarsDice", ["random"]),
        ("Holdem", ["always-call"]),
        pytest.param("Bluff", ["smart"], marks=SLOW),
        pytest.param("Okey", ["computer"], marks=SLOW),
    ],
)
def test_games_pass_gymnasiums_check(name, opponents):
    environment = gymnasium.make(f"feint/{name}-v0", opponents=opponents)
    check_env(environment.unwrapped, skip_render_check=True)


def test_a_seat_plays_the_games_of_feints_table():
    """The learner's moves and those of compiled opponents, game by game, in all seats."""
    environment = gymnasium.make("feint/Leduc-v0", opponents=["zoo:leduc-1"]).unwrapped
    random, number = np.random.default_rng(1), -1
    for game in range(8):
        observation, info = environment.reset(seed=5 if game == 0 else None)
        seat, number = int(environment._position.seat), int(environment._position.number)
        assert seat == number % 2
        chairs = ["zoo:leduc-1", "zoo:leduc-1"]
        chairs[seat] = "random"
        table, paid, over = Table(registry.make("leduc"), chairs, seed=5, number=number), 0.0, False
        while not over:
            while table.player != seat:
                table.act()
            legal = np.flatnonzero(info["action_mask"])
            assert (legal == np.flatnonzero(table.legal)).all()
            action = int(random.choice(legal))
            observation, reward, over, _, info = environment.step(action)
            table.play(action)
            while not table.over and table.player != seat:
                table.act()
            paid += reward
        assert table.over
        assert paid == pytest.approx(float(table.rewards[seat]))
        assert not observation["action_mask"].any()


def test_many_tables_play_what_one_plays():
    """Table 0 of a seed deals what a single seat of that seed does; others deal other games."""
    single, many = Seat("kuhn", ["random"]), Tables(4, "kuhn", ["random"])
    one, _ = single.reset(seed=9)
    all_, info = many.reset(seed=9)
    ended = 0
    for _ in range(40):
        assert (all_["observation"][0] == one["observation"]).all()
        assert (all_["action_mask"][0] == one["action_mask"]).all()
        actions = [int(np.flatnonzero(mask)[-1]) for mask in all_["action_mask"]]
        last, reward, over, _, _ = single.step(actions[0])
        all_, rewards, terminated, truncated, info = many.step(actions)
        assert (rewards[0], terminated[0], truncated[0]) == (reward, over, False)
        if over:
            ended += 1
            assert (info["final_obs"][0]["observation"] == last["observation"]).all()
            one, _ = single.reset()
        else:
            one = last
    assert ended > 5
    assert len({tuple(row) for row in all_["observation"]}) > 1


def test_tables_play_the_same_however_many_there_are():
    """Of many tables of a game that is not short, only those that need it are played at and dealt at; of few, all are."""
    enough = SMALLEST * max(SHARES)  # for parts of every size
    few, many = (Tables(tables, "leduc", ["random"], players=3) for tables in (4, enough + 1))
    seen, (all_seen, _) = few.reset(seed=3)[0], many.reset(seed=3)
    ended = 0
    for step in range(30):
        for name, rows in seen.items():
            assert (rows == all_seen[name][:4]).all()
        actions = [int(np.flatnonzero(mask)[step % mask.sum()]) for mask in all_seen["action_mask"]]
        seen, rewards, over, _, told = few.step(actions[:4])
        all_seen, all_rewards, all_over, _, all_told = many.step(actions)
        assert (rewards == all_rewards[:4]).all()
        assert (over == all_over[:4]).all()
        for table in np.flatnonzero(over):
            ended += 1
            last, same = (each["final_obs"][table]["observation"] for each in (told, all_told))
            assert (last == same).all()
    assert ended > 5


def test_many_tables_are_made_by_gymnasium():
    tables = gymnasium.make_vec("feint/Kuhn-v0", 4, vectorization_mode="vector_entry_point", opponents=["random"])
    assert tables.reset(seed=0)[0]["observation"].shape[0] == 4
    assert tables.single_action_space.n == registry.make("kuhn").actions


def test_it_can_be_shown():
    environment = Seat("kuhn", ["random"], render_mode="ansi")
    environment.reset(seed=1)
    assert "ou" in environment.render()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"game": "bluff", "opponents": ["smart", "smart"]}, "3 seats beside the learner's, not 2"),
        ({"game": "kuhn", "opponents": ["nobody"]}, "nobody"),
        ({"game": "kuhn", "seat": 2}, "seat must be from 0 to 1"),
        ({"game": "kuhn", "render_mode": "film"}, "render_mode must be ansi"),
    ],
)
def test_what_cannot_be_made(given, why):
    with pytest.raises(UserError, match=why):
        Seat(**given)


def test_what_games_ended_with_is_made_when_it_is_asked_for():
    seen, over = np.arange(6.0).reshape(3, 2), np.array([True, False, True])
    last = LastShown(lambda: seen, over, actions=2)
    assert [shown is None for shown in last] == [False, True, False]
    assert last[2]["observation"].tolist() == [4.0, 5.0]
    assert last[0]["action_mask"].tolist() == [0, 0]
    last[0] = "something else"  # as wrappers of Gymnasium do
    assert list(last[:2]) == ["something else", None]
