"""Hands a second through the dealer, over loopback: three bots, each a process of its own.

    python -m benchmarks.acpc                      the example bot of docs/examples in two seats, and an agent of feint's in the third
    python -m benchmarks.acpc --agents 3           three agents of feint's
    python -m benchmarks.acpc --agents 0           three example bots: what the dealer itself takes

Beside the hands a second stand the seconds of processor time that each process took a hand, which a busy computer does not change.
"""

from __future__ import annotations

import argparse
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from feint.games.holdem import definition
from feint.games.holdem.game import Holdem

BOT = Path(__file__).parents[1] / "docs" / "examples" / "acpc_bot.py"
FEINT = [sys.executable, "-m", "feint.cli", "acpc"]


def measured(folder: Path, hands: int, agents: int, agent: str) -> tuple[float, float]:
    """Seconds from the first hand to the last, and seconds of processor time from start to end, of all processes."""
    game, log = folder / "three.game", folder / f"{hands}-{agents}.log"
    game.write_text(definition.written(Holdem(players=3)))
    before = _processor()
    deal = [*FEINT, "deal", "--game", str(game), "--hands", str(hands), "--log", str(log)]
    with subprocess.Popen(deal, stdout=subprocess.PIPE, encoding="utf-8") as dealer:
        assert dealer.stdout
        ports = dealer.stdout.readline().split()
        lines = [
            [*FEINT, "play", "--agent", agent, "--game", str(game), "--seed", str(seat), "--port", port]
            if seat < agents
            else [sys.executable, str(BOT), "127.0.0.1", port, str(seat)]
            for seat, port in enumerate(ports)
        ]
        bots = [subprocess.Popen(line, stdout=subprocess.DEVNULL) for line in lines]
        while log.read_text().count("STATE") == 0:
            time.sleep(0.001)
        start = time.perf_counter()
        dealer.wait()
        taken = time.perf_counter() - start
        for bot in bots:
            bot.wait()
    return taken, _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=500)
    parser.add_argument("--agents", type=int, default=1, choices=range(4), help="seats of feint's, of three")
    parser.add_argument("--agent", default="random")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _, starting = measured(Path(folder), 1, args.agents, args.agent)
        taken, all_in_all = measured(Path(folder), args.hands, args.agents, args.agent)
    print(f"{platform.processor() or platform.machine()}, {args.hands} hands, {args.agents} of 3 seats {args.agent}")
    print(f"{args.hands / taken:,.0f} hands/s from the first hand to the end")
    print(
        f"{1000 * (all_in_all - starting) / args.hands:.1f} ms of processor time a hand, dealer and all bots together"
    )
    print(f"{starting:.1f} s of processor time to start all of them")


if __name__ == "__main__":
    main()
