"""The body of `feint exploit --train`."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console

from feint import workers
from feint.arena.show import Paper, a_game, paid, percent
from feint.commands.match import bar
from feint.commands.train import summary, watched
from feint.errors import UserError
from feint.files import check_writable, locked, write_whole
from feint.game import Game
from feint.interrupts import on_ctrl_c, shown
from feint.learn import away, response
from feint.learn.evaluate import LEVEL
from feint.learn.experiment import Experiment
from feint.learn.policy_file import fingerprint
from feint.learn.ppo import PPO
from feint.learn.tables import compiled_agent
from feint.learn.train import BEST, RUN, Run, read_news
from feint.options import changed, typed, usual
from feint.reading import content, noted

Places = Sequence[tuple[Experiment, Path]]  # what is to be trained, and its folder
AGENT = "agent"  # the file that tells whose responses a folder holds


def how_trainably_exploitable(
    game: Game[Any, Any],
    agents: Sequence[str],
    steps: int,
    seeds: int,
    seed: int,
    games: int,
    settings: Sequence[str],
    out: Path | None,
    fresh: bool,
    on: str = workers.HERE,
    length: int = 1,
) -> int:
    """Say what a response trained for so many steps wins from an agent; the same command again goes on where it stood. The exit code."""
    workers.check_place(on)
    if len(agents) != 1:
        raise UserError(f"Name one agent with --train, not {len(agents)}: it has all seats but one.")
    if seed > response.MOST_FIRST:
        raise UserError(f"--seed must be a whole number from 0 to {response.MOST_FIRST} with --train, not {seed}.")
    chosen = typed(settings, usual(PPO), "setting", "num_envs=256")
    wanted = [response.experiment(game, agents[0], steps, seed + number, chosen, length) for number in range(seeds)]
    path = out or _usual_path(game, agents[0])
    if path.suffix != ".json":
        raise UserError(f"The result must be a .json file, not {path.name}.")
    check_writable(path, "The result")
    folder, console = path.with_suffix(""), Paper()
    with (
        locked(path, "The result"),
        on_ctrl_c(lambda: f"Stopped; what was learned is kept in {folder}, and the same command goes on."),
        workers.on(on),
    ):
        reading: AbstractContextManager[away.Files] = noted() if workers.elsewhere() else nullcontext({})
        with reading as files:
            whose = fingerprint(compiled_agent(agents[0], game))
        _claim(folder, whose, fresh)
        places = [(each, folder / f"seed-{each.seed}") for each in wanted]
        if workers.elsewhere():
            _train_elsewhere(places, files, console)
        runs = [_trained(number, places, console) for number in range(seeds)]
        with shown(console.status("Playing fresh games ...")):
            found = response.best_of(runs, games, seed)
        told = {"game": str(game), **found.as_dict(), "steps": steps, "seeds": seeds, "length": length}
        write_whole(path, json.dumps(told, indent=2) + "\n", "The result")
    console.print(_sentence(found, steps, seeds, length), soft_wrap=True)
    console.print(f"Saved as {path}; policy:{folder / f'seed-{found.seed}' / BEST} is the response.", soft_wrap=True)
    return 0


def _trained(number: int, places: Places, console: Console) -> Run:
    """One of several runs, done; what is missing is trained here, watched."""
    with shown(console.status("Dealing the first games ...")):
        run = response.begun(*places[number])
    if not run.done:
        console.print(f"Response {number + 1} of {len(places)}.")
        watched(run, console)
    return run


def _train_elsewhere(places: Places, files: away.Files, console: Console) -> None:
    """Train all runs on other machines, with a bar of the steps of all, and a line where one was evaluated."""
    steps = [response.begun(*each).steps if (each[1] / RUN).exists() else 0 for each in places]
    told = [len(read_news(folder)) if taken else 0 for (_, folder), taken in zip(places, steps, strict=True)]
    algorithm = places[0][0].algorithm
    with bar(len(places) * algorithm.updates * algorithm.per_update, sum(steps), "steps") as shown_in:

        def hear(number: int, taken: int) -> None:
            shown_in(max(0, taken - steps[number]))
            steps[number] = max(taken, steps[number])

        for number in away.trained(places, files, hear):
            news = read_news(places[number][1])
            hear(number, news[-1].steps)
            for each in news[told[number] :]:
                if each.evaluation and each.evaluation.known:
                    where = f"Response {number + 1} of {len(places)}, {each.steps:>12,} steps"
                    console.print(f"{where}: {summary(each.evaluation)}", soft_wrap=True)
            told[number] = len(news)


def _usual_path(game: Game[Any, Any], agent: str) -> Path:
    told = "-".join([game.name, *changed(game), agent])
    return Path("runs") / "exploit" / f"{re.sub('[^A-Za-z0-9=+.,-]', '_', told)}.json"


def _claim(folder: Path, whose: str, fresh: bool) -> None:
    """Make a folder that of responses to one agent, or refuse it where it holds those to another of the same name, or something else."""
    mark = folder / AGENT
    taken = any(folder.iterdir()) if folder.is_dir() else folder.exists()
    if taken and not mark.exists():
        raise UserError(f"{folder} is something else than a folder of responses: --out names another place.")
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    if not mark.exists():
        write_whole(mark, whose, "The run")
    elif content(mark) != whose.encode():
        raise UserError(
            f"{folder} holds responses to another agent of that name: --fresh begins anew, --out names another place."
        )


def _sentence(found: response.Response, steps: int, seeds: int, length: int) -> str:
    score, unit = found.score, found.score.unit
    (won, around_won), (gain, around_gain) = percent(score.wins), paid(found.gain, unit)
    each = f", the best of {seeds} seeds," if seeds > 1 else ""
    matches = f"in matches of {length:,}, " if length > 1 else ""
    what = f"{gain} {around_gain} {a_game(unit)}" if unit.name else f"{gain} {around_gain} a game"
    shown = f"at {LEVEL:.0%}, a lower bound of its exploitability" if found.gain.low > 0 else "nothing is shown by that"
    return (
        f"A response trained for {steps:,} steps{each} wins {won}% {around_won} of {score.games:,} games against {found.agent} in all "
        f"other seats, {matches}and earns {what} more than that would: {shown}."
    )
