"""A review as plain data: what a page, a terminal or a file shows of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from feint.arena.statistics import Interval

FORMAT = 1


@dataclass(frozen=True)
class Choice:
    """Something that could have been done at a decision."""

    action: int
    label: str  # in whole words
    value: Interval  # to whoever decides, in the review's unit
    likely: float  # how often the review's agent would have done it


@dataclass(frozen=True)
class Decision:
    """One decision of a seat, and what each choice was worth as far as that seat could know."""

    move: int  # moves made before it
    seat: int  # by position
    question: str  # what was asked
    seen: str  # what the seat saw, in words
    advice: str  # what could be worked out from it, in words; empty where the game has none
    choices: list[Choice]  # the best first
    chosen: int | None  # the action taken; None where it has yet to be
    cost: Interval  # how much more the best choice was worth than the one taken
    mistake: bool  # whether that is above nothing for sure, in worlds that take into account what others did
    how: str  # how hidden worlds were weighted: weighted, played or alike (see `feint.review.worlds`)
    since: int  # the move from which on what others did has been taken into account
    effective: float  # how many hidden worlds of equal weight would tell as much
    games: int  # play-outs of each choice


@dataclass(frozen=True)
class Likely:
    """How likely an action was to the agent that moved; where it was asked again and again, how often it did it, with the interval."""

    action: int
    label: str
    chance: float
    low: float
    high: float


@dataclass(frozen=True)
class Answer:
    """A move of an agent: what it could work out, and how likely each action was to itself."""

    move: int
    seat: int
    chosen: int
    advice: str  # what could be worked out from what it saw, in words; empty where the game has none
    likely: list[Likely]  # the likeliest first
    asked: int  # how often it was asked again; 0 where it tells its chances itself


@dataclass(frozen=True)
class Turn:
    """What happened until the hands were looked at again, with all of them open."""

    move: int  # moves made at its end
    seat: int  # who moved last
    text: str  # sentences that hide nothing, the table as it then was first
    lie: bool  # whether somebody lied


@dataclass(frozen=True)
class Point:
    """What the game was worth to everybody after so many moves, as it truly stood."""

    move: int
    values: list[Interval]  # by position


@dataclass(frozen=True)
class Review:
    """What each decision of a game was worth, as far as it has been worked out."""

    game: str
    options: dict[str, Any]
    names: list[str]  # by position
    agent: str  # who plays on in all seats
    playouts: int  # games a decision
    seed: int
    unit: str  # what worth is told in: "chance" of winning, or the game's unit
    level: float  # of all intervals
    payoffs: list[float]  # what the game paid, by position, in the game's unit
    winners: list[int]  # positions
    turns: list[Turn]
    curve: list[Point]  # in the order of moves
    decisions: list[Decision]  # likewise
    answers: list[Answer]  # likewise
    done: int  # pieces of work
    work: int  # of so many

    @property
    def finished(self) -> bool:
        """Whether everything is worked out."""
        return self.done == self.work

    @property
    def costliest(self) -> list[int]:
        """The numbers of decisions: mistakes first, the costliest of them before others, then the rest likewise."""
        order = sorted(enumerate(self.decisions), key=lambda each: (not each[1].mistake, -each[1].cost.estimate))
        return [number for number, _ in order]

    def as_data(self) -> dict[str, Any]:
        """What `json` writes. Intervals are {"estimate", "low", "high"} in `unit` ("chance" goes from 0 to 1); seats are positions, moves
        are counted from the deal, and `names[seat]` is who sat there.

        {"format": 1, "game": "bluff", "options": {…}, "names": ["Ann", …], "agent": "smart", "playouts": 2000, "seed": 0,
         "unit": "chance", "level": 0.99, "payoffs": [1.0, …], "winners": [0], "done": 40, "work": 40, "finished": true,
         "turns": [{"move", "seat", "text", "lie"}, …],
         "curve": [{"move", "values": [interval of each seat]}, …],
         "decisions": [{"move", "seat", "question", "seen", "advice", "chosen", "cost": interval, "mistake", "how", "since", "effective", "games",
                        "choices": [{"action", "label", "value": interval, "likely"}, … the best first]}, …],
         "answers": [{"move", "seat", "chosen", "advice", "asked", "likely": [{"action", "label", "chance", "low", "high"}, …]}, …],
         "costliest": [numbers of decisions, the costliest first]}
        """
        return asdict(self) | {"format": FORMAT, "finished": self.finished, "costliest": self.costliest}
