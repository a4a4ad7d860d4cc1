"""What thinking wins, and what it takes: a match in all rotations of seats, timed apart from compiling.

    python -m benchmarks.think kuhn 'think(random, worlds=64)' random --games 2000
    python -m benchmarks.think okey 'racing(zoo:okey-1, worlds=128)' greedy greedy greedy --games 4000 --tables 512 --limit 400 --save race.json

`--tables` are those in play at the least: a GPU wants hundreds, on which the result does not depend. At the limit, in seconds from the
start, whatever has been played is shown and saved. `--wait` also measures how long a single table waits for the first agent's first move.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import feint
from feint import chance
from feint.arena import match as arena
from feint.arena.result import Result
from feint.arena.seatings import WAYS
from feint.game import Game


def waited(game: Game, spec: str, times: int = 5) -> float:
    """Seconds for the first move of a game at a single table, once compiled; the median."""
    agent: Any = feint.make_agent(spec, game)

    @jax.jit
    def first_move(game: Game, agent: Any, key: chance.Key) -> Any:
        state = game.init(key)
        seat = state.current_player
        memory = agent.begin(game, seat, key)
        return agent.act(memory, game.observe(state, seat), state.legal_action_mask, key)[0]

    took = []
    for number in range(times + 1):
        start = time.perf_counter()
        jax.block_until_ready(first_move(game, agent, chance.key(number)))
        took.append(time.perf_counter() - start)
    return float(np.median(took[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agents", nargs="+")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, help="seconds")
    parser.add_argument("--save", help="a JSON file for the result")
    parser.add_argument("--wait", action="store_true")
    chosen = parser.parse_args()
    began = time.perf_counter()
    game = feint.make(chosen.game, players=len(chosen.agents))
    arena.FEWEST, arena.PER_TABLE = chosen.tables, 1
    given: dict[str, Any] = {
        "seatings": WAYS["rotations"](range(len(chosen.agents))),
        "duplicate": game.measure == "payoff",
    }
    so_far: list[Callable[[], Result | None]] = []

    def show(result: Result | None, compiled: float) -> None:
        played = time.perf_counter() - began - compiled
        told = f"{result.played / played:,.2f} games a second" if result else "no portion of games was finished"
        print(f"compiled in {compiled:.1f} s, played for {played:.1f} s: {told}; {jax.devices()[0].device_kind}")
        print(result or "", flush=True)
        if result and chosen.save:
            result.save(chosen.save)

    compiled = 0.0

    def stop() -> None:
        show(so_far[0]() if so_far else None, compiled)
        os._exit(0)  # compiled code cannot be interrupted

    if chosen.limit:
        clock = threading.Timer(chosen.limit, stop)
        clock.daemon = True
        clock.start()
    feint.match(game, chosen.agents, games=len(given["seatings"]), seed=chosen.seed, **given)
    compiled = time.perf_counter() - began
    show(
        feint.match(
            game, chosen.agents, games=chosen.games, seed=chosen.seed, level=0.99, begun=so_far.append, **given
        ),
        compiled,
    )
    if chosen.wait:
        print(f"a first move at a single table: {waited(game, chosen.agents[0]):.3f} s")


if __name__ == "__main__":
    main()
