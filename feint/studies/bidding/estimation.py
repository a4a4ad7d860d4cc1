"""Figure 2: what OptimAgent comes to believe of its opponents."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from feint.agent import Agent
from feint.arena import rollout
from feint.games.bidding.bidders import mixed
from feint.games.bidding.game import Bidding
from feint.games.bidding.three_players import Optim, utilities
from feint.studies.bidding import published
from feint.studies.bidding.cells import mean_cell
from feint.studies.figures import draw
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TRUE = np.array([(0.20, 0.55, 0.25), published.THIRD])  # P2 as it may have been meant
KINDS = {"equal shares, as in the paper": Optim(), "shares by what is believed": Optim(expected=True)}
EVERY = 20  # games between two points


def figure_2(settings: Settings, tell: Tell) -> Section:
    """Trajectories of one run, and where estimates end on average."""
    games, runs = published.ESTIMATED, max(2, settings.games // 1000)
    beliefs = {}
    for number, (name, agent) in enumerate(KINDS.items()):
        beliefs[name] = trajectories(agent, runs, games, settings.seed)
        tell((number + 1) / len(KINDS))

    def figure(axes: Any) -> None:
        for row, (name, seen) in zip(axes, beliefs.items(), strict=True):
            for player, panel in enumerate(row):
                for bid in range(3):
                    at = np.arange(EVERY, games + 1, EVERY)
                    line = panel.plot(at, seen[0, at - 1, player, bid], label=f"bid {bid}")[0]
                    panel.axhline(TRUE[player, bid], color=line.get_color(), linestyle="--", linewidth=1)
                panel.set_title(f"P{player + 2}, {name}", fontsize=10)
                panel.set_ylim(0, 0.8)
        axes[0][0].legend(ncols=3, fontsize=9)
        for panel in axes[-1]:
            panel.set_xlabel("games")

    rows = [Row("truth", tuple(Cell.exact(None, float(chance)) for chance in TRUE.ravel()))]
    rows += [
        Row(name, tuple(mean_cell(seen[:, -1].reshape(runs, -1)[:, each], places=2) for each in range(6)))
        for name, seen in beliefs.items()
    ]
    biases = [float(np.abs(seen[:, -1].mean(axis=0) - TRUE).max()) for seen in beliefs.values()]
    best = [
        int(np.argmax(np.asarray(utilities(jax.numpy.asarray(each)))))
        for each in (TRUE, beliefs[next(iter(KINDS))][:, -1].mean(0))
    ]
    same = "the same" if best[0] == best[1] else "another"
    return Section(
        "Figure 2: estimating the opponents",
        (
            Text(
                "OptimAgent moves its belief of each opponent's bids by 0.01 towards what it can tell of them after each game; where it "
                "cannot tell, every bid that is possible gets an equal share. The remedy is to share by what is believed so far, which "
                "is expectation-maximisation."
            ),
            Table(
                f"Beliefs after {games} games, means of {runs} runs",
                ("", *(f"P{player} bids {bid}" for player in (2, 3) for bid in range(3))),
                tuple(rows),
                "With 99% intervals of the means.",
            ),
            draw(figure, "Figure 2: beliefs of one run every 20 games; dashed, the truth", (8, 5.4), (2, 2)),
            Verdict(
                "partly",
                f"The beliefs settle within 500 games, but beside the truth: equal shares are off by up to {biases[0]:.2f} for good, shares by "
                f"belief by {biases[1]:.2f}. Here the best bid against the belief is {same}, so nothing is lost.",
            ),
        ),
    )


def trajectories(agent: Optim, runs: int, games: int, seed: int) -> np.ndarray:
    """What is believed after each game, float32[runs, games, opponent, bid]."""
    agents: list[Agent] = [agent, *(mixed(list(map(float, strategy))) for strategy in TRUE)]
    played, _ = rollout.play(
        Bidding(3, 2), agents, [0, 1, 2], seed=seed, first=0, matches=runs, length=games, watch=_beliefs, lanes=runs
    )
    return np.asarray(played.seen)


def _beliefs(memories: tuple[Any, ...]) -> Any:
    return memories[0][0]
