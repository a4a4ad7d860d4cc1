"""Decisions a second that `feint dataset` plays and writes, by the clock and by what it computes.

    python -m benchmarks.datasets              Bluff and Leduc
    python -m benchmarks.datasets --games 20000

The first data set of each game, which compiles, is not counted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import feint
from feint.dataset import make

TABLES = {"bluff": ["no-bluff", "smart", "reinforcement", "anxious"], "leduc": ["random", "random"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    games = parser.parse_args().games
    for name, agents in TABLES.items():
        game = feint.make(name)
        with tempfile.TemporaryDirectory() as folder:
            make(game, agents, 1000, Path(folder) / "first")
            written: list[int] = []
            began, computed = time.perf_counter(), time.process_time()
            dataset = make(
                game, agents, games, Path(folder) / "data", seed=1, progress=lambda _, more, to=written: to.append(more)
            )
            clock, computed = time.perf_counter() - began, time.process_time() - computed
            size = sum(path.stat().st_size for path in dataset.folder.iterdir())
        print(
            f"{name}: {sum(written):,} decisions in {clock:.1f} s, {sum(written) / clock:,.0f} a second; {computed / sum(written) * 1e6:.1f} us of "
            f"computing and {size / sum(written):.1f} bytes for each",
            flush=True,
        )


if __name__ == "__main__":
    main()
