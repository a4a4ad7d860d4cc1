"""The last limitation: to discard from five melds of three."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from feint.agent import Memory, is_heavy
from feint.arena import rollout
from feint.chance import Key
from feint.game import Game, pytree
from feint.games.okey.runs import windows
from feint.games.okey.state import DISCARD, FINISH
from feint.games.okey.tiles import FACES, HAND, NUMBERS, split
from feint.studies.okey.cells import mean, percent, share
from feint.studies.okey.company import THESIS, Collector, Counted, Counting, free, made, stacked
from feint.studies.okey.played import LANES, Games, Sample, seed_of
from feint.studies.report import Row, Section, Table, Text, Verdict
from feint.studies.run import Settings, Tell
from feint.ways import Memories

KEPT = 64  # racks of a player in a game that are written down
RARE = 5.0  # percent of games: what comes up less often is rare


@pytree
class Noting:
    """An agent that writes down the racks it discards from and which might be five melds of three."""

    agent: Any

    @property
    def heavy(self) -> bool:
        return is_heavy(self.agent)

    def begin(self, game: Game[Any, Any], seat: Array, key: Key) -> Memory:
        return self.agent.begin(game, seat, key), jnp.zeros((KEPT, FACES + 1), jnp.int8), jnp.int32(0)

    def act(self, memory: Memory, view: Any, legal: Array, key: Key) -> tuple[Array, Memory]:
        own, racks, count = memory
        action, own = self.agent.act(own, view, legal, key)
        faces, jokers = split(view.rack, view.okey)
        # In five melds of three, at most two tiles beside each joker are in no meld of their own.
        might = (action >= DISCARD) & ~legal[FINISH] & (free(view) <= 2 * jokers.astype(jnp.int32))
        here = might & (jnp.arange(KEPT) == count)
        racks = jnp.where(here[:, None], jnp.append(faces, jokers), racks)
        return action, (own, racks, count + might)

    def finish(self, memory: Memory, view: Any, rewards: Array, key: Key) -> Memory:
        return memory


def _notes(memories: Memories) -> Any:
    return memories[0][1:]


@cache
def _played(game: Counted, settings: Settings, name: str) -> tuple[Sample, np.ndarray, np.ndarray]:
    """Games of agents of one kind, their racks that may be five melds, int8[games, chairs, KEPT, 53], and how many there were."""
    begun = perf_counter()
    agent = made(name, game)
    if isinstance(agent, Collector):
        agent = Counting(stacked([agent] * game.players), game)
    played, _ = rollout.play(
        game,
        [Noting(agent)],
        [0] * game.players,
        seed=seed_of(settings, "five melds", game, name),
        first=0,
        matches=settings.games,
        lanes=LANES,
        watch=_notes,
    )
    found = jax.device_get(played)
    racks, counts = found.seen
    return Sample.of(found, game.cap, perf_counter() - begun), racks[:, 0], counts[:, 0]


def in_threes(held: list[int], jokers: int) -> bool:
    """Whether so many tiles of each of the 52 faces, and jokers, are melds of three and nothing else."""
    face = next((face for face, count in enumerate(held) if count), None)
    if face is None:
        return jokers == 0  # nobody has three jokers
    for meld in _melds_with(face):
        missing = sum(not held[each] for each in meld)
        if missing <= jokers:
            left = [count - (face in meld and count > 0) for face, count in enumerate(held)]
            if in_threes(left, jokers - missing):
                return True
    return False


@cache
def _melds_with(face: int) -> list[tuple[int, ...]]:
    """The faces of every set and run of three in which a face is."""
    colour, number = divmod(face, NUMBERS)
    sets = [tuple(each * NUMBERS + number for each in range(4) if each != left_out) for left_out in range(4)]
    runs = [tuple(colour * NUMBERS + each for each in run) for run in windows(3)]
    return [meld for meld in sets + runs if face in meld]


def made_of(tiles: int) -> list[str]:
    """The ways in which so many tiles are melds of three, four and five."""
    ways = [
        (threes, fours, fives)
        for threes in range(tiles // 3 + 1)
        for fours in range(tiles // 4 + 1)
        for fives in range(tiles // 5 + 1)
        if 3 * threes + 4 * fours + 5 * fives == tiles
    ]
    return ["+".join("3" * way[0] + "4" * way[1] + "5" * way[2]) for way in reversed(ways)]


def five_melds(settings: Settings, tell: Tell) -> Section:
    """How often somebody has to break one of five melds of three."""
    games = Games(settings, tell, 2)
    rows, shares = [], {}
    for name in ("computer", "greedy"):
        noted: list[Any] = []

        def play(name: str = name, noted: list[Any] = noted) -> Sample:
            sample, *rest = _played(THESIS, settings, name)
            noted.extend(rest)
            return sample

        sample = games.asked(play)
        racks, counts = noted
        fives = _fives(racks, counts)
        shares[name] = share(fives.sum(axis=1) > 0)
        rows.append(
            Row(
                f"two `{name}`",
                (
                    mean(sample.counted["turns"].sum(axis=1), 1),
                    mean(sample.counted["no free tile"].sum(axis=1)),
                    mean(fives.sum(axis=1), 4),
                    shares[name],
                    f"{(counts > KEPT).sum():,}",
                ),
            )
        )
    most = shares["greedy"]
    rare = most.high is not None and most.high < RARE
    return Section(
        "Limitation: five melds of three",
        (
            Text(
                "“Another limitation … when trying to discard from 5 separate 3-tiled series”: the learner does not see which of them can be spared. "
                f"A finished hand has {HAND} tiles: {', '.join(made_of(HAND))} ({', '.join(way for way in made_of(HAND) if '5' not in way)} alone where there are no runs of five). Five melds of three are {HAND + 1} tiles, those of a player who has drawn: "
                "no finished hand, since whichever tile is discarded breaks a meld. "
                "Every rack from which something was discarded and in which hardly a tile was free is looked through for them."
            ),
            Table(
                "How often it comes up in `okey:thesis`, a game, both players together",
                (
                    "table",
                    "turns",
                    "discards without a free tile",
                    "discards from five melds of three",
                    "games with any, %",
                    "players not looked through",
                ),
                tuple(rows),
                f"Of a player, the first {KEPT} racks in a game are looked through.",
            ),
            Verdict(
                "holds" if rare else "differs",
                f"That it “is a rare case”: among `greedy`, {percent(most)} of games have one (below {most.high:.1f}%), among `computer` {percent(shares['computer'])}. To choose better there cannot be worth more than as "
                f"many points of win rate, and {'does not matter' if rare else 'may matter'}; `greedy` chooses by the discards that it remembers anyway.",
            ),
            games.told(),
        ),
    )


def _fives(racks: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Discards from five melds of three, int[games, chairs]."""
    found = np.zeros(counts.shape, np.int64)
    for game, chair, number in np.argwhere(np.arange(KEPT) < counts[..., None]):
        rack = racks[game, chair, number]
        found[game, chair] += in_threes(rack[:-1].tolist(), int(rack[-1]))
    return found
