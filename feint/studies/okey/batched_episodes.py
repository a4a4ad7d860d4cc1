"""Whether it matters that several episodes are played before they are learned from, where the thesis learns after every one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from feint.studies.okey.experiments import EPISODES_PER_UPDATE, NAMES, Found, cell, sign, signed
from feint.studies.okey.learner import Thesis
from feint.studies.okey.published import HOW
from feint.studies.okey.trials import OPPONENTS, READINGS, SEEDS, USUAL, Trial, tried
from feint.studies.report import Cell, Holds, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

TITLE = "Chapter 4: one episode at a time, or many"
FAST = "learning rate 0.001"  # what is learned late cannot be seen in few episodes
PART = 20  # of the games asked for
CLOSE = 5  # points of win rate


def batched_episodes(settings: Settings, tell: Tell) -> Section:
    """The four experiments for a few episodes, learning after each or after many."""
    episodes = max(4, settings.games // PART)
    seeds = [settings.seed * SEEDS + number for number in range(SEEDS)]
    trials = [Trial(number, OPPONENTS[0], seed, FAST, USUAL | READINGS[FAST]) for number in HOW for seed in seeds]
    trials.sort(key=lambda trial: not trial.replays)
    found = {}
    for number, many in enumerate((1, min(EPISODES_PER_UPDATE, episodes // 2))):
        thesis = replace(Thesis(), episodes_at_once=many)
        told = tried(thesis, trials, episodes, partial(_told, tell, number))
        found[many] = Found(trials, told)
    columns = [[each.means("won", each.of(number, OPPONENTS[0], FAST)) for number in HOW] for each in found.values()]
    apart = [cell(many - one) for one, many in zip(*columns, strict=True)]
    rows = [Row(f"{many} at a time", tuple(map(cell, column))) for many, column in zip(found, columns, strict=True)]
    rows.append(Row("difference, points", tuple(apart)))
    return Section(
        TITLE,
        (
            Text(
                f"Each run of {episodes:,} episodes, against {OPPONENTS[0]}, with a learning rate of {READINGS[FAST]['rate']:g}: what the networks are "
                "when an episode is played lags behind by so many episodes at most; they learn from as many, one after another."
            ),
            Table(
                "Episodes won, %",
                ("", *NAMES.values()),
                tuple(rows),
                f"Means of {SEEDS} seeds with Student's intervals.",
            ),
            _verdict(dict(zip(HOW, apart, strict=True))),
        ),
    )


def _told(tell: Tell, number: int, part: float) -> None:
    tell((number + part) / 2)


def _verdict(apart: dict[int, Cell]) -> Verdict:
    """Holds where every difference is shown to be small, and differs where one is shown to be there."""
    told = "; ".join(f"{NAMES[number]} {signed(each)}" for number, each in apart.items())
    if any(sign(each) for each in apart.values()):
        holds: Holds = "differs"
    else:
        close = all(
            each.low is not None and each.high is not None and max(-each.low, each.high) < CLOSE
            for each in apart.values()
        )
        holds = "holds" if close else "open"
    return Verdict(
        holds, f"Runs of many episodes at a time stand for the thesis' own, to within {CLOSE} points: {told} points."
    )
