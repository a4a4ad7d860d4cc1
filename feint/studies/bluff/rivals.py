"""The bar for strong agents: what the best rivals of the thesis' agents win at its table."""

from __future__ import annotations

from itertools import permutations

from feint.games.bluff.game import Bluff
from feint.studies.bluff.played_rows import Room
from feint.studies.bluff.side_by_side import verdict
from feint.studies.report import Cell, Row, Section, Table, Text
from feint.studies.run import Settings, Tell

FARTHEST, DUMP, COUNTER, ONE_CARD = "smart(0.0, 0.0, True, 0)", "dump(4)", "counter", "one-card counter"
RIVALS = (FARTHEST, DUMP, COUNTER, ONE_CARD)
NAMES = {FARTHEST: "farthest card, calls provable bluffs", DUMP: "dump(4)", COUNTER: "counter"}
TABLE = Room(Bluff(), ("no-bluff", "smart", "reinforcement", "anxious", *RIVALS))
SHARP = Room(Bluff(), ("no-bluff", "smart(sharp=True)", "reinforcement(sharp=True)", "anxious(sharp=True)", *RIVALS))
FIRST_THREE, WITH_ANXIOUS = (0, 1, 2), (3, 1, 2)

# By rival: the room, its three opponents and who plays for the rival there; without an entry it cannot be played.
SETTINGS = {
    "clean table": (TABLE, FIRST_THREE, {name: name for name in NAMES}),
    "lies of one card only": (TABLE, FIRST_THREE, {FARTHEST: FARTHEST, COUNTER: ONE_CARD}),
    "callers sharp": (SHARP, FIRST_THREE, {name: name for name in NAMES}),
    "anxious for no-bluff": (TABLE, WITH_ANXIOUS, {name: name for name in NAMES}),
}


def rivals(settings: Settings, tell: Tell) -> Section:
    """A rival beside no-bluff, smart and reinforcement, in all 24 orders of seats."""
    found: dict[tuple[str, str], Cell] = {}
    todo = [(column, rival) for column, (_, _, played) in SETTINGS.items() for rival in played]
    for number, (column, rival) in enumerate(todo):
        room, opponents, played = SETTINGS[column]
        found[column, rival] = _won(settings, room, [room.agents[each] for each in opponents], played[rival])
        tell((number + 1) / len(todo))
    rows = [Row(label, tuple(found.get((column, rival), "") for column in SETTINGS)) for rival, label in NAMES.items()]
    clean, sharp = found["clean table", DUMP], found["callers sharp", DUMP]
    shown = clean.low is not None and sharp.high is not None and clean.low > 50 and sharp.high < 25
    return Section(
        "The bar for strong agents",
        (
            Text(
                "One rival beside no-bluff, smart and reinforcement, in all 24 orders of seats; chance is 25%. Sharp "
                "callers also call whenever the claim and their own cards together are more than four. Lies of one "
                "card only: the rival may lie with one card at a time, as the thesis' agents do."
            ),
            Table("Games won by a rival, clean rules", ("rival", *SETTINGS), tuple(rows)),
            verdict(
                "open",
                shown,
                "None of the thesis' agents counts what is claimed: laying four cards every turn wins "
                f"{clean.measured:.1f}% against them, and {sharp.measured:.1f}% where callers are sharp. The table with "
                "sharp callers is the honest test of an agent.",
            ),
        ),
    )


def _won(settings: Settings, room: Room, opponents: list[str], rival: str) -> Cell:
    orders = list(permutations([*opponents, rival]))
    each = -(-settings.games // len(orders))
    samples = [room.row(settings, order, each) for order in orders]
    wins = sum(int(sample.wins[order.index(rival)]) for order, sample in zip(orders, samples, strict=True))
    return Cell.share(None, 0, wins, each * len(orders))
