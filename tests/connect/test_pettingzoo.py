"""PettingZoo's own tests on every game, and games that come out as feint's own table has them."""

import types
import warnings

import numpy as np
import pytest
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from feint import registry
from feint.connect import board, pettingzoo
from feint.errors import UserError
from feint.table import Table

# Okey's players are told what a hand solver says, which takes long where it is not compiled well.
GAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name == "okey")) for name in registry.game_names()]


@pytest.fixture(autouse=True)
def _quiet():
    # What PettingZoo says of spaces without bounds and of masks in observations is meant.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("name", GAMES)
def test_every_game_passes_pettingzoos_tests(name):
    environment = pettingzoo.env(name)
    api_test(environment, num_cycles=60)
    seed_test(lambda: pettingzoo.env(name), num_cycles=20)


@pytest.mark.parametrize("name", ["kuhn", "bidding"])
def test_tables_are_shown_as_text_and_as_pictures(name, capsys):
    render_test(lambda render_mode: pettingzoo.env(name, render_mode=render_mode))
    capsys.readouterr()


def test_bidding_is_played_at_once():
    parallel_api_test(pettingzoo.parallel_env("bidding"), num_cycles=40)
    parallel_seed_test(lambda: pettingzoo.parallel_env("bidding"), num_cycles=20)
    module = types.SimpleNamespace(
        env=lambda **given: pettingzoo.env("bidding", players=10, coins=50, **given),
        parallel_env=lambda **given: pettingzoo.parallel_env("bidding", players=10, coins=50, **given),
    )
    max_cycles_test(module)


def test_a_game_is_the_one_that_feints_table_deals():
    """The same deal and, with the same actions, the same payoffs."""
    environment = pettingzoo.env("leduc")
    random = np.random.default_rng(0)
    for number in range(5):
        environment.reset(seed=7 if number == 0 else None)
        paid = {}
        table = Table(registry.make("leduc"), ["random", "random"], seed=7, number=number)
        for agent in environment.agent_iter():
            observation, reward, over, cut, info = environment.last()
            if over or cut:
                paid[agent] = reward
                environment.step(None)
                continue
            legal = np.flatnonzero(observation["action_mask"])
            assert (info["action_mask"] == observation["action_mask"]).all()
            assert (legal == np.flatnonzero(table.legal)).all()
            action = int(random.choice(legal))
            table.follow(action)
            environment.step(action)
        assert table.over
        assert (table.rewards == [paid[name] for name in environment.possible_agents]).all()


def test_both_kinds_of_bidding_agree():
    turns, rounds = pettingzoo.env("bidding"), pettingzoo.parallel_env("bidding")
    turns.reset(seed=3)
    shown, _ = rounds.reset(seed=3)
    random, paid = np.random.default_rng(1), dict.fromkeys(rounds.possible_agents, 0.0)
    while rounds.agents:
        may = {name: np.flatnonzero(shown[name]["action_mask"]) for name in rounds.agents}
        actions = {name: int(random.choice(legal)) if len(legal) else 0 for name, legal in may.items()}
        for _ in range(sum(len(legal) > 0 for legal in may.values())):
            seen = turns.observe(turns.agent_selection)
            assert (np.flatnonzero(seen["action_mask"]) == may[turns.agent_selection]).all()
            turns.step(actions[turns.agent_selection])
        shown, rewards, *_ = rounds.step(actions)
        paid = {name: paid[name] + rewards[name] for name in paid}
    assert all(turns.terminations.values())
    assert sum(paid.values()) == 1.0


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: pettingzoo.env("kuhn", render_mode="film"), "render_mode must be one of human, ansi, rgb_array"),
        (lambda: pettingzoo.env("kuhn", max_cycles=0), "max_cycles must be"),
        (lambda: pettingzoo.parallel_env("kuhn"), "move in turns"),
        (lambda: pettingzoo.env("chess"), "chess"),
    ],
)
def test_what_cannot_be_made(make, why):
    with pytest.raises(UserError, match=why):
        make()


@pytest.mark.parametrize("most", [0, 5])
def test_a_table_that_may_remember_no_more_plays_on_the_same(most, monkeypatch):
    boards = [board.Board(registry.make("kuhn")) for _ in range(2)]
    monkeypatch.setattr(board, "MOST_PLACES", most)
    boards[1]._rules = board.Rules(boards[1].game)  # that remembers nothing yet
    random = np.random.default_rng(0)
    for game in range(6):
        for each in boards:
            each.deal(3 if game == 0 else None)
        while not boards[0].over:
            action = int(random.choice(np.flatnonzero(boards[0].mask(boards[0].player))))
            for each in boards:
                each.move(action)
            one, other = boards
            assert (one.player, one.over, one.rewards) == (other.player, other.over, other.rewards)
            for seat in range(2):
                assert (one.seen(seat) == other.seen(seat)).all()
                assert (one.mask(seat) == other.mask(seat)).all()
