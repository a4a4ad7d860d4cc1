"""How good a learner is by now: against named opponents, with intervals, and exactly where the game is small enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from feint import plain
from feint.agent import Agent
from feint.arena.match import match
from feint.arena.seatings import WAYS
from feint.arena.statistics import Interval
from feint.arena.totals import By
from feint.errors import UserError
from feint.game import Game, Unit
from feint.learn.forecasts import Forecast, forecast
from feint.learn.tables import ME
from feint.solvers.best_response import exploit
from feint.solvers.sequence_form import SequenceForm
from feint.solvers.tabular import policy_of
from feint.solvers.tree import build
from feint.specs import split_specs

EXACT_UP_TO = 300_000  # positions of a game's tree
LEVEL = 0.99
MOST_ORDERED = 4  # players whose every order is played: orders of more are too many to play each a few times


@dataclass(frozen=True)
class Score:
    """What a learner made of one table."""

    table: tuple[str, ...]
    games: int
    wins: Interval
    payoff: Interval
    measure: By = "wins"  # what the game is measured by
    unit: Unit = Unit()  # in which payoffs are told

    @property
    def told(self) -> Interval:
        """What the game is measured by, as it is told: the percentage of games won, or the payoff in its unit."""
        return self.wins.scaled(100) if self.measure == "wins" else self.payoff.scaled(self.unit.scale)

    def as_dict(self) -> dict[str, Any]:
        rates = {name: [each.estimate, each.low, each.high] for name, each in vars(self).items() if name in RATES}
        how = {"measure": self.measure, "unit": asdict(self.unit)}
        return {"table": ",".join(self.table), "games": self.games, **rates, **how}

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Score:
        rates = {name: dict(zip(("estimate", "low", "high"), kept[name], strict=True)) for name in RATES}
        return plain.read(cls, kept | rates | {"table": split_specs(kept["table"])})  # older runs do not say how


RATES = ("wins", "payoff")


@dataclass(frozen=True)
class Evaluation:
    """What is known of a learner at one moment."""

    scores: tuple[Score, ...] = ()
    exploitability: float | None = None  # the mean gain of a best response, over the seats
    forecasts: tuple[Forecast, ...] = ()  # of a model of players

    @property
    def known(self) -> bool:
        """Whether anything is known: before the first update, nothing is of a large game."""
        return bool(self.scores) or bool(self.forecasts) or self.exploitability is not None

    def as_dict(self) -> dict[str, Any]:
        told = {"exploitability": self.exploitability, "scores": [score.as_dict() for score in self.scores]}
        return told | ({"forecasts": [each.as_dict() for each in self.forecasts]} if self.forecasts else {})

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Evaluation:
        scores = [Score.from_dict(score) for score in kept["scores"]]
        forecasts = [Forecast.from_dict(each) for each in kept.get("forecasts", [])]
        return plain.read(cls, kept | {"scores": scores, "forecasts": forecasts})


@dataclass(frozen=True)
class Examiner:
    """Plays a learner's agent at tables where it has one seat, in all orders it trains in (of more than four players, in every rotation), so many games a table."""

    game: Game[Any, Any]
    tables: Sequence[Sequence[str]]
    games: int = 1000
    seed: int = 0
    seats: str = "all"
    length: int = 1  # games in a row that the same people play
    watches: bool = False  # whether the learner only looks on

    @cached_property
    def form(self) -> SequenceForm | None:
        """The game's tree, where it is small enough."""
        try:
            return SequenceForm.of(build(self.game, EXACT_UP_TO))
        except UserError:
            return None

    def examine(self, agent: Any) -> Evaluation:
        if self.watches:
            how = (self.games, self.seed, self.seats, self.length)
            return Evaluation(forecasts=tuple(forecast(agent, self.game, table, *how) for table in self.tables))
        scores = tuple(self.score(agent, tuple(table)) for table in self.tables)
        return Evaluation(scores, self.exploitability(agent))

    def exploitability(self, agent: Agent) -> float | None:
        """The mean gain of a best response to the agent in all other seats; None where the game is too large to tell."""
        if self.watches or not self.form:
            return None
        return exploit(self.form, policy_of(self.form, agent)).exploitability

    def score(self, agent: Any, table: tuple[str, ...]) -> Score:
        """What an agent, in the seat of the learner, makes of one table."""
        others = list(dict.fromkeys(spec for spec in table if spec != ME))
        seating = [0 if spec == ME else 1 + others.index(spec) for spec in table]
        seatings = WAYS["rotations" if self.seats == "all" and len(seating) > MOST_ORDERED else self.seats](seating)
        result = match(self.game, [agent, *others], seatings, self.games, self.seed, length=self.length, level=LEVEL)
        return Score(table, result.played, result.win_rate(0), result.payoff(0), result.measure, result.unit)


@dataclass(frozen=True)
class Examiners:
    """Examiners of tables of several sizes, at which one network plays."""

    each: tuple[Examiner, ...]

    def examine(self, agent: Any) -> Evaluation:
        """All that they find; the exploitability is their mean."""
        seated = [(one, replace(agent, game=one.game)) for one in self.each]
        scores = tuple(one.score(agent, tuple(table)) for one, agent in seated for table in one.tables)
        return Evaluation(scores, self.exploitability(agent))

    def exploitability(self, agent: Any) -> float | None:
        """The mean over all sizes; None where it is not known of all."""
        found = [one.exploitability(replace(agent, game=one.game)) for one in self.each]
        known = [each for each in found if each is not None]
        return sum(known) / len(known) if len(known) == len(found) else None
