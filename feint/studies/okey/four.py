"""Four players, real rules: one agent beside three of a kind, and a league of them all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory, Memoryless
from feint.arena import rating, rollout
from feint.chance import Key
from feint.game import Game, pytree
from feint.studies.figures import draw
from feint.studies.okey.baselines import verdict
from feint.studies.okey.cells import mean, percent, share
from feint.studies.okey.company import FOUR, Collector, Counted, made, stacked
from feint.studies.okey.played import LANES, OTHERS, Games, Sample, seed_of
from feint.studies.okey.published import FOUR_BEFORE
from feint.studies.report import Cell, Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell
from feint.ways import Memories

COUNTING = ("greedy", "greedy(wide=true)", "expectation", "expectation(wide=true, pairs=0, feed=0.5)")
ALONE = ("computer", *COUNTING)
BARS = {"computer": 75.0, "greedy": 30.0}  # percent to win beside three of these


def beside_three(settings: Settings, tell: Tell) -> Section:
    """One agent beside three `computer`, and beside three `greedy`."""
    games = Games(settings, tell, len(ALONE) * len(BARS))
    found = {field: {agent: games.row(FOUR, agent, *[field] * 3) for agent in ALONE} for field in BARS}
    rows = [Row(agent, tuple(cell for field in BARS for cell in _cells(found, field, agent))) for agent in ALONE]
    columns = [f"{what} three `{field}`" for field in BARS for what in ("won beside", "drawn,", "measured before,")]
    return Section(
        "Four players: one beside three of a kind",
        (
            Text(
                "The real game of four; 25% of the games that are not drawn is even. “Measured before”: percent won in the first seat and drawn, by a program of another make whose "
                "`computer` discards otherwise, so beside three of these it is not like for like."
            ),
            Table("Games of one beside three, %", ("agent", *columns), tuple(rows)),
            *(
                _bar(field, {agent: share(sample.won[:, 0]) for agent, sample in found[field].items()})
                for field in BARS
            ),
            games.told(),
        ),
    )


def _cells(found: Mapping[str, Mapping[str, Sample]], field: str, agent: str) -> tuple[Cell | str, ...]:
    sample, before = found[field][agent], FOUR_BEFORE.get((agent, field))
    return share(sample.won[:, 0]), share(sample.drawn), f"{before[0]:g}, {before[1]:g}" if before else ""


def _bar(field: str, won: Mapping[str, Cell]) -> Verdict:
    best = max(won, key=lambda agent: won[agent].measured)
    cell, bar = won[best], BARS[field]
    return Verdict(
        verdict(cell, bar),
        f"That an agent wins {bar:g}% or more beside three `{field}`, the bar for strong ones: `{best}` wins {percent(cell)} [{cell.low:.1f}, {cell.high:.1f}].",
    )


# ---- a league


LEAGUE = (*COUNTING, *OTHERS)


@pytree
class ByLot(Memoryless):
    """In every chair one of the league, drawn anew for each game."""

    heavy: ClassVar[bool] = True

    counting: Collector  # those who count, their numbers stacked
    others: tuple[Any, ...]
    game: Any

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Array:
        return jax.random.randint(key, (), 0, len(LEAGUE))

    def act(self, memory: Array, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        who: Any = jax.tree.map(lambda each: each[jnp.minimum(memory, len(COUNTING) - 1)], self.counting)
        action, _ = replace(who, game=self.game).act((), view, legal, key)
        for number, agent in enumerate(self.others, len(COUNTING)):
            action = jnp.where(memory == number, agent.act((), view, legal, key)[0], action)
        return action.astype(jnp.int32), memory


def _who(memories: Memories) -> Any:
    return memories[0]


@cache
def _by_lot(game: Counted, settings: Settings) -> tuple[Sample, np.ndarray]:
    """Games of the league, and who sat where, int[games, chairs]."""
    begun = perf_counter()
    counting = stacked([made(name, game) for name in COUNTING])
    played, _ = rollout.play(
        game,
        [ByLot(counting, tuple(made(name, game) for name in OTHERS), game)],
        [0] * game.players,
        seed=seed_of(settings, game, LEAGUE),
        first=0,
        matches=settings.games,
        lanes=LANES,
        watch=_who,
    )
    found = jax.device_get(played)
    return Sample.of(found, game.cap, perf_counter() - begun), np.asarray(found.seen)[:, 0]


def league(settings: Settings, tell: Tell) -> Section:
    """Everybody with everybody."""
    games = Games(settings, tell, 1)
    seated: list[np.ndarray] = []

    def play() -> Sample:
        sample, who = _by_lot(FOUR, settings)
        seated.append(who)
        return sample

    sample = games.asked(play)
    who = seated[0]
    ratings = rating.rate(LEAGUE, who, sample.won, seed=settings.seed, before=rating.WINNERS)
    places = {each.agent: each.value for each in ratings.ratings}
    won = {name: share(sample.won[who == number]) for number, name in enumerate(LEAGUE)}
    paid = {name: mean(sample.paid[who == number]) for number, name in enumerate(LEAGUE)}
    rows = [
        Row(
            name,
            (
                Cell(None, places[name].estimate, places[name].low, places[name].high, places=2),
                won[name],
                paid[name],
            ),
        )
        for name in places
    ]
    first, second = list(places)[:2]
    clear = places[first].low > places[second].high
    return Section(
        "Four players: a league",
        (
            Text(
                "The real game of four. Every chair of every game is taken by one of the agents by lot, so that each meets every company, itself among others. Ratings are by "
                "Plackett-Luce, winners before the rest, with intervals by resampling games: everybody starts at 25."
            ),
            Table(
                "Agents from the strongest down",
                ("agent", "rating", "won, % of the games it sat in", "points a game"),
                tuple(rows),
                f"Rated on {ratings.used:,} of the {ratings.games:,} games. {percent(share(sample.drawn))} of them were drawn.",
            ),
            draw(lambda axes: _ratings(axes, places), "Ratings and their 99% intervals", (7.5, 3.4)),
            Verdict(
                "holds" if clear else "open",
                f"That one agent is the strongest: by rating it is `{first}`, {'and' if clear else 'but'} `{second}`, the next, is {'' if clear else 'not '}shown to be weaker. They win "
                f"{percent(won[first])} and {percent(won[second])} of the games they sit in, `computer` {percent(won['computer'])}.",
            ),
            games.told(),
        ),
    )


def _ratings(axes: Any, places: Mapping[str, Any]) -> None:
    values = list(places.values())
    reach = [[each.estimate - each.low for each in values], [each.high - each.estimate for each in values]]
    axes.errorbar([each.estimate for each in values], range(len(values)), xerr=reach, fmt="o", capsize=3)
    axes.set_yticks(range(len(values)), list(places))
    axes.invert_yaxis()
    axes.set_xlabel("rating")
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
