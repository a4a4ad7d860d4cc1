"""Reviews of finished games, as they grow."""

from __future__ import annotations

import random
import time


def test_a_game_is_reviewed_when_it_is_over_and_not_before(lab):
    made = lab.play("kuhn", name="Ann", level="easy")
    seat = lab.at(made["table"], token=made["token"])
    seat.turn()
    address = f"/api/reviews/{made['table']}/0"
    assert lab.get(address).json()["error"] == "still_on"
    assert lab.get(f"/api/reviews/{made['table']}/7").json()["error"] == "no_such_game"
    state = seat.play_on(random.Random(2), state=seat.states()[-1])
    seat.close()
    assert state["over"]
    begun = time.monotonic()
    while not (review := lab.get(address).json())["finished"]:
        assert "error" not in review, review
        assert time.monotonic() - begun < 120
        time.sleep(0.2)
    assert review["names"][0] == "Ann"
    assert {decision["seat"] for decision in review["decisions"]} == {0}
    assert all(choice["value"]["low"] <= choice["value"]["high"] for choice in review["decisions"][0]["choices"])
