"""Search over the settings of a parametric agent, judged by the games it plays.

All candidates of a generation play the same deals, so that luck does not decide between them; the next generation has others. Agents are
pytrees: a whole generation is one compiled call. What a search found is measured on deals that it never saw.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import Field, asdict, dataclass, fields, replace
from math import inf, log
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from feint.agent import Agent, is_compiled
from feint.arena import statistics
from feint.arena.match import LANES, match
from feint.arena.result import Result
from feint.arena.seatings import WAYS
from feint.arena.statistics import Test
from feint.arena.totals import By
from feint.errors import UserError
from feint.evolve.judging import CANDIDATE, Judge
from feint.evolve.methods import METHODS, Floats, Method
from feint.files import write_whole
from feint.game import Game
from feint.options import checked
from feint.reading import content, is_sealed, parsed, refused, seal
from feint.registry import make_agent

FORMAT = "feint search 3"
UNSEALED = "feint search 2"  # the form before, which is still read
SEAL = "seal"  # the entry of a file that stands for all others
SEATS = WAYS | {"given": lambda agents: [(*agents[1:], agents[0])]}  # the agent searched sits last
WIDE = 100.0  # a positive range whose ends are so many times apart is searched by orders of magnitude
MOST = 2**31 - 1  # which 32 bits can number
LARGEST = 1e30  # fitness that is believed


@dataclass(frozen=True)
class Parameter:
    """One setting to search, from `low` to `high`; a wide range of positive numbers by orders of magnitude."""

    name: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if not -inf < self.low < self.high < inf:
            raise UserError(
                f"{self.name} is searched from a lower to a higher number, not from {self.low:g} to {self.high:g}."
            )

    @property
    def logarithmic(self) -> bool:
        return self.low > 0 and self.high / self.low >= WIDE

    def value(self, place: Floats) -> Floats:
        """The settings at places from 0 to 1 in the range."""
        if self.logarithmic:
            return self.low * (self.high / self.low) ** place
        return self.low + (self.high - self.low) * place

    def place(self, value: float) -> float:
        """Where a setting lies in the range; outside, at its nearer end."""
        inside = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log(inside / self.low) / log(self.high / self.low)
        return (inside - self.low) / (self.high - self.low)


def parameters(agent: Agent, chosen: Sequence[str | Parameter] = ()) -> tuple[Parameter, ...]:
    """What to search of an agent: those chosen, by name or with a range, else every setting that is a number with a fraction.

    A setting from 0 to 1 is searched there, as a chance is; any other from 0 to ten times as much.
    """
    name = type(agent).__name__
    known = {
        each.name: each
        for each in fields(agent)  # type: ignore[arg-type]
        if not each.metadata.get("static") and isinstance(getattr(agent, each.name), float)
    }
    named = [each if isinstance(each, Parameter) else each.strip() for each in chosen] or list(known)
    asked = [each.name if isinstance(each, Parameter) else each for each in named]
    if unknown := [each for each in asked if each not in known]:
        raise UserError(f"{name} has no setting {unknown[0]!r} to search; it has: {', '.join(known) or 'none'}.")
    if len(set(asked)) < len(asked):
        raise UserError(f"A setting is searched once, and of {', '.join(asked)} one is named twice.")
    if not named:
        raise UserError(f"{name} has no setting that is a number with a fraction: nothing to search.")
    found = [each if isinstance(each, Parameter) else _usual(known[each], getattr(agent, each)) for each in named]
    for each in found:
        if "least" in known[each.name].metadata:  # an agent's own class may say nothing of what its numbers may be
            checked(name, known[each.name], each.low), checked(name, known[each.name], each.high)
    return tuple(found)


def _usual(setting: Field[Any], value: float) -> Parameter:
    ends = (0.0, 1.0) if 0 <= value <= 1 else (min(0.0, 10 * value), max(0.0, 10 * value))
    least, most = setting.metadata.get("least"), setting.metadata.get("most")
    low, high = max(ends[0], least if least is not None else -inf), min(ends[1], most if most is not None else inf)
    return Parameter(setting.name, float(low), float(high))


@dataclass(frozen=True)
class Table:
    """The others that the agent plays with, and how much its fitness there counts."""

    others: tuple[str | Agent, ...]
    weight: float = 1.0


@dataclass(frozen=True)
class Settings:
    """How a search goes about it."""

    method: str = "cma"  # or cem
    generations: int = 40
    population: int = 32  # candidates in a generation
    deals: int = 128  # that each of them plays at every seating of every table
    seats: str = "rotations"  # every seat in turn; all: every order; given: the others as named, the agent last
    by: By | None = None  # what fitness is the mean of; the game's measure unless told
    spread: float = 0.2  # of the first generation, as a share of each range
    length: int = 1  # games in a row through which agents keep their memory
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("method", list(METHODS)), ("seats", list(SEATS)), ("by", ["payoff", "wins", None])):
            if getattr(self, name) not in known:
                raise UserError(
                    f"--{name} must be one of {', '.join(filter(None, known))}, not {getattr(self, name)!r}."
                )
        for name, least in (("generations", 1), ("population", 4), ("deals", 1), ("length", 1), ("seed", 0)):
            if not least <= getattr(self, name) <= MOST:
                raise UserError(f"--{name} must be a whole number from {least} to {MOST}, not {getattr(self, name)}.")
        if self.generations * self.deals > MOST:
            raise UserError(
                f"--generations times --deals is at most {MOST}: {self.generations} times {self.deals} is more."
            )
        if not 0 < self.spread <= 1:
            raise UserError(f"--spread must be a share of each range, above 0 and at most 1, not {self.spread:g}.")
        if self.deals % self.length:
            raise UserError(f"--deals must be a multiple of --length, not {self.deals} for {self.length}.")


@dataclass(frozen=True)
class Progress:
    """A generation: the fitness of its candidates."""

    best: float
    mean: float


class Search:
    """One search. `run` it for some generations; `save` and `restore` it between any two."""

    def __init__(
        self,
        game: Game[Any, Any],
        agent: Agent | str,
        tables: Sequence[Table],
        chosen: Sequence[str | Parameter] = (),
        settings: Settings | None = None,
    ) -> None:
        self.game, self.tables, self.settings = game, tuple(tables), settings or Settings()
        self.by: By = self.settings.by or game.measure
        self.start = _playing(agent, game)
        self.parameters = parameters(self.start, chosen)
        if not self.tables or not all(table.weight > 0 for table in self.tables):
            raise UserError("A search needs a table to play at, and every table a weight above 0.")
        self.seatings = SEATS[self.settings.seats](range(game.players))
        self.judge = Judge(
            game,
            self.start,
            [_seated(game, table) for table in self.tables],
            self.seatings,
            tuple(each.name for each in self.parameters),
            self.by,
            self.settings.seed,
            self.settings.deals // self.settings.length,
            self.settings.length,
            LANES.get(jax.default_backend(), LANES["gpu"]),
        )
        self.fitnesses: list[Floats] = []  # the fitness of every candidate, generation by generation
        self.method = self._begun()

    def _begun(self) -> Method:
        settings = self.settings
        return METHODS[settings.method](self._places(self.start), settings.spread, settings.population)

    def _places(self, agent: Agent) -> Floats:
        return np.array([each.place(float(getattr(agent, each.name))) for each in self.parameters])

    def values(self, points: Floats) -> NDArray[np.float32]:
        """Points of the cube as settings, [..., parameters]."""
        return np.stack([each.value(points[..., i]) for i, each in enumerate(self.parameters)], -1).astype(np.float32)

    @property
    def found(self) -> dict[str, float]:
        """The settings in the middle of the distribution: less lucky than the best candidate, and as a rule better."""
        values = self.values(np.clip(self.method.centre, 0, 1))
        return {each.name: float(f"{value:.4g}") for each, value in zip(self.parameters, values, strict=True)}

    @property
    def agent(self) -> Agent:
        """The agent with these settings."""
        return replace(self.start, **self.found)  # type: ignore[type-var]

    def run(self, told: Callable[[Progress], None] | None = None) -> None:
        """Go on to the last generation; `told` hears of each."""
        while len(self.fitnesses) < self.settings.generations:
            self.step()
            if told:
                told(self.history[-1])

    @property
    def history(self) -> list[Progress]:
        """How it went, generation by generation."""
        return [Progress(float(fitness.max()), float(fitness.mean())) for fitness in self.fitnesses]

    def step(self) -> None:
        """One generation more."""
        points = self._drawn()
        self._learn(points, self.fitness(points, first=len(self.fitnesses) * self.settings.deals))

    def _drawn(self) -> Floats:
        return self.method.ask(np.random.default_rng([self.settings.seed, len(self.fitnesses)]))

    def _learn(self, points: Floats, fitness: Floats) -> None:
        self.method.tell(points, fitness)
        self.fitnesses.append(fitness)

    def fitness(self, points: Floats, first: int) -> Floats:
        """The weighted mean of every candidate's payoff or wins over all tables and seatings, [candidates]."""
        scores = self.judge.scores(self.values(points), first)
        weights = np.array([table.weight for table in self.tables])
        return np.average(scores, axis=0, weights=weights)

    def measure(self, games: int, level: float = statistics.LEVEL) -> list[tuple[Result, Test]]:
        """For each table: what was found, on fresh deals, and how much more it wins or is paid, whichever was searched for, than the
        agent the search began with."""
        measured = []
        for table in self.tables:
            found, before = (self._match(agent, table, games, level) for agent in (self.agent, self.start))
            ones, others = found.deal_scores(self.by), before.deal_scores(self.by)
            assert ones is not None
            assert others is not None
            measured.append((found, statistics.paired(ones[:, CANDIDATE], others[:, CANDIDATE], level)))
        return measured

    def _match(self, agent: Agent, table: Table, games: int, level: float) -> Result:
        return match(
            self.game,
            [agent, *table.others],
            self.seatings,
            games,
            # The search has other seeds' deals: none of those by which it chose.
            seed=(self.settings.seed + 1) % 2**31,
            duplicate=True,
            length=self.settings.length,
            level=level,
        )

    # ---- in a file

    def described(self) -> dict[str, Any]:
        """What the search is of; a saved one goes on only where all of this is the same."""
        rest = {name: value for name, value in asdict(self.settings).items() if name != "generations"} | {"by": self.by}
        start = {each.name: getattr(self.start, each.name) for each in fields(self.start)}  # type: ignore[arg-type]
        return json.loads(
            json.dumps(
                {
                    "game": str(self.game),
                    "agent": type(self.start).__name__,
                    "start": {name: value for name, value in start.items() if isinstance(value, (int, float, str))},
                    "tables": [[table.weight, *map(str, table.others)] for table in self.tables],
                    "parameters": [asdict(each) for each in self.parameters],
                    "settings": rest,
                }
            )
        )

    def save(self, path: Path) -> None:
        """What was found so far as JSON, and how candidates did, from which all else follows: a search goes on by drawing them again."""
        fitnesses = [fitness.tolist() for fitness in self.fitnesses]
        data = {"format": FORMAT, "of": self.described(), "found": self.found, "judged": fitnesses}
        write_whole(path, json.dumps(data | {SEAL: seal(data)}, indent=1) + "\n", "The search")

    def restore(self, path: Path) -> None:
        """Go on from a saved search of the same game, agent, tables and settings."""
        with refused(f"{path} is not a search that feint saved, or it is damaged; another file would do."):
            data = parsed(content(path))
            if data["format"] != UNSEALED and (data["format"] != FORMAT or not is_sealed(data, SEAL)):
                raise ValueError(SEAL)
            judged = np.array(data["judged"], float).reshape(-1, self.settings.population)
            differs = [name for name, value in self.described().items() if data["of"][name] != value]
            if np.abs(judged).max(initial=0) > LARGEST:
                raise ValueError("judged")
        if differs:
            raise UserError(
                f"{path} is a search with other {' and '.join(differs)}: --fresh begins anew, --out names another file."
            )
        self.method, self.fitnesses = self._begun(), []
        for fitness in judged:
            self._learn(self._drawn(), fitness)


def _playing(agent: Agent | str, game: Game[Any, Any]) -> Agent:
    made = make_agent(agent, game) if isinstance(agent, str) else agent
    if not is_compiled(made):
        raise UserError(f"{agent} is a plain Python agent: it can sit at a table (feint play), but not in the arena.")
    return made  # type: ignore[return-value]


def _seated(game: Game[Any, Any], table: Table) -> tuple[Agent, ...]:
    if len(table.others) != game.players - 1:
        raise UserError(
            f"{game.name} is played by {game.players} here: a table names {game.players - 1} others, not {len(table.others)}."
        )
    return tuple(_playing(other, game) for other in table.others)
