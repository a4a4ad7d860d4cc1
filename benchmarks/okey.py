"""The hand solver of Okey and whole games by those who ask it: distances and games a second.

python -m benchmarks.okey --batches 4096 65536 --games 4096
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import feint
from feint import chance
from feint.games.okey.tiles import FACES, HAND

PEER = 226_000  # distances a second of a solver in Numba, on one Neoverse-N1 core; nobody else has one to run beside


def racks(count: int, seed: int = 0) -> jax.Array:
    """Racks of 14 tiles at random, none a joker, int8[count, 4, 13]."""

    def one(key: jax.Array) -> jax.Array:
        place = chance.shuffle(key, 2 * FACES)
        return (place < HAND).reshape(FACES, 2).sum(axis=1, dtype=jnp.int8).reshape(4, 13)

    return jax.jit(jax.vmap(one))(jax.random.split(chance.key(seed), count))


def timed(run: Callable[[], Any], seconds: float) -> float:
    """Seconds of one run, the shortest of those that fit."""
    jax.block_until_ready(run())
    best, end = np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        jax.block_until_ready(run())
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, nargs="*", default=[4096])
    parser.add_argument("--games", type=int, default=0, help="games of four greedy players")
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    game = feint.make("okey")
    away = jax.jit(lambda game, faces: jax.vmap(game.solver.melds_away, (0, None))(faces, jnp.int8(0)))
    device = jax.devices()[0]
    print(f"{device.device_kind}, {jax.device_count()} device, JAX {jax.__version__}")
    for batch in args.batches:
        faces = racks(batch)
        start = time.perf_counter()
        compiled = away.lower(game, faces).compile()
        compiling = time.perf_counter() - start
        rate = batch / timed(lambda: compiled(game, faces), args.seconds)  # noqa: B023
        print(
            f"distances, {batch} at once: {rate:,.0f} a second, {rate / PEER:.2f} times Numba's on a core; compiled in {compiling:.1f} s"
        )
    if args.games:
        for _ in range(2):  # the second time compiled
            start = time.perf_counter()
            feint.match(game, ["greedy"] * 4, games=args.games)
            took = time.perf_counter() - start
        print(f"four greedy players: {args.games / took:,.1f} games a second ({args.games} in {took:.1f} s)")


if __name__ == "__main__":
    main()
