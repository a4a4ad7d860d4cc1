"""A recorded game told turn by turn with all hands open."""

from __future__ import annotations

from collections.abc import Iterator

from feint.record import Record
from feint.review.data import Turn
from feint.words import Move, Narration, narration


def turns(record: Record, heading: str = "") -> Iterator[Turn]:
    """A game turn by turn, the last one with how it ended."""
    table = record.review()
    words = narration(table.game, table.names)

    def views() -> list:
        return [table.view(seat) for seat in range(table.game.players)]

    told = [heading, words.scene(views())]
    player, before = table.player, table.view(table.player)
    moves: list[Move] = []
    for action in record.replay(table):
        moves.append((player, before, action))
        told.append(words.reveal(player, before, action, table.view(player)))
        moved, player, before = player, table.player, table.view(table.player)
        if not table.over and (scene := words.scene(views())):
            yield _turn(words, told, table.moves, moved)
            told = [scene]
    if table.over:
        told.append(words.end(table.view(0), table.rewards))
    recap = words.recap(moves, views())
    last = moves[-1][0] if moves else table.player
    yield _turn(words, [*told, f"\n{recap}" if recap else ""], table.moves, last)


def _turn(words: Narration, told: list[str], move: int, seat: int) -> Turn:
    text = "\n".join(filter(None, told))
    return Turn(move, seat, text, any(style == "striking" for _, style in words.spans(text)))
