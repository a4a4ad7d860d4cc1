"""Play-outs of decisions of Bluff: seconds a decision takes once its program is compiled, dealing worlds and playing out apart.

    python -m benchmarks.review                                  5,000 play-outs by smart
    python -m benchmarks.review --agents smart counter zoo:bluff-12 --play-outs 2000

Beside the seconds stand those of processor time, which a busy computer changes less.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import feint
from feint.record import Record
from feint.review.analysis import Analyst
from feint.review.played import Played
from feint.table import Table


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a function returns, and the seconds and seconds of processor time that it took."""
    start, used = time.perf_counter(), time.process_time()
    return function(), time.perf_counter() - start, time.process_time() - used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", nargs="+", default=["smart"])
    parser.add_argument("--play-outs", type=int, default=5000)
    parser.add_argument("--decisions", type=int, default=10)
    chosen = parser.parse_args()
    table = Table(feint.make("bluff"), ["smart", "no-bluff", "anxious", "smart"], seed=3)
    while not table.over:
        table.act()
    played = Played.of(Record.of(table))
    past = played.past(0)
    free = [number for number, at in enumerate(past.at) if played.moments[at].legal.sum() > 1]
    decisions = free[:: max(len(free) // chosen.decisions, 1)]
    print(f"{platform.machine()}, {jax.devices()[0].device_kind}, jax {jax.__version__}; {len(decisions)} decisions")
    print(f"| agent | first, s | worlds, s (CPU) | {chosen.play_outs:,} play-outs, s (CPU) | slowest, s |")
    print("|---|---:|---:|---:|---:|")
    for spec in chosen.agents:
        analyst = Analyst.of(played, spec, chosen.play_outs, seed=0)
        _, first, _ = timed(lambda: analyst.decision(past, decisions[0]))  # noqa: B023
        rows = []
        for number in decisions:
            choices = [int(each) for each in np.flatnonzero(played.moments[past.at[number]].legal)]
            worlds, *dealing = timed(lambda: analyst.dealer.worlds(past, number))  # noqa: B023
            picked = worlds.picked(chosen.play_outs // len(choices))
            _, *playing = timed(lambda: analyst.player.results(number, worlds.states, picked, choices))  # noqa: B023
            rows.append([*dealing, *playing])
        dealt, dealt_cpu, took, took_cpu = np.mean(rows, axis=0)
        slowest = np.max(rows, axis=0)[2]
        print(
            f"| {spec} | {first:.1f} | {dealt:.2f} ({dealt_cpu:.2f}) | {took:.2f} ({took_cpu:.2f}) | {slowest:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
