"""The rating list: what the latest tournament says, and how people fare, worked out by hand."""

import json

import pytest

from feint import registry
from feint.web.jobs import DONE, Jobs
from feint.web.plots import plots
from feint.web.ratings import SHIPPED, against_people, listed
from tests.web.test_jobs import until

PLAYED = [
    ("bluff", [None, "smart", "smart", "counter"], [True, False, False, False]),
    ("bluff", [None, "smart", None, "counter"], [False, False, True, False]),
    ("bluff", ["smart", "counter", "smart", "smart"], [True, False, False, False]),
    ("kuhn", [None, "random"], [False, True]),
]


def test_how_people_fare():
    found = against_people(PLAYED)
    assert {agent: (row["games"], row["won"]) for agent, row in found["bluff"].items()} == {
        "smart": (3, 2),
        "counter": (3, 2),
    }
    assert found["kuhn"]["random"] == {"games": 1, "won": 0, "share": 0.0, "low": 0.0, "high": pytest.approx(0.995)}


def test_a_tournament_rates_agents(tmp_path):
    jobs = Jobs(tmp_path)
    name = jobs.add(["tournament", "kuhn", "random", "zoo:kuhn-1", "--games", "4000"])
    until(jobs, name, DONE)
    tables = listed(jobs, PLAYED)
    assert [row["agent"] for row in tables["kuhn"]] == ["zoo:kuhn-1", "random"]
    best, worst = tables["kuhn"]
    assert best["rating"] > worst["rating"]
    assert best["low"] < best["rating"] < best["high"]
    assert (best["people"], worst["people"]["games"]) == (None, 1)
    made, ratings, pairs = plots(tmp_path / name, "tournament")
    assert [row["label"] for row in made["rows"]] == ["zoo:kuhn-1", "random"]
    assert made["rows"][0]["low"] > made["usual"] == 0 > made["rows"][1]["high"]
    assert [(row["label"], row["value"], row["low"], row["high"]) for row in ratings["rows"]] == [
        (each["agent"], each["rating"], each["low"], each["high"]) for each in (best, worst)
    ]
    (pair,) = pairs["rows"]
    assert pair["label"] == "zoo:kuhn-1 against random"
    assert pair["value"] == pytest.approx(2 * made["rows"][0]["value"])  # what one gains the other loses


def test_what_ships_is_rated_until_a_tournament_is_run_here(tmp_path):
    tables = listed(Jobs(tmp_path), PLAYED)
    assert {"bluff", "holdem", "kuhn"} <= set(tables) <= set(registry.game_names())
    for game, told in json.loads(SHIPPED.read_text()).items():
        rows = told["ratings"]
        assert [row["rating"] for row in rows] == sorted((row["rating"] for row in rows), reverse=True)
        assert all(row["low"] < row["rating"] < row["high"] for row in rows)
        assert told["command"].startswith(f"feint tournament {game} ")
        for row in rows:
            registry.make_agent(row["agent"], registry.make(game))  # it is there
    smart = next(row for row in tables["bluff"] if row["agent"] == "smart")
    assert smart["people"]["games"] == 3
