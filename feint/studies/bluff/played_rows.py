"""Games of the study: rows of agents by name, under the clean rules and as the thesis' program ran; each is played once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from feint import registry
from feint.agent import Agent
from feint.arena import rollout
from feint.chance import Key
from feint.game import pytree
from feint.games.bluff import agents
from feint.games.bluff.counter import Counter
from feint.games.bluff.game import Bluff
from feint.games.bluff.view import View
from feint.studies.bluff import as_run
from feint.studies.bluff.as_run import AsRun
from feint.studies.run import Settings, Tell

LANES = 512  # tables at once: few, so that the longest games do not keep many others waiting
Row = tuple[str, ...]  # the agent in each seat
Counts = NDArray[np.int64]


@pytree
class Trusting(agents.Smart):
    """Plays as smart and never calls."""

    def calls(self, view: Any, key: Key) -> Array:
        return jnp.bool_(False)


@pytree
class PayingBack(agents.NoBluff):
    """Tit-for-tat at a table of two: as each is asked about every play, what it has to pay back is in the log."""

    def calls(self, view: Any, key: Key) -> Array:
        return view.log.caller[1] == view.player


@pytree
class OneCardCounter(Counter):
    """Counter that lies with one card at a time."""

    def cards(self, view: View, key: Key) -> Array:
        return jnp.where(view.true_cards > 0, agents.all_true(view), agents.latest_cards(view, 1))


@cache
def trained(name: str) -> Agent:
    """An agent of the zoo, read once."""
    return registry.make_agent(name, Bluff())  # type: ignore[return-value]


STUDY_AGENTS: dict[str, Callable[[], Agent]] = {
    "trusting": Trusting,
    "paying-back": PayingBack,
    "one-card counter": OneCardCounter,
    "zoo:bluff-dqn": lambda: trained("zoo:bluff-dqn"),
    "zoo:bluff-12": lambda: trained("zoo:bluff-12"),
}
PROGRAM_AGENTS: dict[str, Callable[[], Agent]] = {
    "no-bluff": agents.NoBluff,
    "smart": as_run.Smart,
    "reinforcement": as_run.Learner,
    "anxious": as_run.Anxious,
    "late-anxious": as_run.LateAnxious,
    "mutant": lambda: as_run.LateAnxious(call_two=0.10, threshold=2),
}


@dataclass(frozen=True)
class Sample:
    """What came of games of one row."""

    games: int
    wins: Counts  # [seats]
    counted: dict[str, Counts]  # [seats] each: the game's events
    squares: dict[str, Counts]  # [seats] each: the squares of a game's events, summed

    @property
    def draws(self) -> int:
        return self.games - int(self.wins.sum())

    @classmethod
    def of(cls, outcomes: rollout.Outcomes) -> Sample:
        wins = np.asarray(outcomes.winners)[:, 0]
        events = {name: np.asarray(counts, np.int64)[:, 0] for name, counts in outcomes.events.items()}
        return cls(
            len(wins),
            wins.sum(axis=0),
            {name: counts.sum(axis=0) for name, counts in events.items()},
            {name: (counts**2).sum(axis=0) for name, counts in events.items()},
        )

    def __add__(self, other: Sample) -> Sample:
        return Sample(
            self.games + other.games,
            self.wins + other.wins,
            {name: counts + self.counted.get(name, 0) for name, counts in other.counted.items()},
            {name: counts + self.squares.get(name, 0) for name, counts in other.squares.items()},
        )


@dataclass(frozen=True)
class Room:
    """A game and agents that may sit down to it. One compilation serves all their rows, and those of other settings."""

    game: Bluff
    agents: tuple[str, ...]
    lanes: int = LANES

    def row(self, settings: Settings, row: Row, games: int | None = None) -> Sample:
        """The games of one row: as many as a cell has, unless told."""
        return _played(self, settings, row, games or settings.games)

    def samples(self, settings: Settings, rows: Sequence[Row], tell: Tell, games: int | None = None) -> list[Sample]:
        samples = []
        for number, row in enumerate(rows):
            samples.append(self.row(settings, row, games))
            tell((number + 1) / len(rows))
        return samples

    def made(self) -> tuple[Agent, ...]:
        own = PROGRAM_AGENTS if isinstance(self.game, AsRun) else STUDY_AGENTS
        return tuple(
            own[name]() if name in own else registry.make_agent(name, self.game)  # type: ignore[misc]
            for name in self.agents
        )


@cache
def _played(room: Room, settings: Settings, row: Row, games: int) -> Sample:
    seating = [room.agents.index(name) for name in row]
    seed = crc32(f"{settings.seed} {room.game} {room.agents} {row}".encode()) >> 1  # rows share no deals
    agents = _taught(room, seating, seed)
    total = Sample(0, np.zeros(len(row), np.int64), {}, {})
    for start in range(0, games, settings.games):
        outcomes, _ = rollout.play(
            room.game,
            agents,
            seating,
            seed=seed,
            first=as_run.LESSONS + start,  # earlier ones are those of lessons
            matches=min(settings.games, games - start),
            lanes=room.lanes,
            capacity=settings.games,
            counts=(room.game.players,) * len(agents),  # whoever sits how often, one compilation serves all
        )
        total += Sample.of(jax.device_get(outcomes))
    return total


def _taught(room: Room, seating: list[int], seed: int) -> tuple[Agent, ...]:
    """The agents, the program's learners with what trainings at this table earn."""
    made: tuple[Any, ...] = room.made()
    learners = [number for number, agent in enumerate(made) if isinstance(agent, as_run.Learner)]
    if not isinstance(room.game, AsRun) or not set(learners) & set(seating):
        return made
    earned = as_run.lessons(room.game, made, jnp.asarray(seating), jnp.int32(seed))
    return tuple(replace(agent, lessons=earned) if number in learners else agent for number, agent in enumerate(made))
