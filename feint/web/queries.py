"""Tables, chairs, games and moves, read from the database and written to it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from feint.seating import names_of
from feint.web import presence
from feint.web.database import CHAIRS, GAMES, MOVES, TABLES, Database, game_id
from feint.web.guests import Present
from feint.web.match import Chair, Dealt


class Taken(Exception):
    """A row was there already: somebody else was first."""


@dataclass(frozen=True)
class TableRow:
    """What is kept of a table."""

    id: str
    game: str
    options: dict[str, Any]
    hints: bool
    public: bool
    pace: float
    host: str
    created: float
    touched: float
    closed: bool


@dataclass(frozen=True)
class GameRow:
    """What is kept of a game."""

    round: int
    dealt: Dealt
    names: list[str]
    started: float
    ended: float | None
    rewards: list[float] | None
    winners: list[bool] | None
    agents: list[str | None] | None


@dataclass(frozen=True)
class MoveRow:
    number: int
    action: int
    by: str


@dataclass(frozen=True)
class Whole:
    """A table with all that goes on with it: its chairs, its games, the moves of the last of them, and who is connected to it."""

    table: TableRow
    chairs: list[Chair]
    games: list[GameRow]
    moves: list[MoveRow]
    present: list[Present]


def whole(connection: sa.Connection, id: str) -> Whole | None:
    """All of a table; None where there is none."""
    found = connection.execute(sa.select(TABLES).where(TABLES.c.id == id)).mappings().first()
    if found is None:
        return None
    chairs = connection.execute(sa.select(CHAIRS).where(CHAIRS.c.table == id).order_by(CHAIRS.c.chair)).mappings()
    games = games_of(connection, id)
    return Whole(
        TableRow(**found),
        [_chair(row) for row in chairs],
        games,
        moves_of(connection, id, len(games) - 1) if games else [],
        presence.at_table(connection, id),
    )


def names(found: Whole) -> list[str]:
    """What those at a table are called, by chair."""
    return names_of([chair.spec for chair in found.chairs])


def games_of(connection: sa.Connection, id: str, first: int = 0) -> list[GameRow]:
    """The games of a table from a number on."""
    at = sa.and_(GAMES.c.table == id, GAMES.c.round >= first)
    found = connection.execute(sa.select(GAMES).where(at).order_by(GAMES.c.round)).mappings()
    return [_game(row) for row in found]


def moves_of(connection: sa.Connection, id: str, round: int, first: int = 0) -> list[MoveRow]:
    """The moves of a game from a number on."""
    at = sa.and_(MOVES.c.game == game_id(id, round), MOVES.c.number >= first)
    found = connection.execute(sa.select(MOVES).where(at).order_by(MOVES.c.number)).mappings()
    return [MoveRow(row["number"], row["action"], row["by"]) for row in found]


def _chair(row: Any) -> Chair:
    return Chair(row["kind"], row["name"], row["agent"], (row["since_round"], row["since_move"]), row["token"])


def _game(row: Any) -> GameRow:
    dealt = Dealt(row["secret"], row["deal"], row["nonce"], row["commitment"])
    told = {name: row[name] for name in ("round", "names", "started", "ended", "rewards", "winners", "agents")}
    return GameRow(dealt=dealt, **told)


# ---- changes, each to be made within one transaction


def new_table(row: dict[str, Any], chairs: Sequence[Chair]) -> Callable[[sa.Connection], None]:
    def change(connection: sa.Connection) -> None:
        connection.execute(TABLES.insert(), row)
        connection.execute(
            CHAIRS.insert(),
            [{"table": row["id"], "chair": number, **_columns(chair)} for number, chair in enumerate(chairs)],
        )

    return change


def new_chair(id: str, number: int, before: Chair, after: Chair) -> Callable[[sa.Connection], None]:
    """Somebody else in a chair, if it is still as it was."""

    def change(connection: sa.Connection) -> None:
        was = {**_columns(before), "table": id, "chair": number}
        same = sa.and_(*(CHAIRS.c[name].is_not_distinct_from(value) for name, value in was.items()))
        if connection.execute(CHAIRS.update().where(same).values(**_columns(after))).rowcount != 1:
            raise Taken

    return change


def _columns(chair: Chair) -> dict[str, Any]:
    round, move = chair.since
    told = {"kind": chair.kind, "name": chair.name, "agent": chair.agent, "token": chair.token}
    return told | {"since_round": round, "since_move": move}


def new_game(
    database: Database, id: str, round: int, dealt: Dealt, names: Sequence[str]
) -> Callable[[sa.Connection], GameRow]:
    """The next game of a table, unless it was dealt already; gives the one that holds."""
    row = {"table": id, "round": round, "names": [*names], "started": time.time(), **vars(dealt)}
    insert = database.insert_new(GAMES)

    def change(connection: sa.Connection) -> GameRow:
        connection.execute(insert, row)
        return games_of(connection, id, round)[0]

    return change


def new_moves(
    database: Database, id: str, round: int, number: int, actions: Sequence[int], by: str
) -> Callable[[sa.Connection], None]:
    """Moves in a row, all of them or, where one is there already, none."""
    now, game, insert = time.time(), game_id(id, round), database.insert_new(MOVES)

    def change(connection: sa.Connection) -> None:
        for nth, action in enumerate(actions):
            row = {"game": game, "number": number + nth, "action": action, "by": by, "made": now}
            if connection.execute(insert, row).first() is None:
                raise Taken  # and what was put before it is taken back

    return change


def end_game(
    id: str, round: int, names: Sequence[str], agents: Sequence[str | None], rewards: list[float], winners: list[bool]
) -> Callable[[sa.Connection], None]:
    """What a game came to, by chair; it follows from the moves, so that it may be written again."""
    at = sa.and_(GAMES.c.table == id, GAMES.c.round == round, GAMES.c.ended.is_(None))
    told = {"ended": time.time(), "names": [*names], "agents": [*agents], "rewards": rewards, "winners": winners}
    return lambda connection: (connection.execute(GAMES.update().where(at).values(**told)), None)[1]


def set_table(id: str, **values: Any) -> Callable[[sa.Connection], None]:
    return lambda connection: (connection.execute(TABLES.update().where(TABLES.c.id == id).values(**values)), None)[1]
