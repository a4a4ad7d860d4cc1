"""A table that is served: its match, who is connected to it, and the moves that are made.

Everything that is accepted is on disk before anybody is told. Where another process serves the same table, the database decides whose
move was first, and whoever was second looks again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from feint import registry
from feint.seating import names_of
from feint.web import presence, queries
from feint.web.guests import Audience, Guest, Present
from feint.web.house import House
from feint.web.match import OPEN, Round, Score, deal_out
from feint.web.queries import GameRow, Taken, Whole
from feint.web.refusals import Refusal
from feint.web.sitters import Sitters

TOUCH = 60.0  # seconds between notes in the database that a table is in use
FEW = 8  # moves that are followed at once; more of them are replayed aside
BY_PERSON = "person"


class Room(Audience):
    """One table in this process."""

    def __init__(self, lab: House, found: Whole) -> None:
        super().__init__()
        self.lab, self.id = lab, found.table.id
        self.row, self.chairs = found.table, found.chairs
        self.game = registry.make(found.table.game, **found.table.options)
        self.round: Round | None = None
        self.score = Score(self.game)
        self.sitters = Sitters(lab, self.id, self.game)
        self.elsewhere = self._others(found)
        self.moved = 0.0  # when the last move was made
        self.wait = "The table is being prepared. One moment."
        self.lock = asyncio.Lock()
        self.driver: asyncio.Future[None] | None = None  # what goes on by itself
        self._touched = found.table.touched
        self.texts: dict[
            Any, tuple[str, tuple[int | None, int]]
        ] = {}  # states as they were written, by who is sent them
        self._noting: set[asyncio.Future[None]] = set()

    def close(self) -> None:
        """Serve the table no longer; it stays in the database."""
        if self.driver is not None:
            self.driver.cancel()
        self.dismiss()

    # ---- what is known of the table

    @property
    def turn(self) -> int | None:
        """The chair whose turn it is."""
        return self.round.chair if self.round else None

    def agent(self, chair: int | None) -> str | None:
        """The agent that moves for a chair."""
        return self.chairs[chair].agent if chair is not None else None

    @property
    def names(self) -> list[str]:
        """By chair."""
        return _names(tuple(chair.spec for chair in self.chairs))

    @property
    def status(self) -> str:
        if self.row.closed:
            return "closed"
        if self.round is not None and not self.round.table.over:
            return "playing"
        return "waiting" if self.round is None or any(chair.kind == OPEN for chair in self.chairs) else "over"

    def chair_of(self, token: str) -> tuple[int | None, bool]:
        """The chair that a token is for, and whether it is the host's."""
        hashed = self.lab.hashed(token)
        host = hashed == self.row.host
        chair = next((number for number, chair in enumerate(self.chairs) if chair.token == hashed), None)
        if chair is None and not host:
            raise Refusal(
                "bad_token", "That link is not for this table, or the seat is taken. Ask for another, or watch."
            )
        return chair, host

    def playing(self) -> Round:
        """The game that is on."""
        if self.row.closed:
            raise Refusal("closed", "This table was closed. Its games can still be reviewed.")
        if self.round is None:
            raise Refusal("waiting", self.wait or self.missing() or "The game has not begun yet.")
        if self.round.table.over:
            raise Refusal("over", "The game is over. Ask for the next one.")
        return self.round

    def missing(self) -> str:
        """Whom the next game waits for."""
        free = sum(chair.kind == OPEN for chair in self.chairs)
        if not free or self.status == "playing":
            return ""
        return f"Waiting for {'one more player' if free == 1 else f'{free} more players'}. Share a link, or let an agent sit down."

    # ---- what guests are told

    def tell_who_is_here(self) -> None:
        super().tell_who_is_here()
        if self.lab.database.shared:
            noting = asyncio.ensure_future(self._note())
            self._noting.add(noting)
            noting.add_done_callback(self._noting.discard)

    async def _note(self) -> None:
        """Other processes learn who is here."""
        with suppress(SQLAlchemyError):
            noted = presence.note(self.id, self.present(self.lab.database.process))
            await self.lab.database.write(noted, self.id)

    def _others(self, found: Whole) -> list[Present]:
        return [each for each in found.present if each.process != self.lab.database.process]

    def tell(self) -> None:
        self.texts = {}
        super().tell()

    # ---- moves

    async def move(self, guest: Guest, number: int, actions: Sequence[int]) -> None:
        """Moves of a guest's own, in answer to the state of that number."""
        async with self.lock:
            round = self.playing()
            if guest.chair is None:
                raise Refusal("forbidden", "You are watching: only players move.")
            if number != round.table.moves:
                if round.table.actions[number : number + len(actions)] == [*actions] and actions:
                    return  # it was made already
                raise Refusal("late", "The table has moved on since. Look again, and choose anew.")
            if round.chair != guest.chair:
                raise Refusal("not_your_turn", f"It is not your turn: {self.names[round.chair or 0]} is to move.")
            if sits_in := self.agent(guest.chair):
                raise Refusal("not_your_turn", f"{sits_in} plays for you. Take your seat back first.")
            if wrong := round.refusal(actions):
                raise Refusal("illegal", wrong)
            try:
                await self.keep(number, actions, BY_PERSON)
            except Taken:
                await self.catch_up()
                raise Refusal("late", "The table has moved on since. Look again, and choose anew.") from None
        self.tell()

    async def keep(self, number: int, actions: Sequence[int], by: str) -> None:
        """Moves that are legal: on disk first, then at the table. `Taken` where somebody was faster."""
        assert self.round is not None
        write = queries.new_moves(self.lab.database, self.id, self.round.number, number, actions, by)
        await self.lab.database.write(write, self.id)
        self.round.follow(actions)
        await self._followed()
        self.lab.metrics.moves.labels(self.game.name, "person" if by == BY_PERSON else "agent").inc(len(actions))
        if time.time() - self._touched > TOUCH:
            self._touched = time.time()
            await self.lab.database.write(queries.set_table(self.id, touched=self._touched), self.id)

    async def _followed(self) -> None:
        """Moves were made, and a game that is over by them counts."""
        assert self.round is not None
        self.moved = time.monotonic()
        round, table = self.round, self.round.table
        if not table.over:
            return
        seats = [round.seat(chair) for chair in range(len(self.chairs))]
        rewards = [float(table.rewards[seat]) for seat in seats]
        winners = [bool(each) for each in table.winners[seats]]
        self.score.add(rewards, winners)
        agents = [chair.agent for chair in self.chairs]
        ended = queries.end_game(self.id, round.number, self.names, agents, rewards, winners)
        await self.lab.database.write(ended, self.id)

    # ---- games

    async def next_game(self, guest: Guest) -> None:
        """The next game of the match, for all who sit there."""
        async with self.lock:
            if guest.chair is None and not guest.host:
                raise Refusal("forbidden", "You are watching: a player asks for the next game.")
            if self.row.closed:
                raise Refusal("closed", "This table was closed. Its games can still be reviewed.")
            if self.round is not None and not self.round.table.over:
                raise Refusal("still_on", "The game is still on.")
            if waiting := self.wait or self.missing():
                raise Refusal("waiting", waiting)
            await self._deal()
        self.tell()

    async def _deal(self) -> None:
        """The next game: whoever remembers is told how the last one ended, and there are new cards."""
        number = 0
        if self.round is not None:
            number = self.round.number + 1
            await self.sitters.finish(self.chairs, self.round)
        dealt = await self.lab.engine(deal_out, self.game)
        write = queries.new_game(self.lab.database, self.id, number, dealt, self.names)
        held = await self.lab.database.write(write, self.id)
        await self._begin(held, [])

    async def _begin(self, game: GameRow, actions: Sequence[int]) -> None:
        """A game as far as it has come."""
        self.sitters.know({game.round: game})
        self.round = await self.lab.engine(Round, self.game, game.round, game.dealt, self.chairs, actions)
        if actions:
            await self._followed()

    async def look_again(self) -> None:
        """Another process has changed something."""
        async with self.lock:
            await self.catch_up()
        self.tell()

    async def catch_up(self) -> None:
        """Bring the table to where the database has it; deal, if everybody is there and nothing was dealt yet."""
        found = await self.lab.database.read(lambda connection: queries.whole(connection, self.id))
        if found is None:
            raise Refusal("no_such_table", "This table is gone.")
        if found.chairs != self.chairs or self.round is None:
            self.chairs = found.chairs
            if self.round is not None:
                self.round.call(self.chairs)
        self.row = found.table
        self.elsewhere = self._others(found)
        if self.wait or self.row.closed:
            return
        if not found.games:
            if all(chair.kind != OPEN for chair in self.chairs):
                await self._deal()
            return
        last, actions = found.games[-1], [move.action for move in found.moves]
        if self.round is None or self.round.number != last.round:
            self.sitters.know({each.round: each for each in found.games})
            if self.round is None or last.round != self.round.number + 1 or not self.round.table.over:
                self.sitters.missed(all_of_it=True)
                self.score = Score(self.game)
                for each in found.games[:-1]:
                    self.score.add(each.rewards or [0.0] * len(self.chairs), each.winners or [False] * len(self.chairs))
            await self._begin(last, actions)
            return
        missed = actions[self.round.table.moves :]
        if missed:
            self.sitters.missed()
        if len(missed) > FEW:
            await self._begin(last, actions)
        elif missed:
            self.round.follow(missed)
            await self._followed()


@lru_cache(maxsize=4096)
def _names(specs: tuple[str, ...]) -> list[str]:
    return names_of(specs)
