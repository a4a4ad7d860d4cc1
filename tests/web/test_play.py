"""Whole games over the WebSocket: people, agents, friends, matches, and what is refused on the way."""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from feint.record import Record
from feint.table import Table
from feint.views import as_json
from tests.web.served import Seat, Served


@pytest.fixture
def seat(lab: Served) -> Seat:
    made = lab.play("kuhn", name="Ann")
    return lab.at(made["table"], token=made["token"])


@pytest.mark.parametrize("game", ["kuhn", "leduc", "bidding"])
def test_a_person_plays_a_match_with_agents(lab, game, tmp_path):
    made = lab.play(game, name="Ann")
    seat = lab.at(made["table"], token=made["token"])
    for number in range(2):
        state = seat.play_on(random.Random(number))
        assert state["over"]
        assert state["end"]
        assert state["round"] == number
        assert state["score"]["games"] == number + 1
        assert sum(len(told["told"]) for told in map(json.loads, seat.heard) if told["round"] == number) > 0
        record = lab.get(f"/api/tables/{made['table']}/games/{number}/record")
        (tmp_path / "game.json").write_text(record.text)
        kept = Record.load(tmp_path / "game.json")
        table = kept.review()
        assert len(list(kept.replay(table))) == state["number"]
        assert table.rewards.tolist() == state["rewards"]
        review = lab.get(f"/api/tables/{made['table']}/games/{number}").json()
        assert len(review["steps"]) == state["number"] + 1
        assert [step["action"] for step in review["steps"][:-1]] == table.actions
        check_views(review["steps"], kept.review())
        seat.say(next=True)
    seat.until(lambda told: told["kind"] == "state" and told["round"] == 2)
    seat.close()


def check_views(steps: list[dict[str, Any]], table: Table) -> None:
    """Put together, what steps tell of views is everybody's view and a spectator's; and no step tells what the last one told."""
    shown: list[dict[str, Any]] = [{} for _ in range(table.game.players + 1)]
    for step in steps:
        told = [*step["views"], step["public"]]
        assert not [
            name for old, new in zip(shown, told, strict=True) for name in new if name in old and old[name] == new[name]
        ]
        shown = [old | new for old, new in zip(shown, told, strict=True)]
        assert shown == as_json([*map(table.view, range(table.game.players)), table.spectate()])
        if step["action"] is not None:
            table.play(step["action"])


def test_the_deal_is_promised_before_the_game_and_opened_after_it(seat):
    first = seat.turn()
    assert first["opening"] is None
    last = seat.play_on(random.Random(0), state=first)
    opening = last["opening"]
    digest = hashlib.sha256((opening["deal"] + opening["nonce"]).encode()).hexdigest()
    assert digest == first["commitment"] == last["commitment"]
    assert json.loads(opening["deal"])["cards"][0] == first["view"]["card"]


def test_a_move_is_accepted_once(seat):
    state = seat.turn()
    move = {"move": state["number"], "action": state["choices"][0]["action"]}
    seat.say(**move)
    seat.say(**move)
    answers = [seat.hear() for _ in range(2)]
    assert all(told["kind"] == "state" for told in answers)
    assert not [told for told in map(json.loads, seat.heard) if told["kind"] == "error"]


def refused(seat: Seat, **said) -> str:
    seat.say(**said)
    return seat.until(lambda told: told["kind"] == "error")["error"]


def test_what_is_refused_is_said_and_changes_nothing(seat, lab):
    state = seat.turn()
    number = state["number"]
    assert refused(seat, move=number, action=99) == "illegal"
    assert refused(seat, move=number, actions=[0, 0, 0, 0]) == "illegal"
    assert refused(seat, move=number + 5, action=0) == "late"
    assert refused(seat, move="0", action=0) == "malformed"
    assert refused(seat, move=number, action=True) == "malformed"
    assert refused(seat, move=number, action=-1) == "malformed"
    assert refused(seat, move=number) == "malformed"
    assert refused(seat, fly=True) == "malformed"
    assert refused(seat, next=True) == "still_on"
    assert refused(seat, pace=1e9) == "refused"
    assert refused(seat, chair=1, agent="nobody-knows") == "refused"
    assert refused(seat, chair=1, agent="policy:/etc/passwd") == "refused"
    assert refused(seat, chair=0, agent="random") == "forbidden"
    assert refused(seat, chair=7, agent="random") == "refused"
    assert refused(seat, name="Bob") == "still_on"
    for text in ("[]", "nonsense", "7", '{"move": ' + "[" * 2000, '{"name": "\\ud800"}'):
        seat.line.send(text)
        assert seat.until(lambda told: told["kind"] == "error")["error"] in ("malformed", "still_on")
    seat.line.send(json.dumps({"name": "x" * 5000}))
    assert seat.until(lambda told: told["kind"] == "error")["error"] == "too_large"
    seat.line.send(b"\x00\x01")
    assert seat.until(lambda told: told["kind"] == "error")["error"] == "malformed"
    watcher = lab.at(seat.table, watch=True)
    assert refused(watcher, move=number, action=0) == "forbidden"
    assert refused(watcher, pace=1) == "forbidden"
    assert refused(watcher, sit_in=0, agent="random") == "forbidden"
    assert watcher.served.get(f"/api/tables/{seat.table}/games/0").json()["error"] == "still_on"
    watcher.close()
    again = lab.at(seat.table, **seat.hello)
    after = again.turn()
    assert {name: after[name] for name in ("number", "view", "choices", "seats")} == {
        name: state[name] for name in ("number", "view", "choices", "seats")
    }
    again.close()


def test_nobody_sits_down_with_a_wrong_token(lab, seat):
    for hello, code in (({"token": "x" * 32}, 4401), ({"token": 7}, 4408), ({}, 4408)):
        stranger = lab.at(seat.table, **hello)
        assert stranger.hear()["kind"] == "error"
        with pytest.raises(ConnectionClosed) as closed:
            stranger.hear()
        assert closed.value.rcvd.code == code
    nowhere = lab.at("nowhere", watch=True)
    assert nowhere.hear()["error"] == "no_such_table"


def test_too_many_messages_end_a_connection(seat):
    with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012 (while something is said, or heard)
        for _ in range(200):
            seat.say(notes=True)
        seat.until(lambda _: False)
    assert closed.value.rcvd.code == 4429


def new_table(lab: Served, *chairs: dict, game: str = "kuhn", **more) -> dict:
    answer = lab.post("/api/tables", {"game": game, "chairs": [*chairs], "pace": 0, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_friends_join_and_play_each_other(lab):
    made = new_table(lab, {"person": "Ann"}, {"open": True})
    ann = lab.at(made["table"], token=made["host"])
    waiting = ann.until(lambda told: "one more player" in told["wait"])
    assert waiting["view"] is None
    assert lab.get(f"/api/tables/{made['table']}").json()["status"] == "waiting"
    assert refused(ann, move=0, action=0) == "waiting"
    joined = lab.post(f"/api/tables/{made['table']}/join", {"name": "Ben"}).json()
    ben = lab.at(made["table"], token=joined["token"])
    assert lab.post(f"/api/tables/{made['table']}/join", {"name": "Cem"}).json()["error"] == "full"
    # The link of the chair that Ben has taken is no longer one.
    assert lab.at(made["table"], token=made["chairs"][1]["token"]).hear()["error"] == "bad_token"
    state = ann.until(lambda told: told["view"] is not None)
    assert [seat["name"] for seat in state["seats"]] == ["Ann", "Ben"]
    seats, number = [ann, ben], 0
    while not state["over"]:
        turn = state["turn"]
        own = state if state["seat"] == turn else seats[turn].until(lambda told: told.get("choices"))
        assert (own["number"], own["seat"], own["view"]["seat"]) == (number, turn, turn)
        assert refused(seats[1 - turn], move=number, action=0) == "not_your_turn"
        seats[turn].say(move=number, action=own["choices"][0]["action"])
        number += 1
        state = seats[1 - turn].until(lambda told: told["kind"] == "state" and told["number"] == number)  # noqa: B023
    ann.close()
    ben.close()


def test_the_host_fills_chairs_and_an_agent_sits_in_for_whoever_is_away(lab):
    made = new_table(lab, {"person": "Ann"}, {"open": True}, {"open": True}, game="bidding", options={"coins": 10})
    ann = lab.at(made["table"], token=made["host"])
    ben = lab.at(made["table"], token=made["chairs"][1]["token"], name="Ben")
    assert refused(ben, chair=2, agent="share") == "forbidden"
    ann.say(chair=2, agent="share")
    state = ann.until(lambda told: told["kind"] == "state" and told["choices"])
    assert [seat["kind"] for seat in state["seats"]] == ["person", "person", "agent"]
    assert state["seats"][2]["character"]
    assert refused(ann, sit_in=1, agent="share") == "forbidden"  # Ben is here
    ben.close()
    ann.until(lambda told: told["kind"] == "state" and not told["seats"][1]["here"])
    ann.say(sit_in=1, agent="share")
    ann.until(lambda told: told["kind"] == "state" and told["seats"][1]["sitting_in"] == "share")
    ann.say(move=0, action=state["choices"][5]["action"])
    after = ann.until(lambda told: told["kind"] == "state" and told["number"] >= 3)
    ben = lab.at(made["table"], token=made["chairs"][1]["token"])
    assert ben.hear()["seats"][1]["sitting_in"] == "share"
    ben.say(sit_in=1, agent=None)
    back = ben.until(lambda told: told["kind"] == "state" and told["seats"][1]["sitting_in"] is None)
    assert back["number"] >= after["number"]
    assert back["seats"][1]["name"] == "Ben"
    ann.close()
    ben.close()


def test_agents_play_alone_while_somebody_watches(lab):
    made = new_table(lab, {"agent": "random"}, {"agent": "random"}, game="leduc")
    assert made["table"] in [each["table"] for each in lab.get("/api/tables").json()["tables"]]
    watcher = lab.at(made["table"], watch=True)
    state = watcher.until(lambda told: told["over"])
    assert state["seat"] is None
    host = lab.at(made["table"], token=made["host"])
    host.say(next=True)
    host.until(lambda told: told["kind"] == "state" and told["round"] == 1 and told["over"])
    watcher.close()
    host.close()


def test_hints_and_notes_are_for_those_who_play(lab):
    made = lab.play("kuhn", level="easy")
    seat = lab.at(made["table"], token=made["token"])
    seat.turn()
    seat.say(hint=True)
    hint = seat.until(lambda told: told["kind"] != "state")
    assert hint["kind"] == "hint"
    assert hint["agent"] == "zoo:kuhn-1"
    assert hint["action"] in (0, 1)
    seat.say(notes=True)
    assert seat.until(lambda told: told["kind"] != "state")["kind"] == "notes"
    seat.close()
    made = lab.play("kuhn", hints=False)
    seat = lab.at(made["table"], token=made["token"])
    seat.turn()
    assert refused(seat, hint=True) == "no_hints"
    seat.close()
