"""Who is connected to a table, for all processes that serve it from one PostgreSQL. A process that is alive says so now and then: what one
says that has died is soon not believed."""

from __future__ import annotations

import time
from collections.abc import Callable

import sqlalchemy as sa

from feint.web.database import PRESENT
from feint.web.guests import Present

BELIEVED = 60.0  # seconds
Change = Callable[[sa.Connection], None]


def at_table(connection: sa.Connection, id: str) -> list[Present]:
    """Those at a table by process; nothing is noted where there is one process alone."""
    if connection.dialect.name != "postgresql":
        return []
    at = sa.and_(PRESENT.c.table == id, PRESENT.c.seen > time.time() - BELIEVED)
    return [
        Present(row["process"], row["chairs"], row["watchers"])
        for row in connection.execute(sa.select(PRESENT).where(at)).mappings()
    ]


def note(id: str, present: Present) -> Change:
    """Who is at a table at a process by now."""
    row = {"table": id, "seen": time.time(), **vars(present)}

    def change(connection: sa.Connection) -> None:
        connection.execute(PRESENT.delete().where(PRESENT.c.table == id, PRESENT.c.process == present.process))
        if present.chairs or present.watchers:
            connection.execute(PRESENT.insert(), row)

    return change


def stay(process: str) -> Change:
    """A process is alive; what was said by those that are not is taken away."""

    def change(connection: sa.Connection) -> None:
        now = time.time()
        connection.execute(PRESENT.update().where(PRESENT.c.process == process).values(seen=now))
        connection.execute(PRESENT.delete().where(PRESENT.c.seen < now - BELIEVED))

    return change
