"""A lab in a process of its own, and players who come to it."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120  # seconds: the first game of a kind is compiled


class Served:
    """A running `feint lab`."""

    def __init__(self, folder: Path, database: str, games: str) -> None:
        self.folder, self.database, self.games = folder, database, games
        self.start()

    def start(self, port: int = 0) -> None:
        command = [sys.executable, "-m", "feint.cli", "lab", "--port", str(port), "--database", self.database]
        command += ["--new-tables", "1000000"]
        environment = os.environ | {"JAX_PLATFORMS": "cpu"}
        self.log = (self.folder / f"log-{os.getpid()}-{id(self)}").open("a")
        self.process = subprocess.Popen(
            [*command, *(["--games", self.games] if self.games else [])],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + Path(self.log.name).read_text()
        self.port = int(found[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        self.log.close()

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.address + path, timeout=PATIENCE)

    def post(self, path: str, told: Any, **more: Any) -> httpx.Response:
        return httpx.post(self.address + path, json=told, timeout=PATIENCE, **more)

    def play(self, game: str, **more: Any) -> dict[str, Any]:
        answer = self.post("/api/play", {"game": game, "pace": 0, **more})
        assert answer.status_code == 201, answer.text
        return answer.json()

    def at(self, table: str, **hello: Any) -> Seat:
        """A connection to a table, from its first state on."""
        return Seat(self, table, hello)


class Seat:
    """Somebody at a table; keeps every byte that was sent to them."""

    def __init__(self, served: Served, table: str, hello: dict[str, Any]) -> None:
        self.served, self.table, self.hello = served, table, hello
        self.heard: list[str] = []
        self.connect()

    def connect(self) -> None:
        address = f"ws://127.0.0.1:{self.served.port}/ws/{self.table}"
        opened = connect(address, open_timeout=PATIENCE, max_size=None)
        self.line: ClientConnection = contextlib.ExitStack().enter_context(opened)
        self.say(**self.hello)

    def say(self, **told: Any) -> None:
        self.line.send(json.dumps(told))

    def hear(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message."""
        text = self.line.recv(timeout)
        assert isinstance(text, str)
        self.heard.append(text)
        return json.loads(text)

    def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The next message that is wanted; those before it are let pass."""
        while True:
            told = self.hear()
            if wanted(told):
                return told

    def states(self) -> list[dict[str, Any]]:
        """All states that were sent."""
        return [told for told in map(json.loads, self.heard) if told["kind"] == "state"]

    def turn(self) -> dict[str, Any]:
        """The state where it is one's turn, or the game is over."""
        return self.until(lambda told: told["kind"] == "state" and (told["choices"] or told["over"]))

    def after(self, number: int) -> dict[str, Any]:
        """The state after a move, where it is one's turn again or the game is over."""
        return self.until(
            lambda told: told["kind"] == "state" and told["number"] > number and (told["choices"] or told["over"])
        )

    def play_on(self, chance: random.Random, moves: int = 10**6, state: dict[str, Any] | None = None) -> dict[str, Any]:
        """Any legal moves, from a state where it is one's turn, until the game is over or so many were made."""
        state = state or self.turn()
        for _ in range(moves):
            if state["over"]:
                break
            self.say(move=state["number"], action=chance.choice(state["choices"])["action"])
            state = self.after(state["number"])
        return state

    def close(self) -> None:
        self.line.close()


@contextlib.contextmanager
def serving(folder: Path, database: str | None = None, games: str = "") -> Iterator[Served]:
    """A lab for as long as it is needed."""
    folder.mkdir(parents=True, exist_ok=True)
    served = Served(folder, database or f"sqlite:///{folder / 'lab.sqlite'}", games)
    try:
        yield served
    finally:
        served.stop()
