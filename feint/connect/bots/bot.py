"""A bot at the table: an agent that is somebody else's program, and what happens where it errs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np

from feint.connect.bots import messages
from feint.connect.bots.lines import Line, line_to
from feint.connect.bots.messages import Fault, Hello
from feint.errors import UserError
from feint.game import Game
from feint.interrupts import undone
from feint.outside import FORFEIT, Place, Question
from feint.registry import is_outside
from feint.visible import shortened, visible

Rule = Literal["first", "forfeit"]  # a bot that errs takes the first legal action, or has lost the game
INSTEAD = {"first": "The first legal action was taken instead", "forfeit": "Its game was lost"}

LIMIT = 10.0  # seconds for a message, whatever is asked in it
START = 10.0  # seconds for the first one, at the least: a program has to be loaded
CHANCES = 10  # times that a bot is started or reached anew before it is asked no more
SHORT, PER_TABLE = 2**16, 2**10  # bytes that an answer may have, and that it may have more for every table


class Refused(UserError):
    """What a bot says that does not play this game."""


@dataclass
class Trouble:
    """What a bot did wrong, of one kind."""

    first: str  # what it was, the first time
    decisions: int = 0  # that were not its own for it


class Bot:
    """Somebody else's program. It is asked about many tables at once, and whatever it does the match goes on; `troubles` tells what it did wrong."""

    def __init__(self, spec: str, game: Game[Any, Any], rule: Rule = "first", limit: float = LIMIT) -> None:
        _check_rule(rule)
        if rule == "forfeit" and not isfinite(game.payoff_range[0]):
            raise UserError(f"{game.name} does not say what a lost game costs: where a bot errs, choose first.")
        self.spec, self.game, self.rule, self.limit = spec, game, rule, limit
        self.troubles: dict[str, Trouble] = {}
        self._line: Line = line_to(spec)
        self._open, self._chances = False, CHANCES
        self._ended: list[dict[str, Any]] = []
        self._asked = 0  # messages
        self.numbers = True  # whether it has said of each answer which message it is to
        try:
            self.hello = self._greet()
        except Fault as fault:
            self._line.close()
            raise (Refused if fault.kind == "refusal" else UserError)(self._sentence(fault)) from None

    def decide(self, questions: Sequence[Question]) -> list[int]:
        """What it does at each table, asked in as few messages as it takes; where it errs, what the rule says."""
        most = self.hello.most or len(questions)
        parts = (questions[begins : begins + most] for begins in range(0, len(questions), most))
        return [answer for part in parts for answer in self._answers(part)]

    def act(self, view: Any, legal: np.ndarray) -> int:
        """What it does at one table."""
        return self.decide([Question(view, legal)])[0]

    def ended(self, place: Place, view: Any, rewards: np.ndarray) -> None:
        """How a game ended: told with the next questions, if it wants to know."""
        if self.hello.ends:
            self._ended.append(messages.end(place, view, rewards))

    def close(self) -> None:
        """Tell it of the last games, and end it."""
        with suppress(Fault):
            if self._open and self._ended:
                self._ask([])
        self._hang_up()

    def abandon(self) -> None:
        """End it at once, whatever it is doing."""
        self._line.abandon()

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def complaints(self) -> list[str]:
        """What it did wrong, in a sentence for each kind and another that says what that came to."""
        return [
            f"{trouble.first} {INSTEAD[self.rule]} at {trouble.decisions:,} decision{'s' * (trouble.decisions != 1)}."
            for trouble in self.troubles.values()
        ]

    def _answers(self, questions: Sequence[Question]) -> list[int]:
        try:
            given = self._ask(questions)
        except Fault as fault:
            self._hang_up()  # whatever it still says would be taken for the answer to something else
            return [self._instead(question, fault) for question in questions]
        return [self._checked(question, answer) for question, answer in zip(questions, given, strict=True)]

    def _checked(self, question: Question, answer: Any) -> int:
        try:
            return messages.check_action(self.game, question, answer)
        except Fault as fault:
            return self._instead(question, fault)

    def _instead(self, question: Question, fault: Fault) -> int:
        """What is done in its place."""
        self.troubles.setdefault(fault.kind, Trouble(self._sentence(fault))).decisions += 1
        return FORFEIT if self.rule == "forfeit" else int(np.argmax(question.legal))

    def _ask(self, questions: Sequence[Question]) -> list[Any]:
        if not self._open:
            if not self._chances:
                raise Fault("given up", f"has failed {CHANCES} times, and was asked no more.")
            self._greet()
        told, self._ended = self._ended, []
        self._asked += 1  # and on, however often it is started: no number comes twice
        message = messages.written(messages.act(self.game, questions, told, self._asked))
        answer = messages.read(self._line.exchange(message, self.limit, SHORT + PER_TABLE * len(questions)))
        self.numbers &= "number" in answer
        return messages.actions(answer, len(questions), self._asked)

    def _greet(self) -> Hello:
        """Start or reach it, and tell it what is played."""
        self._open, self._chances = True, self._chances - 1
        seconds = max(START, self.limit)
        self._line.open(seconds)
        begin = messages.written(messages.begin(self.game, self.limit))
        return messages.hello(messages.read(self._line.exchange(begin, seconds, SHORT)))

    def _hang_up(self) -> None:
        self._line.close()
        self._open = False

    def _sentence(self, fault: Fault) -> str:
        return f"{shortened(visible(self.spec), 60)} {fault}"


def hire(spec: str, game: Game[Any, Any], rule: Rule = "first", limit: float | None = None) -> Bot:
    """A bot for a game: `process:./bot`, `process:node bot.js`, `http://localhost:8000/bot` or `ws://localhost:8000/bot`. This starts a program or
    opens a connection, so the specification must be somebody's own words, not a file's."""
    if not is_outside(spec):
        raise UserError(
            f"{shortened(visible(spec), 60)!r} is not a bot: write process:COMMAND, or an http:// or ws:// address."
        )
    return Bot(spec.strip(), game, rule, LIMIT if limit is None else limit)


@contextmanager
def hired(
    specs: Sequence[str],
    game: Game[Any, Any],
    rule: Rule = "first",
    limit: float | None = None,
    tell: Callable[[str], None] = print,
) -> Iterator[list[Any]]:
    """Whoever was named, with bots for those that are programs; at the end these are ended, and `tell` hears what they did wrong."""

    _check_rule(rule)

    told: set[Bot] = set()

    def leave(bot: Bot, how: Callable[[], None]) -> None:
        if bot not in told:
            told.add(bot)
            how()
            for complaint in bot.complaints():
                tell(complaint)

    with ExitStack() as bots:
        sitters: list[Any] = [*specs]
        for number, spec in enumerate(specs):
            if is_outside(spec):
                sitters[number] = bot = hire(spec, game, rule, limit)
                bots.enter_context(undone(partial(leave, bot, bot.abandon)))  # where Ctrl-C ends the process
                bots.callback(leave, bot, bot.close)
        yield sitters


def _check_rule(rule: str) -> None:
    if rule not in get_args(Rule):
        raise UserError(f"What a bot that errs does is one of {', '.join(get_args(Rule))}, not {rule!r}.")
