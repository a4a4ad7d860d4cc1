"""Matches over loopback, in this process but for bots that are programs of their own."""

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import jax.numpy as jnp
from jax import Array

from feint.connect.acpc import dealer
from feint.connect.acpc.client import Client, play
from feint.connect.acpc.dealer import Dealer, Limits
from feint.connect.acpc.following import Following
from feint.connect.acpc.lines import Lines
from feint.connect.acpc.match_log import MatchLog
from feint.games.holdem import acpc
from feint.games.holdem.game import Holdem
from feint.games.holdem.state import CALL
from feint.games.holdem.view import View
from feint.pytrees import pytree

BOT = Path(__file__).parents[3] / "docs" / "examples" / "acpc_bot.py"
THREE = Holdem(players=3)
HOST = "127.0.0.1"
LIMITS = Limits()
NAMES = ("Ann", "Ben", "Cleo")

Sits = Callable[[int], Any]  # whoever comes to a port, and what comes of it


@pytree
class Recall:
    """Plays by what it remembers: its chair, how many hands and shown cards there were, and what the last ones paid."""

    def begin(self, game: Any, seat: Array, key: Any) -> Any:
        return jnp.int32(seat), jnp.float32(0)

    def act(self, memory: Any, view: View, legal: Array, key: Any) -> tuple[Array, Any]:
        hands, paid = memory
        mood = (hands + view.seat + view.round + (paid > 0)) % 3
        return jnp.where(legal[mood], mood, CALL).astype(jnp.int32), (hands, paid + 0.25)

    def finish(self, memory: Any, view: View, rewards: Array, key: Any) -> Any:
        hands, paid = memory
        shown = (view.shown >= 0).sum()
        return hands + 1 + shown, 0.5 * paid + rewards[view.seat] + rewards[0]


def client(agent: Any, seed: int = 0, game: Holdem | None = THREE, passed_over: list[str] | None = None) -> Sits:
    """One of feint's agents."""

    def sit(port: int) -> Client:
        sitting = Client(agent, game, seed)
        lines = Lines(socket.create_connection((HOST, port)))
        play(lines, sitting, [].append if passed_over is None else passed_over.append)
        lines.close()
        return sitting

    return sit


def replying(answer: Callable[[str], bytes | None]) -> Sits:
    """A bot that sends whatever `answer` makes of a line that asks it, and hangs up where that is None."""

    def sit(port: int) -> None:
        ours = Following(THREE)
        with socket.create_connection((HOST, port)) as connection, connection.makefile(newline="\n") as lines:
            connection.sendall(b"VERSION:2.0.0\r\n")
            with suppress(ConnectionError):
                for line in map(str.strip, lines):
                    position, hand = acpc.read_seen(line)
                    step = ours.told(position, hand)
                    if step.over or step.player != position:
                        continue
                    sent = answer(line)
                    if sent is None:
                        return
                    connection.sendall(sent)

    return sit


def outsider(seed: int = 0) -> Sits:
    """A program that knows nothing of feint."""
    return lambda port: subprocess.run([sys.executable, str(BOT), HOST, str(port), str(seed)], check=True, timeout=600)


def played(
    log: Path,
    sitters: Sequence[Any],
    hands: int,
    seed: int = 0,
    limits: Limits = LIMITS,
    game: Holdem = THREE,
    names: Sequence[str] = NAMES,
) -> tuple[Dealer, list[Any]]:
    """The dealer after a match, or what is left of one, and what came of those who sat at a port; whoever is no function is an agent within it."""
    inside = {seat: each for seat, each in enumerate(sitters) if not callable(each)}
    outside = [seat for seat in range(game.players) if seat not in inside]
    with ExitStack() as stack, ThreadPoolExecutor(game.players) as pool:
        servers = dealer.listening(stack, HOST, [0] * len(outside))
        ports = [server.getsockname()[1] for server in servers]
        came: list[Future] = [pool.submit(sitters[seat], port) for seat, port in zip(outside, ports, strict=True)]
        kept = MatchLog(log, [f"# name/game/hands/seed test test {hands} {seed}"], names)
        kept.begin()
        waiting = [(seat, names[seat], server) for seat, server in zip(outside, servers, strict=True)]
        with ExitStack() as connections:  # hung up before anybody is waited for
            bots = dealer.arrived(connections, waiting, limits, hands)
            at = Dealer(dealer.seated(game, inside, seed), bots, kept)
            assert len(list(at.catch_up())) == len(kept.found)
            while len(kept.hands) < hands:
                at.play_hand()
            kept.finish()
        return at, [each.result() for each in came]
