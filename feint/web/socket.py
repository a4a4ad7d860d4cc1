"""A connection to a table: who somebody is, what they say, and what they are told."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from sqlalchemy.exc import SQLAlchemyError

from feint.visible import visible
from feint.web import driving, hints, places, states
from feint.web.guests import Guest
from feint.web.lab import Lab
from feint.web.refusals import Refusal
from feint.web.room import Room

HELLO = 10.0  # seconds within which somebody says who they are
MOST_ACTIONS = 200  # moves of one message
VERBS = "move, next, hint, notes, pace, sit_in, chair, open or name"
CLOSING = {
    "bad_token": 4401,
    "no_such_table": 4404,
    "malformed": 4408,
    "closed": 4410,
    "too_large": 4413,
    "too_fast": 4429,
}
FAILED, RESTARTING, FULL = 1011, 1012, 4429
LOST = "The server cannot keep anything just now. Try again in a moment."


async def serve(lab: Lab, socket: WebSocket, id: str) -> None:
    """A connection from its first message to its last."""
    await socket.accept()
    if lab.guests >= lab.limits.connections:
        await socket.close(FULL, "There are as many connections as this server can have. Come back a little later.")
        return
    lab.guests += 1
    try:
        await _Line(lab, socket).run(id)
    except (WebSocketDisconnect, RuntimeError):
        pass  # they hung up, perhaps while something was on its way to them
    finally:
        lab.guests -= 1


class _Line:
    """One connection."""

    def __init__(self, lab: Lab, socket: WebSocket) -> None:
        self.lab, self.socket = lab, socket
        self.allowance, self.counted = float(lab.limits.messages), time.monotonic()

    async def run(self, id: str) -> None:
        try:
            said = await asyncio.wait_for(self._hear(), HELLO)
            room = await self.lab.room(id)
            guest = await _met(room, said)
        except TimeoutError:
            await self._hang_up(Refusal("malformed", "Nobody said who they are."))
            return
        except SQLAlchemyError:
            await self.socket.close(RESTARTING, LOST)
            return
        except Refusal as refused:
            await self._hang_up(refused)
            return
        room.enter(guest)
        telling = asyncio.ensure_future(self._tell(room, guest))
        try:
            while True:
                await self._answer(room, guest)
        finally:
            room.leave(guest)
            telling.cancel()

    async def _hang_up(self, refused: Refusal) -> None:
        self.lab.metrics.refused.labels(refused.error).inc()
        await self._send({"kind": "error", **refused.told(), "number": None})
        await self.socket.close(
            CLOSING.get(refused.error, 1008), refused.message.encode()[:120].decode(errors="ignore")
        )

    async def _tell(self, room: Room, guest: Guest) -> None:
        """The state, whenever it is another; what was missed in between is in the next."""
        try:
            await self._tell_on(room, guest)
        except (WebSocketDisconnect, RuntimeError):
            pass  # they hung up
        except Exception as failed:
            self.lab.log("failed", table=room.id, reason=repr(failed))
            await self.socket.close(FAILED, "Something went wrong at this table.")

    async def _tell_on(self, room: Room, guest: Guest) -> None:
        while True:
            await guest.news.wait()
            guest.news.clear()
            if guest.gone:
                await self.socket.close(*((4410, "This table was closed.") if room.row.closed else (RESTARTING, LOST)))
                return
            await self.socket.send_text(states.text(room, guest))

    async def _answer(self, room: Room, guest: Guest) -> None:
        """One thing that was said, and what is said to it."""
        number = room.round.table.moves if room.round else None
        try:
            said = await self._hear()
            reply = await _do(self.lab, room, guest, said)
            if reply is not None:
                await self._send(reply)
        except Refusal as refused:
            self.lab.metrics.refused.labels(refused.error).inc()
            if refused.error == "too_fast":
                await self._hang_up(refused)
                raise WebSocketDisconnect from None
            await self._send({"kind": "error", **refused.told(), "number": number})
        except SQLAlchemyError as failed:
            self.lab.log("database", table=room.id, reason=str(failed).splitlines()[0])
            await self._send({"kind": "error", "error": "busy", "message": LOST, "number": number})

    async def _hear(self) -> dict[str, Any]:
        """A message that is an object."""
        heard = await self.socket.receive()
        if heard["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(heard.get("code", 1000))
        now = time.monotonic()
        most = float(self.lab.limits.messages)
        self.allowance, self.counted = min(most, self.allowance + (now - self.counted) * most), now
        if self.allowance < 1:
            raise Refusal("too_fast", "Those are too many messages in a second.")
        self.allowance -= 1
        text = heard.get("text")
        if text is None:
            raise Refusal("malformed", "A message is text: JSON in UTF-8.")
        if len(text.encode(errors="replace")) > self.lab.limits.length:
            raise Refusal("too_large", f"A message has at most {self.lab.limits.length} bytes.")
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise Refusal("malformed", 'A message is a JSON object, such as {"move": 0, "action": 1}.')
        return said

    async def _send(self, told: dict[str, Any]) -> None:
        await self.socket.send_text(json.dumps(told, separators=(",", ":")))


async def _met(room: Room, said: dict[str, Any]) -> Guest:
    """Who somebody is, by their first message."""
    if said.get("watch") is True and "token" not in said:
        return Guest(None, host=False)
    chair, host = room.chair_of(_text(said, "token", 200))
    guest = Guest(chair, host)
    await places.claim(room, guest, _text(said, "name", 400) if "name" in said else "")
    return guest


async def _do(lab: Lab, room: Room, guest: Guest, said: dict[str, Any]) -> dict[str, Any] | None:
    """Do what somebody says, if they may; what is to be answered to them alone."""
    match said:
        case {"move": _}:
            begun = time.monotonic()
            await room.move(guest, _whole(said, "move"), _actions(said))
            guest.news.set()  # they see the state even where the move was made before
            lab.metrics.answered.observe(time.monotonic() - begun)
        case {"next": True}:
            await room.next_game(guest)
        case {"hint": True}:
            return await hints.hint(room, guest)
        case {"notes": True}:
            return hints.notes(room, guest)
        case {"pace": int() | float() as seconds} if not isinstance(seconds, bool):
            await driving.set_pace(room, guest, seconds)
        case {"sit_in": _, "agent": None}:
            await places.sit_in(room, guest, _whole(said, "sit_in"), None)
        case {"sit_in": _}:
            await places.sit_in(room, guest, _whole(said, "sit_in"), _text(said, "agent", 200))
        case {"chair": _}:
            await places.set_agent(room, guest, _whole(said, "chair"), _text(said, "agent", 200))
        case {"open": _}:
            await places.open_chair(room, guest, _whole(said, "open"))
        case {"name": _}:
            await places.call(room, guest, _text(said, "name", 400))
        case _:
            raise Refusal("malformed", f"{visible(', '.join(said))[:80]!r} means nothing here: say {VERBS}.")
    return None


def _actions(said: dict[str, Any]) -> list[int]:
    actions = said["actions"] if "actions" in said else [said.get("action")]
    if not isinstance(actions, list) or not 0 < len(actions) <= MOST_ACTIONS or not all(map(_is_whole, actions)):
        raise Refusal("malformed", "action is a whole number, 0 or more, and actions are a list of such.")
    return actions


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _whole(said: dict[str, Any], name: str) -> int:
    if not _is_whole(said.get(name)):
        raise Refusal("malformed", f"{name} is a whole number, 0 or more.")
    return said[name]


def _text(said: dict[str, Any], name: str, most: int) -> str:
    value = said.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise Refusal("malformed", f"{name} is a text of at most {most} characters.")
    return value
