"""What the lab keeps: tables, who sits at them, games as their deals, and their moves. SQLite, or PostgreSQL where several processes serve.

A move is a row whose primary key is (game, number): it is accepted once or not at all, and it is on disk before anybody sees it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from feint.errors import UserError

T = TypeVar("T")
CHANNEL = "feint"  # on which processes of one PostgreSQL tell each other of tables that changed
MOST_TOGETHER = 200  # writes of one transaction

schema = sa.MetaData()
TABLES = sa.Table(
    "tables",
    schema,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("hints", sa.Boolean, nullable=False),
    sa.Column("public", sa.Boolean, nullable=False),
    sa.Column("pace", sa.Float, nullable=False),
    sa.Column("host", sa.String(64), nullable=False),  # the hash of the host's token
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("touched", sa.Float, nullable=False, index=True),
    sa.Column("closed", sa.Boolean, nullable=False),
)
CHAIRS = sa.Table(
    "chairs",
    schema,
    sa.Column("table", sa.String(16), primary_key=True),
    sa.Column("chair", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),  # person, agent or open
    sa.Column("name", sa.String(80), nullable=False),  # of a person
    sa.Column("agent", sa.String(200)),  # who sits here, or sits in
    sa.Column("since_round", sa.Integer, nullable=False),  # since when that agent has, and remembers
    sa.Column("since_move", sa.Integer, nullable=False),
    sa.Column("token", sa.String(64), index=True),  # its hash
)
GAMES = sa.Table(
    "games",
    schema,
    sa.Column("table", sa.String(16), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("secret", sa.LargeBinary(32), nullable=False),  # all chance of the game, its agents' too
    sa.Column("deal", sa.Text, nullable=False),
    sa.Column("nonce", sa.String(64), nullable=False),
    sa.Column("commitment", sa.String(64), nullable=False),
    sa.Column("names", sa.JSON, nullable=False),  # by chair
    sa.Column("started", sa.Float, nullable=False),
    sa.Column("ended", sa.Float, index=True),
    sa.Column("rewards", sa.JSON),  # by chair
    sa.Column("winners", sa.JSON),
    sa.Column("agents", sa.JSON),  # by chair: who played it to the end, None for people
)
MOVES = sa.Table(
    "moves",
    schema,
    sa.Column("game", sa.String(32), primary_key=True),  # TABLE.ROUND
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("action", sa.Integer, nullable=False),
    sa.Column("by", sa.String(200), nullable=False),  # "person", or the agent that moved
    sa.Column("made", sa.Float, nullable=False),
)
PRESENT = sa.Table(
    "present",
    schema,
    sa.Column("table", sa.String(16), primary_key=True),
    sa.Column("process", sa.String(16), primary_key=True),
    sa.Column("chairs", sa.JSON, nullable=False),  # of people who are connected
    sa.Column("watchers", sa.Integer, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
)  # who is connected to each process, where there may be several


def game_id(table: str, round: int) -> str:
    return f"{table}.{round}"


def data_folder() -> Path:
    """Where the lab keeps things unless told otherwise."""
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "feint"


def usual_address() -> str:
    """The database in the user's data folder."""
    return f"sqlite:///{data_folder() / 'lab.sqlite'}"


class Database:
    """Reads in any thread, writes in one of its own: what is waiting there goes into one transaction, and is answered once that is on disk."""

    def __init__(self, address: str) -> None:
        self.process = secrets.token_hex(4)  # so that it does not listen to itself
        self.engine = _engine(address)
        self._waiting: SimpleQueue[_Write | None] = SimpleQueue()
        try:
            with self.engine.begin() as connection:
                if self.shared:  # two processes may start at once
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(len(CHANNEL))))
                schema.create_all(connection)
        except SQLAlchemyError as failed:
            raise UserError(f"The database {self.shown} cannot be used: {_reason(failed)}.") from failed
        Thread(target=self._write_on, name="writes", daemon=True).start()

    @property
    def shown(self) -> str:
        """Its address without the password."""
        return self.engine.url.render_as_string(hide_password=True)

    @property
    def shared(self) -> bool:
        """Whether other processes may serve the same tables."""
        return self.engine.dialect.name == "postgresql"

    @property
    def file(self) -> Path | None:
        """The file it is in, if it is one."""
        return Path(self.engine.url.database or "") if not self.shared else None

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        """What a query finds."""

        def run() -> T:
            with self.engine.connect() as connection:
                return query(connection)

        return await asyncio.to_thread(run)

    async def write(self, change: Callable[[sa.Connection], T], table: str) -> T:
        """What a change of a table gives, once it is on disk; other processes are told of it."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.put(_Write(change, table, done))
        return await asyncio.shield(done)

    def close(self) -> None:
        self._waiting.put(None)
        self.engine.dispose()

    def insert_new(self, table: sa.Table) -> Any:
        """A row to be put where its key is not taken; one that is stays as it is, and nothing is returned."""
        return _insert_new(table, self.shared)

    def _write_on(self) -> None:
        while (first := self._waiting.get()) is not None:
            together = [first]
            while not self._waiting.empty() and len(together) < MOST_TOGETHER:
                if (another := self._waiting.get()) is None:
                    self._waiting.put(None)
                    break
                together.append(another)
            try:
                self._commit(together)
            except Exception:
                for each in together:  # one of them cannot be: the others still can
                    try:
                        self._commit([each])
                    except Exception as failed:
                        each.answer(None, failed)

    def _commit(self, writes: Iterable[_Write]) -> None:
        answers = []
        with self.engine.begin() as connection:
            for each in writes:
                answers.append((each, each.change(connection)))
            if self.shared:
                for table in {each.table for each in writes}:
                    connection.execute(sa.select(sa.func.pg_notify(CHANNEL, f"{self.process} {table}")))
        for each, result in answers:
            each.answer(result)


@cache
def _insert_new(table: sa.Table, in_postgresql: bool) -> Any:
    insert: Any = postgresql.insert if in_postgresql else sqlite.insert
    return insert(table).on_conflict_do_nothing().returning(*table.primary_key.columns)


class _Write:
    def __init__(self, change: Callable[[sa.Connection], Any], table: str, done: asyncio.Future[Any]) -> None:
        self.change, self.table, self.done, self.loop = change, table, done, done.get_loop()

    def answer(self, result: Any, failed: Exception | None = None) -> None:
        def settle() -> None:
            if not self.done.done():
                self.done.set_exception(failed) if failed else self.done.set_result(result)

        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(settle)


def _engine(address: str) -> sa.Engine:
    try:
        url = sa.make_url(address)
    except ArgumentError:
        raise UserError(
            f"{address!r} is not the address of a database: write sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    kind = url.get_backend_name()
    if kind == "postgresql":
        return sa.create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=4)
    if kind != "sqlite" or not url.database or url.database == ":memory:":
        raise UserError(
            f"The lab keeps its games in an SQLite file or in PostgreSQL, not in {kind}:{url.database or ''}."
        )
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(url, connect_args={"timeout": 30})
    except (OSError, NoSuchModuleError) as failed:
        raise UserError(f"The database {url.database} cannot be made: {failed}.") from None
    sa.event.listen(engine, "connect", _settle_sqlite)
    return engine


def _settle_sqlite(connection: Any, _: Any) -> None:
    """Readers beside one writer, and every transaction on disk when it is answered."""
    for setting in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000"):
        connection.execute(f"PRAGMA {setting}")


def _reason(failed: SQLAlchemyError) -> str:
    told = str(getattr(failed, "orig", None) or failed).strip()
    return (told.splitlines() or [type(failed).__name__])[0].rstrip(".")
