"""Games of the study: rows of agents by name, chair by chair, under some rules; each row is played once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any
from zlib import crc32

import jax
import numpy as np
from numpy.typing import NDArray

from feint.agent import is_heavy
from feint.arena import rollout
from feint.studies.okey.company import Collector, Counted, Counting, made, stacked
from feint.studies.report import Text
from feint.studies.run import Settings, Tell

LANES = 512  # tables at once: those who count keep a processor busy with few
OTHERS = ("random", "computer", "arranger", "exact")  # agents that do not count
Row = tuple[str, ...]  # the agent in each chair
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sample:
    """What came of the games of one row. Everybody has started equally many."""

    won: Flags  # [games, chairs]
    paid: NDArray[np.float64]  # [games, chairs]
    starts: Flags  # [games, chairs]
    counted: dict[str, NDArray[np.int64]]  # [games, chairs] each: the game's events
    cap: int  # turns after which a game is a draw
    seconds: float  # that it took to play them, compiling included

    @classmethod
    def of(cls, outcomes: rollout.Outcomes, cap: int, seconds: float) -> Sample:
        matches, length, chairs = outcomes.winners.shape
        starts = np.arange(length)[:, None] == np.arange(chairs)  # positions move one chair on after every game
        return cls(
            _by_game(outcomes.winners),
            _by_game(outcomes.rewards).astype(np.float64),
            np.tile(starts, (matches, 1)),
            {name: _by_game(each).astype(np.int64) for name, each in outcomes.events.items()},
            cap,
            seconds,
        )

    @property
    def games(self) -> int:
        return len(self.won)

    @property
    def turns(self) -> NDArray[np.int64]:
        """Of all players together, [games]."""
        return self.counted["turns"].sum(axis=1)

    @property
    def drawn(self) -> Flags:
        """[games]"""
        return self.won.sum(axis=1) == 0

    @property
    def emptied(self) -> Flags:
        """Games that are drawn because the centre is empty, and not for their length, [games]."""
        return self.drawn & (self.turns < self.cap)

    def happened(self, name: str) -> Flags:
        """Whether somebody did something that the game counts, [games]."""
        return self.counted[name].sum(axis=1) > 0


def _by_game(leaf: Any) -> NDArray[Any]:
    return np.asarray(leaf).reshape(-1, leaf.shape[-1])


class Games:
    """The games that a section asks for: it is told how many there were, and how long they took."""

    def __init__(self, settings: Settings, tell: Tell, rows: int) -> None:
        self.settings, self.tell, self.rows = settings, tell, rows
        self.samples: list[Sample] = []

    def row(self, game: Counted, *row: str) -> Sample:
        """The games of one row, as many as a cell has."""
        return self.asked(lambda: _played(game, self.settings, row))

    def asked(self, play: Callable[[], Sample]) -> Sample:
        """Games of another make, counted among the section's."""
        self.samples.append(play())
        self.tell(len(self.samples) / self.rows)
        return self.samples[-1]

    def told(self) -> Text:
        games, seconds = sum(each.games for each in self.samples), sum(each.seconds for each in self.samples)
        return Text(f"{games:,} games, played in {seconds:,.0f} s with all compiling, on {device()}.")


def device() -> str:
    """What games are played on, in words."""
    kind = jax.devices()[0].device_kind
    return "a CPU" if kind == "cpu" else f"one {kind}"


def seed_of(settings: Settings, *what: object) -> int:
    """A seed of its own for whatever is played: rows share no deals."""
    return crc32(" ".join(map(str, (settings.seed, *what))).encode()) >> 1


@cache
def _played(game: Counted, settings: Settings, row: Row) -> Sample:
    begun = perf_counter()
    sits = {name: made(name, game) for name in dict.fromkeys((*OTHERS, *row))}
    counts = [isinstance(sits[name], Collector) for name in row]
    chairs = [sits[name] if own else Collector() for name, own in zip(row, counts, strict=True)]
    agents = [Counting(stacked(chairs), game), *(sits[name] for name in OTHERS)]
    seating = [0 if own else 1 + OTHERS.index(name) for name, own in zip(row, counts, strict=True)]
    outcomes, _ = rollout.play(
        game,
        agents,
        seating,
        seed=seed_of(settings, game, row),
        first=0,
        matches=-(-settings.games // game.players),
        length=game.players,
        lanes=LANES,
        counts=tuple(_room(agent, seating.count(number), game) for number, agent in enumerate(agents)),
    )
    return Sample.of(jax.device_get(outcomes), game.cap, perf_counter() - begun)


def _room(agent: Any, chairs: int, game: Counted) -> int:
    """Chairs that a program has for an agent. One that takes long is asked at no more tables than it must be, and not at all where it does
    not sit; on a GPU, where compiling takes longer than playing, whoever sits may have all."""
    if not is_heavy(agent):
        return game.players
    return chairs if jax.default_backend() == "cpu" or not chairs else game.players
