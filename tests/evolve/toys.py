"""Games whose answers are known exactly."""

from dataclasses import dataclass

import numpy as np

from feint.evolve import metagame
from tests.arena.made import result, seated, winners_of


@dataclass(frozen=True)
class Table:
    """As much of a game as populations ask for."""

    players: int


def contest(strength, noise=None):
    """A game won in proportion to strength: exact expectations, or sampled where there is noise."""

    def play(_, agents, seatings, games, seed):
        games //= len(seatings)
        power = np.array([float(strength[agent]) for agent in agents])[np.array(seatings)]
        chances = power / power.sum(axis=1, keepdims=True)
        rng = np.random.default_rng([seed, noise or 0])
        wins = rng.multinomial(games, chances) if noise is not None else np.round(games * chances).astype(int)
        parts = [
            seated(seating, winners_of(won, max(games - won.sum(), 0)), seed=seed)
            for seating, won in zip(seatings, wins, strict=True)
        ]
        return result(agents, parts, game="contest")

    return play


def random_meta(strategies, seats, seed=0, games=100_000):
    """A meta-game with arbitrary rates, draws included."""
    rng = np.random.default_rng(seed)
    tables = metagame.compositions(strategies, seats)
    rates = rng.random((len(tables), strategies)) * (tables > 0)
    rates *= rng.uniform(0.6, 1, len(tables))[:, None] / rates.sum(axis=1, keepdims=True)
    names = tuple("abcdefgh"[:strategies])
    wins = np.floor(games * rates).astype(np.int64)
    return metagame.MetaGame(names, tables, np.full(len(tables), games), wins)
