"""Training steps a second of the whole loop, simulation and learning, for Bluff with PPO: `python -m benchmarks.learn`.

A step is one decision of the learner, with the moves of the others until its next. Compiling is timed apart.
"""

from __future__ import annotations

import argparse
import time

import jax

import feint
from feint import chance
from feint.learn.ppo import PPO
from feint.learn.tables import Tables, make_tables

TABLES = {
    "self-play": [("me",) * 4],
    "no-bluff, smart, reinforcement": [("no-bluff", "smart", "reinforcement")],
}


def measure(tables: Tables, algorithm: PPO, seconds: float) -> tuple[float, float]:
    """Seconds to compile, and steps a second after that."""
    learner = jax.jit(algorithm.begin)(tables, chance.key(0))
    start = time.perf_counter()
    update = jax.jit(algorithm.update, donate_argnums=1).lower(tables, learner).compile()
    compiled = time.perf_counter() - start
    learner, _ = jax.block_until_ready(update(tables, learner))
    start, updates = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        learner, _ = jax.block_until_ready(update(tables, learner))
        updates += 1
    return compiled, updates * algorithm.per_update / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-envs", type=int, nargs="+", default=[256])
    parser.add_argument("--num-steps", type=int, default=32)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--bfloat16", action="store_true")
    parser.add_argument("--seconds", type=float, default=10.0)
    chosen = parser.parse_args()
    game = feint.make("bluff")
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}, PPO of width {chosen.width}")
    print("| table | num_envs | compile s | steps/s |\n|---|---:|---:|---:|")
    for name, table in TABLES.items():
        for envs in chosen.num_envs:
            algorithm = PPO(num_envs=envs, num_steps=chosen.num_steps, width=chosen.width, bfloat16=chosen.bfloat16)
            compiled, rate = measure(make_tables(game, table), algorithm, chosen.seconds)
            print(f"| {name} | {envs:,} | {compiled:.1f} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
