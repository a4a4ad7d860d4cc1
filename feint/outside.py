"""Agents that are not compiled: how they are begun, asked and told of the end, and what is said when one errs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from copy import deepcopy
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import numpy as np

from feint.errors import UserError
from feint.game import Game


class IllegalAction(UserError):
    """An action the rules do not allow; the message says who tried it and what was legal."""


class TooLate(UserError):
    """An answer that did not come in time."""


def copies(agent: Any, count: int) -> list[Any]:
    """An agent for each of so many places: copies of one that remembers, which is one with `begin`, else always the same."""
    return [agent, *(deepcopy(agent) if hasattr(agent, "begin") else agent for _ in range(count - 1))]


def begin(agent: Any, game: Game[Any, Any], seat: int) -> None:
    """Tell an agent that a match begins, if it wants to know."""
    if hasattr(agent, "begin"):
        agent.begin(game, seat)


def finish(agent: Any, view: Any, rewards: np.ndarray) -> None:
    """Tell an agent how a game ended, if it wants to know."""
    if hasattr(agent, "finish"):
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


def ask(
    agents: Sequence[Any], names: Sequence[str], questions: Sequence[tuple[Any, np.ndarray]], limit: float | None
) -> list[int]:
    """The answers of agents, each to its question, a view and what is legal there; one may take `limit` seconds.

    Questions to one and the same agent are put in bulk if it has `act_many(views, legals)`.
    """
    if limit is None:
        return [as_number(answer, name) for answer, name in zip(_answers(agents, names, questions), names, strict=True)]
    given: SimpleQueue[Any] = SimpleQueue()
    # Whoever does not answer is left behind: nothing can stop a function that never returns.
    Thread(target=_hand_over, args=(lambda: _answers(agents, names, questions), given), daemon=True).start()
    made = []
    for name in names:
        try:
            answer = given.get(timeout=limit)
        except Empty:
            raise TooLate(f"{name} has not answered within {limit:g} s, which is the limit.") from None
        if isinstance(answer, _Failed):
            raise answer.error
        made.append(as_number(answer, name))
    return made


class _Failed:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def _hand_over(answers: Callable[[], Any], given: SimpleQueue[Any]) -> None:
    try:
        for answer in answers():
            given.put(answer)
    except BaseException as error:  # raised again where it can be heard
        given.put(_Failed(error))


def _answers(agents: Sequence[Any], names: Sequence[str], questions: Sequence[tuple[Any, np.ndarray]]) -> Any:
    alone = len({id(agent) for agent in agents}) == 1
    if alone and len(agents) > 1 and hasattr(agents[0], "act_many"):
        yield from agents[0].act_many([view for view, _ in questions], [legal for _, legal in questions])
        return
    for agent, name, (view, legal) in zip(agents, names, questions, strict=True):
        try:
            answer = agent.act(view, legal)
        except Exception as failed:
            failed.add_note(f"{name} failed.")
            raise
        yield answer
