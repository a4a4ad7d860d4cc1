"""The rating list: what the latest tournament says, and how people fare, worked out by hand."""

import pytest

from feint.web.jobs import DONE, Jobs
from feint.web.ratings import against_people, listed
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
    assert [(row["agent"], row["rating"]) for row in tables["bluff"]] == [("counter", None), ("smart", None)]
