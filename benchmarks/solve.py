"""How fast feint solves Kuhn and Leduc poker, beside both CFR+ of OpenSpiel measured in the same run: its C++ one and its JAX one.

    python benchmarks/solve.py            # ten minutes; the peers' time to the target dominates
    python benchmarks/solve.py --quick    # each peer is stopped after ten seconds at each game

The first table has the time to a target, the second the rate alone at larger trees. Factors are those over the faster peer of each game. On
a machine without OpenSpiel, feint's rows alone are printed, and without chex those beside its C++ solver. Every time is wall
time, one process; exploitability is NashConv / players, the target is what OpenSpiel's C++ CFR+ reaches at Leduc within a
minute. OpenSpiel's JAX solver works in single precision, as it comes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from multiprocessing import TimeoutError, get_context
from typing import Any

import jax

import feint
from feint.solvers.best_response import exploit
from feint.solvers.cfr import ALGORITHMS, Solver
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tree import build

TARGET = 3.9e-5
GROWTH = 1.05  # exploitability is looked at again after so many times the iterations
LONGEST = 300.0  # seconds given to each of OpenSpiel's solvers
RATED = 10.0  # seconds in which iterations are counted
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
    iterations: int | None  # to reach the target; None where it was not reached in time
    seconds: float  # of these iterations, or of all that were made
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


def cpp_peer(game: Any) -> Any:
    import pyspiel

    return pyspiel.CFRPlusSolver(game)


def jax_peer(game: Any) -> Any:
    from open_spiel.python.jax.cfr.jax_cfr import JaxCFR

    solver = JaxCFR(game)
    solver.evaluate_and_update_policy()  # compiles
    return solver


def peers() -> dict[str, Callable[[Any], Any]]:
    """Those of OpenSpiel's solvers that can be had here, by name."""
    found = {}
    if find_spec("pyspiel"):
        found["OpenSpiel C++ cfr+"] = cpp_peer
        if find_spec("chex"):
            found["OpenSpiel JAX cfr+"] = jax_peer
    return found


def exploitability(game: Any, solver: Any) -> float:
    import pyspiel
    from open_spiel.python.policy import python_policy_to_pyspiel_policy

    average = solver.average_policy()
    return pyspiel.exploitability(
        game, average if isinstance(average, pyspiel.Policy) else python_policy_to_pyspiel_policy(average)
    )


def peer_row(label: str, peer: str, name: str, longest: float) -> Row:
    import pyspiel

    start = time.perf_counter()
    game = pyspiel.load_game(name)
    solver = peers()[peer](game)
    prepared = time.perf_counter() - start
    seconds, done, look = 0.0, 0, 1
    while seconds < longest:
        start = time.perf_counter()
        while done < look:
            solver.evaluate_and_update_policy()
            done += 1
        seconds += time.perf_counter() - start
        if exploitability(game, solver) <= TARGET:
            return Row(label, peer, done / seconds, done, seconds, prepared)
        look = ceil(look * GROWTH) + 1
    return Row(label, peer, done / seconds, None, seconds, prepared)


def strongest(rows: list[Row]) -> Row | None:
    """The one that is first at the target; where none came there, the one with the most iterations a second."""
    return min(
        rows, key=lambda row: (row.iterations is None, row.seconds if row.iterations else -row.rate), default=None
    )


def show(row: Row, peer: Row | None) -> None:
    """One line, with how many times faster it is than a peer: at least so many, where that never came to the target."""
    factors = ["", "", ""]
    if peer and row is not peer and row.solver.startswith("feint"):
        least = "" if peer.iterations else "> "
        factors = [f"{row.rate / peer.rate:,.1f}"]
        factors += [
            f"{least}{theirs / ours:,.1f}" for theirs, ours in ((peer.seconds, row.seconds), (peer.total, row.total))
        ]
    seconds = f"{'' if row.iterations else '> '}{row.seconds:.3f}"
    total = f"{'' if row.iterations else '> '}{row.total:.2f}"
    print(
        f"{row.game:<20} {row.solver:<20} {row.rate:>12,.0f} {factors[0]:>7} {row.iterations or 'never':>10} "
        f"{seconds:>10} {factors[1]:>9} {total:>11} {factors[2]:>9}",
        flush=True,
    )


def rate_in_time(peer: str, name: str) -> float | None:
    """Iterations a second of a peer, in a process that is given up where it is not ready in time."""
    with get_context("spawn").Pool(1) as process:
        try:
            return process.apply_async(peer_rate, (peer, name)).get(LONGEST)
        except TimeoutError:
            return None


def peer_rate(peer: str, name: str) -> float:
    import pyspiel

    solver = peers()[peer](pyspiel.load_game(name))
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < RATED:
        solver.evaluate_and_update_policy()
        done += 1
    return done / (time.perf_counter() - start)


def rates(label: str, name: str, options: dict[str, Any], theirs: str) -> None:
    """Iterations a second of CFR+ at one larger game, printed."""
    form = SequenceForm.of(build(feint.make(name, **options)))
    solver = Solver(form, ALGORITHMS["cfr+"])
    solver.run(1)
    start = time.perf_counter()
    solver.run(1000)
    ours = 1000 / (time.perf_counter() - start)
    print(f"{label:<22} {len(form.tree.parent):>9,} {len(form.tree.infosets):>9,} {ours:>9,.0f}", end="", flush=True)
    found = [rate_in_time(peer, theirs) for peer in peers()]
    print("".join(f" {f'{rate:,.2f}' if rate else 'not ready':>18}" for rate in found), end="")
    print(f" {ours / max(rate for rate in found if rate):>8,.0f}" if any(found) else "", flush=True)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--quick", action="store_true", help="stop each peer after ten seconds, whatever it has reached")
    longest = RATED if given.parse_args().quick else LONGEST
    device = jax.devices()[0]
    print(
        f"feint {feint.__version__}, jax {jax.__version__} on {device.device_kind} ({device.platform}), target {TARGET:g}"
    )
    print("" if peers() else "OpenSpiel is not installed here: feint's rows alone.")
    head = f"{'game':<20} {'solver':<20} {'iterations/s':>12} {'× peer':>7} {'to target':>10} {'seconds':>10} {'× faster':>9} {'with start':>11} {'× faster':>9}"
    print(head, "-" * len(head), sep="\n")
    for label, (name, options, theirs) in GAMES.items():
        beside = [peer_row(label, peer, theirs, longest) for peer in peers()]
        ours = [feint_row(label, name, options, algorithm) for algorithm in ("cfr+", "dcfr", "pcfr+")]
        for row in [*beside, *ours]:
            show(row, strongest(beside))
    columns = "".join(f" {peer.removesuffix(' cfr+') + '/s':>18}" for peer in peers())
    print(f"\n{'CFR+ at larger trees':<22} {'nodes':>9} {'sets':>9} {'feint/s':>9}{columns} {'× peer':>8}")
    for label, (name, options, theirs) in LARGER.items():
        rates(label, name, options, theirs)


if __name__ == "__main__":
    sys.exit(main())
