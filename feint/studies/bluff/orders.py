"""Experiments 4 and 5: the four agents in every order of seats, what each wins and how its calls come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.arena import statistics
from feint.studies.bluff import published
from feint.studies.bluff.played_rows import Room, Sample
from feint.studies.bluff.published import AGENTS, CALL_GAMES, NO_BLUFF, ORDERS, RUN
from feint.studies.bluff.side_by_side import CLEAN, PROGRAM, legend, verdict
from feint.studies.figures import draw
from feint.studies.report import Cell, Row, Section, Table, Text
from feint.studies.run import Settings, Tell

Counts = NDArray[np.int64]
RESAMPLES = 2000


def order_samples(room: Room, settings: Settings, tell: Tell) -> list[Sample]:
    """The games of all 24 run orders."""
    return room.samples(settings, [tuple(AGENTS[int(seat) - 1] for seat in order) for order in ORDERS], tell)


def wins_by_agent(samples: Sequence[Sample]) -> Counts:
    """What each agent won in each run order, [orders, agents]."""
    return np.array([_by_agent(order, sample.wins) for order, sample in zip(ORDERS, samples, strict=True)])


def _by_agent(order: str, by_seat: NDArray[Any]) -> NDArray[Any]:
    return by_seat[[order.index(str(agent + 1)) for agent in range(len(AGENTS))]]


def experiment_4(settings: Settings, tell: Tell) -> Section:
    """Table 3, Figures 11 and 12."""
    clean = order_samples(CLEAN, settings, lambda part: tell(part * 0.35))
    ran = order_samples(PROGRAM, settings, lambda part: tell(0.35 + part * 0.65))
    wins = {"as run": wins_by_agent(ran), "clean": wins_by_agent(clean)}
    games = settings.games
    fits = {name: fit(each, settings.seed) for name, each in wins.items()}
    tables = [
        _order_table("as the program ran", wins["as run"], games),
        _order_table("clean rules", wins["clean"], games),
    ]
    totals = _totals_table(wins, games)
    p = {name: "p < 0.001" if each[2] < 0.001 else f"p = {each[2]:.2f}" for name, each in fits.items()}
    rates = wins["clean"].sum(axis=0) / (len(ORDERS) * games) * 100
    honest, smart = (statistics.win_rate(int(wins["clean"][:, agent].sum()), 24 * games) for agent in (0, 1))
    text = (
        f"Table 3 is what the program's mistakes give (all 96 cells: as run chi-square {fits['as run'][0]:.1f} on "
        f"{fits['as run'][1]} degrees of freedom, {p['as run']}; under clean rules {fits['clean'][0]:.0f}, "
        f"{p['clean']}). Under clean rules smart wins {rates[1]:.1f}%, no-bluff {rates[0]:.1f}%, reinforcement "
        f"{rates[2]:.1f}%, and anxious, laying all its true cards and not one, {rates[3]:.1f}%: no-bluff is not best."
    )
    return Section(
        "Experiment 4: all four, in all 24 orders",
        (
            Text(
                "Run order 1423 means: no-bluff (1) in seat 1, anxious (4) in seat 2, smart (2) in seat 3, "
                "reinforcement (3) in seat 4. The thesis prints wins in 300 games; here they are percentages. Its null "
                "hypothesis was that reinforcement wins most."
            ),
            totals,
            draw(
                lambda axes: _by_order(axes, wins, games), "Figure 11: games won in each run order", (7.5, 6.4), (2, 2)
            ),
            draw(
                lambda axes: _boxes(axes, wins, games),
                "Figure 12: games won by no-bluff in 300, by its seat (six orders each)",
                (7.5, 3.6),
            ),
            *tables,
            verdict("differs", smart.low > honest.high and fits["clean"][2] < 0.01 <= fits["as run"][2], text),
        ),
    )


def fit(wins: Counts, seed: int) -> tuple[float, int, float]:
    """Table 3 as a whole against ours: chi-square summed over the orders, its degrees of freedom, and p by resampling.

    Anxious' cells are too small for the chi-square distribution, so p is the share of tables, drawn with 300 games an order
    from both samples taken together, that are as far off.
    """
    told = np.array(list(ORDERS.values()))
    found = [statistics.same_distribution(one, other) for one, other in zip(told, wins, strict=True)]
    statistic, freedom = sum(each[0] for each in found), sum(each[1] for each in found)
    rng = np.random.default_rng(seed)
    ours = wins.sum(axis=1)
    rates = (told + wins) / (told + wins).sum(axis=1, keepdims=True)
    drawn = np.array([_chi_square(rng.multinomial(RUN, rates), rng.multinomial(ours, rates)) for _ in range(RESAMPLES)])
    return statistic, freedom, float((1 + (drawn >= statistic).sum()) / (1 + RESAMPLES))


def _chi_square(one: Counts, other: Counts) -> float:
    """Of two samples in each row, summed over rows."""
    both = np.stack([one, other])  # [samples, rows, cells]
    expected = both.sum(axis=2, keepdims=True) * both.sum(axis=0) / both.sum(axis=(0, 2))[:, None]
    return float((np.square(both - expected) / np.maximum(expected, 1e-12)).sum())


def _order_table(reading: str, wins: Counts, games: int) -> Table:
    rows = [
        Row(
            order,
            tuple(Cell.share(told / RUN, RUN, int(won), games) for told, won in zip(ORDERS[order], each, strict=True)),
        )
        for order, each in zip(ORDERS, wins, strict=True)
    ]
    return Table(f"Table 3, {reading}", ("run order", *AGENTS), tuple(rows), shares=True)


def _totals_table(wins: dict[str, Counts], games: int) -> Table:
    of, ours = RUN * len(ORDERS), games * len(ORDERS)
    rows = [
        Row(
            reading,
            tuple(
                Cell.share(told / of, of, int(won), ours)
                for told, won in zip(published.ORDER_TOTALS, each.sum(axis=0), strict=True)
            ),
        )
        for reading, each in wins.items()
    ]
    return Table("Table 3, totals over all orders", ("", *AGENTS), tuple(rows), shares=True)


def _by_order(axes: Any, wins: dict[str, Counts], games: int) -> None:
    told = np.array(list(ORDERS.values()))
    places = np.arange(len(ORDERS))
    for agent, panel in enumerate(axes.flat):
        panel.bar(places, told[:, agent] / RUN * 100, color="#8a8f98", alpha=0.35, width=0.85, label="published")
        for marker, (reading, won) in zip("os", wins.items(), strict=True):
            panel.plot(places, won[:, agent] / games * 100, marker, markersize=3.5, label=reading)
        panel.set_title(AGENTS[agent], fontsize=11)
        panel.set_xticks(places, list(ORDERS), rotation=90, fontsize=7)
        panel.set_ylim(0, 57)
    for panel in axes[:, 0]:
        panel.set_ylabel("games won, %")
    legend(axes)


def _boxes(axes: Any, wins: dict[str, Counts], games: int) -> None:
    told = np.array(list(ORDERS.values()))[:, NO_BLUFF]
    series = {"published": told} | {name: each[:, NO_BLUFF] / games * RUN for name, each in wins.items()}
    for number, (name, won) in enumerate(series.items()):
        by_seat = [[w for order, w in zip(ORDERS, won, strict=True) if order[seat] == "1"] for seat in range(4)]
        colour = ("#8a8f98", "C0", "C1")[number]
        places = [seat + 0.26 * (number - 1) for seat in range(4)]
        axes.boxplot(
            by_seat,
            positions=places,
            widths=0.2,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.45, "edgecolor": colour},
            medianprops={"color": colour},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            flierprops={"markeredgecolor": colour, "markersize": 4},
        )
        axes.plot([], [], "s", color=colour, alpha=0.6, label=name)
    axes.set_xticks(range(4), [f"seat {seat + 1}" for seat in range(4)])
    axes.set_ylabel("games won in 300")
    axes.set_ylim(bottom=0)
    legend(axes)


def experiment_5(settings: Settings, tell: Tell) -> Section:
    """Table 4: calls that were right and wrong."""
    clean = order_samples(CLEAN, settings, lambda part: tell(part * 0.35))
    ran = order_samples(PROGRAM, settings, lambda part: tell(0.35 + part * 0.65))
    tables = [_call_table("as the program ran", ran), _call_table("clean rules", clean)]
    plays, bluffs = (_per_game(clean, name).sum() for name in ("plays", "bluffs"))
    bluffs_run = _per_game(ran, "bluffs").sum()
    caught = sum(published.TRUE_CALLS) / CALL_GAMES
    right = [_per_game(clean, "calls right")[agent] for agent in range(4)]
    wrong = [_per_game(clean, "calls wrong")[agent] for agent in range(4)]
    accuracy = [100 * r / (r + w) if r + w else 0.0 for r, w in zip(right, wrong, strict=True)]
    text = (
        f"Neither reading gives Table 4: it has {caught:.1f} lies caught in a game, where {bluffs_run:.1f} are told as "
        f"run and {bluffs:.1f} under clean rules, with {100 * (1 - bluffs / plays):.0f}% of plays true. Anxious does "
        f"call most, but is right {accuracy[3]:.0f}% of the time, less than smart and reinforcement ({accuracy[1]:.0f} "
        f"and {accuracy[2]:.0f}%), not more."
    )
    shown = all(table.counted()[0] <= 2 for table in tables)
    return Section(
        "Experiment 5: right and wrong calls",
        (
            Text(
                "Calls of each agent in a game; the thesis prints totals of 1200 games in all run orders, here divided "
                "by 1200. No-bluff's zeros are left out: it never calls. The spread of a game's counts is measured, "
                "and the published means are taken to have the same."
            ),
            *tables,
            verdict("differs", shown, text),
        ),
    )


def _call_table(reading: str, samples: Sequence[Sample]) -> Table:
    rows = []
    for kind, name, totals in (
        ("right", "calls right", published.TRUE_CALLS),
        ("wrong", "calls wrong", published.FALSE_CALLS),
    ):
        means, spread = _per_game(samples, name), _spread(samples, name)
        games = sum(sample.games for sample in samples)
        cells = (Cell.mean(totals[a] / CALL_GAMES, CALL_GAMES, means[a], spread[a], games) for a in (1, 2, 3))
        rows.append(Row(f"{kind} calls a game", tuple(cells)))
    return Table(f"Table 4, {reading}", ("", *AGENTS[1:]), tuple(rows))


def _per_game(samples: Sequence[Sample], name: str) -> NDArray[np.float64]:
    """How often something happens in a game on average over the orders, by agent."""
    return np.mean([_by_agent(o, s.counted[name]) / s.games for o, s in zip(ORDERS, samples, strict=True)], axis=0)


def _spread(samples: Sequence[Sample], name: str) -> NDArray[np.float64]:
    """The standard deviation of a game's count within an order, by agent: every order was played equally often."""
    variances = [
        _by_agent(order, sample.squares[name] / sample.games - (sample.counted[name] / sample.games) ** 2)
        for order, sample in zip(ORDERS, samples, strict=True)
    ]
    return np.sqrt(np.mean(variances, axis=0))
