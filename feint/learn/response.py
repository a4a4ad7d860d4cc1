"""Trained best responses: what can be won from an agent at least, in games too large to solve.

A learner takes one seat and the agent has all others. Whatever the learner comes to win there is won by a policy that exists, so it is
a lower bound of what a best response wins. Several seeds are trained; the best of them is chosen by evaluations, and then measured by
other games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from feint.arena.match import match
from feint.arena.statistics import Interval
from feint.chance import MOST_SEED
from feint.errors import UserError
from feint.game import Game
from feint.learn.evaluate import LEVEL, Examiner, Score
from feint.learn.experiment import Experiment
from feint.learn.exploiters import WARMUP, learning
from feint.learn.networks import NetworkAgent
from feint.learn.policy_file import PolicyFile
from feint.learn.tables import ME, compiled_agent
from feint.learn.train import BEST, RUN, Run

LOOKS = 5  # evaluations of a run
CHOSEN_BY = 2000  # games of an evaluation, by which the best policy of a run is chosen, and then the best of all runs
MOST_FIRST = 10**8  # the seed of the first run: seeds far above it are for choosing and measuring


def experiment(
    game: Game[Any, Any],
    agent: str,
    steps: int,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    length: int = 1,
) -> Experiment:
    """The training of a response to an agent, in matches of so many games; settings, of `ppo`, are those of `learning` unless given."""
    algorithm = learning(game, steps, {**_beginning(game, agent), **(settings or {})})
    table = (agent,) * (game.players - 1)
    return Experiment(game, algorithm, (table,), length=length, seed=seed, evaluations=LOOKS, games=CHOSEN_BY).checked()


def _beginning(game: Game[Any, Any], agent: str) -> dict[str, Any]:
    """A response begins as the agent itself: with its network where it has one, else by imitating it. In games that random play never
    wins there would be nothing to learn from otherwise."""
    if isinstance(compiled_agent(agent, game), NetworkAgent):
        return {"start": agent, **WARMUP}
    return {"teacher": agent, "teacher_fraction": 0.1}


@dataclass(frozen=True)
class Response:
    """The best of several responses to an agent, and what it makes of fresh games in all orders of seats."""

    game: Game[Any, Any]
    agent: str
    seed: int  # of the response
    score: Score
    share: Interval  # what a game pays the agent itself at a table of its own, on average of the seats

    @property
    def gain(self) -> Interval:
        """How much more a game pays the response than it would pay the agent in its place: a lower bound of exploitability."""
        paid, share = self.score.payoff, self.share
        return Interval(paid.estimate - share.estimate, paid.low - share.high, paid.high - share.low)

    def as_dict(self) -> dict[str, Any]:
        gain = [self.gain.estimate, self.gain.low, self.gain.high]
        return {"agent": self.agent, "seed": self.seed, **self.score.as_dict(), "gain": gain, "level": LEVEL}


def best_of(runs: Sequence[Run], games: int, seed: int) -> Response:
    """The best response of all runs, chosen by some games and measured by others, of which no run has seen any."""
    game, (table,), length = runs[0].experiment.game, runs[0].experiment.tables, runs[0].experiment.length
    agents = [PolicyFile.load(run.folder / BEST).agent_for(game) for run in runs]
    choosing, measuring = MOST_SEED - 2 * seed, MOST_SEED - 2 * seed - 1
    seated = (*table, ME)
    choose = Examiner(game, (), CHOSEN_BY, choosing, length=length)
    chosen = [choose.score(agent, seated).told.estimate for agent in agents]
    best = chosen.index(max(chosen))
    score = Examiner(game, (), games, measuring, length=length).score(agents[best], seated)
    share = _share(game, table[0], games, measuring, length)
    return Response(game, table[0], runs[best].experiment.seed, score, share)


def _share(game: Game[Any, Any], agent: str, games: int, seed: int, length: int) -> Interval:
    """What a game pays the agent where it has every seat: known where payoffs always add up to the same."""
    if game.payoff_sum is not None:
        return Interval(*[game.payoff_sum / game.players] * 3)
    return match(game, [agent], [[0] * game.players], games, seed, length=length, level=LEVEL).payoff(0)


def begun(experiment: Experiment, folder: Path) -> Run:
    """The run of an experiment in its folder, which may hold a part of it already."""
    if not (folder / RUN).exists():
        return Run.start(experiment, folder)
    run = Run.resume(folder)
    if run.experiment != experiment:
        raise UserError(f"{folder} holds a run of other settings: --fresh begins anew, --out names another place.")
    return run
