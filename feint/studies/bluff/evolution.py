"""Experiment 6: the weakest of a table replaced by the strongest, generation after generation; and mutants among smart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from feint.evolve.replicator import Generation, average_fitness, eliminate_and_replicate, growth
from feint.studies.bluff import published
from feint.studies.bluff.played_rows import Room
from feint.studies.bluff.published import AGENTS, EVOLUTION, RUN
from feint.studies.bluff.side_by_side import (
    CLEAN,
    CLEAN_SIX,
    PROGRAM,
    PROGRAM_SIX,
    agree,
    all_agree,
    legend,
    percent,
    seat_table,
    verdict,
)
from feint.studies.figures import COLOURS, draw
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

COLOUR = dict(zip((*AGENTS, "mutant"), COLOURS, strict=False))
REPEATS = 300  # of the thesis' procedure
LONGEST = 20  # generations, after which a repetition is given up


def experiment_6a(settings: Settings, tell: Tell) -> Section:
    """Table 5, Figure 13, and how far the procedure can be relied on."""
    numbers = (1, 2, 3, 4)
    rows = [EVOLUTION[number][0] for number in numbers]
    ran = PROGRAM.samples(settings, rows, lambda part: tell(part * 0.4))
    clean = CLEAN.samples(settings, rows, lambda part: tell(0.4 + part * 0.1))
    late = PROGRAM.row(settings, (*AGENTS[:3], "late-anxious"))
    tell(0.6)

    def table(reading: str, samples: list[Any], *more: Any) -> Table:
        told = [
            (f"{n}: {', '.join(EVOLUTION[n][0])}", EVOLUTION[n][1], s) for n, s in zip(numbers, samples, strict=True)
        ]
        return seat_table(f"Table 5, {reading}", [*told, *more])

    as_run = table("as the program ran", ran, ("1, anxious laying as smart", EVOLUTION[1][1], late))
    by_rules = table("clean rules", clean)
    history = _evolved(CLEAN, settings)
    tell(0.7)
    ends = repeated(CLEAN, settings)
    crowned = ", ".join(f"{name} in {share:.0f}%" for name, share in ends.items())
    left = set(history[-1].heirs)
    end = f"{left.pop()} takes over" if len(left) == 1 else f"it stops at {', '.join(history[-1].heirs)}"
    text = (
        f"No reading gives Table 5 ({agree(as_run)} cells agree as run, {agree(by_rules)} under clean rules), and that "
        f"smart takes over is chance: with 300 games a generation the procedure ends with {crowned} of cases. It "
        f"compares seats as much as strategies: with {settings.games:,} games {end}."
    )
    return Section(
        "Experiment 6a: which strategy takes over",
        (
            Text(
                "In each generation 300 games are played and the seat with the fewest wins is given to the strategy of "
                "the seat with the most, until one strategy has all seats: in the thesis smart, after four "
                "generations."
            ),
            as_run,
            by_rules,
            draw(
                partial(_evolutions, history=history),
                "Figure 13: seats of each strategy, published and with more games",
                (7.5, 3.4),
                (1, 2),
            ),
            _generations(history, settings.games),
            _ends(ends, settings),
            verdict("differs", not (all_agree(as_run) or all_agree(by_rules)), text),
        ),
    )


def repeated(room: Room, settings: Settings) -> dict[str, float]:
    """How often the thesis' procedure, with its 300 games a generation, would end with each strategy, in percent."""
    rng = np.random.default_rng(settings.seed)

    def wins(population: tuple[str, ...], _: int) -> Sequence[int]:
        sample = room.row(settings, population, _few(settings))
        return rng.multinomial(RUN, np.append(sample.wins, sample.draws) / sample.games)[:-1].tolist()

    ends = Counter[str]()
    for _ in range(REPEATS):
        last = eliminate_and_replicate(wins, AGENTS, LONGEST)[-1].heirs
        ends[last[0] if len(set(last)) == 1 else "none"] += 1
    return {name: 100 * count / REPEATS for name, count in ends.most_common()}


def _few(settings: Settings) -> int:
    """Games behind the rates of each population that comes up in repetitions."""
    return max(settings.games // 16, 1)


def _ends(ends: dict[str, float], settings: Settings) -> Table:
    cells = (Cell(None, ends.get(name, 0.0), unit="%", places=0) for name in (*AGENTS, "none"))
    return Table(
        "What the thesis' procedure ends with",
        ("", *AGENTS, f"none in {LONGEST} generations"),
        (Row("300 games a generation", tuple(cells)),),
        f"{REPEATS} repetitions; win rates from {_few(settings):,} games, clean rules, of each population that comes "
        "up.",
    )


def _evolved(room: Room, settings: Settings) -> list[Generation]:
    """The procedure with as many games as a cell has, until it ends or stands still."""

    def wins(population: tuple[str, ...], _: int) -> Sequence[int]:
        return room.row(settings, population).wins.tolist()

    history = eliminate_and_replicate(wins, AGENTS, LONGEST)
    seen = [each.population for each in history]
    return history[: len(set(seen))]


def _generations(history: list[Generation], games: int) -> Table:
    rows = [
        Row(
            f"{number}: {', '.join(each.population)}",
            (
                *(Cell.share(None, 0, int(wins), games) for wins in each.scores),
                f"seat {each.eliminated + 1} goes to {each.population[each.replicated]}",
                "< 0.001" if each.p < 0.001 else f"{each.p:.3f}",
            ),
        )
        for number, each in enumerate(history, start=1)
    ]
    seats = (f"seat {seat + 1}" for seat in range(len(history[0].population)))
    return Table(
        "The same procedure with more games, clean rules",
        ("generation", *seats, "then", "p"),
        tuple(rows),
        "p: how likely two equal seats would have come as far apart as the weakest and the strongest, whichever they "
        "were.",
    )


def _evolutions(axes: Any, history: list[Generation]) -> None:
    told = [EVOLUTION[number][0] for number in range(1, 6)]
    ours = [each.population for each in history] + [history[-1].heirs]
    for panel, title, populations in zip(axes, ("published", "clean rules"), (told, ours), strict=True):
        _bars(panel, populations, AGENTS)
        panel.set_title(title, fontsize=11)
    axes[1].set_ylabel("")
    legend(axes)


def _bars(axes: Any, populations: Sequence[Sequence[str]], strategies: Sequence[str], first: int = 1) -> None:
    """How many seats each strategy has, generation by generation."""
    bottom = np.zeros(len(populations))
    places = range(first, first + len(populations))
    for strategy in strategies:
        seats = np.array([list(each).count(strategy) for each in populations])
        axes.bar(places, seats, bottom=bottom, label=strategy, width=0.8, color=COLOUR[strategy])
        bottom += seats
    axes.set(xlabel="evolution", ylabel="seats", xticks=places, yticks=range(len(populations[0]) + 1))


def experiment_6b(settings: Settings, tell: Tell) -> Section:
    """Table 7 and Figure 14: anxious that calls at fewer than two cards, among smart, at six seats."""
    numbers = (6, 7, 8)
    rows = [EVOLUTION[number][0] for number in numbers]
    mutants = [tuple("anxious(2)" if name == "mutant" else name for name in row) for row in rows]
    clean = CLEAN_SIX.samples(settings, mutants, lambda part: tell(part * 0.4))
    ran = PROGRAM_SIX.samples(settings, rows, lambda part: tell(0.4 + part * 0.6))

    def table(reading: str, samples: list[Any]) -> Table:
        told = [(f"{n}: {_short(EVOLUTION[n][0])}", EVOLUTION[n][1], s) for n, s in zip(numbers, samples, strict=True)]
        return seat_table(f"Table 7, {reading}", told)

    as_run, by_rules = table("as the program ran", ran), table("clean rules", clean)

    def figure(axes: Any) -> None:
        _bars(axes, rows, ("smart", "mutant"), first=6)
        legend(axes)

    text = (
        "No reading gives Evolutions 6 and 7: for a mutant in seat 1, and then a smart there, the thesis has 1 and "
        f"50%, where {percent(ran[0], 0)} and {percent(ran[1], 0)}% come out as run and {percent(clean[0], 0)} and "
        f"{percent(clean[1], 0)}% under clean rules ({agree(as_run, by_rules)} cells agree in all). Whether smart is "
        "stable is tested below."
    )
    return Section(
        "Experiment 6b: mutants among smart",
        (
            Text(
                "Six seats, two of them with anxious changed to call on players with fewer than two cards, listed "
                "first. The thesis gives the weakest seat to smart after each generation and takes the end, six "
                "smarts, to show that smart is evolutionarily stable."
            ),
            as_run,
            by_rules,
            draw(figure, "Figure 14: seats of smart and of the mutants, as published", (7.5, 2.8)),
            verdict("differs", not (all_agree(as_run) or all_agree(by_rules)), text),
        ),
    )


def _short(row: Sequence[str]) -> str:
    """Neighbours of a kind counted: "mutant × 2, smart × 4"."""
    parts: list[list[Any]] = []
    for name in row:
        if parts and parts[-1][1] == name:
            parts[-1][0] += 1
        else:
            parts.append([1, name])
    return ", ".join(f"{name} × {count}" if count > 1 else name for count, name in parts)


def replicator(_settings: Settings, _tell: Tell) -> Section:
    """Table 6: the thesis' arithmetic, done again."""
    shares = [1 / len(AGENTS)] * len(AGENTS)
    average = average_fitness(shares, published.FITNESS)
    above = [won - average for won in published.FITNESS]
    grown = growth(shares, published.FITNESS)
    table = Table(
        "Table 6 by the replicator equation",
        ("", *AGENTS),
        (
            Row("average fitness", (Cell.exact(published.AVERAGE_FITNESS, average), "", "", "")),
            Row("fitness above average", tuple(map(Cell.exact, published.ABOVE_AVERAGE, above))),
            Row(
                "growth: that times the share",
                tuple(Cell.exact(told, ours, 4) for told, ours in zip(published.GROWTH, grown, strict=True)),
            ),
        ),
        f"Growth as published adds up to {sum(published.GROWTH):g}; shares of a population can only grow at each "
        "other's expense, so it must add up to 0.",
    )
    return Section(
        "Table 6: the replicator equation",
        (
            Text(
                "The wins of the first evolution were 82, 79, 95 and 44 of 300, and each strategy was a quarter of the "
                "population. The average fitness is the sum of shares times wins: 0.25 x 82 + 0.25 x 79 + 0.25 x 95 + "
                "0.25 x 44."
            ),
            table,
            Verdict(
                "differs",
                f"The average fitness is {average:g}, not 18.75: it was divided by four twice. So anxious shrinks "
                f"({grown[3]:g}) where the thesis has all four grow. Who is weakest and who strongest is not changed by "
                "it.",
            ),
        ),
    )
