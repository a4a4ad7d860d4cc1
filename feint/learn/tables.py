"""Who sits with the learner: itself, named agents and its past selves, in which seats."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle, groupby, islice
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from feint import chance, registry
from feint.agent import Agent, is_compiled
from feint.arena.seatings import WAYS
from feint.chance import Key
from feint.errors import UserError
from feint.game import Game, pytree, static
from feint.specs import split_specs

LEARNER = 0  # in a seating; agent k of `Tables.agents` is k + 1
ME, PAST = "me", "past"  # how tables name the learner and a past self
FILL = "..."  # at the end of a table: those before it in turn, until it is full
Table = tuple[str, ...]  # who sits there


@pytree
class Tables:
    """The tables a learner trains at. Each match is played at one of them, drawn evenly or by weight, in an order of seats drawn anew."""

    agents: tuple[Agent, ...]
    seatings: Array  # int32[tables, players]: LEARNER, or the agent's number in `agents` plus one
    game: Game[Any, Any]
    seats: str = static(default="all")  # which orders are drawn: all, rotations, or as given
    past: bool = static(default=False)  # whether a past self sits at some table: the agent after `agents`
    length: int = static(default=1)  # games in a row that the same people play
    reader: Any = None  # what tells of decisions, where they are watched
    weights: Array | None = None  # float32[tables]: how often each is drawn, in all 1; evenly where None
    shares: tuple[float, ...] = static(default=())  # of all seats, of each agent and a past self; () if not known
    recalls: bool = static(default=False)  # whether it is kept what games of a match told, for the learner to read

    @property
    def counts(self) -> tuple[int, ...]:
        """Chairs that each agent may have at once: any number of them, since tables differ."""
        return (self.game.players,) * len(self.agents)

    @property
    def shared(self) -> bool:
        """Whether anybody but the learner sits at some table."""
        return bool(self.agents) or self.past

    def with_past(self, agent: Agent) -> Tables:
        """The tables with this agent in the seats of past selves."""
        return replace(self, agents=(*self.agents, agent), past=False) if self.past else self

    def draw(self, key: Key) -> Array:
        """Who sits where in a game, int32[players]."""
        of_table, of_order = jax.random.split(key)
        seating = self.seatings[self._drawn(of_table)]
        if self.seats == "given":
            return seating
        if self.seats == "rotations":
            return jnp.roll(seating, jax.random.randint(of_order, (), 0, self.game.players))
        return jax.random.permutation(of_order, seating)

    def _drawn(self, key: Key) -> Array:
        """The number of a table, int32."""
        if self.weights is None:
            return jax.random.randint(key, (), 0, len(self.seatings))
        below = jnp.cumsum(self.weights) <= jax.random.uniform(key)
        return jnp.minimum(below.sum(), len(self.seatings) - 1)  # rounding may leave the last sum below 1


def self_play(game: Game[Any, Any]) -> Tables:
    """One table with the learner in every seat."""
    return Tables((), jnp.full((1, game.players), LEARNER, jnp.int32), game)


def make_tables(
    game: Game[Any, Any], named: Sequence[Sequence[str]], seats: str = "all", length: int = 1, watched: bool = False
) -> Tables:
    """Tables by the names of those who sit there: agents' specifications, `me` for the learner, `past` for a past self.

    The same people play `length` games in a row, through which they keep their memory. Where a table does not say where the learner sits, it has the last seat. Without any table the learner plays itself.
    At tables that are only watched, the learner has no seat.
    """
    if seats not in WAYS:
        raise UserError(f"--seats must be one of {', '.join(WAYS)}, not {seats!r}.")
    seated = _watched if watched else _full
    full = [seated(game, table) for table in named] or [[ME] * game.players]
    specs = list(dict.fromkeys(spec for table in full for spec in table if spec not in (ME, PAST)))
    number = {ME: LEARNER, **{spec: index + 1 for index, spec in enumerate(specs)}, PAST: len(specs) + 1}
    agents = tuple(compiled_agent(spec, game) for spec in specs)
    seatings = jnp.asarray([[number[spec] for spec in table] for table in full], jnp.int32)
    past = any(PAST in table for table in full)
    reader = game.decision_reader() if watched else None
    shares = tuple(_share(full, spec) for spec in [*specs, *[PAST] * past])
    return Tables(agents, seatings, game, seats, past, length, reader, shares=shares)


def _share(tables: Sequence[Sequence[str]], spec: str) -> float:
    """The share of all seats that somebody has, as a power of two that is no less: much the same tables then have the same program."""
    seats = sum(map(len, tables))
    return 2.0 ** math.ceil(math.log2(sum(table.count(spec) for table in tables) / seats))


def _full(game: Game[Any, Any], table: Sequence[str]) -> list[str]:
    seated = [*table] if ME in table else [*table, ME]
    if len(seated) != game.players:
        raise UserError(
            f"{','.join(table)} seats {len(seated)} with the learner, but {game} is played by {game.players}: "
            f"name {game.players - 1} others, or {game.players} with {ME} for the learner."
        )
    return seated


def _watched(game: Game[Any, Any], table: Sequence[str]) -> list[str]:
    if len(table) != game.players or ME in table or PAST in table:
        raise UserError(
            f"{','.join(table)} cannot be watched: name {game.players} agents for {game}, without {ME} or {PAST}, since the learner only "
            "looks on."
        )
    return [*table]


def compiled_agent(spec: str, game: Game[Any, Any]) -> Agent:
    """An agent by its specification, refused where it cannot be compiled."""
    agent: Any = registry.make_agent(spec, game)
    if not is_compiled(agent):
        raise UserError(
            f"{spec} is a plain Python agent: it can sit at a table (feint play), but nobody trains with it."
        )
    if game.drawn:  # which not everybody can play: it is said before anything is begun
        jax.eval_shape(lambda: agent.begin(game, jnp.int32(0), chance.key(0)))
    found: Agent = agent
    return found


def read_tables(texts: Iterable[str]) -> tuple[Table, ...]:
    """Tables as they are written: names between commas, before them perhaps how many such tables there are: 3*smart,past,past."""

    def read(text: str) -> list[Table]:
        counted = re.match(r"\s*([^\s,(:*]*)\s*\*", text)
        if not counted:
            return [tuple(split_specs(text))]
        if not re.fullmatch(r"[1-9]\d{0,2}", counted[1]):
            raise UserError(
                f"Before the * of {text!r} stands how many such tables there are, 1 to 999, as in 3*smart,past,past."
            )
        return [tuple(split_specs(text[counted.end() :]))] * int(counted[1])

    return tuple(table for text in texts for table in read(text))


def filled(tables: Iterable[Table], games: Sequence[Game[Any, Any]], watched: bool = False) -> tuple[Table, ...]:
    """Tables as they are and, behind them, those that end in `...` once for each game: those before it in turn in all seats but the learner's."""

    def full(table: Table, game: Game[Any, Any]) -> Table:
        names = table[:-1]
        if not names:
            raise UserError(f"Before {FILL} stands who sits at the table, as in smart,past,{FILL}")
        return around(names, game.players - (ME not in names and not watched))

    given = [*tables]
    whole = [table for table in given if table[-1] != FILL]
    return *whole, *(full(table, game) for game in games for table in given if table[-1] == FILL)


def unfilled(tables: Sequence[Table], games: Sequence[Game[Any, Any]], watched: bool = False) -> tuple[Table, ...]:
    """The fewest tables that `filled` makes these of, where there are several games."""
    widest = max(range(len(games)), key=lambda nth: games[nth].players)
    for count in range(len(tables) // len(games) if len(games) > 1 else 0, 0, -1):
        whole, last = tables[: -count * len(games)], tables[-count * len(games) :]
        turns = (_in_turn(table) for table in last[widest * count : (widest + 1) * count])
        found = (*whole, *((*names, FILL) for names in turns))
        if filled(found, games, watched) == (*tables,):
            return found
    return (*tables,)


def _in_turn(table: Table) -> Table:
    """The fewest names that fill a table in turn."""
    return next(table[:count] for count in range(1, len(table) + 1) if around(table[:count], len(table)) == table)


def around(names: Iterable[str], seats: int) -> Table:
    """So many seats, taken by these in turn."""
    return tuple(islice(cycle(names), seats))


def write_tables(tables: Iterable[Table]) -> list[str]:
    """What `read_tables` makes the same tables of."""
    runs = [(",".join(table), len(list(same))) for table, same in groupby(tables)]
    counted = [(names, min(count - start, 999)) for names, count in runs for start in range(0, count, 999)]
    return [names if count == 1 else f"{count}*{names}" for names, count in counted]
