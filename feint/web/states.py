"""What those who are connected to a table are told of it."""

from __future__ import annotations

import json
from typing import Any

from feint.web.guests import Guest
from feint.web.match import AGENT, PERSON, WAITING
from feint.web.room import Room


def text(room: Room, guest: Guest) -> str:
    """The state as a guest is sent it; worked out once for all who are sent the same."""
    round, texts = room.round.number if room.round else None, room.texts
    which = guest.chair, guest.host, round, guest.told[1] if guest.told[0] == round else 0
    if which not in texts:
        texts[which] = json.dumps(message(room, guest), separators=(",", ":")), guest.told
    text, guest.told = texts[which]
    return text


def message(room: Room, guest: Guest) -> dict[str, Any]:
    """The state as a guest sees it; from now on that is what was sent."""
    round = room.round
    if round is not None:
        told_from = guest.told[1] if guest.told[0] == round.number else 0
        state = round.message(guest.chair, told_from)
        guest.told = round.number, told_from + len(state["told"])
    else:
        state = WAITING
    chairs = told_chairs(room)
    seats = [{"seat": round.seat(each["chair"]) if round else each["chair"], **each} for each in chairs]
    return {
        "kind": "state",
        "table": room.id,
        "game": room.game.name,
        "status": room.status,
        "chair": guest.chair,
        "host": guest.host,
        **state,
        "seats": sorted(seats, key=lambda each: each["seat"]),
        "score": room.score.told([each["name"] for each in chairs]),
        "pace": room.row.pace,
        "hints": room.row.hints,
        "watchers": room.watchers,
        "wait": room.wait or room.missing(),
    }


def told_chairs(room: Room) -> list[dict[str, Any]]:
    """Everybody at the table, by chair."""
    names = room.names
    return [
        {
            "chair": number,
            "name": names[number],
            "kind": chair.kind,
            "agent": chair.agent if chair.kind == AGENT else None,
            "sitting_in": chair.agent if chair.kind == PERSON else None,
            "character": room.lab.offers.character(room.game, chair.agent) if chair.agent else "",
            "here": room.here(number),
        }
        for number, chair in enumerate(room.chairs)
    ]
