"""What goes on at a table by itself: it is prepared, and its agents move at a human pace."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace

from sqlalchemy.exc import SQLAlchemyError

from feint.web import queries
from feint.web.guests import Guest
from feint.web.places import put_agent
from feint.web.queries import Taken
from feint.web.refusals import Refusal
from feint.web.room import Room

SLOWEST = 10.0  # seconds between moves of agents, at the most
SHORTEST = 0.001  # seconds of a beat: nobody waits for less
AGAIN = 1.0  # seconds after which a database that failed is tried again
BEATS = (
    12  # of a pace: agents move on a beat that all tables share, so that they are asked, and their moves kept, together
)


async def drive(room: Room) -> None:
    """Prepare a table, then let agents move whenever it is their turn and somebody is there."""
    try:
        await room.lab.preparing.game(room.game)
        room.wait = ""
        async with room.lock:
            await room.catch_up()
        room.tell()
        while True:
            try:
                await _next_move(room)
            except SQLAlchemyError as failed:
                room.lab.log("database", table=room.id, reason=str(failed).splitlines()[0])
                await asyncio.sleep(AGAIN)
    except asyncio.CancelledError:
        raise
    except Refusal as refused:
        room.wait = refused.message
        room.tell()
    except Exception as failed:
        room.lab.log("failed", table=room.id, reason=repr(failed))
        room.wait = "Something went wrong at this table. Please start another."
        room.tell()


async def _next_move(room: Room) -> None:
    """One move of an agent, or a wait until something changes."""
    room.changed.clear()
    chair = room.turn
    spec = room.agent(chair)
    if chair is None or spec is None or not room.guests:
        await room.changed.wait()
        return
    await room.lab.preparing.agents(room.game, [spec])
    due = due_at(room.moved, room.row.pace) - time.monotonic()
    if due > 0:
        try:
            async with asyncio.timeout(due):
                await room.changed.wait()
            return  # the pace or who sits there may be others now
        except TimeoutError:
            pass
    round, number = room.round, room.round.table.moves if room.round else 0
    if round is None:
        return
    try:
        sitting = await room.sitters.at(chair, room.chairs[chair], round)
        if round is not room.round or number != round.table.moves or spec != room.agent(chair):
            return
        action = await room.lab.company.ask(round.question(sitting))
    except SQLAlchemyError:
        raise
    except Exception as failed:
        room.lab.log("agent failed", table=room.id, agent=spec, reason=repr(failed))
        await put_agent(room, chair, "random")
        return
    async with room.lock:
        if round is room.round and number == round.table.moves and spec == room.agent(chair):
            try:
                await room.keep(number, [action], spec)
            except Taken:
                await room.catch_up()
    room.tell()


def due_at(moved: float, pace: float) -> float:
    """When an agent moves after a move that was made then."""
    beat = pace / BEATS
    return math.ceil((moved + pace) / beat) * beat if beat > SHORTEST else moved + pace


async def set_pace(room: Room, guest: Guest, seconds: float) -> None:
    """How long agents take for a move."""
    if guest.chair is None and not guest.host:
        raise Refusal("forbidden", "You are watching: players set the pace.")
    if not 0 <= seconds <= SLOWEST:
        raise Refusal("refused", f"The pace is from 0 to {SLOWEST:g} seconds.")
    async with room.lock:
        await room.lab.database.write(queries.set_table(room.id, pace=float(seconds)), room.id)
        room.row = replace(room.row, pace=float(seconds))
    room.tell()
