"""A match: agents by name, so many games at each seating, and a result with its uncertainty."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax

from feint import chance, workers
from feint.agent import Agent, PlainAgent, is_compiled
from feint.arena import hosted, statistics
from feint.arena.portions import Player, Portion, Seating, sat_down
from feint.arena.result import Result
from feint.arena.tally import Counting
from feint.arena.totals import Totals
from feint.errors import UserError
from feint.game import Game
from feint.seating import spec_of

# Tables at once, and matches handed over at a time: on a CPU what the caches hold, on a GPU what fills it.
LANES = {"cpu": 4096, "gpu": 2**18}
MOST_GAMES = 2**31 - 1  # which 32 bits can number
FEWEST, STEP = 64, 8  # tables at the least; and how many times as many are the next number of them
FEW = 32  # matches of a seating: where there are fewer, several seatings are played at once, or most tables would have nothing to do
PER_TABLE = (
    3  # matches a table plays at the least, if they are short: the longest game is then a small part of the work
)
ROUNDS = 4  # portions in which a seating plays its games at the least, where each keeps the tables busy
QUICK = 3.0  # seconds: where a round of portions takes less, so short is the match that nobody stops it
PER_CALL = 32  # matches a table plays before the host looks up and progress is shown


def match(
    game: Game[Any, Any],
    agents: Sequence[str | Agent | PlainAgent],
    seatings: Sequence[Seating] | None = None,
    games: int = 1000,
    seed: int = 0,
    *,
    part: tuple[int, int] | None = None,
    duplicate: bool = False,
    length: int = 1,
    level: float = statistics.LEVEL,
    lanes: int | None = None,
    progress: Callable[[int], None] | None = None,
    begun: Callable[[Callable[[], Result | None]], None] | None = None,
    after: Totals | None = None,
    limit: float | None = None,
) -> Result:
    """Play `games` games in all, in equal parts at each seating, by default the agents in the order given; there are as many more as it
    takes to come out even. Seatings take turns, so that a match which is stopped has played about as many games at each.

    With `duplicate` every seating plays the same deals. With `length` a table plays that many games in a row, through
    which agents keep their memory. With `part`, (first, count), only those of each seating's own games are played, here or
    elsewhere: the results of all parts merge to the result of the whole match. `progress` is told how many games have been
    played since it was told last. `begun` is handed, before the first game, what gives the result so far (None without any game) at
    any time and in any thread; with such a result of a match that was stopped, the same match goes on `after` it.
    Plain Python agents play too, only slower, and may take `limit` seconds for an answer.
    """
    chance.check_seed(seed)
    statistics.check_level(level)
    if limit is not None and not 0 < limit <= threading.TIMEOUT_MAX / hosted.LANES:
        raise UserError(f"The limit must be a number of seconds above 0, not {limit:g}.")
    playing = [sat_down(agent, game) for agent in agents]
    seatings = _checked(seatings or [range(len(agents))], len(agents), game)
    if length < 1 or games < 1:
        raise UserError(f"There must be one game or more, and one or more in a row, not {games} and {length}.")
    each = games_each(games, len(seatings), length)
    if each * len(seatings) > MOST_GAMES:
        raise UserError(f"A match has at most {MOST_GAMES} games, not {each * len(seatings)}.")
    if duplicate and len(set(seatings)) < len(seatings):
        raise UserError("Duplicate deals are played once at each seating: none may be named twice.")
    matches = each // length
    start, stop = _part(part or (0, each), each, length)
    counting = Counting(
        game, [spec_of(agent) for agent in agents], seatings, seed=seed, length=length, duplicate=duplicate, level=level
    )
    starts = [(0 if duplicate else number * matches) + start for number in range(len(seatings))]
    held = counting.go_on(after, starts, stop - start) if after else [0] * len(seatings)
    if begun:
        begun(lambda: Result.of(counting.totals()) if counting.parts else None)
    compiled = all(map(is_compiled, playing))
    most = lanes or (LANES.get(jax.default_backend(), LANES["gpu"]) if compiled else hosted.LANES)
    together = compiled and len(seatings) > 1 and stop - start < FEW
    alike = (stop - start) * (len(seatings) if together else 1)  # matches that may be in play at the same time
    tables = _tables(most, alike, length)
    at_once = min(tables, alike)  # matches, however long they are
    at_a_time = max(at_once, tables * (PER_CALL if compiled else 1) // length)
    rounds = max(ROUNDS, -(-ROUNDS * workers.parallelism() // (1 if together else len(seatings))))
    portion = min(at_a_time, max(at_once, PER_TABLE * tables // length, -(-alike // rounds)))
    player = Player(game, agents, playing, seatings, seed, length, duplicate, tables, at_a_time, limit, together)
    largest = portion if workers.elsewhere() else at_a_time
    portions = _in_turn(held, starts, stop - start, portion, largest, together)
    for parts in workers.in_order(player, portions):
        counting.parts.extend(parts)
        if progress:
            progress(sum(part.games for part in parts))
    return Result.of(counting.totals())


def games_each(games: int, seatings: int, length: int = 1) -> int:
    """How many games each of the seatings plays, so that they come out even in whole matches."""
    return -(-games // (seatings * length)) * length


def _in_turn(
    held: Sequence[int], starts: Sequence[int], matches: int, portion: int, most: int, together: bool
) -> Iterator[Portion]:
    """A portion of each seating in turn, or of several `together`, but for matches that were played before; a seating's are numbered from its
    start on.

    Every portion waits for its longest game, so where a round is quick the following portions are the largest there may be.
    """
    done = 0
    while done < matches:
        each = max(1, portion // len(held)) if together else portion
        began, end = time.monotonic(), min(done + each, matches)
        firsts = [max(done, before) for before in held]
        pieces = [(number, starts[number] + first, end - first) for number, first in enumerate(firsts) if first < end]
        at_once = portion // each if together else 1
        yield from (pieces[at : at + at_once] for at in range(0, len(pieces), at_once))
        done = end
        portion = most if time.monotonic() - began < QUICK else portion


def _part(part: tuple[int, int], games: int, length: int) -> tuple[int, int]:
    """The first match of a part, given as (first, count) of games, and the first one after it."""
    first, count = part
    if first < 0 or count < 1 or first + count > games or first % length or count % length:
        raise UserError(
            f"A part is one or more whole matches of {length} out of {games} games, not {count} games from {first} on."
        )
    return first // length, (first + count) // length


def _tables(most: int, matches: int, length: int) -> int:
    """Tables for so many matches: one of few numbers, so that most matches share a compilation. Long ones take about as long as each other,
    so that a table need not play several of them."""
    tables = FEWEST
    while tables < most and matches * min(length, STEP) >= PER_TABLE * STEP * tables:
        tables *= STEP
    return min(most, tables)


def _checked(seatings: Sequence[Seating], agents: int, game: Game[Any, Any]) -> list[tuple[int, ...]]:
    for seating in seatings:
        if len(seating) != game.players:
            raise UserError(
                f"{game.name} is played by {game.players} here, not by {len(seating)}; "
                f"{len(seating)} agents need players={len(seating)}."
            )
        if not all(0 <= agent < agents for agent in seating):
            raise UserError(f"A seating names agents from 0 to {agents - 1}, not {list(seating)}.")
    return [tuple(int(agent) for agent in seating) for seating in seatings]
