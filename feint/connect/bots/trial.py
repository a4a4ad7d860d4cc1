"""What is wrong with a bot, for its author: a game played by it in all seats, in bulk and then one table at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from feint.arena import hosted
from feint.connect.bots.bot import Bot, hire
from feint.game import Game
from feint.outside import Place, Question

SEED = 1


class Watched:
    """A bot with a watch beside it."""

    def __init__(self, bot: Bot, most: int = 0) -> None:
        self.bot, self.most = bot, most
        self.answers: dict[tuple[Place, int], int] = {}
        self.seconds: list[float] = []  # for each message

    def decide(self, questions: Sequence[Question]) -> list[int]:
        """What the bot does, at no more than `most` tables in a message."""
        most = self.most or len(questions)
        given: list[int] = []
        for begins in range(0, len(questions), most):
            began = time.perf_counter()
            given += self.bot.decide(questions[begins : begins + most])
            self.seconds.append(time.perf_counter() - began)
        self.answers |= {(each.place, each.move): answer for each, answer in zip(questions, given, strict=True)}
        return given

    def act(self, view: Any, legal: np.ndarray) -> int:
        return self.bot.act(view, legal)

    def ended(self, place: Place, view: Any, rewards: np.ndarray) -> None:
        self.bot.ended(place, view, rewards)

    @property
    def rate(self) -> float:
        """Decisions a second, the time that feint itself takes left out."""
        return len(self.answers) / max(sum(self.seconds), 1e-9)


def trial(spec: str, game: Game[Any, Any], games: int, limit: float | None = None) -> Iterator[tuple[bool, str]]:
    """Whether each thing that was tried is as it should be, and the sentence that says so. `UserError` is raised where the bot cannot be asked at
    all, and `Refused` where it does not play this game."""
    bulk = _played(spec, game, games, limit, most=0)
    if bulk.bot.troubles:
        yield from ((False, complaint) for complaint in bulk.bot.complaints())
        return
    yield True, f"It answered {len(bulk.answers):,} questions of {games} games with legal actions."
    single = _played(spec, game, games, limit, most=1)
    if single.bot.troubles:
        for complaint in single.bot.complaints():
            yield False, f"Asked about one table at a time: {complaint}"
        return
    yield (
        True,
        (
            f"It makes {bulk.rate:,.0f} decisions a second asked in bulk and {single.rate:,.0f} asked about one table at a time; "
            f"the slowest message took {max(bulk.seconds + single.seconds):.3f} s of {bulk.bot.limit:g} s."
        ),
    )
    yield True, _steadiness(bulk, single)
    if not bulk.bot.numbers:
        yield (
            True,
            "It does not say which message an answer is to; with its number, one that comes twice is told from the next at once.",
        )


def _played(spec: str, game: Game[Any, Any], games: int, limit: float | None, most: int) -> Watched:
    with hire(spec, game, "first", limit) as bot:
        watched = Watched(bot, most)
        hosted.play(game, [watched], [spec], [0] * game.players, seed=SEED, first=0, matches=games)
    return watched


def _steadiness(bulk: Watched, single: Watched) -> str:
    """Whether it does the same again. A bot need not, but one that does can be followed."""
    for (place, move), answer in bulk.answers.items():
        if (again := single.answers.get((place, move))) not in (None, answer):
            return (
                f"It does not always do the same: at table {place.table}, chair {place.chair}, move {move} it took {answer}, and asked again {again}; "
                "if that is not meant, let all its chance come from the seed of each table."
            )
    return "It did the same again when it was asked again."
