"""Who sits where at a table, and what they are called."""

from __future__ import annotations

from dataclasses import replace

from feint.errors import UserError
from feint.seating import LONGEST, Person
from feint.visible import visible
from feint.web import queries
from feint.web.guests import Guest
from feint.web.match import AGENT, OPEN, PERSON, Chair
from feint.web.queries import Taken
from feint.web.refusals import Refusal
from feint.web.room import Room


async def call(room: Room, guest: Guest, name: str) -> None:
    """What a person is called."""
    if guest.chair is None:
        raise Refusal("forbidden", "Only players have names.")
    async with room.lock:
        if room.status == "playing":
            raise Refusal("still_on", "Names can be changed between games.")
        await _sit_down(room, guest.chair, name)


async def claim(room: Room, guest: Guest, name: str) -> None:
    """Whoever opens the link of a chair that is open sits in it."""
    async with room.lock:
        if guest.chair is not None and room.chairs[guest.chair].kind == OPEN:
            await _sit_down(room, guest.chair, name)


async def _sit_down(room: Room, chair: int, name: str) -> None:
    await _seat(room, chair, replace(room.chairs[chair], kind=PERSON, name=checked_name(name)))


async def join(room: Room, name: str, token: str) -> int:
    """The first open chair, for somebody with a new token."""
    async with room.lock:
        free = next((number for number, chair in enumerate(room.chairs) if chair.kind == OPEN), None)
        if room.row.closed:
            raise Refusal("closed", "This table was closed.")
        if free is None:
            raise Refusal("full", "All seats are taken. Watch, or ask the host for another table.")
        await _seat(room, free, Chair(PERSON, checked_name(name), token=room.lab.hashed(token)))
        return free


async def set_agent(room: Room, guest: Guest, chair: int, spec: str) -> None:
    """By the host: an agent in an open chair, or another one in an agent's."""
    _check_host(guest)
    if _chair(room, chair).kind == PERSON:
        raise Refusal("forbidden", "Somebody sits there. An agent may sit in for them while they are away.")
    await put_agent(room, chair, spec)


async def sit_in(room: Room, guest: Guest, chair: int, spec: str | None) -> None:
    """An agent plays for the person in a chair, or no longer does."""
    before = _chair(room, chair)
    if before.kind != PERSON:
        raise Refusal("forbidden", "Nobody is away there: agents sit in for people.")
    if guest.chair != chair and (not (guest.host or guest.chair is not None) or room.here(chair)):
        raise Refusal("forbidden", "An agent sits in for you, or for somebody who is away.")
    if spec is None:
        async with room.lock:
            await _seat(room, chair, replace(room.chairs[chair], agent=None))
    else:
        await put_agent(room, chair, spec)


async def open_chair(room: Room, guest: Guest, chair: int) -> None:
    """By the host: an agent leaves, and anybody may join."""
    _check_host(guest)
    if _chair(room, chair).kind != AGENT:
        raise Refusal("forbidden", "Only an agent's chair can be opened.")
    async with room.lock:
        if room.status == "playing":
            raise Refusal("still_on", "Chairs can be opened between games.")
        await _seat(room, chair, Chair(OPEN))


async def put_agent(room: Room, chair: int, spec: str) -> None:
    """An agent takes the moves of a chair from now on, remembering nothing."""
    try:
        await room.lab.preparing.agents(room.game, [spec])
    except UserError as wrong:
        raise Refusal("refused", str(wrong)) from None
    async with room.lock:
        since = (room.round.number, room.round.table.moves) if room.round else (0, 0)
        before = room.chairs[chair]
        kind = PERSON if before.kind == PERSON else AGENT
        await _seat(room, chair, replace(before, kind=kind, agent=spec, since=since))


async def _seat(room: Room, number: int, chair: Chair) -> None:
    try:
        await room.lab.database.write(queries.new_chair(room.id, number, room.chairs[number], chair), room.id)
    except Taken:
        await room.catch_up()
        room.tell()
        raise Refusal("late", "Somebody else has just sat down there. Look again.") from None
    room.sitters.forget(number)
    await room.catch_up()
    room.tell()


def _check_host(guest: Guest) -> None:
    if not guest.host:
        raise Refusal("forbidden", "Only the host says who sits where.")


def _chair(room: Room, chair: int) -> Chair:
    if not 0 <= chair < len(room.chairs):
        raise Refusal("refused", f"This table has chairs 1 to {len(room.chairs)}; there is no chair {chair + 1}.")
    return room.chairs[chair]


def checked_name(name: str) -> str:
    """A name that can be shown: blanks at its ends are left out."""
    name = name.strip()
    if len(name) > LONGEST // 2 or visible(name) != name:
        raise Refusal("refused", f"A name has at most {LONGEST // 2} characters, all of them visible.")
    return Person(name).name
