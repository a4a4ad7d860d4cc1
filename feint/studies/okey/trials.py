"""The runs behind the thesis' experiments: every experiment against every reading of its opponent, with several seeds, and once with what
else could be meant. All learn side by side; what they have come to is kept now and then, and a study that was stopped goes on from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from feint import registry
from feint.archive import packed
from feint.engine import program_store
from feint.program_cache import digest
from feint.studies.okey.learner import Setup, Thesis, Told, advance, begin, memories
from feint.studies.okey.published import HOW

OPPONENTS = ("arranger", "computer", "exact")
SEEDS = 3
USUAL = {"end": False, "rate": 1e-4, "renewed": False, "arranged": True}
# What the thesis leaves open, or gave up, read in another way; tried once, against the first opponent.
READINGS: dict[str, dict[str, Any]] = {
    "learning rate 0.001": {"rate": 1e-3},
    "hand sorted, not arranged": {"arranged": False},
    "priorities renewed": {"renewed": True},
    "±100 at the end": {"end": True},
}
# What runs depend on, of the game and of the study.
RULES = ("agents", "arranging", "hand", "melds", "rules", "runs", "state", "tiles", "view")
PLAYED = ("episodes", "learner")
SPAN = 45  # seconds between two times at which runs are kept


@dataclass(frozen=True)
class Trial:
    """One run: an experiment of the thesis, by its number, against an opponent."""

    experiment: int
    opponent: str
    seed: int
    reading: str = ""
    settings: dict[str, Any] = field(default_factory=lambda: USUAL, hash=False)

    @property
    def replays(self) -> bool:
        return HOW[self.experiment][1]


def listed(seed: int) -> list[Trial]:
    """All runs, those with a memory first."""
    seeds = [seed * SEEDS + number for number in range(SEEDS)]
    usual = [Trial(number, opponent, each) for number in HOW for opponent in OPPONENTS for each in seeds]
    others = [
        Trial(number, OPPONENTS[0], seeds[0], reading, USUAL | change)
        for reading, change in READINGS.items()
        for number in HOW
        if HOW[number][1] or "renewed" not in change
    ]
    return sorted(usual + others, key=lambda trial: not trial.replays)


def tried(thesis: Thesis, trials: list[Trial], episodes: int, tell: Callable[[float], None]) -> dict[str, np.ndarray]:
    """What is told of runs, [rounds, trials] each, a round being `episodes_at_once` episodes."""
    game = registry.make("okey:thesis")
    met = [name for name in OPPONENTS if any(trial.opponent == name for trial in trials)]
    opponents = tuple(registry.make_agent(name, game) for name in met)
    rounds = -(-episodes // thesis.episodes_at_once)
    names = names_kept(thesis, trials, episodes)
    replaying = sum(trial.replays for trial in trials)
    told = {each: np.zeros((rounds, len(trials))) for each in Told.__dataclass_fields__}
    done, told = saved(names["told"], told)
    if done == rounds:
        return told
    learning = begin(thesis, _setups(trials)), memories(thesis, replaying) if replaying else None
    done, (learning, told) = saved(names["runs"], (learning, told))
    which = tuple(met.index(trial.opponent) for trial in trials)
    step = jax.jit(partial(advance, thesis, which), donate_argnums=(2, 3))
    since = perf_counter()
    for number in range(done, rounds):
        *learning, now = step(game, opponents, *learning)
        for each, value in asdict(now).items():
            told[each][number] = value
        tell((number + 1) / rounds)
        if perf_counter() - since > SPAN:
            save(names["runs"], number + 1, (tuple(learning), told))
            since = perf_counter()
    save(names["told"], rounds, told)
    return told


def _setups(trials: list[Trial]) -> Setup:
    """How trials are set up, stacked."""
    rows = [{"greedy": HOW[trial.experiment][0], "seed": trial.seed} | trial.settings for trial in trials]
    return Setup(**{name: jnp.asarray([row[name] for row in rows]) for name in rows[0]})


# ---- runs kept until they are through, and then what is told of them


def names_kept(thesis: Thesis, trials: list[Trial], episodes: int) -> dict[str, str]:
    """Under which names runs, and what is told of them, are kept."""
    return {what: saved_name(what, PLAYED, thesis, trials, episodes) for what in ("runs", "told")}


def saved_name(what: str, files: tuple[str, ...], *of: object) -> str:
    """A name for something that comes of the game and of these files of the study."""
    here = Path(__file__).parent
    game = here.parents[1] / "games" / "okey"
    code = [(game / each).with_suffix(".py") for each in RULES] + [(here / each).with_suffix(".py") for each in files]
    return f"okey {what} {digest(code)} {' '.join(map(str, of))}"


def save(name: str, done: int, found: Any) -> None:
    """Keep what has come of so many rounds."""
    store = program_store()
    if store:
        leaves = {str(number): np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(found))}
        store.put(name, packed({"done": np.asarray(done)} | leaves, compressed=False))


def saved(name: str, blank: Any) -> tuple[int, Any]:
    """How many rounds are done, and what came of them; none, and a blank, where nothing was kept."""
    store = program_store()
    file_kept = store.get(name) if store else None
    if file_kept is None:
        return 0, blank
    leaves, tree = jax.tree.flatten(blank)
    with np.load(BytesIO(file_kept), allow_pickle=False) as file:
        alike = [
            file[str(number)] if isinstance(leaf, np.ndarray) else jnp.asarray(file[str(number)])
            for number, leaf in enumerate(leaves)
        ]
        return int(file["done"]), jax.tree.unflatten(tree, alike)
