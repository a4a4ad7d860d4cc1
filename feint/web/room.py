"""A table that is served: its match, who is connected to it, and its agents, which move at a human pace.

Everything that is accepted is on disk before anybody is told. Where another process serves the same table, the database decides whose
move was first, and whoever was second looks again.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from feint import registry
from feint.errors import UserError
from feint.seating import LONGEST, Person, names_of
from feint.visible import visible
from feint.web import company, kept
from feint.web.company import Sitting
from feint.web.house import House
from feint.web.kept import Taken, Whole
from feint.web.match import AGENT, OPEN, PERSON, WAITING, Chair, Round, Score, deal_out
from feint.web.refusals import Refusal

TOUCH = 60.0  # seconds between notes in the database that a table is in use
SLOWEST = 10.0  # seconds between moves of agents, at the most
AGAIN = 1.0  # seconds after which a database that failed is tried again
WATCHERS_TOLD = 0.5  # seconds after which everybody is told of a few people more or fewer who watch
BY_PERSON = "person"


@dataclass(eq=False)
class Guest:
    """Somebody connected to a table: in a chair, or watching."""

    chair: int | None
    host: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)  # something is to be sent
    told: tuple[int | None, int] = (None, 0)  # up to where the log was sent: round and sentences
    gone: bool = False  # the table was closed


class Room:
    """One table in this process."""

    def __init__(self, lab: House, found: Whole) -> None:
        self.lab, self.id = lab, found.table.id
        self.row, self.chairs = found.table, found.chairs
        self.game = registry.make(found.table.game, **found.table.options)
        self.round: Round | None = None
        self.dealt: dict[int, kept.GameRow] = {}
        self.score = Score(self.game)
        self.guests: set[Guest] = set()
        self.sittings: dict[int, Sitting] = {}  # by chair, of agents that were needed
        self.moved = 0.0  # when the last move was made
        self.left = time.monotonic()  # when the last guest left
        self.wait = "The table is being prepared. One moment."
        self.lock = asyncio.Lock()
        self.changed = asyncio.Event()
        self._touched = found.table.touched
        self._texts: dict[Any, tuple[str, tuple[int | None, int]]] = {}  # states by who is sent them
        self._coming: asyncio.TimerHandle | None = None  # watchers who came and went are yet to be told of
        self._driver = asyncio.ensure_future(self._run())

    # ---- what goes on by itself

    async def _run(self) -> None:
        """Prepare the table, then let agents move whenever it is their turn and somebody is there."""
        try:
            await self.lab.preparing.game(self.game)
            self.wait = ""
            async with self.lock:
                await self._catch_up()
            self._tell()
            while True:
                try:
                    await self._agents_move()
                except SQLAlchemyError as failed:
                    self.lab.log("database", table=self.id, reason=str(failed).splitlines()[0])
                    await asyncio.sleep(AGAIN)
        except asyncio.CancelledError:
            raise
        except Refusal as refused:
            self.wait = refused.message
            self._tell()
        except Exception as failed:
            self.lab.log("failed", table=self.id, reason=repr(failed))
            self.wait = "Something went wrong at this table. Please start another."
            self._tell()

    async def _agents_move(self) -> None:
        """One move of an agent, or a wait until something changes."""
        chair = self.turn
        spec = self._agent(chair)
        if chair is None or spec is None or not self.guests:
            self.changed.clear()
            await self.changed.wait()
            return
        await self.lab.preparing.agents(self.game, [spec])
        due = self.moved + self.row.pace - time.monotonic()
        if due > 0:
            self.changed.clear()
            try:
                await asyncio.wait_for(self.changed.wait(), due)
                return  # the pace or who sits there may be others now
            except TimeoutError:
                pass
        round, number = self.round, self.round.table.moves if self.round else 0
        sitting = await self._sitting(chair)
        if round is None or round is not self.round or number != round.table.moves or spec != self._agent(chair):
            return
        try:
            question = await self.lab.engine(round.question, sitting)
            action = await self.lab.company.ask(question)
        except Exception as failed:
            self.lab.log("agent failed", table=self.id, agent=spec, reason=repr(failed))
            await self._replace(chair, "random")
            return
        async with self.lock:
            if round is self.round and number == round.table.moves and spec == self._agent(chair):
                try:
                    await self._keep(number, [action], spec)
                except Taken:
                    await self._catch_up()
        self._tell()

    async def _sitting(self, chair: int) -> Sitting:
        """The agent in a chair, with all that it remembers of the match."""
        who = self.chairs[chair]
        known = self.sittings.get(chair)
        if known is not None and (known.spec, known.since) == (who.agent, who.since):
            return known
        assert who.agent is not None
        agent = await self.lab.engine(company.seated, who.agent, self.game)
        sitting = Sitting(who.agent, agent, who.since)
        await self.lab.engine(company.begin, self.game, sitting, chair, self.dealt[who.since[0]].dealt.secret)
        if sitting.remembers:
            await self._remember(sitting, chair)
        self.sittings[chair] = sitting
        return sitting

    async def _remember(self, sitting: Sitting, chair: int) -> None:
        """Ask an agent again whatever it was asked in the match, so that it knows what it knew."""
        assert self.round is not None
        for number in range(sitting.since[0], self.round.number + 1):
            moves = await self.lab.database.read(partial(kept.moves_of, id=self.id, round=number))
            if number == self.round.number:
                moves = moves[: self.round.table.moves]
            again = await self.lab.engine(
                Round, self.game, number, self.dealt[number].dealt, [Chair(OPEN)] * len(self.chairs)
            )
            for move in moves:
                if again.chair == chair and (number, move.number) >= sitting.since:
                    await self.lab.company.ask(await self.lab.engine(again.question, sitting))
                await self.lab.engine(again.follow, [move.action])
            if again.table.over and number < self.round.number:
                await self.lab.engine(self._finish, sitting, chair, again)

    def _finish(self, sitting: Sitting, chair: int, round: Round) -> None:
        seat, table = round.seat(chair), round.table
        company.finish(self.game, sitting, table.state(), table.view(seat), table.rewards, seat, round.dealt.secret)

    # ---- what is known of the table

    @property
    def turn(self) -> int | None:
        """The chair whose turn it is."""
        return self.round.chair if self.round else None

    def _agent(self, chair: int | None) -> str | None:
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

    def here(self, chair: int) -> bool:
        return any(guest.chair == chair for guest in self.guests)

    def told_chairs(self) -> list[dict[str, Any]]:
        """Everybody at the table, by chair."""
        names = self.names
        return [
            {
                "chair": number,
                "name": names[number],
                "kind": chair.kind,
                "agent": chair.agent if chair.kind == AGENT else None,
                "sitting_in": chair.agent if chair.kind == PERSON else None,
                "character": self.lab.offers.character(self.game, chair.agent) if chair.agent else "",
                "here": self.here(number),
            }
            for number, chair in enumerate(self.chairs)
        ]

    async def text(self, guest: Guest) -> str:
        """The state as a guest is sent it; worked out once for all who are sent the same."""
        round, texts = self.round.number if self.round else None, self._texts
        which = guest.chair, guest.host, round, guest.told[1] if guest.told[0] == round else 0
        if which not in texts:
            texts[which] = json.dumps(await self.message(guest), separators=(",", ":")), guest.told
        text, guest.told = texts[which]
        return text

    async def message(self, guest: Guest) -> dict[str, Any]:
        """The state as a guest sees it; from now on that is what was sent."""
        round = self.round
        if round is not None:
            told_from = guest.told[1] if guest.told[0] == round.number else 0
            state = await self.lab.engine(round.message, guest.chair, told_from)
            guest.told = round.number, told_from + len(state["told"])
        else:
            state = WAITING
        chairs = self.told_chairs()
        seats = [{"seat": round.seat(each["chair"]) if round else each["chair"], **each} for each in chairs]
        return {
            "kind": "state",
            "table": self.id,
            "game": self.game.name,
            "status": self.status,
            "chair": guest.chair,
            "host": guest.host,
            **state,
            "seats": sorted(seats, key=lambda each: each["seat"]),
            "score": self.score.told([each["name"] for each in chairs]),
            "pace": self.row.pace,
            "hints": self.row.hints,
            "watchers": sum(guest.chair is None for guest in self.guests),
            "wait": self.wait or self._open(),
        }

    def _open(self) -> str:
        free = sum(chair.kind == OPEN for chair in self.chairs)
        if not free or self.status == "playing":
            return ""
        return f"Waiting for {'one more player' if free == 1 else f'{free} more players'}. Share a link, or let an agent sit down."

    # ---- guests come and go

    def enter(self, guest: Guest) -> None:
        self.guests.add(guest)
        guest.news.set()
        self._tell_of(guest)

    def leave(self, guest: Guest) -> None:
        self.guests.discard(guest)
        self.left = time.monotonic()
        self._tell_of(guest)

    def _tell_of(self, guest: Guest) -> None:
        """Somebody came or went: of a player all are told at once, of those who watch now and then, the more there are the rarer."""
        self.changed.set()
        if guest.chair is not None:
            self._tell()
        elif self._coming is None:
            delay = WATCHERS_TOLD * (1 + len(self.guests) / 100)
            self._coming = asyncio.get_running_loop().call_later(delay, self._tell_of_watchers)

    def _tell_of_watchers(self) -> None:
        self._coming = None
        self._tell()

    def close(self) -> None:
        """Serve the table no longer; it stays in the database."""
        self._driver.cancel()
        if self._coming is not None:
            self._coming.cancel()
        for guest in self.guests:
            guest.gone = True
            guest.news.set()

    def _tell(self) -> None:
        self._texts = {}
        self.changed.set()
        for guest in self.guests:
            guest.news.set()

    async def look_again(self) -> None:
        """Another process has changed something."""
        async with self.lock:
            await self._catch_up()
        self._tell()

    # ---- what is done

    async def move(self, guest: Guest, number: int, actions: Sequence[int]) -> None:
        """Moves of a guest's own, in answer to the state of that number."""
        async with self.lock:
            round = self._playing()
            if guest.chair is None:
                raise Refusal("forbidden", "You are watching: only players move.")
            if number != round.table.moves:
                if round.table.actions[number : number + len(actions)] == [*actions] and actions:
                    return  # it was made already
                raise Refusal("late", "The table has moved on since. Look again, and choose anew.")
            if round.chair != guest.chair:
                raise Refusal("not_your_turn", f"It is not your turn: {self.names[round.chair or 0]} is to move.")
            if sits_in := self._agent(guest.chair):
                raise Refusal("not_your_turn", f"{sits_in} plays for you. Take your seat back first.")
            if wrong := await self.lab.engine(round.refusal, actions):
                raise Refusal("illegal", wrong)
            try:
                await self._keep(number, actions, BY_PERSON)
            except Taken:
                await self._catch_up()
                raise Refusal("late", "The table has moved on since. Look again, and choose anew.") from None
        self._tell()

    def _playing(self) -> Round:
        if self.row.closed:
            raise Refusal("closed", "This table was closed. Its games can still be reviewed.")
        if self.round is None:
            raise Refusal("waiting", self.wait or self._open() or "The game has not begun yet.")
        if self.round.table.over:
            raise Refusal("over", "The game is over. Ask for the next one.")
        return self.round

    async def _keep(self, number: int, actions: Sequence[int], by: str) -> None:
        """Moves that are legal: on disk first, then at the table. `Taken` where somebody was faster."""
        assert self.round is not None
        write = kept.new_moves(self.lab.database, self.id, self.round.number, number, actions, by)
        await self.lab.database.write(write, self.id)
        await self._follow(actions)
        self.lab.metrics.moves.labels(self.game.name, "person" if by == BY_PERSON else "agent").inc(len(actions))
        if time.time() - self._touched > TOUCH:
            self._touched = time.time()
            await self.lab.database.write(kept.set_table(self.id, touched=self._touched), self.id)

    async def _follow(self, actions: Sequence[int]) -> None:
        """Moves that are on disk."""
        assert self.round is not None
        await self.lab.engine(self.round.follow, actions)
        self.moved = time.monotonic()
        if self.round.table.over and actions:
            await self._end()

    async def _end(self) -> None:
        """A game that is over counts."""
        assert self.round is not None
        round, table = self.round, self.round.table
        seats = [round.seat(chair) for chair in range(len(self.chairs))]
        rewards = [float(table.rewards[seat]) for seat in seats]
        winners = [bool(table.winners[seat]) for seat in seats]
        self.score.add(rewards, winners)
        agents = [chair.agent for chair in self.chairs]
        await self.lab.database.write(
            kept.end_game(self.id, round.number, self.names, agents, rewards, winners), self.id
        )

    async def next_game(self, guest: Guest) -> None:
        """The next game of the match, for all who sit there."""
        async with self.lock:
            if guest.chair is None and not guest.host:
                raise Refusal("forbidden", "You are watching: a player asks for the next game.")
            if self.row.closed:
                raise Refusal("closed", "This table was closed. Its games can still be reviewed.")
            if self.round is not None and not self.round.table.over:
                raise Refusal("still_on", "The game is still on.")
            if waiting := self.wait or self._open():
                raise Refusal("waiting", waiting)
            await self._deal()
        self._tell()

    async def _deal(self) -> None:
        """The next game: whoever remembers is told how the last one ended, and there are new cards."""
        number = 0
        if self.round is not None:
            number = self.round.number + 1
            for chair, who in enumerate(self.chairs):
                if who.agent is not None:
                    sitting = await self._sitting(chair)
                    await self.lab.engine(self._finish, sitting, chair, self.round)
        dealt = await self.lab.engine(deal_out, self.game)
        write = kept.new_game(self.lab.database, self.id, number, dealt, self.names)
        await self.lab.database.write(write, self.id)
        await self._catch_up()

    async def _catch_up(self) -> None:
        """Bring the table to where the database has it; deal, if everybody is there and nothing was dealt yet."""
        found = await self.lab.database.read(lambda connection: kept.whole(connection, self.id))
        if found is None:
            raise Refusal("no_such_table", "This table is gone.")
        if found.chairs != self.chairs or self.round is None:
            self.chairs = found.chairs
            if self.round is not None:
                self.round.call(self.chairs)
        self.row = found.table
        if self.wait or self.row.closed:
            return
        if not found.games:
            if all(chair.kind != OPEN for chair in self.chairs):
                await self._deal()
            return
        last = found.games[-1]
        actions = [move.action for move in found.moves]
        if self.round is None or self.round.number != last.round:
            self.dealt = {each.round: each for each in found.games}
            if self.round is None or last.round != self.round.number + 1:
                self.sittings = {}  # whatever was missed has to be remembered
                self.score = Score(self.game)
                for each in found.games[:-1]:
                    self.score.add(each.rewards or [0.0] * len(self.chairs), each.winners or [False] * len(self.chairs))
            self.round = await self.lab.engine(Round, self.game, last.round, last.dealt, self.chairs)
        missed = actions[self.round.table.moves :]
        if missed:
            self.sittings = {chair: who for chair, who in self.sittings.items() if not who.remembers}
            await self._follow(missed)

    # ---- who sits where

    async def call(self, guest: Guest, name: str) -> None:
        """What a person is called."""
        if guest.chair is None:
            raise Refusal("forbidden", "Only players have names.")
        async with self.lock:
            if self.status == "playing":
                raise Refusal("still_on", "Names can be changed between games.")
            await self._seat(guest.chair, replace(self.chairs[guest.chair], kind=PERSON, name=checked_name(name)))

    async def claim(self, guest: Guest, name: str) -> None:
        """Whoever opens the link of a chair that is open sits in it."""
        async with self.lock:
            if guest.chair is not None and self.chairs[guest.chair].kind == OPEN:
                await self._seat(guest.chair, replace(self.chairs[guest.chair], kind=PERSON, name=checked_name(name)))

    async def join(self, name: str, token: str) -> int:
        """The first open chair, for somebody with a new token."""
        async with self.lock:
            free = next((number for number, chair in enumerate(self.chairs) if chair.kind == OPEN), None)
            if self.row.closed:
                raise Refusal("closed", "This table was closed.")
            if free is None:
                raise Refusal("full", "All seats are taken. Watch, or ask the host for another table.")
            await self._seat(free, Chair(PERSON, checked_name(name), token=self.lab.hashed(token)))
            return free

    async def set_agent(self, guest: Guest, chair: int, spec: str) -> None:
        """By the host: an agent in an open chair, or another one in an agent's."""
        self._check_host(guest)
        before = self._chair(chair)
        if before.kind == PERSON:
            raise Refusal("forbidden", "Somebody sits there. An agent may sit in for them while they are away.")
        await self._replace(chair, spec)

    async def sit_in(self, guest: Guest, chair: int, spec: str | None) -> None:
        """An agent plays for the person in a chair, or no longer does."""
        before = self._chair(chair)
        if before.kind != PERSON:
            raise Refusal("forbidden", "Nobody is away there: agents sit in for people.")
        if guest.chair != chair and (not (guest.host or guest.chair is not None) or self.here(chair)):
            raise Refusal("forbidden", "An agent sits in for you, or for somebody who is away.")
        if spec is None:
            async with self.lock:
                await self._seat(chair, replace(self.chairs[chair], agent=None))
        else:
            await self._replace(chair, spec)

    async def open_chair(self, guest: Guest, chair: int) -> None:
        """By the host: an agent leaves, and anybody may join."""
        self._check_host(guest)
        if self._chair(chair).kind != AGENT:
            raise Refusal("forbidden", "Only an agent's chair can be opened.")
        async with self.lock:
            if self.status == "playing":
                raise Refusal("still_on", "Chairs can be opened between games.")
            await self._seat(chair, Chair(OPEN))

    async def _replace(self, chair: int, spec: str) -> None:
        """An agent takes the moves of a chair from now on, remembering nothing."""
        try:
            await self.lab.preparing.agents(self.game, [spec])
        except UserError as wrong:
            raise Refusal("refused", str(wrong)) from None
        async with self.lock:
            since = (self.round.number, self.round.table.moves) if self.round else (0, 0)
            before = self.chairs[chair]
            kind = PERSON if before.kind == PERSON else AGENT
            await self._seat(chair, replace(before, kind=kind, agent=spec, since=since))

    async def _seat(self, number: int, chair: Chair) -> None:
        try:
            await self.lab.database.write(kept.new_chair(self.id, number, self.chairs[number], chair), self.id)
        except Taken:
            await self._catch_up()
            self._tell()
            raise Refusal("late", "Somebody else has just sat down there. Look again.") from None
        self.sittings.pop(number, None)
        await self._catch_up()
        self._tell()

    async def set_pace(self, guest: Guest, seconds: float) -> None:
        if guest.chair is None and not guest.host:
            raise Refusal("forbidden", "You are watching: players set the pace.")
        if not 0 <= seconds <= SLOWEST:
            raise Refusal("refused", f"The pace is from 0 to {SLOWEST:g} seconds.")
        async with self.lock:
            await self.lab.database.write(kept.set_table(self.id, pace=float(seconds)), self.id)
            self.row = replace(self.row, pace=float(seconds))
        self._tell()

    # ---- what helps

    async def hint(self, guest: Guest) -> dict[str, Any]:
        """What a strong agent would do in a guest's place."""
        if not self.row.hints:
            raise Refusal("no_hints", "This table is played without hints.")
        round = self._own_turn(guest)
        number, spec = round.table.moves, self.lab.offers.strongest(self.game)
        await self.lab.preparing.agents(self.game, [spec])
        sitting = Sitting(spec, await self.lab.engine(company.seated, spec, self.game), (0, 0))
        await self.lab.engine(company.begin, self.game, sitting, guest.chair or 0, round.dealt.secret)
        view = await self.lab.engine(round.table.view, round.table.player)
        action = await self.lab.company.ask(await self.lab.engine(round.question, sitting))
        label = self.game.describe(view, action)
        why = round.words(int(view.seat)).advice(view)
        told = {"action": action, "label": label, "message": f"A strong player ({spec}) would {label}.", "why": why}
        return {"kind": "hint", "number": number, "agent": spec, **told}

    def _own_turn(self, guest: Guest) -> Round:
        round = self._playing()
        if guest.chair is None or round.chair != guest.chair:
            raise Refusal("not_your_turn", "That can be asked on your own turn.")
        return round

    async def notes(self, guest: Guest) -> dict[str, Any]:
        """What a careful player would have written down."""
        round = self._playing()
        if guest.chair not in round.readers or guest.chair is None:
            raise Refusal("forbidden", "Only players keep notes.")
        seat = round.seat(guest.chair)
        told = await self.lab.engine(lambda: round.words(seat).notes(round.table.view(seat)))
        return {"kind": "notes", "message": told}

    def _check_host(self, guest: Guest) -> None:
        if not guest.host:
            raise Refusal("forbidden", "Only the host says who sits where.")

    def _chair(self, chair: int) -> Chair:
        if not 0 <= chair < len(self.chairs):
            raise Refusal("refused", f"Chairs go from 0 to {len(self.chairs) - 1}; there is no chair {chair}.")
        return self.chairs[chair]


@lru_cache(maxsize=4096)
def _names(specs: tuple[str, ...]) -> list[str]:
    return names_of(specs)


def checked_name(name: str) -> str:
    """A name that can be shown: blanks at its ends are left out."""
    name = name.strip()
    if len(name) > LONGEST // 2 or visible(name) != name:
        raise Refusal("refused", f"A name has at most {LONGEST // 2} characters, all of them visible.")
    return Person(name).name
