"""The limitations of the thesis' fifth chapter, one lifted at a time: the joker, the empty centre, the discards remembered, runs of five."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from feint.studies.okey.cells import ahead, apart, gains, listed, matters, mean, means_apart, share
from feint.studies.okey.company import FORGETFUL, FOUR, THESIS
from feint.studies.okey.played import Games, Sample
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

POINTS, TURNS = 0.1, 0.5  # a game, which are slight
JOKER = replace(THESIS, joker_finish=True)
RUNS = replace(THESIS, longest_run=5)
CENTRES = {
    "another round by discards": replace(THESIS, exhausted="last-discard"),
    "a new centre": replace(THESIS, exhausted="reshuffle"),
}


def joker_finish(settings: Settings, tell: Tell) -> Section:
    """Finishing by discarding the joker, which counts double."""
    tables = {"two `greedy`": ("greedy", "greedy"), "`greedy`, `computer`": ("greedy", "computer")}
    games = Games(settings, tell, 2 * len(tables))
    found = {name: games.row(JOKER, *row) for name, row in tables.items()}
    without = {name: games.row(THESIS, *row) for name, row in tables.items()}
    rows, stakes, changes = [], {}, {}
    for name, sample in found.items():
        stakes[name] = means_apart(_stake(sample), _stake(without[name]), 3)
        changes[name] = apart(sample.won[:, 0], without[name].won[:, 0])
        rows.append(
            Row(
                name,
                (
                    share(sample.happened("joker finishes")),
                    mean(_stake(without[name]), 3),
                    mean(_stake(sample), 3),
                    stakes[name],
                    changes[name],
                ),
            )
        )
    return Section(
        "Limitation: no finishing with the joker",
        (
            Text(
                "“The case where the agent discards an Okey tile to have a finished hand … is not covered.” Whoever can spare a joker may lay it down and is paid 4, not 2. "
                "Agents do so whenever they can, and never wait for it."
            ),
            Table(
                "The thesis' game with and without",
                (
                    "table",
                    "finished with the joker, % of games",
                    "points a game without",
                    "with",
                    "change",
                    "won by the first, change in points of win rate",
                ),
                tuple(rows),
            ),
            Verdict(
                matters(stakes.values(), POINTS),
                f"That it matters to leave it out: with it, a game is worth {listed(stakes)} points more to whoever wins it; who wins changes by {listed(changes)} points of win rate.",
            ),
            games.told(),
        ),
    )


def _stake(sample: Sample) -> np.ndarray:
    """What the winner of each game is paid, nothing where it is drawn, float[games]."""
    return sample.paid.max(axis=1)


def centre(settings: Settings, tell: Tell) -> Section:
    """What follows when the centre is empty."""
    tables = {
        "two `arranger`": ("arranger",) * 2,
        "two `computer`": ("computer",) * 2,
        "`random`, `computer`": ("random", "computer"),
    }
    games = Games(settings, tell, len(tables) * (1 + len(CENTRES)))
    found = {
        name: {"a draw, as in the thesis": games.row(THESIS, *row)}
        | {rule: games.row(game, *row) for rule, game in CENTRES.items()}
        for name, row in tables.items()
    }
    rows = []
    changes: dict[str, dict[str, Cell]] = {rule: {} for rule in CENTRES}
    for name, by_rule in found.items():
        before = next(iter(by_rule.values()))
        for rule, sample in by_rule.items():
            change: Cell | str = "" if sample is before else apart(sample.drawn, before.drawn)
            if isinstance(change, Cell):
                changes[rule][name] = change
            rows.append(
                Row(
                    f"{name}: {rule}",
                    (
                        share(sample.drawn),
                        change,
                        share(sample.won[:, 0]),
                        share(sample.won[:, 1]),
                        mean(sample.turns, 1),
                    ),
                )
            )
    return Section(
        "Limitation: the game ends with the centre",
        (
            Text(
                "“Current game environment lacks to play for certain number of rounds when center tiles are finished.” With another round, a hand goes on while discards are taken; with a new centre, all discards but the "
                "last are shuffled, and it goes on for 200 turns. Those who count hardly ever come so far, so the opponents of the thesis play."
            ),
            Table(
                "Games of `okey:thesis` by what an empty centre means, %",
                ("", "drawn", "change, points", "won by the first", "by the second", "turns"),
                tuple(rows),
            ),
            *(
                Verdict(
                    matters(changes[rule].values()),
                    f"That {rule} would matter: draws change by {listed(changes[rule])} points.",
                )
                for rule in CENTRES
            ),
            games.told(),
        ),
    )


def memory(settings: Settings, tell: Tell) -> Section:
    """All discards remembered, or only the last one."""
    games = Games(settings, tell, 4)
    meets = games.row(THESIS, FORGETFUL, "greedy")
    against = {name: games.row(THESIS, name, "computer") for name in ("greedy", FORGETFUL)}
    among = games.row(FOUR, FORGETFUL, *["greedy"] * 3)
    more = {
        "two players, one of each": ahead(meets.won[:, 1], meets.won[:, 0]),
        "against `computer`": apart(against["greedy"].won[:, 0], against[FORGETFUL].won[:, 0]),
        "four players, one forgetful": ahead(among.won[:, 1:].mean(axis=1), among.won[:, 0]),
    }
    cells = {
        "two players, one of each": (share(meets.won[:, 1]), share(meets.won[:, 0])),
        "against `computer`": (share(against["greedy"].won[:, 0]), share(against[FORGETFUL].won[:, 0])),
        "four players, one forgetful": (mean(100 * among.won[:, 1:].mean(axis=1), 1), share(among.won[:, 0])),
    }
    return Section(
        "Limitation: only the last discard is known",
        (
            Text(
                "“All the discarded tiles can be incorporated into the state representation.” `greedy` counts the tiles that help among those it has not seen; the forgetful one plays in the same way and "
                "knows, as the thesis' agent, its own tiles, the indicator and the last discard."
            ),
            Table(
                "Games won, %",
                ("", "remembers all", "remembers the last", "difference, points"),
                tuple(Row(name, (*cells[name], more[name])) for name in more),
                "Two players: `okey:thesis`; four: the real game, each of the three `greedy` on average.",
            ),
            Verdict(
                gains(more.values()),
                f"That it helps to remember all discards: who does wins {listed(more)} points more.",
            ),
            games.told(),
        ),
    )


def runs_of_five(settings: Settings, tell: Tell) -> Section:
    """Runs of any length, beside those of three and four."""
    tables = {
        "two `computer`": ("computer",) * 2,
        "`greedy`, `computer`": ("greedy", "computer"),
        "two `greedy`": ("greedy",) * 2,
    }
    games = Games(settings, tell, 2 * len(tables))
    found = {name: games.row(RUNS, *row) for name, row in tables.items()}
    without = {name: games.row(THESIS, *row) for name, row in tables.items()}
    rows, sooner, decided = [], {}, {}
    for name, sample in found.items():
        before = without[name]
        sooner[name] = means_apart(before.turns, sample.turns, 1)
        decided[name] = apart(~sample.drawn, ~before.drawn)
        cells = (
            share(sample.won[:, 0]),
            apart(sample.won[:, 0], before.won[:, 0]),
            decided[name],
            mean(before.turns, 1),
            mean(sample.turns, 1),
            sooner[name],
        )
        rows.append(Row(name, cells))
    return Section(
        "Limitation: no runs of five",
        (
            Text(
                "“Hand ordering logic does not allow for creating 5-tiled series”; if it did, “the win rates of the players can be improved slightly”. With runs of three and four a finished hand is 3+3+4+4; with "
                "runs of five also 3+3+3+5 and 4+5+5, and longer runs are made of these."
            ),
            Table(
                "`longest_run=5` beside the thesis' 4",
                (
                    "table",
                    "won by the first, %",
                    "change, points",
                    "won by anybody, change",
                    "turns without",
                    "with",
                    "sooner by",
                ),
                tuple(rows),
            ),
            Verdict(
                gains(sooner.values(), TURNS),
                f"That runs of five let games be won sooner, and more of them: by {listed(sooner)} turns; {listed(decided)} points more of all games are won by anybody.",
            ),
            games.told(),
        ),
    )
