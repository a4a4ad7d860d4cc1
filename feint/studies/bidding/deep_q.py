"""Figure 4, and the 22% of ten players with fifty coins: deep Q-learning with the paper's network, several seeds of each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from feint import chance
from feint.agent import Agent
from feint.arena import rollout
from feint.chance import Key
from feint.games.bidding.bidders import Drifting, Mixed, Uniform
from feint.games.bidding.game import Bidding
from feint.games.bidding.three_players import Oracle
from feint.games.bidding.value_iteration import planned
from feint.learn.algorithm import begun, updated
from feint.learn.dqn import DQN
from feint.learn.networks import NetworkAgent
from feint.learn.tables import LEARNER, Tables
from feint.studies.bidding.published import DEEP_Q, LENGTH, SCENARIOS
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

CONCENTRATIONS = (1.0, 0.1)
LEARNED, HALF, ORACLE = "deep Q-learning", "always m/2", "oracle"
SEEDS, SEEDS_OF_TEN = 10, 5
NETWORK = "128-256"  # and an output for each bid: Table I
# 10,000 rollouts: a game has one decision of three players, and a forced one for whoever survives it.
SHORT = DQN(
    hidden_sizes=NETWORK,
    total_timesteps=17_000,
    num_envs=16,
    num_steps=4,
    exploration_fraction=1.0,
    buffer_size=4096,
    learning_starts=256,
    batch_size=64,
    gradient_steps=1,
    target_network_frequency=10,
    final_learning_rate=1e-4,
)
LONG = DQN(
    hidden_sizes=NETWORK,
    total_timesteps=2_000_000,
    num_envs=256,
    num_steps=4,
    max_opponent_moves=20,
    exploration_fraction=0.2,
    buffer_size=2**16,
    target_network_frequency=10,
    final_learning_rate=2e-5,
)
GAME = Bidding(players=10, coins=50)


def deep_q(settings: Settings, tell: Tell) -> Section:
    """Three players in the four scenarios, ten players against random bids."""
    games = LENGTH if settings.games >= 100 * LENGTH else max(50, settings.games // 100)
    todo = [(concentration, scenario) for concentration in CONCENTRATIONS for scenario in SCENARIOS]
    won = {}
    for number, case in enumerate(todo):
        won[case] = three_players(*SCENARIOS[case[1]], case[0], games, settings.seed)
        tell(0.3 * (number + 1) / len(todo))
    long = replace(LONG, total_timesteps=min(LONG.total_timesteps, 20 * settings.games))
    ten = []
    for seed in range(SEEDS_OF_TEN):
        ten.append(ten_players(long, settings.seed * SEEDS_OF_TEN + seed, settings.games))
        tell(0.3 + 0.7 * (seed + 1) / SEEDS_OF_TEN)
    tables = [
        Table(
            f"Opponents from Dirichlet({concentration:g}): games won, %, the median of {SEEDS} seeds",
            ("", *SCENARIOS),
            tuple(
                Row(name, tuple(_quartiles(won[concentration, scenario][name]) for scenario in SCENARIOS))
                for name in (LEARNED, HALF, ORACLE)
            ),
            f"With the quartiles of the seeds. Each has opponents of its own, 10,000 games of training and {games:,} games to count.",
        )
        for concentration in CONCENTRATIONS
    ]
    rates = 100 * np.array(ten)
    cell = Cell(DEEP_Q, float(rates.mean()), float(rates.min()), float(rates.max()), unit="%")
    return Section(
        "Deep Q-learning",
        (
            Text(
                "The paper's network, 128, 256 and an output for each bid; random bids from 95% of the time down to 5%; replay and a target network. "
                "Bids that cannot be paid are masked where a bid is chosen and where the next one is valued. Opponents that change are met in "
                "training as often as they come up, each game with others. Every opponent of Figure 4 has a mixed strategy that does not look "
                "at its coins, so the oracle's answer is one bid; what is there to learn is which."
            ),
            *tables,
            Table(
                "Ten players with fifty coins, against any bid: games won, %",
                ("", "deep Q-learning", *(f"seed {seed}" for seed in range(SEEDS_OF_TEN))),
                (Row("", (cell, *(Cell(None, float(rate), unit="%") for rate in rates))),),
                f"The mean, least and most of {SEEDS_OF_TEN} seeds, each trained on {long.total_timesteps:,} decisions and tried in {settings.games:,} games.",
            ),
            _verdict_of_three(won),
            Verdict(
                "differs" if rates.min() > DEEP_Q else "holds",
                f"The paper's {DEEP_Q:g}% of ten players beside the same network here: {rates.mean():.1f}% ({rates.min():.1f} to {rates.max():.1f}) against "
                f"random bids after {long.total_timesteps:,} decisions. Value iteration expects {100 * _planned():.1f}% of its best plan there.",
            ),
        ),
    )


def three_players(coins: int, change: float, concentration: float, games: int, seed: int) -> dict[str, np.ndarray]:
    """Percent won with each seed, float64[seeds], by deep Q-learning and by those to compare it with, against the same opponents."""
    game = Bidding(3, coins)
    worlds = seed * 100_003 % 2**30 + jnp.arange(SEEDS)
    # Who changes is met as a new one in each game of training; who does not, as itself.
    met = jnp.where(change > 0, -1, worlds)
    learned = _trained(SHORT, game, jnp.float32(concentration), met, jax.random.split(chance.key(seed), SEEDS))
    constant = Mixed(jnp.where(jnp.arange(coins + 1) == coins // 2, 0.0, -jnp.inf))
    won = {}
    for name, player in {LEARNED: learned, HALF: constant, ORACLE: Oracle()}.items():
        seated = Partial(_seated, player, worlds, jnp.float32(concentration), jnp.float32(change))
        played, _ = rollout.play(game, seated, [0, 1, 1], seed=seed, first=0, matches=SEEDS, length=games, lanes=SEEDS)
        won[name] = 100 * np.asarray(played.winners)[..., 0].mean(axis=1)
    return won


@partial(jax.jit, static_argnames=("algorithm", "game"))
def _trained(algorithm: DQN, game: Bidding, concentration: Array, worlds: Array, keys: Key) -> Any:
    """An agent for each world, trained in the first seat; stacked."""

    def one(world: Array, key: Key) -> Any:
        opponent: Any = Drifting(concentration, 0.0, world)  # type: ignore[arg-type]
        tables = Tables((opponent,), jnp.array([[LEARNER, 1, 1]]), game, "given")
        learner = algorithm.begin(tables, key)
        learner, _ = jax.lax.scan(
            lambda learner, _: (algorithm.update(tables, learner)[0], None), learner, None, algorithm.updates
        )
        return algorithm.agent(tables, learner)

    # One after another: networks with weights of their own, side by side, are slow on a CPU.
    return jax.lax.map(lambda each: one(*each), (worlds, keys))


def _seated(player: Any, worlds: Array, concentration: Array, change: Array, match: Array) -> list[Agent]:
    """Who plays a match: trained agents each in the world they know, the oracle in its own."""
    field: Any = (concentration, change, worlds[match])
    if isinstance(player, NetworkAgent):
        player = jax.tree.map(lambda leaf: leaf[match], player)
    return [Oracle(*field) if isinstance(player, Oracle) else player, Drifting(*field)]


def ten_players(algorithm: DQN, seed: int, games: int) -> float:
    """The share won against nine who make any bid, in the first seat; seats do not matter to them."""
    tables = Tables((Uniform(),), jnp.array([[LEARNER, *[1] * 9]]), GAME)
    learner = begun(algorithm, tables, chance.key(seed))
    for _ in range(algorithm.updates):
        learner, _ = updated(algorithm, tables, learner)
    agents: list[Any] = [algorithm.agent(tables, learner), Uniform()]
    played, _ = rollout.play(GAME, agents, [0, *[1] * 9], seed=seed, first=0, matches=games, lanes=min(games, 1024))
    return float(np.asarray(played.winners)[..., 0].mean())


def _planned() -> float:
    """What value iteration expects to win against nine who make any bid."""
    return float(planned(GAME.players, GAME.coins, "uniform", 20_000, 0).value[0, GAME.coins])


def _quartiles(rates: np.ndarray) -> Cell:
    low, median, high = (float(each) for each in np.percentile(rates, [25, 50, 75]))
    return Cell(None, median, low, high)


def _verdict_of_three(won: dict[tuple[float, str], dict[str, np.ndarray]]) -> Verdict:
    def median(concentration: float, scenario: str, name: str) -> float:
        return float(np.median(won[concentration, scenario][name]))

    wide = [median(1.0, scenario, LEARNED) for scenario in SCENARIOS]
    hard = "10 coins, static"
    return Verdict(
        "holds" if all(abs(rate - 50) < 5 for rate in wide) else "differs",
        f"Deep Q-learning wins about as much as OptimAgent, “roughly 50%” ({min(wide):.0f} to {max(wide):.0f}%), and so does a constant bid. Where "
        f"there is something to learn (Dirichlet(0.1), 10 coins, static) it wins {median(0.1, hard, LEARNED):.0f}%, always m/2 "
        f"{median(0.1, hard, HALF):.0f}% and the oracle {median(0.1, hard, ORACLE):.0f}%.",
    )
