"""Running a study: section by section, each kept when it is finished, so that a study that was stopped goes on where it was."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from feint import workers
from feint.errors import UserError
from feint.files import check_writable, write_whole
from feint.interrupts import shown
from feint.program_cache import digest
from feint.progress import Bar
from feint.reading import content, is_sealed, parsed, refused, seal
from feint.registry import find_study, study_names
from feint.studies.data import as_data
from feint.studies.html import html
from feint.studies.markdown import figure_files, markdown
from feint.studies.report import Report, Section, from_json, to_json
from feint.version import __version__

GAMES = 20_000
PLAYED = (".py", ".csv", ".npz")  # files that figures come from: code, tables of agents, networks
Tell = Callable[[float], None]  # called with the part of a section that is done, 0 to 1


@dataclass(frozen=True)
class Settings:
    """What a section may depend on besides its own code."""

    games: int = GAMES  # for each cell of a table
    seed: int = 0


@dataclass(frozen=True)
class Step:
    """A section and what makes it."""

    key: str  # short, for --only
    title: str
    run: Callable[[Settings, Tell], Section]


@dataclass(frozen=True)
class Study:
    """A published set of experiments."""

    name: str
    title: str
    about: str  # in one line
    source: str  # the publication
    steps: tuple[Step, ...]
    games: int = GAMES  # for each cell, unless told otherwise


def run(
    study: Study, settings: Settings, out: Path, only: Sequence[str] = (), console: Console | None = None
) -> tuple[Path, Path]:
    """Run what is not yet done of a study and write its report: the HTML and Markdown files, and beside them one of JSON.

    With `only`, just those sections are run; the report also shows those that were finished before with the same settings.
    """
    console = console or Console()
    keys = [step.key for step in study.steps]
    if unknown := [key for key in only if key not in keys]:
        raise UserError(f"The study {study.name} has no section {unknown[0]!r}; it has: {', '.join(keys)}.")
    wanted = [step for step in study.steps if not only or step.key in only]
    cache = out / "sections"
    check_writable(cache / "section", "The study")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with shown(Bar(*columns, console=console, transient=True)) as progress:
        bar = progress.add_task(study.name, total=len(wanted))
        through = 0
        parts: dict[int, float] = {}  # of sections that are under way

        def told(step: Step, how: str) -> None:
            nonlocal through
            through += 1
            progress.update(bar, completed=through)
            progress.console.print(f"{through}/{len(wanted)} {step.title}: {how}", highlight=False)

        def hear(number: int, part: float) -> None:
            parts[number] = min(part, 0.999)
            progress.update(bar, completed=through + sum(parts.values()), description=missing[number].title)

        kept = [step for step in wanted if _cached(study, step, settings, cache)]
        missing = [step for step in wanted if step not in kept]
        for step in kept:
            told(step, "kept from before")
        for number, (section, took) in workers.finished(_Maker(study, settings), [each.key for each in missing], hear):
            _keep(study, missing[number], settings, cache, section)
            parts.pop(number, None)
            told(missing[number], f"{took:.1f} s")
    return _write(study, settings, out, cache)


@dataclass(frozen=True)
class _Maker:
    """What makes the sections of a study, here or on another machine, where it is found by its name."""

    study: Study
    settings: Settings

    def __call__(self, key: str) -> tuple[Section, float]:
        """A section, and the seconds that it took."""
        workers.say(0.0)
        begun = perf_counter()
        (step,) = (each for each in self.study.steps if each.key == key)
        return step.run(self.settings, workers.say), perf_counter() - begun

    def __reduce__(self) -> tuple[Any, ...]:
        if self.study.name not in study_names() or find_study(self.study.name) is not self.study:
            raise UserError(
                f"{self.study.name} is a study that is not found by name: to be run on other machines it has to be in a package that is "
                "installed on every one of them, with an entry point in feint.studies."
            )
        return _maker, (self.study.name, self.settings)


def _maker(name: str, settings: Settings) -> _Maker:
    return _Maker(find_study(name), settings)


def _write(study: Study, settings: Settings, out: Path, cache: Path) -> tuple[Path, Path]:
    sections = [(step.key, _cached(study, step, settings, cache)) for step in study.steps]
    command = f"feint study {study.name} --games {settings.games} --seed {settings.seed}"
    report = Report(
        study.name,
        study.title,
        study.about,
        study.source,
        command,
        __version__,
        tuple((key, section) for key, section in sections if section is not None),
    )
    page, summary = out / f"{study.name}.html", out / f"{study.name}.md"
    write_whole(page, html(report), "The report")
    write_whole(summary, markdown(report), "The report")
    write_whole(out / f"{study.name}.json", json.dumps(as_data(report), allow_nan=False), "The report")
    for name, svg in figure_files(report).items():
        write_whole(out / name, svg, "The report")
    return page, summary


# ---- sections kept from run to run


def _mark(study: Study, step: Step, settings: Settings) -> dict[str, Any]:
    """What a kept section was made from. Any change of it, of the code that plays or of trained agents makes the section anew."""
    return {"study": study.name, "section": step.key, "code": _code(step)} | asdict(settings)


def _code(step: Step) -> str:
    """A digest of the rules, agents with their tables and networks, arena and everything below, and of the file or folder the section is made in."""
    studies = Path(__file__).parent
    own = getattr(sys.modules.get(step.run.__module__), "__file__", None)
    made_in = Path(own) if own else studies
    return _digest(made_in.parent if made_in.parent.parent == studies else made_in)


@functools.cache
def _digest(made_in: Path) -> str:
    """Taken once: what runs is the code as it was when it was loaded, whatever is edited meanwhile."""
    package = Path(__file__).parents[1]
    shown = {package / each for each in ("studies", "commands", "terminal", "testing", "web", "connect", "cli")}
    files = {path for path in package.rglob("*") if path.suffix in PLAYED and not shown & {path, *path.parents}}
    files |= set(made_in.rglob("*.py")) if made_in.is_dir() else {made_in}
    return digest(files)[:16]


def _cached(study: Study, step: Step, settings: Settings, cache: Path) -> Section | None:
    path = cache / f"{step.key}.json"
    with suppress(UserError), refused("It is not there, or not as it was kept: it is made anew."):
        data = parsed(content(path), infinite=True)
        if is_sealed(data) and data["of"] == _mark(study, step, settings):
            return from_json(data["section"])
    return None


def _keep(study: Study, step: Step, settings: Settings, cache: Path, section: Section) -> None:
    data = {"of": _mark(study, step, settings), "section": to_json(section)}
    write_whole(cache / f"{step.key}.json", json.dumps(data | {"seal": seal(data)}, indent=1), "The section")
