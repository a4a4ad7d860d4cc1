"""Figures 3 to 5: every agent of three players in the four scenarios, against opponents spread wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.tree_util import Partial

from feint.agent import Agent
from feint.arena import rollout
from feint.games.bidding.adaptive import Adaptive
from feint.games.bidding.bidders import Drifting, Mixed
from feint.games.bidding.game import Bidding
from feint.games.bidding.three_players import Optim, Oracle
from feint.games.bidding.value_iteration import MaximumLikelihood, planned, settled
from feint.studies.bidding.published import LENGTH, SCENARIOS
from feint.studies.figures import draw
from feint.studies.report import Block, Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

CONCENTRATIONS, CHANGES = (1.0, 0.1), (0.0, 0.02)
HALF, OPTIM, MODEL, ORACLE = "always m/2", "OptimAgent", "value iteration", "oracle"
TRAINING = 10  # runs that value iteration's model is from

# What plays with so many coins in runs of so many games. A learned agent joins every table and figure by a line here.
AGENTS: dict[str, Callable[[int, int], Agent]] = {
    "any bid": lambda coins, _: Mixed(jnp.zeros(coins + 1)),
    HALF: lambda coins, _: Mixed(jnp.where(jnp.arange(coins + 1) == coins // 2, 0.0, -jnp.inf)),
    OPTIM: lambda *_: Optim(),
    "OptimAgent, shares by belief": lambda *_: Optim(expected=True),
    MODEL: lambda _, length: MaximumLikelihood(TRAINING * length),
    "adaptive": lambda *_: Adaptive(),
    ORACLE: lambda *_: Oracle(),
}


def figures_3_to_5(settings: Settings, tell: Tell) -> Section:
    """Win rates of all agents in all scenarios, as box plots and tables."""
    runs = max(4, settings.games // LENGTH)
    todo = [(coins, name) for coins in (2, 10) for name in AGENTS]
    won = {}
    for number, (coins, name) in enumerate(todo):
        won[coins, name] = play(coins, name, runs, LENGTH, settings.seed)
        tell((number + 1) / len(todo))
    rates = {
        (concentration, scenario, name): won[coins, name][row, CHANGES.index(change)]
        for row, concentration in enumerate(CONCENTRATIONS)
        for scenario, (coins, change) in SCENARIOS.items()
        for name in AGENTS
    }
    blocks: list[Block] = []
    for concentration in CONCENTRATIONS:
        rows = [
            Row(name, tuple(_quartiles(rates[concentration, scenario, name]) for scenario in SCENARIOS))
            for name in AGENTS
        ]
        title = f"Opponents from Dirichlet({concentration:g}): games won, %, the median of {runs} runs"
        note = f"With the quartiles of the runs of {LENGTH:,} games. All agents meet the same opponents, value iteration those of the games after its training."
        blocks += [
            Table(title, ("", *SCENARIOS), tuple(rows), note),
            draw(
                partial(_boxes, rates, concentration),
                f"As Figures 3 to 5, for opponents from Dirichlet({concentration:g}): games won in each of {runs} runs",
                (9, 6.4),
                (2, 2),
            ),
        ]
    return Section(
        "Figures 3 to 5: three players",
        (
            Text(
                "Two opponents, each with a mixed strategy of its own; the agent plays 1,000 games against them in a run. The oracle "
                "knows both strategies in every game and gives the best answer: nobody can do better on average. Value iteration is "
                "the paper's, from 10,000 games of random bids against the opponents of its run before these begin. "
                f"{_constant()}"
            ),
            *blocks,
            *_verdicts(rates),
        ),
    )


def play(coins: int, name: str, runs: int, length: int, seed: int) -> np.ndarray:
    """Percent won in each run, float64[concentrations, static or changing, runs]."""
    agent = AGENTS[name](coins, length)
    before = TRAINING * length if isinstance(agent, MaximumLikelihood) else 0
    played, _ = rollout.play(
        Bidding(3, coins),
        Partial(_agents, agent, jnp.int32(seed * 100_003 % 2**30)),
        [0, 1, 1],
        seed=seed,
        first=0,
        matches=4 * runs,
        length=before + length,
        lanes=4 * runs,
    )
    return 100 * np.asarray(played.winners)[:, before:, 0].mean(axis=1).reshape(runs, 2, 2).transpose(1, 2, 0)


def _agents(agent: Agent, worlds: Array, match: Array) -> list[Agent]:
    """An agent and its opponents: four matches to a run, with each concentration, static and changing."""
    concentration = jnp.asarray(CONCENTRATIONS)[match // 2 % 2]
    field: Any = (concentration, jnp.asarray(CHANGES)[match % 2], worlds + match)
    return [Oracle(*field) if isinstance(agent, Oracle) else agent, Drifting(*field)]


def _quartiles(rates: np.ndarray) -> Cell:
    low, median, high = (float(each) for each in np.percentile(rates, [25, 50, 75]))
    return Cell(None, median, low, high)


def _boxes(rates: dict[tuple[float, str, str], np.ndarray], concentration: float, axes: Any) -> None:
    for panel, scenario in zip(axes.flat, SCENARIOS, strict=True):
        boxes = panel.boxplot(
            [rates[concentration, scenario, name] for name in reversed(AGENTS)],
            orientation="horizontal",
            widths=0.6,
            patch_artist=True,
            flierprops={"markersize": 3, "markeredgecolor": "#8a8f98"},
            medianprops={"color": "#d0524f", "linewidth": 1.6},
        )
        for part in (*boxes["whiskers"], *boxes["caps"]):
            part.set_color("#8a8f98")
        for box in boxes["boxes"]:
            box.set(facecolor="#3f86d155", edgecolor="#3f86d1")
        panel.set_yticks(range(1, len(AGENTS) + 1), list(reversed(AGENTS)), fontsize=9)
        panel.grid(visible=True, axis="x")
        panel.grid(visible=False, axis="y")
        panel.set_title(scenario, fontsize=11)
    for panel in axes[-1]:
        panel.set_xlabel("games won, %")
    for row in axes:
        row[1].set_yticklabels([])


def _constant() -> str:
    """Which agents that are planned before a match bid m/2."""
    bids = {coins: {planned(3, coins, "uniform", 20_000, 0).schedule()[0], settled(3, coins)[0]} for coins in (2, 10)}
    if all(found == {coins // 2} for coins, found in bids.items()):
        return "feint's plan against random bids and its equilibrium both come to “always m/2” here and have no row of their own."
    told = " and ".join(f"{', '.join(map(str, sorted(found)))} of {coins}" for coins, found in bids.items())
    return f"feint's plan against random bids and its equilibrium are constant bids too: {told} coins."


def _verdicts(rates: dict[tuple[float, str, str], np.ndarray]) -> tuple[Verdict, ...]:
    def median(concentration: float, scenario: str, name: str) -> float:
        return float(np.median(rates[concentration, scenario, name]))

    def span(name: str) -> str:
        found = [median(1.0, scenario, name) for scenario in SCENARIOS]
        return f"{min(found):.0f} to {max(found):.0f}%"

    spread = {scenario: float(np.ptp(np.percentile(rates[1.0, scenario, OPTIM], [25, 75]))) for scenario in SCENARIOS}
    widest = max(spread, key=lambda scenario: spread[scenario])
    hard = "10 coins, changing"
    told = ", ".join(f"{name} {median(0.1, hard, name):.0f}" for name in (HALF, OPTIM, MODEL, "adaptive", ORACLE))
    return (
        Verdict(
            "holds" if all(abs(median(1.0, scenario, OPTIM) - 50) < 5 for scenario in SCENARIOS) else "differs",
            f"OptimAgent wins “roughly 50%” in each scenario ({span(OPTIM)}), value iteration too ({span(MODEL)}), and “2 coins, static” "
            f"varies most{'' if widest == '2 coins, static' else ' in the paper, not here'}.",
        ),
        Verdict(
            "partly",
            f"That shows no learning: always bidding m/2 wins {span(HALF)}, and even the oracle only {span(ORACLE)}. Against narrow "
            f"strategies that change (Dirichlet(0.1), 10 coins) agents do differ: {told}%.",
        ),
    )
