"""Agents that are not compiled: how they are begun, asked and told of the end, and what is said when one errs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from feint.errors import UserError
from feint.game import Game

FORFEIT = -1  # what a bot answers that gives up the game


class IllegalAction(UserError):
    """An action the rules do not allow; the message says who tried it and what was legal."""


class TooLate(UserError):
    """An answer that did not come in time."""


@dataclass(frozen=True)
class Place:
    """Where somebody sits: a chair at a table of a seed, in the so-and-so many-th game of its match."""

    seed: int = 0
    table: int = 0
    number: int = 0
    chair: int = 0

    @property
    def own_seed(self) -> int:
        """32 bits of chance for whoever sits there: the same in the same game, and others in every other one."""
        named = f"{self.seed} {self.table} {self.number} {self.chair}".encode()
        return int.from_bytes(blake2b(named, digest_size=4).digest(), "big")


NOWHERE = Place()


@dataclass(frozen=True)
class Question:
    """Somebody's turn: what is seen, what may be done, and where."""

    view: Any
    legal: np.ndarray  # bool[actions]
    place: Place = NOWHERE
    move: int = 0  # moves made before it


def is_bot(agent: Any) -> bool:
    """Whether an agent is asked about any number of tables at once, by `decide(questions)`, and keeps to rules of its own where it errs."""
    return hasattr(agent, "decide")


def apart(agents: Iterable[Any]) -> list[Any]:
    """Whoever sits in each place: of one who remembers, which is one with `begin`, a copy in every place but the first."""
    placed: list[Any] = []
    known: set[int] = set()
    for agent in agents:
        placed.append(deepcopy(agent) if id(agent) in known and hasattr(agent, "begin") else agent)
        known.add(id(agent))
    return placed


def begin(agent: Any, game: Game[Any, Any], seat: int) -> None:
    """Tell an agent that a match begins, if it wants to know."""
    if hasattr(agent, "begin"):
        agent.begin(game, seat)


def finish(agent: Any, view: Any, rewards: np.ndarray, place: Place = NOWHERE) -> None:
    """Tell an agent how a game ended, if it wants to know."""
    if is_bot(agent):
        agent.ended(place, view, rewards)
    elif hasattr(agent, "finish"):
        agent.finish(view, rewards)


def as_number(answer: Any, name: str) -> int:
    """What an agent answered, if it is a whole number."""
    try:
        return operator.index(answer)
    except TypeError:
        raise IllegalAction(f"{name} answered {answer!r}; act(view, legal) gives the number of an action.") from None


def check_legal(game: Game[Any, Any], name: str, view: Any, legal: np.ndarray, action: int, move: int) -> None:
    """Refuse an action that is none, or is not legal, by name."""

    def named(action: int) -> str:
        if not 0 <= action < game.actions:
            return f"{action} (no action: they go from 0 to {game.actions - 1})"
        return f"{action} ({game.describe(view, action)})"

    if not (0 <= action < game.actions and legal[action]):
        choices = ", ".join(named(int(each)) for each in np.flatnonzero(legal))
        raise IllegalAction(f"Move {move + 1}: {name} may not take action {named(action)}; legal: {choices}.")


@dataclass(frozen=True)
class _Call:
    """Somebody asked, once or in bulk."""

    name: str
    questions: int
    made: Callable[[], Any]


def ask(agents: Sequence[Any], names: Sequence[str], questions: Sequence[Question], limit: float | None) -> list[int]:
    """The answers of agents, each to its question; one may take `limit` seconds.

    Questions to one and the same agent are put in bulk if it has `act_many(views, legals)`. A bot is told where it
    sits as well, keeps to its own limit, and may answer `FORFEIT`.
    """
    agent, count = agents[0], len(agents)
    if is_bot(agent):
        return agent.decide(questions)
    if count > 1 and all(other is agent for other in agents) and hasattr(agent, "act_many"):
        views, legals = [each.view for each in questions], [each.legal for each in questions]
        (together,) = _in_time([_Call(names[0], count, lambda: agent.act_many(views, legals))], limit)
        answers = _one_each(together, names[0], count)
    else:
        each = zip(agents, names, questions, strict=True)
        answers = list(
            _in_time([_Call(name, 1, partial(asked.act, what.view, what.legal)) for asked, name, what in each], limit)
        )
    return [as_number(answer, name) for answer, name in zip(answers, names, strict=True)]


def _one_each(answers: Any, name: str, count: int) -> list[Any]:
    """What `act_many` gave, if it is an answer to each question."""
    try:
        given = list(answers)
    except TypeError:
        raise IllegalAction(f"{name} answered {answers!r}; act_many(views, legals) gives a list of actions.") from None
    if len(given) != count:
        raise IllegalAction(f"{name} gave {len(given)} answer{'s' * (len(given) != 1)} to {count} questions.")
    return given


def _in_time(calls: Sequence[_Call], limit: float | None) -> Iterator[Any]:
    """What comes of calls, one after the other; for every question in one it may take `limit` seconds."""
    if limit is None:
        yield from map(_called, calls)
        return
    given: SimpleQueue[Any] = SimpleQueue()
    # Whoever does not answer is left behind: nothing can stop a function that never returns.
    Thread(target=_hand_over, args=(calls, given), daemon=True).start()
    for call in calls:
        try:
            answer = given.get(timeout=limit * call.questions)
        except Empty:
            bulk = f" for each of {call.questions} questions" if call.questions > 1 else ""
            raise TooLate(f"{call.name} has not answered within {limit:g} s{bulk}, which is the limit.") from None
        if isinstance(answer, _Failed):
            raise answer.error
        yield answer


@dataclass(frozen=True)
class _Failed:
    error: BaseException


def _hand_over(calls: Sequence[_Call], given: SimpleQueue[Any]) -> None:
    try:
        for call in calls:
            given.put(_called(call))
    except BaseException as error:  # raised again where it can be heard
        given.put(_Failed(error))


def _called(call: _Call) -> Any:
    try:
        return call.made()
    except Exception as failed:
        failed.add_note(f"{call.name} failed.")
        raise
