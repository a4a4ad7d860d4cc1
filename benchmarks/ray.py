"""Games of Bluff on a Ray cluster of two nodes on this machine, one of which is killed half-way: totals equal to one process's, byte for byte.

    python -m benchmarks.ray                    100,000 games
    python -m benchmarks.ray --games 10000000   ten million

Says how many games a second each way took, compiling included, and whether the two results are the same file.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.two_nodes import TwoNodes, two_nodes

MATCH = ["match", "bluff", "no-bluff", "smart", "reinforcement", "anxious"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    games = parser.parse_args().games
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _told("one process", games, _timed(_begun(folder, games, "here", dict(os.environ))))
        with two_nodes() as cluster:
            running = _begun(folder, games, "ray", cluster.env)
            began = time.perf_counter()
            killed_at = _kill_half_way(folder, games, cluster, running)
            _told(f"two nodes, one killed after {killed_at:,} games", games, _timed(running, began))
        ours, theirs = ((folder / f"{place}.json").read_bytes() for place in ("here", "ray"))
    print(f"{len(ours):,} bytes of totals: {'the same' if ours == theirs else 'they differ'}")
    raise SystemExit(ours != theirs)


def _begun(folder: Path, games: int, place: str, env: dict[str, str]) -> subprocess.Popen[bytes]:
    line = [
        sys.executable,
        "-m",
        "feint",
        *MATCH,
        "-n",
        str(games),
        "--on",
        place,
        "--save",
        str(folder / f"{place}.json"),
    ]
    told = {"FEINT_PROGRESS": str(folder / f"{place}.progress")}
    return subprocess.Popen(line, env=env | told, stdout=subprocess.DEVNULL)


def _kill_half_way(folder: Path, games: int, cluster: TwoNodes, running: subprocess.Popen[bytes]) -> int:
    """How many games had been played when the second node was killed."""
    while running.poll() is None:
        try:
            played = json.loads((folder / "ray.progress").read_text())["completed"]
        except (FileNotFoundError, ValueError):  # nothing has been played so far
            played = 0
        if played >= games // 2:
            cluster.kill(1)
            return played
        time.sleep(0.05)
    raise SystemExit("It was over before the node was killed: more games would do.")


def _timed(running: subprocess.Popen[bytes], began: float | None = None) -> float:
    began = time.perf_counter() if began is None else began
    if running.wait():
        raise SystemExit(f"It ended with {running.returncode}.")
    return time.perf_counter() - began


def _told(what: str, games: int, seconds: float) -> None:
    print(f"{what}: {games:,} games in {seconds:.1f} s, {games / seconds:,.0f} a second", flush=True)


if __name__ == "__main__":
    main()
