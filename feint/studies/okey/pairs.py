"""Seven pairs against melds: how often games end by them, and what it gives or costs to go for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from feint.studies.okey.cells import apart, gains, listed, matters, mean, percent, share
from feint.studies.okey.company import FOUR, SHORT, THESIS, declaring
from feint.studies.okey.played import Games, Sample
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

POINTS = 0.1  # a game, which is slight
EAGER = (0.5, 1.0, 1.5, 2.5)  # `pairs` of `expectation`: how much sooner pairs must be expected
NONE, DECLARED = replace(FOUR, pairs="none"), replace(FOUR, pairs="declared")
ENDS = {
    "open: four `computer`": (FOUR, ("computer",) * 4),
    "open: four `greedy`, who do not look for pairs": (FOUR, ("greedy",) * 4),
    "open: four `expectation(feed=0)`": (FOUR, ("expectation(feed=0)",) * 4),
    "none: four `greedy`": (NONE, ("greedy",) * 4),
    f"declared: four `{declaring(4)}`": (DECLARED, (declaring(4),) * 4),
}


def pairs(settings: Settings, tell: Tell) -> Section:
    """Four players: ends of games, and one who goes for pairs beside three who do not."""
    games = Games(settings, tell, len(ENDS) + len(EAGER) + len(SHORT))
    ends = {name: games.row(game, *row) for name, (game, row) in ENDS.items()}
    goes = {f"open: `{agent}`": games.row(FOUR, agent, *["greedy"] * 3) for agent in map(_eager, EAGER)}
    says = {f"declared: `{agent}`": games.row(DECLARED, agent, *["greedy"] * 3) for agent in map(declaring, SHORT)}
    return Section(
        "Pairs against melds",
        (
            Text(
                "The real game of four. Each of the others pays 2 for melds and 4 for seven pairs, so pairs may be worth going for though they win less often. `expectation(pairs=p)` collects "
                "them once it expects to need fewer than p times as many turns for them as for melds; a declarer says before its first discard that it will, when it is short of so many "
                "tiles of seven pairs or fewer, and can finish in no other way then."
            ),
            Table(
                "How games end",
                ("table", "by pairs, % of games", "drawn, %", "turns"),
                tuple(
                    Row(name, (share(sample.happened("pairs")), share(sample.drawn), mean(sample.turns, 1)))
                    for name, sample in ends.items()
                ),
            ),
            Table(
                "One player beside three `greedy`",
                ("", "won, %", "won by pairs, %", "points a game"),
                tuple(Row(name, _player(sample)) for name, sample in (goes | says).items()),
                "One more `greedy` would be paid 0 points on average, and win a quarter of the games that are not drawn.",
            ),
            _verdict("go for pairs where they are open", goes),
            _verdict("declare pairs", says),
            games.told(),
        ),
    )


def _eager(weight: float) -> str:
    return f"expectation(pairs={weight:g}, feed=0)"


def _player(sample: Sample) -> tuple[Cell, ...]:
    return share(sample.won[:, 0]), share(sample.counted["pairs"][:, 0] > 0), mean(sample.paid[:, 0], 3)


def _verdict(what: str, samples: Mapping[str, Sample]) -> Verdict:
    """Whether going for pairs is paid more than the nothing of whoever plays as the others."""
    paid = {name.split(": ")[1]: mean(sample.paid[:, 0], 3) for name, sample in samples.items()}
    return Verdict(gains(paid.values(), POINTS), f"That it pays to {what}: {listed(paid)} points a game.")


PAIRS = replace(THESIS, pairs="open")


def lifted(settings: Settings, tell: Tell) -> Section:
    """The thesis' game with pairs: its first limitation."""
    agents = ("computer", "greedy", "expectation(feed=0)")
    games = Games(settings, tell, 2 * len(agents) - 1)
    found = {agent: games.row(PAIRS, agent, "computer") for agent in agents}
    without = {agent: games.row(THESIS, agent, "computer") for agent in agents[:2]}
    without[agents[2]] = without["greedy"]  # which it is, where there are no pairs
    rows, changes = [], {}
    for agent, sample in found.items():
        changes[agent] = apart(sample.won[:, 0], without[agent].won[:, 0])
        cells = (
            share(without[agent].won[:, 0]),
            share(sample.won[:, 0]),
            changes[agent],
            share(sample.happened("pairs")),
        )
        rows.append(Row(agent, cells))
    collector = found["expectation(feed=0)"].happened("pairs")
    return Section(
        "Limitation: no pairs",
        (
            Text(
                "“Playing with the paired tiles was not implemented.” The thesis' game of two with and without seven pairs, against `computer`."
            ),
            Table(
                "Games won against `computer`, %",
                ("agent", "without pairs", "with pairs", "change, points", "ended by pairs, %"),
                tuple(rows),
            ),
            Verdict(
                matters(changes.values()),
                f"That it matters to leave out pairs: with them, games won against `computer` change by {listed(changes)} points. {percent(share(collector))} of games end by pairs "
                "where an agent goes for them.",
            ),
            games.told(),
        ),
    )
