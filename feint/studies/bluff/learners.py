"""The learners of the thesis' last chapter: trained at its table, in seats drawn anew, and then put into every seat of it."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from feint.games.bluff.game import Bluff
from feint.studies.bluff.played_rows import Room
from feint.studies.bluff.side_by_side import CLEAN, legend, points, verdict
from feint.studies.figures import draw
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

DEEP_Q, GRADIENT = "zoo:bluff-dqn", "zoo:bluff-12"
TRAINED = {DEEP_Q: "deep Q-learning (zoo:bluff-dqn)", GRADIENT: "policy gradient (zoo:bluff-12)"}
FEW = 128  # tables at once: networks do not get faster by more, and few tables wait for the last games
SHARP = ("no-bluff", "smart(sharp=True)", "reinforcement(sharp=True)", "anxious(sharp=True)")
# By reading: the thesis' agents, their room, and that of learners. The first three sit beside whoever is looked at.
READINGS = {
    "clean table": (CLEAN.agents[:4], CLEAN, Room(Bluff(), (*CLEAN.agents[:3], *TRAINED), FEW)),
    "callers sharp": (SHARP, Room(Bluff(), (*SHARP, "trusting")), Room(Bluff(), (*SHARP[:3], *TRAINED), FEW)),
}
SEATS = ("seat 1", "seat 2", "seat 3", "seat 4")
COLUMNS = (*SEATS, "all 24 orders", "seat 4, others as named")
ANYWHERE, LAST = 4, 5
Found = dict[
    str, tuple[Cell, ...]
]  # by player: what it won in each seat, in all orders, and behind the others as named


def learners(settings: Settings, tell: Tell) -> Section:
    """Trained agents and those of the thesis beside no-bluff, smart and reinforcement, in every seat."""
    found: dict[str, Found] = {}
    for number, (reading, (thesis, theirs, ours)) in enumerate(READINGS.items()):
        players = [(name, ours) for name in TRAINED] + [(name, theirs) for name in thesis]
        found[reading] = {}
        for done, (name, room) in enumerate(players):
            label = TRAINED.get(name, name.partition("(")[0])
            found[reading][label] = by_seat(settings, room, thesis[:3], name)
            tell((number + (done + 1) / len(players)) / len(READINGS))
    tables = [
        Table(f"Games won, {reading}", ("", *COLUMNS), tuple(Row(*each) for each in rows.items()))
        for reading, rows in found.items()
    ]

    def figure(axes: Any) -> None:
        for panel, (reading, rows) in zip(axes, found.items(), strict=True):
            for at, (label, cells) in enumerate(rows.items()):
                places = [seat + 0.1 * (at - (len(rows) - 1) / 2) for seat in range(4)]
                panel.errorbar(places, *points(cells[:4]), fmt="os^vD*"[at], markersize=5, capsize=2, label=label)
            panel.set_xticks(range(4), SEATS)
            panel.set_ylim(0, 100)
            panel.set_title(reading, fontsize=11)
        axes[0].set_ylabel("games won, %")
        legend(axes, ncols=3)

    return Section(
        "Chapter 12: the learners the thesis wanted",
        (
            Text(
                "For future work the thesis names an agent that learns the strategies of several players at once, by "
                "deep Q-learning with experience replay (Figure 16). zoo:bluff-dqn is such an agent: one network for "
                "both decisions, which cards to lay and when to call, trained beside no-bluff, smart and reinforcement "
                "and their sharp kin, its seat drawn anew for every game. zoo:bluff-12 is trained by policy gradient, at "
                "these and other tables. Each row is one player beside no-bluff, smart and reinforcement: the trained "
                "ones, then the thesis' own agents in the same place; chance is 25%. The others sit in all orders, in "
                "the last column in the order named, where the player after it never calls. Sharp callers also call "
                "whenever the claim and their own cards together are more than four."
            ),
            *tables,
            draw(figure, "Games won by seat, beside no-bluff, smart and reinforcement", (7.5, 4.2), (1, 2)),
            *_verdicts(found["clean table"], found["callers sharp"]),
        ),
    )


def by_seat(settings: Settings, room: Room, others: tuple[str, ...], player: str) -> tuple[Cell, ...]:
    """What a player wins in each seat, with the others in all orders, in all orders of all four, and behind the others as named."""
    orders = list(permutations(others))
    each = -(-settings.games // (4 * len(orders)))
    wins = [
        sum(int(room.row(settings, (*order[:seat], player, *order[seat:]), each).wins[seat]) for order in orders)
        for seat in range(4)
    ]
    games = each * len(orders)
    last = room.row(settings, (*others, player), games).wins[3]
    counted = [(won, games) for won in wins] + [(sum(wins), 4 * games), (int(last), games)]
    return tuple(Cell.share(None, 0, won, of) for won, of in counted)


def _verdicts(clean: Found, sharp: Found) -> list[Verdict]:
    deep, gradient = TRAINED.values()

    def beats(one: str, other: str, place: int = ANYWHERE) -> bool:
        """Whether one wins more than the other in a seat, or in all orders, at both tables."""
        return all((rows[one][place].low or 0) > (rows[other][place].high or 0) for rows in (clean, sharp))

    def won(rows: Found, name: str, place: int = ANYWHERE) -> str:
        return f"{rows[name][place].measured:.1f}%"

    def span(rows: Found) -> str:
        rates = [cell.measured for cell in rows[deep][:4]]
        return f"{min(rates):.1f} to {max(rates):.1f}%"

    return [
        verdict(
            "holds",
            beats(deep, "reinforcement"),
            "Deep Q-learning with experience replay is the better learner that the thesis expects: it wins "
            f"{won(clean, deep)} where another reinforcement wins {won(clean, 'reinforcement')}, and "
            f"{won(sharp, deep)} against {won(sharp, 'reinforcement')} where callers are sharp.",
        ),
        verdict(
            "holds",
            all(beats(deep, name, seat) for name in CLEAN.agents[:4] for seat in range(4)),
            "An agent can learn the strategies of several players at once, and from any seat: it wins "
            f"{span(clean)} by seat ({span(sharp)} where callers are sharp), in each of them more than any agent of "
            "the thesis.",
        ),
        verdict(
            "partly",
            beats(gradient, deep),
            "Deep Q-learning is not the last word: an agent trained by policy gradient, on far more games and at more "
            f"tables, wins {won(clean, gradient)}, and {won(sharp, gradient)} where callers are sharp (in the fourth "
            f"seat, behind reinforcement and before no-bluff, {won(clean, gradient, LAST)} and "
            f"{won(sharp, gradient, LAST)}, deep Q-learning {won(clean, deep, LAST)} and {won(sharp, deep, LAST)}).",
        ),
    ]
