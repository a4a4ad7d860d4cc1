"""How far long work is: a bar for people, and a file for programs."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.progress import Progress, TaskID

from feint.errors import UserError
from feint.files import write_whole

FILE = "FEINT_PROGRESS"  # in the environment: where a program that started this one looks
SPAN = 0.25  # seconds between two looks that are worth it


class Bar(Progress):
    """A progress bar. Where FEINT_PROGRESS names a file, it holds what the bar shows: `completed`, `total` and `told`."""

    _written = -SPAN

    def update(self, task_id: TaskID, *given: Any, **changes: Any) -> None:
        super().update(task_id, *given, **changes)
        self._tell(task_id)

    def advance(self, task_id: TaskID, advance: float = 1) -> None:
        super().advance(task_id, advance)
        self._tell(task_id)

    def _tell(self, task_id: TaskID) -> None:
        task, now = self._tasks[task_id], time.monotonic()
        if FILE not in os.environ or not (task.finished or now - self._written >= SPAN):
            return
        self._written = now
        told = {"completed": task.completed, "total": task.total, "told": task.description}
        with suppress(UserError):  # a full disk must not end what could go on without
            write_whole(Path(os.environ[FILE]), json.dumps(told), lasting=False)
