"""Looking back at a game with all hands open."""

from __future__ import annotations

from pathlib import Path

from feint.interrupts import on_ctrl_c
from feint.record import Record, newest
from feint.registry import game_names
from feint.review.data import Turn
from feint.review.told import turns
from feint.terminal.screen import Screen, called, titled
from feint.words import speech

KEYS = "Enter for the next turn, b for back, l for the next lie, e for the end, a for all, q to stop: "


def replay(which: str | Path | None = None, everything: bool = False) -> None:
    """Tell a recorded game turn by turn, waiting for a key between them at a keyboard, unless `everything` comes at once: the game of a
    file, the last one of a game's name, or the last one."""
    with on_ctrl_c(lambda: "Stopped; the game stays as it is."):
        path, record = saved_game(which)
        screen = Screen(speech(record.made()))
        with screen.busy("Dealing again ..."):
            told = list(turns(record, heading(record)))  # nothing is shown of a game that does not come out as recorded
        left = "" if record.over else f"The game was left here; go on with: {called()} play --resume {path}"
        _show(screen, told, left, stepping=screen.typed_at and not everything)


def saved_game(which: str | Path | None) -> tuple[Path, Record]:
    """The game of a file, the last one of a game's name, or the last one."""
    path = Path(which) if which is not None and which not in game_names() else newest(which and str(which))
    return path, Record.load(path)


def heading(record: Record) -> str:
    """Which game it is, and who sat at it."""
    table = record.review()
    return f"{titled(table.game)} with seed {record.seed}: {', '.join(table.names)}."


def _show(screen: Screen, turns: list[Turn], left: str, stepping: bool) -> None:
    at = 0
    while True:
        screen.say(turns[at].text if at == 0 else f"\n{turns[at].text}")
        if at == len(turns) - 1:
            if left:
                screen.say(left, whole=True)  # in one piece, to be copied
            return
        typed = _typed(screen) if stepping else "a"
        if typed == "q":
            return
        stepping = stepping and typed != "a"
        at = _next(turns, at, typed)


def _next(turns: list[Turn], at: int, typed: str) -> int:
    """The turn to go to from one."""
    last = len(turns) - 1
    if typed == "b":
        return max(at - 1, 0)
    if typed == "e":
        return last
    if typed == "l":
        return next((later for later in range(at + 1, last) if turns[later].lie), last)
    return at + 1


def _typed(screen: Screen) -> str:
    """The first letter of what was typed."""
    try:
        return screen.ask(KEYS).lower()[:1]
    except EOFError:
        return "q"
