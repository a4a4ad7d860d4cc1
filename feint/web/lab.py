"""The lab in one process: the tables it serves, and what they share."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from feint import catalogue
from feint.errors import UserError
from feint.game import Game
from feint.options import chosen
from feint.web import presence, queries
from feint.web.company import seated
from feint.web.database import CHANNEL, TABLES, Database
from feint.web.driving import drive
from feint.web.house import House
from feint.web.match import AGENT, OPEN, PERSON, Chair
from feint.web.metrics import Metrics
from feint.web.offers import USUAL_LEVEL, Offers
from feint.web.places import checked_name
from feint.web.refusals import Refusal
from feint.web.room import Room

T = TypeVar("T")
LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # of a table's name: none that is taken for another
LENGTH = 10
SWEEP = 30.0  # seconds between looks for tables that nobody needs
MOST_LISTED = 50  # tables of the lobby's list


@dataclass(frozen=True)
class Limits:
    """What one process takes on."""

    tables: int = 10_000  # that are not closed
    connections: int = 5_000
    idle: float = 48 * 3600.0  # seconds after which a table without a move is closed
    empty: float = 120.0  # seconds that a table without anybody is kept ready
    new_tables: int = 60  # of one address within a minute
    messages: int = 30  # of one connection within a second
    length: int = 4096  # bytes of a message
    body: int = 16_384  # bytes of a request


class Lab(House):
    """Tables by name, and what goes on at them."""

    def __init__(
        self, database: Database, offers: Offers, log: Callable[..., None], limits: Limits | None = None
    ) -> None:
        self.rooms: dict[str, Room] = {}
        self.guests = 0
        self.prepared = False  # whether all that the lobby offers is compiled
        super().__init__(database, offers, log, Metrics(lambda: len(self.rooms), lambda: self.guests))
        self.limits = limits or Limits()
        self._opening: dict[str, asyncio.Lock] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin with what goes on by itself."""
        work = [self._sweep(), self._prepare(), *([self._listen()] if self.database.shared else [])]
        self._tasks = [asyncio.ensure_future(each) for each in work]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for room in [*self.rooms.values()]:
            room.close()
        self.close()

    # ---- tables

    async def seat_one(self, game: Game, agents: Sequence[str], name: str, hints: bool, pace: float) -> dict[str, Any]:
        """A table for one person, with agents in all other chairs."""
        made = await self.new_table(
            game, [Chair(PERSON, name), *(Chair(AGENT, agent=spec) for spec in agents)], hints, pace
        )
        own = made["chairs"][0]
        return {"table": made["table"], "chair": 0, "token": own["token"], "link": own["link"]}

    async def new_table(
        self, game: Game, chairs: Sequence[Chair], hints: bool, pace: float, public: bool = False
    ) -> dict[str, Any]:
        """A table with these chairs, and the tokens of all that are for people."""
        if len(chairs) != game.players:
            raise Refusal("refused", f"{game.name} has {game.players} chairs here, not {len(chairs)}.")
        await self._check_agents(game, [chair.agent for chair in chairs if chair.agent is not None])
        open_tables = sa.select(sa.func.count()).select_from(TABLES).where(~TABLES.c.closed)
        if await self.database.read(lambda connection: connection.scalar(open_tables) or 0) >= self.limits.tables:
            raise Refusal("busy", "There are as many tables as this server can have. Come back a little later.")
        id = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        tokens = [None if chair.kind == AGENT else self.new_token() for chair in chairs]
        host = next((token for token in tokens if token is not None), None) or self.new_token()
        now = time.time()
        row = {"id": id, "game": game.name, "options": chosen(game), "hints": hints, "public": public, "pace": pace}
        row |= {"host": self.hashed(host), "created": now, "touched": now, "closed": False}
        kept_chairs = [
            Chair(chair.kind, checked_name(chair.name), chair.agent, token=self.hashed(token) if token else None)
            for chair, token in zip(chairs, tokens, strict=True)
        ]
        await self.database.write(queries.new_table(row, kept_chairs), id)
        self.metrics.tables.labels(game.name).inc()
        self.log("table", table=id, game=game.name)
        told = [
            {"chair": number, "token": token, "link": token and f"/table/{id}#{token}"}
            for number, token in enumerate(tokens)
        ]
        return {"table": id, "host": host, "chairs": told}

    async def _check_agents(self, game: Game, specs: Sequence[str]) -> None:
        for spec in dict.fromkeys(specs):
            try:
                await asyncio.to_thread(seated, spec, game)
            except UserError as wrong:
                raise Refusal("refused", str(wrong)) from None

    async def room(self, id: str) -> Room:
        """A table to serve, from the database where nobody has asked for it lately."""
        if id in self.rooms:
            return self.rooms[id]
        async with self._opening.setdefault(id, asyncio.Lock()):
            if id not in self.rooms:
                found = await self.database.read(lambda connection: queries.whole(connection, id))
                if found is None:
                    raise Refusal("no_such_table", "There is no such table. Links are long: was all of it copied?")
                if found.table.closed:
                    raise Refusal("closed", "This table was closed. Its games can still be reviewed.")
                try:
                    room = self.rooms[id] = Room(self, found)
                except UserError as wrong:
                    raise Refusal("refused", str(wrong)) from None
                room.driver = asyncio.ensure_future(drive(room))
        self._opening.pop(id, None)
        return self.rooms[id]

    async def found(self, id: str) -> queries.Whole:
        """What is kept of a table."""
        found = await self.database.read(lambda connection: queries.whole(connection, id))
        if found is None:
            raise Refusal("no_such_table", "There is no such table. Links are long: was all of it copied?")
        return found

    async def listed(self) -> list[str]:
        """The names of tables that anybody may watch."""
        public = sa.select(TABLES.c.id).where(~TABLES.c.closed, TABLES.c.public).order_by(TABLES.c.touched.desc())
        return await self.database.read(lambda connection: [*connection.scalars(public.limit(MOST_LISTED))])

    # ---- what goes on by itself

    async def _prepare(self) -> None:
        """Compile what the lobby offers, most wanted first."""
        for level in (USUAL_LEVEL, *(each for each in catalogue.LEVELS if each != USUAL_LEVEL)):
            for name, game in self.offers.usual.items():
                try:
                    await self.preparing.game(game)
                    await self.preparing.agents(game, self.offers.company(game, level))
                except Exception as failed:
                    self.log("not prepared", game=name, level=level, reason=repr(failed))
        gc.collect()
        gc.freeze()  # compiled programs stay: looking through them again and again would hold everybody up
        self.prepared = True
        self.log("prepared", games=len(self.offers.usual))

    async def _sweep(self) -> None:
        """Close tables that were left, and let go of those that nobody is at."""
        while True:
            await asyncio.sleep(min(SWEEP, self.limits.empty))
            with contextlib.suppress(SQLAlchemyError):
                await self.close_idle()
                await self._stay()
            now = time.monotonic()
            for id, room in [*self.rooms.items()]:
                if not room.guests and now - room.left > self.limits.empty:
                    room.close()
                    del self.rooms[id]

    async def _stay(self) -> None:
        """Other processes hear that this one is alive, and who is at them is looked up again: one of them may have died."""
        if self.database.shared:
            await self.database.write(presence.stay(self.database.process), "")
            for room in [room for room in self.rooms.values() if room.elsewhere]:
                await self._look_again(room)

    async def close_idle(self) -> None:
        """Close every table that was not used for long."""
        since = time.time() - self.limits.idle
        idle = sa.select(TABLES.c.id).where(~TABLES.c.closed, TABLES.c.touched < since).limit(1000)
        for id in await self.database.read(lambda connection: [*connection.scalars(idle)]):
            await self.database.write(queries.set_table(id, closed=True), id)
            self.log("closed", table=id)
            if room := self.rooms.pop(id, None):
                room.close()

    async def _listen(self) -> None:
        """Hear of tables that other processes have changed."""
        import psycopg

        address = self.database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    for room in [*self.rooms.values()]:  # whatever was said while nobody listened
                        await room.look_again()
                    async for heard in connection.notifies():
                        process, _, id = heard.payload.partition(" ")
                        if process != self.database.process and id in self.rooms:
                            await self._look_again(self.rooms[id])
            except (psycopg.Error, SQLAlchemyError) as failed:
                self.log("database", reason=str(failed).strip().partition("\n")[0])
                await asyncio.sleep(1.0)

    async def _look_again(self, room: Room) -> None:
        try:
            await room.look_again()
        except (Refusal, SQLAlchemyError) as failed:
            self.log("database", table=room.id, reason=str(failed).partition("\n")[0])
            self.rooms.pop(room.id, None)
            room.close()


def chair_for(person: str | None, agent: str | None) -> Chair:
    """A chair as it is asked for: a person's, an agent's, or an open one."""
    if agent is not None:
        return Chair(AGENT, agent=agent)
    return Chair(OPEN) if person is None else Chair(PERSON, person)
