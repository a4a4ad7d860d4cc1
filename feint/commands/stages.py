"""The body of `feint train` where a file has stages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from feint import workers
from feint.arena.show import Paper
from feint.commands.train import check_resumed, check_shared, default_folder, sitting
from feint.errors import UserError
from feint.files import check_writable, locked
from feint.learn import settings
from feint.learn.stages import STAGES, Staged, is_staged
from feint.learn.train import STAGED, check_free
from feint.visible import visible


def asked(config: Path | None, resume: Path | None) -> bool:
    """Whether stages are to be trained: those of a file, or those in a folder."""
    return is_staged(resume) if resume is not None else config is not None and STAGES in settings.read(config)


def train(
    others: Mapping[str, Any], config: Path | None, out: Path | None, resume: Path | None, devices: int | None, on: str
) -> int:
    """Train one stage after another, each from where the one before it ended; all others that are given are refused. The exit code."""
    workers.check_place(on)
    if resume is not None:
        check_resumed({**others, "config": config, "out": out})
        staged = Staged.resume(resume)
    else:
        staged = _new(others, config, out)
    check_shared(on, any(each.exploiters for each in staged.experiments))
    divided = [] if devices is None else [f"devices={devices}"]
    with locked(staged.folder / STAGED, "The run"):
        if resume is None:
            staged.start()
        for nth in range(1, len(staged) + 1):
            Paper().print(f"Stage {nth} of {len(staged)}.")
            sitting(staged.part(nth), partial(staged.run, nth, divided), staged.folder, on)
    return 0


def _new(others: Mapping[str, Any], config: Path | None, out: Path | None) -> Staged:
    """The stages of a file, which can all be run, in a folder that has no run."""
    assert config is not None
    if clash := [name for name, value in others.items() if value is not None]:
        raise UserError(
            f"{visible(config)} has stages and says all that is to be said of them: leave out {', '.join(clash)}."
        )
    staged = Staged(settings.read(config), out or Path())
    if out is None:
        staged.folder = default_folder(staged.experiments[-1])
    check_free(staged.folder)
    check_writable(staged.folder / STAGED, "The run")
    return staged
