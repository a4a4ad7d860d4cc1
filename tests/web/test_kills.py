"""A server killed at any moment comes back with every game where it was; two of them serve one table."""

from __future__ import annotations

import random

import pytest

from feint.web.database import Database
from tests.web.served import Served, serving

MOST_KILLS = 12  # of a game: a person has a hundred decisions in one of Bluff


def killed_and_resumed(served: Served, game: str, chance: random.Random) -> None:
    """A game with a kill before each of a person's first moves, some of them right after it was sent; the rest of it is played as usual."""
    made = served.play(game, name="Ann")
    seat = served.at(made["table"], token=made["token"])
    state = seat.turn()
    promised = state["commitment"]
    for _ in range(MOST_KILLS):
        if state["over"]:
            break
        action = chance.choice(state["choices"])["action"]
        if chance.random() < 0.5:
            seat.say(move=state["number"], action=action)
            if chance.random() < 0.5:
                seat.hear()  # seen, and so on disk
        shown = max((told["number"] for told in seat.states() if told["round"] == 0), default=0)
        served.kill()
        served.start(served.port)
        seat = served.at(made["table"], token=made["token"])
        again = seat.turn()
        assert again["commitment"] == promised
        assert again["number"] >= shown  # whatever was shown is there
        if again["number"] == state["number"]:
            assert (again["view"], again["choices"]) == (state["view"], state["choices"])
            seat.say(move=state["number"], action=action)
            again = seat.after(state["number"])
        state = again
    assert seat.play_on(chance, state=state)["over"]
    seat.close()


def test_a_game_goes_on_after_kills(tmp_path):
    with serving(tmp_path, games="kuhn") as served:
        killed_and_resumed(served, "kuhn", random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["leduc", "bidding", "holdem", "bluff"])
def test_every_kind_of_game_goes_on_after_kills(tmp_path, game):
    """Bidding with an agent that learns in the match, and has to know again what it knew."""
    with serving(tmp_path, games=game) as served:
        killed_and_resumed(served, game, random.Random(1))


def test_two_servers_serve_one_table_of_one_postgresql(tmp_path, postgres):
    with serving(tmp_path / "a", postgres, "kuhn") as one, serving(tmp_path / "b", postgres, "kuhn") as other:
        made = one.post(
            "/api/tables", {"game": "kuhn", "chairs": [{"person": "Ann"}, {"open": True}], "pace": 0}
        ).json()
        ann = one.at(made["table"], token=made["host"])
        ann.until(lambda told: "one more player" in told["wait"])
        joined = other.post(f"/api/tables/{made['table']}/join", {"name": "Ben"}).json()
        ann.until(lambda told: told["seats"][1]["name"] == "Ben" and not told["seats"][1]["here"])
        ben = other.at(made["table"], token=joined["token"])
        # Whichever server Ben is connected to. The game may begin before or after Ann hears that.
        state = ann.until(lambda told: told["seats"][1]["here"] and told["view"] is not None)
        ben.until(lambda told: told["seats"][0]["here"])
        assert [chair["here"] for chair in one.get(f"/api/tables/{made['table']}").json()["chairs"]] == [True, True]
        seats, number = [ann, ben], 0
        while not state["over"]:
            turn = state["turn"]
            own = state if state["seat"] == turn else seats[turn].until(lambda told: told.get("choices"))
            seats[turn].say(move=number, action=own["choices"][0]["action"])
            number += 1
            state = seats[1 - turn].until(lambda told: told["kind"] == "state" and told["number"] == number)  # noqa: B023
        # One of them is killed, and whoever was there goes on at the other.
        ben.say(next=True)
        state = ann.until(lambda told: told["round"] == 1 and told["choices"])
        other.kill()
        ben = one.at(made["table"], token=joined["token"])
        ann.say(move=0, action=state["choices"][0]["action"])
        assert ben.until(lambda told: told["kind"] == "state" and told["number"] == 1)["round"] == 1
        # Agents at a table that both serve make every move once.
        other.start()
        watched = one.post("/api/tables", {"game": "kuhn", "chairs": [{"agent": "random"}] * 2, "pace": 0}).json()
        watchers = [each.at(watched["table"], watch=True) for each in (one, other)]
        ends = [each.until(lambda told: told["over"]) for each in watchers]
        assert ends[0]["opening"] == ends[1]["opening"]
        assert ends[0]["view"] == ends[1]["view"]


def test_a_database_that_cannot_be_used_is_refused_in_a_sentence(tmp_path):
    from feint.errors import UserError

    for address in (
        "nonsense",
        "mysql://x/y",
        "sqlite://",
        f"sqlite:///{tmp_path}",
        "postgresql://nobody@127.0.0.1:1/x",
    ):
        with pytest.raises(UserError, match=r"database|kept|keeps"):
            Database(address)
