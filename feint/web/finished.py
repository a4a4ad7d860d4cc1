"""A finished game with nothing hidden any more: for the review, and as a record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from feint import registry
from feint.reading import seal
from feint.record import SEAL, Record
from feint.seating import Person
from feint.table import Table
from feint.views import as_json
from feint.web.queries import GameRow, MoveRow, TableRow
from feint.web.refusals import Refusal
from feint.words import narration


def _table(row: TableRow, game: GameRow) -> Table:
    if game.ended is None:
        raise Refusal("still_on", "The game is still on: it can be looked back at when it is over.")
    made = registry.make(row.game, **row.options)
    names = [Person(name) for name in game.names]
    return Table(made, names, number=game.round, deal=json.loads(game.dealt.deal))


def recorded(row: TableRow, game: GameRow, moves: Sequence[MoveRow]) -> Record:
    """The game as a record, with those who played it to the end."""
    table = _table(row, game)
    table.specs = [agent or f"me:{name}" for agent, name in zip(game.agents or [], game.names, strict=True)]
    for move in moves:
        table.play(move.action)
    return Record.of(table)


def record(row: TableRow, game: GameRow, moves: Sequence[MoveRow]) -> dict[str, Any]:
    """The game as the file that `feint replay` takes."""
    told = asdict(recorded(row, game, moves))
    return told | {SEAL: seal(told)}


def review(row: TableRow, game: GameRow, moves: Sequence[MoveRow]) -> dict[str, Any]:
    """Every position with all hands open, and what was done there. Of views a step has the fields that are not as in the step before."""
    table = _table(row, game)
    words, seats = narration(table.game, table.names), range(table.game.players)
    steps, told = [], []  # the moves as the words have them
    seen: list[dict[str, Any]] = [
        {} for _ in (*seats, None)
    ]  # everybody's view of the position before, a spectator's last
    for move in [*moves, None]:
        views, player = [table.view(seat) for seat in seats], table.player
        before, seen = seen, as_json([*views, table.spectate()])
        *own, public = map(_news, before, seen)
        step: dict[str, Any] = {
            "number": table.moves,
            "scene": "" if table.over else words.scene(views),
            "views": own,
            "public": public,
            "legal": np.flatnonzero(table.legal).tolist(),
        }
        if move is None:
            step |= {"seat": None, "action": None, "label": None, "told": None, "by": None, "legal": []}
        else:
            at = views[player]
            table.play(move.action)
            told.append((player, at, move.action))
            said = words.reveal(player, at, move.action, table.view(player))
            label = table.game.describe(at, move.action)
            step |= {"seat": player, "action": move.action, "label": label, "told": said, "by": move.by}
        steps.append(step)
    chairs = [table.chair(seat) for seat in seats]
    return {
        "table": row.id,
        "game": row.game,
        "options": row.options,
        "round": game.round,
        "names": table.names,
        "agents": [(game.agents or [None] * len(chairs))[chair] for chair in chairs],
        "chairs": chairs,
        "rewards": table.rewards.tolist(),
        "winners": table.winners.tolist(),
        "commitment": game.dealt.commitment,
        "opening": {"deal": game.dealt.deal, "nonce": game.dealt.nonce},
        "end": words.end(table.spectate(), table.rewards),
        "recap": words.recap(told, [table.view(seat) for seat in seats]),
        "steps": steps,
    }


def _news(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """The fields of a view that have changed."""
    return {name: value for name, value in now.items() if name not in before or before[name] != value}
