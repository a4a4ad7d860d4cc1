"""Games and decisions a second, feint beside its peers in one run.

    python -m benchmarks.throughput                          everything, peers included where they are installed
    python -m benchmarks.throughput --seconds 1              quicker and rougher
    python -m benchmarks.throughput --only small --batches 4096 262144 1048576     Kuhn and Leduc beside pgx
    python -m benchmarks.throughput --only agents            Bluff's counter and its shipped network, in all seats

Compiling and the time to the first result stand in their own columns; speeds are of the best of three repeats after that. A decision
of Bluff is a play or an answer, however many cards are laid (the contract's moves count every card picked).

What is counted: feint plays whole games of random agents (or those named) to their end and keeps of every single game what it paid, who won
and how many moves it had, 32 games a table. pgx steps all tables so many times with automatic reset, draws among legal actions by
`jax.random.categorical` and adds up the rewards of each table; without that its compiler drops the cards, and the row would be several times
as fast for playing no game at all.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass

# Two host devices use two cores better than threads within one operation do.
os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count={os.cpu_count()}")

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

import feint
from benchmarks import plain_bluff
from feint.agent import Agent
from feint.arena import rollout
from feint.games.bluff.reinforcement import shipped_rewards
from feint.registry import make_agent

BLUFF = ["no-bluff", "smart", "reinforcement", "anxious"]
HEAVY = ["counter", "zoo:bluff-12"]  # agents whose answers cost more than the rules
SMALL = {"kuhn": "kuhn_poker", "leduc": "leduc_holdem"}  # and what pgx calls them
PARTS = ("bluff", "agents", "small")
BATCHES = (1, 256, 4096, 65536)
AGENTS_BATCH = 4096


@dataclass
class Row:
    engine: str
    batch: int
    compiling: float  # seconds
    first: float  # seconds to the first result, compiling included
    games: float  # a second
    decisions: float  # a second


def timed(play: Callable[[], object], seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds a call takes: the best of three repeats, each of as many calls as fit."""
    start = clock()
    play()
    calls = max(1, int(seconds / 3 / (clock() - start)))
    best = float("inf")
    for _ in range(3):
        start = clock()
        for _ in range(calls):
            play()
        best = min(best, (clock() - start) / calls)
    return best


def feint_row(
    name: str,
    agents: list[str | Agent],
    batch: int,
    seconds: float,
    decisions_a_game: float | None,
    clock: Callable[[], float] = time.perf_counter,
    **options: int,
) -> Row:
    game = feint.make(name, **options)
    distinct = list(dict.fromkeys(agents))
    made = [make_agent(agent, game) if isinstance(agent, str) else agent for agent in distinct]
    seating = [distinct.index(agent) for agent in agents]
    # As many games as make the longest of them a small part of the work.
    matches = max(32 * batch, 64)

    def play() -> rollout.Outcomes:
        outcomes, _ = rollout.play(game, made, seating, seed=0, first=0, matches=matches, lanes=batch)
        return jax.block_until_ready(outcomes)

    jax.clear_caches()
    start = time.perf_counter()
    outcomes = play()
    first = time.perf_counter() - start
    once = timed(play, seconds, clock)
    a_game = decisions_a_game or float(np.asarray(outcomes.moves).mean())
    return Row("feint", batch, first - once, first, matches / once, matches * a_game / once)


def plain_row(seconds: float) -> tuple[Row, float]:
    """The plain Python baseline, and how many decisions a game takes."""
    plain_bluff.Reinforcement.rewards = shipped_rewards().tolist()
    games = 500
    wins, decisions = plain_bluff.play_games(BLUFF, games)
    assert sum(wins) == games
    once = timed(lambda: plain_bluff.play_games(BLUFF, games), seconds)
    return Row("plain Python", 1, 0, once, games / once, decisions / once), decisions / games


def openspiel_row(name: str, seconds: float) -> Row:
    """Random play move by move, as its Python binding has it."""
    import random

    import pyspiel

    game = pyspiel.load_game(name)
    rng = random.Random(0)

    def play() -> int:
        decisions = 0
        for _ in range(1000):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(rng.choice(state.legal_actions()))
                else:
                    decisions += 1
                    state.apply_action(rng.choice(state.legal_actions()))
        return decisions

    decisions = play()
    once = timed(play, seconds)
    return Row("OpenSpiel", 1, 0, once, 1000 / once, decisions / once)


def pgx_row(name: str, batch: int, seconds: float, clock: Callable[[], float] = time.perf_counter) -> Row:
    """Random play with automatic reset in one scan, as pgx's own documentation does it, the rewards of every table added up."""
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(name)
    step, init = auto_reset(env.step, env.init), env.init
    steps = max(256, 2**18 // batch)

    @jax.jit
    def run(key):
        key, start = jax.random.split(key)
        state = jax.vmap(init)(jax.random.split(start, batch))

        def advance(carry, _):
            state, key, ended, paid = carry
            key, choose, reset = jax.random.split(key, 3)
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            action = jax.random.categorical(choose, logits, axis=-1)
            state = jax.vmap(step)(state, action, jax.random.split(reset, batch))
            return (state, key, ended + state.terminated.sum(), paid + state.rewards), None

        start = (state, key, 0, jax.numpy.zeros((batch, env.num_players)))
        (_, _, ended, paid), _ = jax.lax.scan(advance, start, None, length=steps)
        return ended, paid

    key = jax.random.key(0)
    start = time.perf_counter()
    ended, _ = jax.block_until_ready(run(key))
    first = time.perf_counter() - start
    once = timed(lambda: jax.block_until_ready(run(key)), seconds, clock)
    return Row("pgx", batch, first - once, first, int(ended) / once, steps * batch / once)


def show(title: str, rows: list[Row], console: Console) -> None:
    table = Table(title=title, title_justify="left")
    for column in ("Engine", "Batch", "Compile s", "First s", "Games/s", "Decisions/s"):
        table.add_column(column, justify="left" if column == "Engine" else "right")
    for row in rows:
        numbers = (f"{row.compiling:.1f}", f"{row.first:.1f}", f"{row.games:,.0f}", f"{row.decisions:,.0f}")
        table.add_row(row.engine, f"{row.batch:,}", *numbers)
    console.print(table)


def ratio(rows: list[Row], peer: str, batch: int, peer_batch: int, console: Console, by: str = "games") -> None:
    ours = next((row for row in rows if row.engine == "feint" and row.batch == batch), None)
    theirs = next((row for row in rows if row.engine == peer and row.batch == peer_batch), None)
    if ours and theirs:
        times = getattr(ours, by) / getattr(theirs, by)
        console.print(
            f"feint at batch {batch:,} plays {times:,.1f} times the {by} a second of {peer} at batch {peer_batch:,}."
        )


def bluff(options: argparse.Namespace, console: Console) -> None:
    """The thesis' agents beside a plain Python program."""
    plain, decisions_a_game = plain_row(options.seconds)
    rows = [plain, *(feint_row("bluff", BLUFF, batch, options.seconds, decisions_a_game) for batch in options.batches)]
    show(f"Bluff: {', '.join(BLUFF)}; {decisions_a_game:.0f} decisions a game", rows, console)
    for batch in options.batches:
        ratio(rows, "plain Python", batch, 1, console)


def agents(options: argparse.Namespace, console: Console) -> None:
    """Agents whose answers cost more than the rules, in all four seats and beside three others; no peer has the game."""
    for agent in HEAVY:
        for table in ([agent] * 4, [agent, *BLUFF[:3]]):
            row = feint_row("bluff", table, AGENTS_BATCH, options.seconds, None)
            show(f"Bluff: {', '.join(table)} (moves, not decisions)", [row], console)


def small(options: argparse.Namespace, console: Console) -> None:
    """Random play of the games that peers have."""
    for name, peer in SMALL.items():
        rows = [feint_row(name, ["random", "random"], batch, options.seconds, None) for batch in options.batches]
        try:
            rows += [pgx_row(peer, batch, options.seconds) for batch in options.batches]
            rows += [openspiel_row("kuhn_poker", options.seconds)] if name == "kuhn" else []
        except ImportError as missing:
            console.print(f"Without {missing.name}: its rows are left out.")
        show(f"{name.title()} poker, random play", rows, console)
        for batch in options.batches:
            ratio(rows, "pgx", batch, batch, console, "decisions")
        ratio(rows, "OpenSpiel", 4096, 1, console, "decisions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=6.0, help="time for each figure")
    parser.add_argument("--batches", type=int, nargs="+", default=list(BATCHES))
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), help="which parts to measure")
    options = parser.parse_args()
    jax.config.update("jax_enable_compilation_cache", False)  # compiling is one of the figures
    console = Console(width=100)
    devices = ", ".join(sorted({device.device_kind for device in jax.devices()}))
    where = f"{len(jax.devices())} x {devices} ({platform.machine()}), jax {jax.__version__}, Python {platform.python_version()}"
    console.print(where)
    for part in options.only:
        {"bluff": bluff, "agents": agents, "small": small}[part](options, console)


if __name__ == "__main__":
    main()
