"""A lab in this process: what agents remember after a restart, agents that fail, and tables that nobody needs."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import httpx
import jax
import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from feint.web.app import make_app
from feint.web.database import Database
from feint.web.guests import Guest
from feint.web.jobs import Jobs
from feint.web.lab import Lab, Limits
from feint.web.offers import Offers
from feint.web.refusals import Refusal
from feint.web.room import Room
from feint.web.socket import serve


def opened(folder: Path, **limits) -> Lab:
    return Lab(
        Database(f"sqlite:///{folder / 'lab.sqlite'}"),
        Offers(["kuhn", "bidding"]),
        lambda *_, **__: None,
        Limits(**limits),
    )


async def turn(room: Room, chair: int) -> bool:
    """Whether it is a chair's turn, once agents have moved; not where the game is over."""
    while True:
        if room.round is not None and (room.round.table.over or room.turn == chair):
            return not room.round.table.over
        await asyncio.sleep(0.005)


async def play_a_game(room: Room, guest: Guest, rng: random.Random) -> None:
    while await turn(room, guest.chair or 0):
        legal = np.flatnonzero(room.round.table.legal).tolist()
        await room.move(guest, room.round.table.moves, [rng.choice(legal)])


def test_an_agent_that_learns_in_a_match_knows_after_a_restart_what_it_knew(tmp_path):
    async def match() -> None:
        lab, rng = opened(tmp_path), random.Random(4)
        made = await lab.seat_one(lab.offers.usual["bidding"], ["adaptive", "share"], "Ann", True, 0.0)
        room, guest = await lab.room(made["table"]), Guest(0, host=True)
        room.enter(guest)
        await play_a_game(room, guest, rng)
        await room.next_game(guest)
        await play_a_game(room, guest, rng)
        known = await room.sitters.at(1, room.chairs[1], room.round)
        assert known.remembers
        lab.rooms.clear()
        room.close()
        again = await lab.room(made["table"])
        while again.round is None:
            await asyncio.sleep(0.01)
        remembered = await again.sitters.at(1, again.chairs[1], again.round)
        assert remembered is not known
        for before, after in zip(jax.tree.leaves(known.memory), jax.tree.leaves(remembered.memory), strict=True):
            np.testing.assert_array_equal(before, after)
        assert again.score.told(again.names) == room.score.told(room.names)
        again.close()
        lab.close()

    asyncio.run(match())


def test_an_agent_that_fails_is_replaced_and_the_game_goes_on(tmp_path, monkeypatch):
    async def game() -> None:
        lab = opened(tmp_path)
        made = await lab.seat_one(lab.offers.usual["kuhn"], ["zoo:kuhn-1"], "Ann", True, 0.0)
        room, guest = await lab.room(made["table"]), Guest(0, host=True)
        asked = lab.company.ask

        async def ask(question):
            if question.sitting.spec != "random":
                raise ValueError("It has lost its mind.")
            return await asked(question)

        monkeypatch.setattr(lab.company, "ask", ask)
        room.enter(guest)
        await play_a_game(room, guest, random.Random(1))
        assert room.round.table.over
        assert room.chairs[1].agent == "random"
        room.close()
        lab.close()

    asyncio.run(game())


def test_idle_tables_are_closed_and_no_more_than_so_many_are_open(tmp_path):
    async def day() -> None:
        lab = opened(tmp_path, tables=2, idle=0.0)
        kuhn = lab.offers.usual["kuhn"]
        made = [await lab.seat_one(kuhn, ["random"], "Ann", True, 0.0) for _ in range(2)]
        with pytest.raises(Refusal, match="as many tables"):
            await lab.seat_one(kuhn, ["random"], "Ben", True, 0.0)
        room = await lab.room(made[0]["table"])
        guest = Guest(0, host=True)
        room.enter(guest)
        await lab.close_idle()
        assert guest.gone
        assert not lab.rooms
        with pytest.raises(Refusal, match="closed"):
            await lab.room(made[0]["table"])
        await lab.seat_one(kuhn, ["random"], "Ben", True, 0.0)
        lab.close()

    asyncio.run(day())


def test_there_are_no_more_connections_than_there_may_be(tmp_path):
    closed: list[tuple[int, str]] = []

    class Socket:
        async def accept(self) -> None: ...

        async def close(self, code: int, reason: str) -> None:
            closed.append((code, reason))

    async def come() -> None:
        lab = opened(tmp_path, connections=0)
        await serve(lab, Socket(), "x")  # type: ignore[arg-type]
        assert lab.guests == 0
        lab.close()

    asyncio.run(come())
    ((code, reason),) = closed
    assert code == 4429
    assert "as many connections" in reason


def test_a_lab_without_its_database_is_not_well(tmp_path, monkeypatch):
    async def look() -> httpx.Response:
        lab = opened(tmp_path)

        async def lost(_: object) -> None:
            raise OperationalError("SELECT 1", {}, Exception("gone"))

        monkeypatch.setattr(lab.database, "read", lost)
        app = httpx.ASGITransport(make_app(lab, Jobs(tmp_path / "jobs")))
        async with httpx.AsyncClient(transport=app, base_url="http://127.0.0.1") as asked:
            answer = await asked.get("/health")
        lab.close()
        return answer

    answer = asyncio.run(look())
    assert (answer.status_code, answer.json()["error"]) == (503, "busy")


def test_a_game_is_offered_once_however_many_ask_before_it_is_told(tmp_path):
    lab = opened(tmp_path)
    here = httpx.ASGITransport(make_app(lab, Jobs(tmp_path / "jobs")))

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=here, base_url="http://testserver") as client:
            return await asyncio.gather(*(client.get("/api/games") for _ in range(3)))

    try:
        answers = [*asyncio.run(ask()), *asyncio.run(ask())]
    finally:
        lab.close()
    assert [[each["name"] for each in answer.json()] for answer in answers] == [["bidding", "kuhn"]] * 6
