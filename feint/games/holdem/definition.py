"""Game definitions as the ACPC's dealer has them, between GAMEDEF and END GAMEDEF: those of limit games, read and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from feint import reading
from feint.errors import UserError
from feint.games.holdem.rules import Rules
from feint.visible import shortened

MOST = 100_000  # bytes
HOLDEM = {"numsuits": [4], "numranks": [13], "numholecards": [2]}
BY_ROUND = {"raisesize": "bets", "maxraises": "raises", "firstplayer": "first", "numboardcards": "board"}
FIELDS = ("numplayers", "numrounds", "blind", *BY_ROUND, *HOLDEM, "stack")


def read(path: Path | str) -> dict[str, Any]:
    """The options of the limit game that a file defines."""
    with reading.refused(f"{path} is not a game definition: it is not text."):
        text = reading.content(path, MOST).decode()
    return options(text, str(path))


def options(text: str, name: str = "The definition") -> dict[str, Any]:
    """The same of a text, which goes by a name where it is refused."""
    given = {**HOLDEM, **_fields(text, name)}
    if missing := [field for field in FIELDS if field not in given and field not in ("firstplayer", "stack")]:
        raise UserError(f"{name} has no {missing[0]}, which a limit game needs.")
    for field, values in HOLDEM.items():
        if given[field] != values:
            raise UserError(f"{name}: {field} must be {values[0]}, as in Hold'em.")
    players, rounds = given["numplayers"][0], given["numrounds"][0]
    given.setdefault("firstplayer", [1] * len(given["raisesize"]))
    for field in ("blind", *BY_ROUND):
        needed = players if field == "blind" else rounds
        if len(given[field]) < needed:
            raise UserError(f"{name}: {field} must have {needed} numbers, not {len(given[field])}.")
    blinds = given["blind"][:players]
    found: dict[str, Any] = {"players": players, "blinds": tuple(blinds[::-1] if players == 2 else blinds)}
    found |= {option: tuple(given[field][:rounds]) for field, option in BY_ROUND.items()}
    most = max(blinds, default=0) + sum(
        bet * raises for bet, raises in zip(found["bets"], found["raises"], strict=True)
    )
    if any(stack < most for stack in given.get("stack", [])):
        raise UserError(f"{name}: stack must be {most} or more for everybody, so that nobody is ever all-in.")
    return found


def _fields(text: str, name: str) -> dict[str, list[int]]:
    """The numbers of each field, by its name in small letters."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    small = [line.lower() for line in lines]
    if "gamedef" not in small or "end gamedef" not in small:
        raise UserError(f"{name} is not a game definition: it begins with GAMEDEF and ends with END GAMEDEF.")
    found = {}
    for line in small[small.index("gamedef") + 1 : small.index("end gamedef")]:
        field, *values = line.replace("=", " ").split() or [""]
        if field == "nolimit":
            raise UserError(f"{name} defines a game without limits; only limit games are played here.")
        if field == "limit":
            continue
        if field not in FIELDS or not values or not all(value.isdecimal() and len(value) < 10 for value in values):
            raise UserError(f"{name}: {shortened(line, 60)!r} is not a line of a limit game, such as blind = 10 5.")
        found[field] = [int(value) for value in values]
    return found


def written(rules: Rules) -> str:
    """The definition of a game."""
    fields = {
        "numPlayers": (rules.players,),
        "numRounds": (rules.rounds,),
        "blind": rules.posted,
        "raiseSize": rules.bets,
        "firstPlayer": tuple(opener + 1 for opener in rules.openers),
        "maxRaises": rules.raises,
        "numSuits": (4,),
        "numRanks": (13,),
        "numHoleCards": (2,),
        "numBoardCards": rules.board,
    }
    lines = [f"{name} = {' '.join(map(str, values))}" for name, values in fields.items()]
    return "\n".join(["GAMEDEF", "limit", *lines, "END GAMEDEF", ""])
