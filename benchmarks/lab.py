"""The lab under load: a server of its own, and players in this process.

    python -m benchmarks.lab tables                     300 tables of one person and agents: how soon moves are answered
    python -m benchmarks.lab idle                       2,000 connections that only listen
    python -m benchmarks.lab kills                      100 kills with -9 at random moments, and nothing accepted is lost
    python -m benchmarks.lab kills --database URL       the same on PostgreSQL

A move is answered when its mover is sent the state after it, which is on disk by then. Players think one to four seconds
and make any legal move; agents move at the usual pace, one every 0.8 seconds at a table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from tests.web.served import Served, serving

PACE = 0.8  # as the page has it
THINKS = (1.0, 4.0)  # seconds, at the least and at the most
SITS_DOWN = 20.0  # seconds before anything is measured
PATIENCE = 300.0  # seconds until all is compiled


class Player:
    """Somebody at a table of their own."""

    def __init__(self, served: Served, game: str, seed: int) -> None:
        self.served, self.chance = served, random.Random(seed)
        self.made = served.post("/api/play", {"game": game, "pace": PACE}).json()
        self.waits: list[float] = []
        self.seen: dict[int, int] = {}  # by round, how many moves were shown
        self.sent: dict[int, list[int]] = {}  # by round, the moves of one's own that were shown as made
        self.games = 0

    async def play(self, until: float) -> None:
        """Any legal moves, game after game, until a time; across kills."""
        while time.monotonic() < until:
            try:
                async with connect(f"ws://127.0.0.1:{self.served.port}/ws/{self.made['table']}", max_size=None) as line:
                    await line.send(json.dumps({"token": self.made["token"]}))
                    await self._play(line, until)
            except (ConnectionClosed, OSError, InvalidHandshake, TimeoutError):
                await asyncio.sleep(0.2)

    async def _play(self, line: Any, until: float) -> None:
        asked: tuple[int, int, float] | None = None
        while time.monotonic() < until:
            state = json.loads(await asyncio.wait_for(line.recv(), max(0.01, until - time.monotonic())))
            if state["kind"] != "state" or state["view"] is None:
                continue
            round, number = state["round"], state["number"]
            assert number >= self.seen.get(round, 0), "A move that was shown is gone."
            self.seen[round] = number
            if asked and (round, number) > asked[:2]:
                self.waits.append(time.monotonic() - asked[2])
                asked = None
            if asked is not None:
                continue
            if state["over"]:
                self.games += 1
                await line.send(json.dumps({"next": True}))
            elif state["choices"]:
                await asyncio.sleep(self.chance.uniform(*THINKS))
                asked = (round, number, time.monotonic())
                action = self.chance.choice(state["choices"])["action"]
                await line.send(json.dumps({"move": number, "action": action}))


async def ready(served: Served) -> None:
    """Wait until all is compiled."""
    begun = time.monotonic()
    while not served.get("/health").json()["prepared"]:
        assert time.monotonic() - begun < PATIENCE, "The server was not ready in time."
        await asyncio.sleep(0.5)


def told(waits: list[float]) -> str:
    ends = np.percentile(waits, [50, 90, 99]) * 1000
    return f"{len(waits):,} moves answered within {ends[0]:.0f} ms (half), {ends[1]:.0f} (90%), {ends[2]:.0f} (99%), {max(waits) * 1000:.0f} (all)"


async def tables(served: Served, game: str, count: int, seconds: float) -> None:
    await ready(served)
    players = [Player(served, game, seed) for seed in range(count)]
    until = time.monotonic() + SITS_DOWN + seconds
    playing = asyncio.gather(*(player.play(until) for player in players))
    await asyncio.sleep(SITS_DOWN)
    for player in players:
        player.waits.clear()
    before, made, own = _processor(served), _shown(players), time.process_time()
    await playing
    taken, own = _processor(served) - before, time.process_time() - own
    waits, moves = [wait for player in players for wait in player.waits], _shown(players) - made
    print(
        f"{count} tables of {game} for {seconds:.0f} s: {told(waits)}; {moves / seconds:.0f} moves a second with those of agents."
    )
    print(
        f"A move took the server {1000 * taken / moves:.2f} ms of processor time: {taken / seconds:.0%} of a core, and the players {own / seconds:.0%}."
    )


def _shown(players: list[Player]) -> int:
    return sum(number for player in players for number in player.seen.values())


async def idle(served: Served, game: str, count: int) -> None:
    await ready(served)
    table = Player(served, game, 1).made["table"]
    before = _memory(served)
    lines = []
    for begins in range(0, count, 100):
        lines += await asyncio.gather(*(_watch(served, table) for _ in range(min(100, count - begins))))
    begun = time.monotonic()
    health = httpx.get(f"{served.address}/health", timeout=30).json()
    asked = time.monotonic() - begun
    print(
        f"{health['connections']} connections: {(_memory(served) - before) / 2**20:.0f} MiB more; /health answers within {asked * 1000:.0f} ms."
    )
    await asyncio.gather(*(line.close() for line in lines))


async def _watch(served: Served, table: str) -> Any:
    line = await connect(f"ws://127.0.0.1:{served.port}/ws/{table}", open_timeout=60)
    await line.send(json.dumps({"watch": True}))
    await line.recv()
    return line


async def kills(served: Served, game: str, count: int, tables: int) -> None:
    """Kill the server again and again while people play; players notice if something they were shown is gone."""
    await ready(served)
    players = [Player(served, game, seed) for seed in range(tables)]
    chance, port = random.Random(1), served.port
    end = time.monotonic() + 10**6
    playing = [asyncio.ensure_future(player.play(end)) for player in players]

    for number in range(count):
        before = _shown(players)
        while _shown(players) - before < tables:  # not before all is compiled again, and some have moved
            await asyncio.sleep(0.05)
        await asyncio.sleep(chance.uniform(0, 1))
        await asyncio.to_thread(served.kill)
        await asyncio.to_thread(served.start, port)
        for each in playing:
            if each.done():
                each.result()
        if number % 10 == 9:
            print(f"{number + 1} kills, {_shown(players)} moves shown, none lost.", flush=True)
    for each in playing:
        each.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    for player in players:  # what is kept goes on from where it was
        review = [
            served.get(f"/api/tables/{player.made['table']}/games/{round}").json() for round in list(player.seen)[:-1]
        ]
        assert all(len(game["steps"]) - 1 >= player.seen[game["round"]] for game in review)
    print(
        f"{count} kills, {_shown(players)} moves at {tables} tables of {game} on {served.database.partition(':')[0]}: nothing that was shown is lost."
    )


def _processor(served: Served) -> float:
    ticks = Path(f"/proc/{served.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def _memory(served: Served) -> int:
    return int(Path(f"/proc/{served.process.pid}/statm").read_text().split()[1]) * resource.getpagesize()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("what", choices=["tables", "idle", "kills"])
    asked.add_argument("--game", default="bluff")
    asked.add_argument("--tables", type=int, default=None)
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--connections", type=int, default=2000)
    asked.add_argument("--kills", type=int, default=100)
    asked.add_argument("--database", default=None)
    given = asked.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before", flush=True)
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), given.database, given.game) as served:
        if given.what == "tables":
            asyncio.run(tables(served, given.game, given.tables or 300, given.seconds))
        elif given.what == "idle":
            asyncio.run(idle(served, given.game, given.connections))
        else:
            asyncio.run(kills(served, given.game, given.kills, given.tables or 10))


if __name__ == "__main__":
    main()
