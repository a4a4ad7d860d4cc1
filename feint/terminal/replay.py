"""Looking back at a game with all hands open."""

from __future__ import annotations

from pathlib import Path

from feint.interrupts import on_ctrl_c
from feint.record import Record
from feint.terminal.screen import Screen, called, titled
from feint.words import Move, narration, speech


def replay(path: Path, everything: bool = False) -> None:
    """Tell a recorded game turn by turn, waiting for Enter between them at a keyboard, unless `everything` comes at once."""
    with on_ctrl_c(lambda: "Stopped; the game stays as it is."):
        _replay(path, everything)


def _replay(path: Path, everything: bool) -> None:
    record = Record.load(path)
    screen = Screen(speech(record.made()))
    with screen.busy("Dealing again ..."):
        for _ in record.replay(record.review()):
            pass  # nothing is shown of a game that does not come out as recorded
        table = record.review()
    game = table.game
    words = narration(game, table.names)
    stepping = screen.typed_at and not everything
    screen.say(f"{titled(game)} with seed {record.seed}: {', '.join(table.names)}.")

    def views() -> list:
        return [table.view(seat) for seat in range(game.players)]

    screen.say(words.scene(views()))
    player, before = table.player, table.view(table.player)
    moves: list[Move] = []
    for action in record.replay(table):
        moves.append((player, before, action))
        if told := words.reveal(player, before, action, table.view(player)):
            screen.say(told)
        player, before = table.player, table.view(table.player)
        if not table.over and (scene := words.scene(views())):
            if stepping:
                typed = _typed(screen)
                if typed == "q":
                    return
                stepping = typed != "a"
            screen.say(f"\n{scene}")
    if table.over:
        screen.say(words.end(table.view(0), table.rewards))
    else:
        screen.say(f"The game was left here; go on with: {called()} play --resume {path}", whole=True)
    if recap := words.recap(moves):
        screen.say(f"\n{recap}")


def _typed(screen: Screen) -> str:
    try:
        return screen.ask("Enter for the next turn, a for all, q to stop: ").lower()
    except EOFError:
        return "q"
