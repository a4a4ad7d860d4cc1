"""A data set made: games are played and written as they are played; stopped, it goes on to the same files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import jax
import numpy as np

from feint import registry
from feint.agent import is_compiled
from feint.arena import decisions
from feint.arena.decisions import Decisions, Ended
from feint.chance import MOST_SEED, check_seed
from feint.dataset.columns import pyarrow, view_columns
from feint.dataset.folder import ABOUT, PER_FILE, About, Dataset
from feint.errors import UserError
from feint.files import check_writable, write_whole
from feint.game import Game


def make(
    game: Game[Any, Any],
    agents: Sequence[str],
    games: int,
    folder: Path | str,
    *,
    seed: int = 0,
    per_file: int = PER_FILE,
    progress: Callable[[int, int], None] | None = None,
) -> Dataset:
    """Play so many games and write every decision; what a folder holds of the same data set is kept. `progress` hears of games and of
    decisions that were written."""
    dataset, seated = begun(game, agents, games, folder, seed=seed, per_file=per_file)
    go_on(dataset, seated, progress)
    return dataset


def begun(
    game: Game[Any, Any], agents: Sequence[str], games: int, folder: Path | str, *, seed: int, per_file: int = PER_FILE
) -> tuple[Dataset, list[Any]]:
    """The data set of a folder, new or as it was left, and who plays in it; refused where the folder holds another."""
    check_seed(seed)
    pyarrow()
    if len(agents) != game.players:
        raise UserError(f"{game} has {game.players} seats, not {len(agents)}.")
    if not 1 <= games <= MOST_SEED - decisions.LANES or per_file < 1:
        raise UserError(f"A data set has one game or more, and files of one or more, not {games} and {per_file}.")
    seated = [_compiled(spec, game) for spec in agents]
    about, path = About.of(game, [*agents], seed, games, per_file), Path(folder) / ABOUT
    if path.exists():
        dataset = Dataset.open(folder)
        for name in (each.name for each in fields(About)):
            if (there := getattr(dataset.about, name)) != (here := getattr(about, name)):
                what = f"{name} is {there}, not {here}" if name != "columns" else "views are others"
                raise UserError(f"{folder} holds another data set, whose {what}: name another folder.")
        return dataset, seated
    check_writable(path, "The data set")
    if any(not each.name.startswith(".") for each in Path(folder).glob("*")):
        raise UserError(f"{folder} holds other files, and a data set has a folder of its own: name a new one.")
    write_whole(path, about.text(), "The data set")
    return Dataset(Path(folder), about), seated


def go_on(dataset: Dataset, agents: Sequence[Any], progress: Callable[[int, int], None] | None = None) -> None:
    """Play the games of all files that are not there yet, and write these."""
    missing = dataset.missing()
    if not missing:
        return
    about, first = dataset.about, dataset.games(missing[0])[0]
    open_files: dict[int, _File] = defaultdict(_File)
    for made, ended in decisions.played(
        dataset.game, agents, range(len(agents)), seed=about.seed, first=first, games=about.games - first
    ):
        of_file = made.game // about.per_file
        for number in np.unique(of_file).tolist():
            here = of_file == number
            open_files[number].decisions.append(jax.tree.map(lambda leaf, here=here: leaf[here], made))
        for game in ended:
            open_files[game.game // about.per_file].ended.append(game)
        for number in [each for each, file in open_files.items() if len(file.ended) == dataset.games(each)[1]]:
            file = open_files.pop(number)
            written = dataset.write(number, file.columns()) if number in missing else 0
            if progress:
                progress(len(file.ended) if written else 0, written)


class _File:
    """The games of a file, as far as they were played."""

    def __init__(self) -> None:
        self.decisions: list[Decisions] = []
        self.ended: list[Ended] = []

    def columns(self) -> dict[str, np.ndarray]:
        """Every decision in order, with what came of it."""
        made: Any = jax.tree.map(lambda *parts: np.concatenate(parts), *self.decisions)
        order = np.lexsort((made.move, made.game))
        made = jax.tree.map(lambda leaf: leaf[order], made)
        ended = sorted(self.ended, key=lambda each: each.game)
        at = made.game - ended[0].game
        payoffs, winners = np.stack([each.payoffs for each in ended]), np.stack([each.winners for each in ended])
        return {
            "game": made.game,
            "move": made.move,
            "seat": made.seat,
            "agent": made.agent,
            **view_columns(made.view),
            "legal": made.legal,
            "action": made.action,
            "payoff": payoffs[at, made.seat],
            "won": winners[at, made.seat],
            "moves": np.array([each.moves for each in ended])[at],
        }


def _compiled(spec: str, game: Game[Any, Any]) -> Any:
    agent = registry.make_agent(spec, game)
    if not is_compiled(agent):
        raise UserError(
            f"{spec} is a plain Python agent, and data sets are made by compiled ones: see feint agents {game.name}."
        )
    return agent
