"""How fast feint solves Kuhn and Leduc poker, beside OpenSpiel's C++ CFR+ measured in the same run.

    python benchmarks/solve.py            # a minute or two; OpenSpiel's time to the target dominates
    python benchmarks/solve.py --quick    # OpenSpiel is stopped after ten seconds at each game

The first table has the time to a target, the second the rate alone at larger trees. On a machine without OpenSpiel, feint's rows alone are printed. Every time is wall time, one process; exploitability is NashConv / players,
the target is what OpenSpiel's CFR+ reaches at Leduc within a minute.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from math import ceil
from typing import Any

import jax

import feint
from feint.solve.best_response import exploit
from feint.solve.cfr import ALGORITHMS, Solver
from feint.solve.sequence_form import SequenceForm
from feint.solve.tree import build

TARGET = 3.9e-5
GROWTH = 1.05  # exploitability is looked at again after so many times the iterations
LONGEST = 300.0  # seconds given to OpenSpiel
GAMES = {
    "kuhn": ("kuhn", {}, "kuhn_poker"),
    "leduc": ("leduc", {"suits": True}, "leduc_poker"),
    "leduc, suits alike": ("leduc", {}, "leduc_poker(suit_isomorphism=True)"),
}
LARGER = {
    "liar's dice, 6 sides": ("liars-dice", {}, "liars_dice"),
    "leduc, 3 players": ("leduc", {"players": 3}, "leduc_poker(players=3,suit_isomorphism=True)"),
}


@dataclass
class Row:
    game: str
    solver: str
    rate: float  # iterations a second, once compiled
    iterations: int  # to reach the target
    seconds: float  # to reach the target: of iterations alone
    prepared: float  # before the first iteration: building the tree, compiling

    @property
    def total(self) -> float:
        return self.prepared + self.seconds


def feint_row(label: str, name: str, options: dict[str, Any], algorithm: str) -> Row:
    start = time.perf_counter()
    form = SequenceForm.of(build(feint.make(name, **options)))
    solver = Solver(form, ALGORITHMS[algorithm])
    solver.run(0)
    prepared = time.perf_counter() - start
    seconds = 0.0
    while exploit(form, solver.average()).exploitability > TARGET:
        more = ceil(solver.iterations * GROWTH) + 1 - solver.iterations
        start = time.perf_counter()
        solver.run(more)
        seconds += time.perf_counter() - start
    reached = solver.iterations
    start = time.perf_counter()
    many = max(2000, reached)
    solver.run(many)
    return Row(label, f"feint {algorithm}", many / (time.perf_counter() - start), reached, seconds, prepared)


def openspiel_row(label: str, name: str, quick: bool) -> Row:
    import pyspiel

    start = time.perf_counter()
    game = pyspiel.load_game(name)
    solver = pyspiel.CFRPlusSolver(game)
    prepared = time.perf_counter() - start
    seconds, done, look = 0.0, 0, 1
    while seconds < (10 if quick else LONGEST):
        start = time.perf_counter()
        while done < look:
            solver.evaluate_and_update_policy()
            done += 1
        seconds += time.perf_counter() - start
        if pyspiel.exploitability(game, solver.average_policy()) <= TARGET:
            return Row(label, "OpenSpiel C++ cfr+", done / seconds, done, seconds, prepared)
        look = ceil(look * GROWTH) + 1
    return Row(label, "OpenSpiel C++ cfr+", done / seconds, 0, float("inf"), prepared)


def rates(label: str, name: str, options: dict[str, Any], theirs: str, beside: bool) -> None:
    """Iterations a second of CFR+ at one larger game, printed."""
    form = SequenceForm.of(build(feint.make(name, **options)))
    solver = Solver(form, ALGORITHMS["cfr+"])
    solver.run(1)
    start = time.perf_counter()
    solver.run(1000)
    ours = 1000 / (time.perf_counter() - start)
    print(f"{label:<22} {len(form.tree.parent):>9,} {len(form.tree.infosets):>9,} {ours:>9,.0f}", end="")
    if beside:
        import pyspiel

        peer = pyspiel.CFRPlusSolver(pyspiel.load_game(theirs))
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < 10:
            peer.evaluate_and_update_policy()
            done += 1
        rate = done / (time.perf_counter() - start)
        print(f" {rate:>10,.2f} {ours / rate:>8,.0f}", end="")
    print(flush=True)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--quick", action="store_true", help="stop OpenSpiel after ten seconds, whatever it has reached")
    quick = given.parse_args().quick
    try:
        import pyspiel  # noqa: F401

        beside = True
    except ImportError:
        beside = False
    device = jax.devices()[0]
    print(
        f"feint {feint.__version__}, jax {jax.__version__} on {device.device_kind} ({device.platform}), target {TARGET:g}"
    )
    print("OpenSpiel is not installed here: feint's rows alone." if not beside else "")
    head = f"{'game':<20} {'solver':<20} {'iterations/s':>12} {'× peer':>7} {'to target':>10} {'seconds':>9} {'× faster':>9} {'with start':>11} {'× faster':>9}"
    print(head, "-" * len(head), sep="\n")
    for label, (name, options, theirs) in GAMES.items():
        peer = openspiel_row(label, theirs, quick) if beside else None
        rows = [feint_row(label, name, options, algorithm) for algorithm in ("cfr+", "dcfr", "pcfr+")]
        for row in [peer, *rows] if peer else rows:
            ratios = [row.rate / peer.rate, peer.seconds / row.seconds, peer.total / row.total] if peer else [None] * 3
            rate, time_only, whole = (f"{ratio:,.1f}" if ratio and row is not peer else "" for ratio in ratios)
            print(
                f"{row.game:<20} {row.solver:<20} {row.rate:>12,.0f} {rate:>7} {row.iterations or '-':>10} "
                f"{row.seconds:>9.3f} {time_only:>9} {row.total:>11.2f} {whole:>9}",
                flush=True,
            )
    print(f"\n{'CFR+ at larger trees':<22} {'nodes':>9} {'sets':>9} {'feint/s':>9} {'OpenSpiel/s':>10} {'× peer':>8}")
    for label, (name, options, theirs) in LARGER.items():
        rates(label, name, options, theirs, beside)


if __name__ == "__main__":
    sys.exit(main())
