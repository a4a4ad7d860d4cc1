"""At how many sizes of tables an agent of Bidding is in equilibrium with itself: `python -m benchmarks.conventions zoo:bidding-3`.

Where all of its kind bid the same, everybody's lowest bids are known whatever one does oneself, and the best plan against them is exact:
nobody who takes a seat among them wins more than an even share if that plan does not.
"""

from __future__ import annotations

import argparse

from feint.games.bidding.game import AnyPurse
from feint.games.bidding.planning import Minima, best_plan, sample_minima
from feint.learn.tables import compiled_agent


def all_alike(minima: Minima) -> bool:
    """Whether everybody's bids were the same in every round of every game."""
    others = range(minima.lowest.shape[1], 0, -1)
    return bool((minima.tied == list(others)).all() and (minima.lowest == minima.lowest[0]).all())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", help="one that plays with any purse")
    parser.add_argument("--players", type=int, nargs="+", default=[*range(3, 11)])
    parser.add_argument("--most-coins", type=int, default=50)
    parser.add_argument("--games", type=int, default=64, help="at each size")
    chosen = parser.parse_args()
    agreed = even = 0
    for players in chosen.players:
        game = AnyPurse(players, chosen.most_coins)
        agent = compiled_agent(chosen.agent, game)
        for coins in range(1, chosen.most_coins + 1):
            minima = sample_minima(game, [agent], [0] * (players - 1), chosen.games, size=(players, coins))
            agreed += (alike := all_alike(minima))
            best = float(best_plan(minima, coins).value[0, coins])
            fair = alike and best < 1 / players + 1e-5  # single precision
            even += fair
            if not fair:
                said = f"the best plan wins {best:.1%}, an even share is {1 / players:.1%}"
                print(f"{players} players, {coins} coins: {'' if alike else 'bids differ; '}{said}", flush=True)
    sizes = len(chosen.players) * chosen.most_coins
    print(f"All bid the same at {agreed} of {sizes} sizes; at {even} the best plan against that wins an even share.")


if __name__ == "__main__":
    main()
