"""What helps a player at a table: what a strong agent would do, and what a careful player would have written down."""

from __future__ import annotations

from typing import Any

from feint.web import company
from feint.web.company import Sitting
from feint.web.guests import Guest
from feint.web.refusals import Refusal
from feint.web.room import Room


async def hint(room: Room, guest: Guest) -> dict[str, Any]:
    """What a strong agent would do in a guest's place."""
    if not room.row.hints:
        raise Refusal("no_hints", "This table is played without hints.")
    round, lab, game = room.playing(), room.lab, room.game
    if guest.chair is None or round.chair != guest.chair:
        raise Refusal("not_your_turn", "That can be asked on your own turn.")
    number, spec = round.table.moves, lab.offers.strongest(game)
    view, packed = round.table.view(round.table.player), round.table.packed
    await lab.preparing.agents(game, [spec])
    sitting = Sitting(spec, await lab.engine(company.seated, spec, game), (0, 0))
    await lab.engine(company.begin, game, sitting, guest.chair, round.dealt.secret)
    if packed is not round.table.packed:
        raise Refusal("late", "The table has moved on since. Look again.")
    action = await lab.company.ask(round.question(sitting))
    label, why = game.describe(view, action), await lab.engine(round.words(int(view.seat)).advice, view)
    told = {"action": action, "label": label, "message": f"A strong player ({spec}) would {label}.", "why": why}
    return {"kind": "hint", "number": number, "agent": spec, **told}


def notes(room: Room, guest: Guest) -> dict[str, Any]:
    """What a careful player would have written down."""
    round = room.playing()
    if guest.chair not in round.readers or guest.chair is None:
        raise Refusal("forbidden", "Only players keep notes.")
    seat = round.seat(guest.chair)
    return {"kind": "notes", "message": round.words(seat).notes(round.table.view(seat))}
