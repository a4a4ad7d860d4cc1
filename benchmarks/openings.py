"""What a first bid of Bidding is worth beside each kind of bidder: `python -m benchmarks.openings`.

Nobody knows in the first round who the others are, so one opening has to do for all of them. After it, the best schedule of bids is looked for
that is known against each kind, as if it were known who they are: value iteration, then coins moved between rounds while that wins more.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from feint.games.bidding.game import Bidding
from feint.games.bidding.planning import Minima, best_plan, sample_minima
from feint.registry import make_agent


def after(minima: Minima, opening: int, coins: int) -> float:
    """The chance to win with an opening, by the best schedule found for the rounds after it."""
    survived = minima.survives(np.full(minima.lowest.shape[1], opening))[:, 0]
    chance = float(survived @ minima.weight)
    if not chance:
        return 0.0
    rest = replace(
        minima, lowest=minima.lowest[:, 1:], tied=minima.tied[:, 1:], weight=survived * minima.weight / chance
    )
    return chance * float(best_plan(rest, coins - opening).value[0, -1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=10)
    parser.add_argument("--coins", type=int, default=50)
    parser.add_argument("--others", nargs="+", default=["uniform", "composition", "share", "split"])
    parser.add_argument("--openings", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20])
    parser.add_argument("--games", type=int, default=20_000, help="that are sampled of each kind")
    chosen = parser.parse_args()
    game = Bidding(chosen.players, chosen.coins)
    seats = [0] * (chosen.players - 1)
    fields = [sample_minima(game, [make_agent(name, game)], seats, chosen.games) for name in chosen.others]
    print(f"| first bid | {' | '.join(chosen.others)} |\n|---|{'---|' * len(fields)}")
    for opening in chosen.openings:
        wins = [100 * after(minima, opening, chosen.coins) for minima in fields]
        print(f"| {opening} | {' | '.join(f'{each:.1f}' for each in wins)} |", flush=True)


if __name__ == "__main__":
    main()
