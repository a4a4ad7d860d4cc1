"""What is said to a bot and what it may answer: JSON, as `schema.json` has it. Nothing that it answers is believed before it was checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

try:
    import orjson
except ImportError:  # the same bytes come from Python's own, only later
    orjson = None  # type: ignore[assignment]

from feint import plain
from feint.game import Game
from feint.options import chosen
from feint.outside import Place, Question
from feint.reading import parsed
from feint.version import __version__
from feint.visible import shortened, visible

PROTOCOL = 1
SHOWN = 80  # characters of an answer that are quoted


class Fault(Exception):
    """What a bot did wrong: its kind in a word, and a sentence that lacks only the bot's name."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


@dataclass(frozen=True)
class Hello:
    """How a bot answers the first message."""

    protocol: int
    name: str = ""
    most: int = 0  # tables in a message, at the most; any number where 0
    ends: bool = False  # whether it wants to be told how games end


def begin(game: Game[Any, Any], limit: float) -> dict[str, Any]:
    """The first message: what is played."""
    return {
        "type": "begin",
        "protocol": PROTOCOL,
        "feint": __version__,
        "game": game.name,
        "version": game.version,
        "options": chosen(game),
        "players": game.players,
        "actions": game.actions,
        "limit": limit,
    }


def act(
    game: Game[Any, Any], questions: Sequence[Question], ended: Sequence[dict[str, Any]], number: int = 1
) -> dict[str, Any]:
    """The message of a number that asks what to do at some tables, and tells of games that ended."""
    tables = [_asked(game, each) for each in questions]
    message: dict[str, Any] = {"type": "act", "number": number, "tables": tables}
    return message | {"ended": [*ended]} if ended else message


def end(place: Place, view: Any, rewards: np.ndarray) -> dict[str, Any]:
    """How a game ended: for `ended` of the next message."""
    return {**_where(place), "view": _fields(view), "rewards": rewards.tolist()}


def _asked(game: Game[Any, Any], question: Question) -> dict[str, Any]:
    legal = np.flatnonzero(question.legal).tolist()
    return {
        **_where(question.place),
        "move": question.move,
        "seed": question.place.own_seed,
        "view": _fields(question.view),
        "legal": legal,
        "names": [game.describe(question.view, action) for action in legal],
    }


def _where(place: Place) -> dict[str, int]:
    return {"table": place.table, "game": place.number, "chair": place.chair}


def _fields(value: Any) -> Any:
    """A view as its named fields; arrays of whole numbers stay what they are until they are written."""
    if names := getattr(value, "__dataclass_fields__", None):
        return {name: _fields(getattr(value, name)) for name in names}
    if not isinstance(value, np.ndarray | np.generic):
        return value
    return value if value.ndim and value.dtype.kind in "biu" else value.tolist()


def written(message: dict[str, Any]) -> bytes:
    """A message on one line, without its end or any spaces."""
    if orjson:
        return orjson.dumps(message, option=orjson.OPT_SERIALIZE_NUMPY, default=np.ndarray.tolist)
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False, default=np.ndarray.tolist).encode()


def read(answer: bytes) -> dict[str, Any]:
    """An answer as an object of JSON; `Fault` says what else it is."""
    try:
        text = answer.decode()
    except UnicodeDecodeError:
        raise Fault("encoding", f"answered in another encoding than UTF-8: {_quoted(repr(answer))}.") from None
    if "\0" in text or text.startswith("\ufeff"):
        raise Fault("encoding", "answered in another encoding than UTF-8 without a byte order mark.")
    try:
        found = parsed(text)
    except ValueError as wrong:
        raise Fault(
            "nonsense",
            f"answered {_quoted(text)!r}, which is not JSON ({wrong}); a program writes whatever is not an answer to its standard error.",
        ) from None
    if not isinstance(found, dict):
        raise Fault("nonsense", f"answered {_quoted(text)!r}, which is JSON, but not an object as {{...}}.")
    if "error" in found:
        raise Fault("refusal", f"says: {_quoted(str(found['error']))}")
    return found


def hello(answer: dict[str, Any]) -> Hello:
    """How it answers the first message."""
    try:
        found = plain.read(Hello, answer)
    except ValueError as wrong:
        raise Fault(
            "handshake",
            f'answered {{"type": "begin"}} with {_quoted(json.dumps(answer))!r}: {wrong}; '
            f'right would be {{"protocol": {PROTOCOL}}}, perhaps with name, most and ends.',
        ) from None
    if found.protocol != PROTOCOL:
        raise Fault("handshake", f"speaks protocol {found.protocol}, and only {PROTOCOL} is spoken here.")
    if found.most < 0:
        raise Fault("handshake", f'answered {{"type": "begin"}} with most {found.most}, which must be 0 or more.')
    return found


def actions(answer: dict[str, Any], tables: int, number: int) -> list[Any]:
    """Its answers to the message of a number, one for each table; whether each is an action is another question."""
    if (answered := answer.get("number", number)) != number:
        raise Fault(
            "number",
            f"answered message {_quoted(json.dumps(answered))} where message {number} was asked: every message has one answer, in its turn.",
        )
    given = answer.get("actions")
    if not isinstance(given, list):
        raise Fault(
            "nonsense", f'answered {_quoted(json.dumps(answer))!r} to {{"type": "act"}}, which has no list "actions".'
        )
    if len(given) != tables:
        raise Fault("nonsense", f"gave {len(given)} answer{'s' * (len(given) != 1)} to {tables} questions.")
    return given


def check_action(game: Game[Any, Any], question: Question, answer: Any) -> int:
    """An answer, if it is a legal action there."""
    if type(answer) is int and 0 <= answer < game.actions and question.legal[answer]:
        return answer
    few = [f"{action} ({game.describe(question.view, action)})" for action in np.flatnonzero(question.legal)[:6]]
    more = ", ..." if question.legal.sum() > len(few) else ""
    place = question.place
    raise Fault(
        "illegal",
        f"answered {_quoted(json.dumps(answer))} at table {place.table}, game {place.number}, move {question.move}, "
        f"where it may take {', '.join(few)}{more}.",
    )


def _quoted(text: str) -> str:
    return shortened(visible(text), SHOWN)
