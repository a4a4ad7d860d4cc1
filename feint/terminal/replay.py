"""Looking back at a game with all hands open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from feint.interrupts import on_ctrl_c
from feint.record import Record, newest
from feint.registry import game_names
from feint.terminal.screen import Screen, called, titled
from feint.words import Move, Narration, narration, speech

KEYS = "Enter for the next turn, b for back, l for the next lie, e for the end, a for all, q to stop: "


@dataclass(frozen=True)
class Turn:
    """What stands between two waits for a key."""

    text: str
    lie: bool
    left: str = ""  # of a game that was left, how to go on: in one piece, to be copied


def replay(which: str | Path | None = None, everything: bool = False) -> None:
    """Tell a recorded game turn by turn, waiting for a key between them at a keyboard, unless `everything` comes at once: the game of a
    file, the last one of a game's name, or the last one."""
    with on_ctrl_c(lambda: "Stopped; the game stays as it is."):
        path = Path(which) if which is not None and which not in game_names() else newest(which and str(which))
        record = Record.load(path)
        screen = Screen(speech(record.made()))
        with screen.busy("Dealing again ..."):
            turns = list(_turns(record, path))  # nothing is shown of a game that does not come out as recorded
        _show(screen, turns, stepping=screen.typed_at and not everything)


def _turns(record: Record, path: Path) -> Iterator[Turn]:
    """A game turn by turn, the last one with how it ended."""
    table = record.review()
    words = narration(table.game, table.names)

    def views() -> list:
        return [table.view(seat) for seat in range(table.game.players)]

    told = [f"{titled(table.game)} with seed {record.seed}: {', '.join(table.names)}.", words.scene(views())]
    player, before = table.player, table.view(table.player)
    moves: list[Move] = []
    for action in record.replay(table):
        moves.append((player, before, action))
        told.append(words.reveal(player, before, action, table.view(player)))
        player, before = table.player, table.view(table.player)
        if not table.over and (scene := words.scene(views())):
            yield _turn(words, told)
            told = [scene]
    if table.over:
        told.append(words.end(table.view(0), table.rewards))
    recap = words.recap(moves, views())
    left = "" if table.over else f"The game was left here; go on with: {called()} play --resume {path}"
    yield replace(_turn(words, [*told, f"\n{recap}" if recap else ""]), left=left)


def _turn(words: Narration, told: list[str]) -> Turn:
    text = "\n".join(filter(None, told))
    return Turn(text, any(style == "striking" for _, style in words.spans(text)))


def _show(screen: Screen, turns: list[Turn], stepping: bool) -> None:
    at = 0
    while True:
        screen.say(turns[at].text if at == 0 else f"\n{turns[at].text}")
        if turns[at].left:
            screen.say(turns[at].left, whole=True)
        if at == len(turns) - 1:
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
