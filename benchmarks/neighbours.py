"""Decisions a second through the interfaces of neighbours, beside feint's own engine and the neighbour's own games in one run.

    python -m benchmarks.neighbours                          PettingZoo, Gymnasium, games of pgx; Bluff alone takes 13 minutes on two cores
    python -m benchmarks.neighbours --tables 4096 65536      other numbers of tables at once

PettingZoo: random legal actions through `last` and `step`, feint's Leduc beside PettingZoo's own, which is RLCard's. Gymnasium: a learner that acts
at random, drawn by NumPy, among others, at many tables at once; what counts are games. The engine plays games of the same agents, all of them compiled,
without an interface: once with a random player in the learner's seat, where it leaves out whatever nobody looks at, and once with one who is shown
what a learner is shown. pgx: games of pgx as feint's (`pgx:`), whole games of random agents, beside pgx's own
stepping of the same game with automatic reset, both by the processor's time, in which other programs have little say; `benchmarks.throughput` says what each counts.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from rich.console import Console

import feint
from benchmarks.throughput import feint_row, pgx_row
from feint.agent import Memory, Random
from feint.chance import Key
from feint.connect import pettingzoo
from feint.connect.gymnasium import Tables
from feint.game import pytree
from feint.learn.inputs import Layout

VECTOR = {
    "leduc": ["random"],
    "holdem": ["tanh"],
    "bluff": ["smart", "smart", "smart"],
}  # with a learner that acts at random
PGX = ("kuhn_poker", "leduc_holdem", "tic_tac_toe", "connect_four")
STEPS = 20  # of all tables, between two looks at the clock


def turns(make: Callable[[], Any], seconds: float) -> float:
    """Decisions a second of random play through PettingZoo's interface, after a game to warm up."""
    environment, random = make(), np.random.default_rng(0)

    def game() -> int:
        decisions = 0
        environment.reset()
        for _ in environment.agent_iter():
            observation, _, over, cut, _ = environment.last()
            legal = None if over or cut else np.flatnonzero(observation["action_mask"])
            environment.step(None if legal is None else int(random.choice(legal)))
            decisions += legal is not None
        return decisions

    game()
    start, decisions = time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        decisions += game()
    return decisions / (time.perf_counter() - start)


def vector(game: str, others: list[str], tables: int, seconds: float) -> float:
    """Games a second of a learner at many tables, counted when so many have ended that tables no longer begin together."""
    environment, random = Tables(tables, game, others), np.random.default_rng(0)
    shown, _ = environment.reset(seed=0)
    mask, ended = shown["action_mask"], 0

    def steps() -> None:
        nonlocal mask, ended
        for _ in range(STEPS):
            actions = (mask * random.random(mask.shape, np.float32)).argmax(axis=1)
            shown, _, over, _, _ = environment.step(actions)
            mask = shown["action_mask"]
            ended += int(over.sum())

    while ended < 4 * tables:
        steps()
    start, ended = time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        steps()
    return ended / (time.perf_counter() - start)


def reader(name: str) -> Random:
    """A random player who is shown all that a learner is, before each of its actions."""
    game = feint.make(name)
    layout = Layout.of(game)

    @pytree
    class Reader(Random):
        def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
            action, memory = super().act(memory, view, legal, key)
            # What has no say in anything would not be computed.
            return jnp.where(layout.see(game, view).sum() == jnp.inf, -1, action), memory

    return Reader()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each figure")
    parser.add_argument("--tables", type=int, nargs="+", default=[4096])
    given = parser.parse_args()
    console = Console()
    warnings.simplefilter("ignore")
    ours = turns(lambda: pettingzoo.env("leduc"), given.seconds)
    console.print(f"PettingZoo, feint's Leduc: {ours:,.0f} decisions a second")
    try:
        from pettingzoo.classic import leduc_holdem_v4
    except ImportError:
        console.print("Without pettingzoo\\[classic] and rlcard: their Leduc is left out.")
    else:
        theirs = turns(leduc_holdem_v4.env, given.seconds)
        console.print(
            f"PettingZoo, RLCard's Leduc: {theirs:,.0f} decisions a second; feint's is {ours / theirs:.1f} times as fast"
        )
    for game, others in VECTOR.items():
        for tables in given.tables:
            through = vector(game, others, tables, given.seconds)
            engine, shown = (
                feint_row(game, [first, *others], tables, given.seconds, None).games
                for first in ("random", reader(game))
            )
            console.print(
                f"Gymnasium, {game} with {', '.join(others)}, {tables:,} tables: {through:,.0f} games a second; the engine alone plays {engine:,.0f}, "
                f"{engine / through:.1f} times as many, and {shown:,.0f}, {shown / through:.1f} times as many, where it shows what a learner sees"
            )
    for name in PGX:
        asked = given.tables[0], given.seconds
        ours = feint_row(f"pgx:{name}", ["random", "random"], *asked, None, time.process_time).decisions
        theirs = pgx_row(name, *asked, time.process_time).decisions
        console.print(
            f"pgx, {name}, {asked[0]:,} tables: {ours:,.0f} decisions in a second of a core's time as a game of feint's, {theirs:,.0f} by "
            f"pgx's own steps; {ours / theirs:.1f} times as many"
        )


if __name__ == "__main__":
    main()
