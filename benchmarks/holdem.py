"""Hold'em: evaluations of seven-card hands and decisions of random play a second, beside others in the same run.

    python -m benchmarks.holdem                                        on all cores
    taskset -c 0 python -m benchmarks.holdem --only evaluations        on one core
    python -m benchmarks.holdem --hands 67108864 --tables 65536 --players 3       on an accelerator

Evaluations are measured three ways. *Given*: cards lie in memory, seven bytes a hand. *Drawn*: hands are dealt at random where they are
evaluated, and only what they add up to is kept. *Boards*: all 1,326 pairs of cards with each of so many random boards, as showdowns are enumerated.
Peers are called hand by hand, as their Python bindings have it; those that are not installed are left out.
"""

from __future__ import annotations

import argparse
import platform
import random
from collections.abc import Callable
from itertools import combinations

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from benchmarks.throughput import feint_row, openspiel_row, ratio, show, timed
from feint import chance
from feint.games.holdem import cards, definition
from feint.games.holdem.evaluator import evaluate, strength
from feint.games.holdem.game import Holdem

PEER_HANDS = 20_000


def drawn(key: chance.Key, hands: int, size: int = 7) -> jax.Array:
    """Random hands, int32[size, hands], as `chance.sample` has them, but card by card: where they are used at once, nothing is kept of them."""
    bits = jax.random.bits(key, (size, hands)) >> 8
    places = [(bits[nth] * jnp.uint32(cards.CARDS - nth) >> 24).astype(jnp.int32) for nth in range(size)]
    for nth in reversed(range(size - 1)):
        for later in range(nth + 1, size):
            places[later] += places[later] >= places[nth]
    return jnp.stack(places)


def evaluations(hands: int) -> dict[str, tuple[Callable[[], object], int]]:
    """What is measured, and how many hands it evaluates."""
    key = chance.key(0)
    given = jax.jit(lambda: drawn(key, hands).astype(jnp.int8))()
    pairs = cards.masks(jnp.asarray(list(combinations(range(cards.CARDS), 2))).T)
    boards = max(1, hands // pairs.shape[1])

    # What the hands add up to, as floats: whole numbers would overflow.
    @jax.jit
    def of_given(given: jax.Array) -> jax.Array:
        return evaluate(given).sum(dtype=jnp.float32)

    @jax.jit
    def of_drawn(key: chance.Key) -> jax.Array:
        return evaluate(drawn(key, hands)).sum(dtype=jnp.float32)

    @jax.jit
    def of_boards(key: chance.Key) -> jax.Array:
        board = cards.masks(drawn(key, boards, 5))
        # Pairs that are on the board add nothing to it, and are not told apart here.
        return strength(board[:, :, None] | pairs[:, None, :]).sum(dtype=jnp.float32)

    return {
        "given": (lambda: jax.block_until_ready(of_given(given)), hands),
        "drawn": (lambda: jax.block_until_ready(of_drawn(key)), hands),
        "boards": (lambda: jax.block_until_ready(of_boards(key)), boards * pairs.shape[1]),
    }


def peers(console: Console) -> dict[str, Callable[[], object]]:
    """The same number of hands by others."""
    deck = random.Random(0)
    hands = [deck.sample(range(52), 7) for _ in range(PEER_HANDS)]
    found: dict[str, Callable[[], object]] = {}
    try:
        from phevaluator import evaluate_cards

        found["phevaluator"] = lambda: [evaluate_cards(*hand) for hand in hands]
    except ImportError:
        console.print("Without phevaluator: it is left out.")
    try:
        import eval7

        theirs = [[eval7.Card(cards.written([card])) for card in hand] for hand in hands]
        found["eval7"] = lambda: [eval7.evaluate(hand) for hand in theirs]
    except ImportError:
        console.print("Without eval7: it is left out.")
    return found


def compare_evaluations(options: argparse.Namespace, console: Console) -> None:
    for hands in options.hands:
        for name, (run, count) in evaluations(hands).items():
            run()  # compiled
            console.print(
                f"feint, {name}, {count:,} hands at once: {count / timed(run, options.seconds) / 1e6:,.1f} M/s"
            )
    for name, run in peers(console).items():
        console.print(f"{name}: {PEER_HANDS / timed(run, options.seconds) / 1e6:,.2f} M/s")


def compare_play(options: argparse.Namespace, console: Console) -> None:
    for players in options.players:
        rules = Holdem(players=players)
        agents = ["random"] * players
        rows = [feint_row("holdem", agents, batch, options.seconds, None, players=players) for batch in options.tables]
        lines = [line.replace(" = ", "=") for line in definition.written(rules).splitlines()[2:-1]]
        try:
            if players <= 4:  # OpenSpiel loads no limit games of more
                rows.append(openspiel_row(f"universal_poker(betting=limit,{','.join(lines)})", options.seconds))
        except ImportError:
            console.print("Without OpenSpiel: it is left out.")
        show(f"Limit Hold'em, {players} random players", rows, console)
        for batch in options.tables:
            ratio(rows, "OpenSpiel", batch, 1, console, "decisions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each figure")
    parser.add_argument("--hands", type=int, nargs="+", default=[2**20], help="hands evaluated at once")
    parser.add_argument("--tables", type=int, nargs="+", default=[4096], help="tables of random play at once")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--only", choices=("evaluations", "play"), nargs="+", default=["evaluations", "play"])
    options = parser.parse_args()
    jax.config.update("jax_enable_compilation_cache", False)  # compiling is one of the figures
    console = Console(width=100)
    device = jax.devices()[0].device_kind
    console.print(
        f"{len(jax.devices())} x {device} ({platform.machine()}), jax {jax.__version__}, numpy {np.__version__}"
    )
    for part in options.only:
        {"evaluations": compare_evaluations, "play": compare_play}[part](options, console)


if __name__ == "__main__":
    main()
