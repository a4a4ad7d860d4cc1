"""A table as one reader follows it: what was told so far, and all that a page shows, as data."""

from __future__ import annotations

from typing import Any

from feint.table import Table
from feint.views import as_json
from feint.words import narration


class Story:
    """What happens in a game at a table in sentences, told by what a spectator sees; `reader` is the seat spoken to as "you", None for everybody or a spectator."""

    def __init__(self, table: Table, reader: int | None = None) -> None:
        self.table = table
        self.narration = narration(table.game, table.names, reader)
        self.told: list[str] = []
        self._look()

    def _look(self) -> None:
        self._player, self._before = self.table.player, self.table.spectate()

    def tell(self, action: int) -> str:
        """The sentence of the move that was just made; empty where others do not see it."""
        told = self.narration.tell(self._player, self._before, action, self.table.spectate())
        self._look()
        if told:
            self.told.append(told)
        return told

    def end(self) -> str:
        """How the game ended; empty while it is on."""
        if not self.table.over:
            return ""
        return self.narration.end(self.table.spectate(), self.table.rewards)

    def message(self, view: Any, since: int = 0) -> dict[str, Any]:
        """All that a page shows to whoever's view it is, as `json` writes it, with the sentences after the first `since`."""
        table, on = self.table, not self.table.over
        asked = on and int(view.seat) == table.player
        return {
            "number": table.moves,
            "view": as_json(view),
            "seen": self.narration.show(view),
            "turn": table.player if on else None,
            "question": self.narration.question(view, table.legal) if asked else "",
            "choices": as_json(self.narration.choices(view, table.legal)) if asked else [],
            "told": self.told[since:],
            "end": self.end(),
        }
