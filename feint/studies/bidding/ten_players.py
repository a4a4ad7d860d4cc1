"""Ten players with fifty coins: what can be won against random fields and among agents, and how near the adaptive agent comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from feint.games.bidding.adaptive import Adaptive
from feint.games.bidding.bidders import Drifting
from feint.studies.bidding import published
from feint.studies.bidding.cells import mean_cell
from feint.studies.bidding.fields import (
    COURSES,
    FIELDS,
    GAME,
    LEARNED,
    PLAYERS,
    Bound,
    best_reply_to_uniform,
    bound,
    drifting,
    least,
    matches,
    sampled,
    table_of,
    transitions,
    ways,
    won,
    world,
)
from feint.studies.figures import draw
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell

RANDOM, AGENTS = list(FIELDS)[:4], list(FIELDS)[4:]
ANEW = {f"Dirichlet({concentration:g}), anew each game": (concentration, 1.0) for concentration in (1.0, 0.1, 0.01)}
KEPT = ("Dirichlet(0.1), for a whole match", (0.1, 0.0))
SEEDS = range(1, 9)  # of value iteration's samples
SHORT = 50  # games of a match of players that do not learn


def ten_players(settings: Settings, tell: Tell) -> Section:
    """Random fields: the bound, the paper's value iteration and the adaptive agent."""
    count, length = matches(settings.games)
    courses, short = min(COURSES, settings.games), max(4, settings.games // (10 * SHORT))
    fields = [FIELDS[name]() for name in RANDOM]
    bounds = {name: bound(field, courses, settings.seed) for name, field in zip(RANDOM, fields, strict=True)}
    bounds |= {name: bound(Drifting(*how), courses, settings.seed) for name, how in ANEW.items()}
    tell(0.2)
    # The field of each match has a best plan of its own.
    settled = [*ANEW.values(), KEPT[1]]
    worlds = world(settings.seed) + np.arange(count) * len(settled) + len(settled) - 1
    own = [bound(Drifting(*KEPT[1], int(each)), courses // 4, settings.seed) for each in worlds]
    tell(0.35)
    learner = np.concatenate(
        [
            won(Adaptive(), fields, count, length, settings.seed),
            drifting(Adaptive(), settled, count, length, settings.seed),
        ]
    )
    tell(0.75)
    replies = _random(ways(best_reply_to_uniform()), fields, short, settings.seed)
    model = {
        how: np.array(
            [_random(ways(table_of(of(sampled(10_000, seed)[0]))), fields, short, settings.seed) for seed in SEEDS]
        ).mean(axis=2)
        for how, of in TIES.items()
    }  # float[seeds, fields] each
    rows = []
    for number, name in enumerate([*RANDOM, *ANEW, KEPT[0]]):
        best = _plan(bounds[name]) if name in bounds else mean_cell(np.array([100 * each.value for each in own]), "%")
        above = bounds[name].all_knowing if name in bounds else float(np.mean([each.all_knowing for each in own]))
        others: tuple[Cell | str, ...] = ("",) * (1 + len(TIES))
        if number < len(RANDOM):
            told = published.VALUE_ITERATION if number == 0 else None
            others = (_share(replies[number]), *(_samples(told, 100 * of[:, number]) for of in model.values()))
        rows.append(Row(name, (Cell(None, 100 * above, unit="%"), best, *_learned(learner[number]), *others)))
    believed = [sampled(10_000, seed)[1] for seed in SEEDS]
    return Section(
        "Ten players with fifty coins",
        (
            Text(
                "Nine opponents of one kind, the last two all-in. While somebody survives, the others' lowest bids do not depend on "
                "what that player bids. So a plan over one's own coins and the players left is a fixed schedule of bids, and the "
                "chance to survive a round with a bid is the same for every purse: learned once for all purses, it "
                "takes far fewer games than learning every purse apart, as the paper's value iteration does."
                "\n\n"
                "The best plan found is the bound for whoever sees no opponent's purse; it is value iteration on such chances, improved "
                "coin by coin, and tried on other games than it was made from. The all-knowing player knows every bid to come. The "
                f"adaptive agent is told nothing: its games 1 to {_early(length)}, and those from {int(LEARNED * length) + 1} on, in matches of {length:,}."
            ),
            Table(
                "Games won, %",
                ("opponents", *COLUMNS, "best reply to any bid", *TIES),
                tuple(rows),
                f"99% intervals; for the paper's value iteration, from 10⁴ games, the least and the most of {len(SEEDS)} samples. Adaptive: "
                f"{count} matches of {length:,} games; players that do not learn: {short * SHORT:,} games.",
            ),
            draw(lambda axes: _compare(axes, rows), "Games won after learning, beside the best plan found", (8, 4.4)),
            Verdict(
                "differs",
                f"34% (value iteration) and 22% (DQN) are far below what is possible: {_point(rows[0].cells[1])}% against random bids. The paper's own "
                f"method expects to win {100 * np.mean(believed):.0f}% after 10,000 games, having tried {_tried():.0f}% of the bids there "
                f"are. Of all the bids that never failed a plain argmax takes the least and wins {_range(rows[0].cells[-2])}, among which is the 34%; "
                f"by lot it wins {_range(rows[0].cells[-1])}.",
            ),
            _within(rows),
        ),
    )


TIES = {
    "value iteration, least of equal bids": least,
    "value iteration, any of equal bids": lambda best: best,
}
COLUMNS = ("all-knowing", "best plan found", "adaptive, at first", "adaptive, when it has learned")


def cross_play(settings: Settings, tell: Tell) -> Section:
    """One player among nine of another kind."""
    count, length = matches(settings.games)
    courses, short = min(COURSES, settings.games), max(4, settings.games // (10 * SHORT))
    fields = [FIELDS[name]() for name in AGENTS]
    tell(0.2)
    bounds = [bound(field, courses, settings.seed, 8) for field in fields]
    tell(0.45)
    learner = won(Adaptive(), fields, count, length, settings.seed)
    tell(0.9)
    alone = [_random(ways(table()), fields, short, settings.seed) for table in PLAYERS.values()]
    rows = [
        Row(
            f"nine: {name}",
            (
                Cell(None, 100 * bounds[number].all_knowing, unit="%"),
                _plan(bounds[number]),
                *_learned(learner[number]),
                *(_share(each[number]) for each in alone),
            ),
        )
        for number, name in enumerate(AGENTS)
    ]
    plans = "; ".join(
        f"{name}: {', '.join(map(str, each.schedule))}" for name, each in zip(AGENTS, bounds, strict=True)
    )
    return Section(
        "Ten players with fifty coins: agents among each other",
        (
            Text(
                "Agents made apart meet. Nine of a kind are the field, one player of another is tried among them; 10% would be its "
                "share. Value iteration from 10⁵ games is near a convention without being one; E is one, so nobody can win more than "
                "10% there."
            ),
            Table(
                "Games won by one among nine, %",
                ("field", *COLUMNS, *PLAYERS),
                tuple(rows),
                f"99% intervals. Adaptive: {count} matches of {length:,} games; players that do not learn: {short * SHORT:,} games. The best plans "
                f"found: {plans}.",
            ),
            Verdict(
                "differs",
                "Whoever was planned for one field wins next to nothing in another: the paper's agents, each good against its own opponents, "
                "would lose to one another. Only learning during the match helps.",
            ),
            _within(rows),
        ),
    )


def _random(player: Any, fields: Sequence[Any], short: int, seed: int) -> np.ndarray:
    """Games of a player that does not learn, bool[fields, games]."""
    return won(player, fields, short, SHORT, seed).reshape(len(fields), -1)


def _early(length: int) -> int:
    return length // 10


def _learned(games: np.ndarray) -> tuple[Cell, Cell]:
    """At first and later, by match: games of one match are not independent."""
    length = games.shape[1]
    return tuple(  # type: ignore[return-value]
        mean_cell(100 * part.mean(axis=1), "%")
        for part in (games[:, : _early(length)], games[:, int(LEARNED * length) :])
    )


def _plan(found: Bound) -> Cell:
    return Cell.around(100 * found.value, 100 * found.error, unit="%")


def _share(games: np.ndarray) -> Cell:
    return replace(Cell.share(None, 0, int(games.sum()), games.size), games=0)  # the note says how many


def _samples(told: float | None, rates: np.ndarray) -> Cell:
    """The mean, least and most over samples. One more sample could be what was published, by the spread of ours: a t-test."""
    p = None
    if told is not None:
        apart = float(rates.std(ddof=1)) * (1 + 1 / len(rates)) ** 0.5
        p = float(2 * stats.t.sf(abs(float(rates.mean()) - told) / apart, len(rates) - 1))
    return Cell(told, float(rates.mean()), float(rates.min()), float(rates.max()), p, unit="%")


def _point(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else f"{cell.measured:.1f}"


def _range(cell: Cell | str) -> str:
    return cell if isinstance(cell, str) else f"{cell.measured:.0f}% ({cell.low:.0f} to {cell.high:.0f})"


def _tried() -> float:
    """The part of all bids with all purses, round by round, that 10,000 games have tried, in percent."""
    tried = np.asarray(transitions(10_000, SEEDS[0]).tried)[:-1]
    return 100 * (tried > 0).sum() / (len(tried) * GAME.actions * (GAME.actions + 1) / 2)


def _within(rows: Sequence[Row]) -> Verdict:
    """How near the adaptive agent comes to the best plan."""
    gaps = {row.label: row.cells[1].measured - row.cells[3].measured for row in rows}  # type: ignore[union-attr]
    worst = max(gaps, key=lambda label: gaps[label])
    near = gaps[worst] <= 1
    return Verdict(
        "holds" if near else "differs",
        f"Told nothing, the adaptive agent comes within {max(gaps[worst], 0):.1f} points of the best plan found against every field, from game "
        f"{int(LEARNED * published.LENGTH) + 1} on (farthest: {worst})."
        if near
        else f"The adaptive agent stays {gaps[worst]:.1f} points below the best plan found: {worst}.",
    )


def _compare(axes: Any, rows: Sequence[Row]) -> None:
    places = range(len(rows))
    best: list[Any] = [row.cells[1] for row in rows]
    ours: list[Any] = [row.cells[3] for row in rows]
    axes.barh(
        places, [cell.measured for cell in best], color="#8a8f98", alpha=0.35, height=0.62, label="best plan found"
    )
    reach = [[cell.measured - cell.low for cell in ours], [cell.high - cell.measured for cell in ours]]
    axes.errorbar(
        [cell.measured for cell in ours], places, xerr=reach, fmt="o", capsize=3, label="adaptive, when it has learned"
    )
    axes.set_yticks(places, [row.label for row in rows], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlabel("games won, %")
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.figure.legend(loc="outside upper center", ncols=2)
