"""Experiments that the lab runs: commands of feint, each a process of its own, so that whatever it does can be stopped and goes on later.

A job is a folder. What it is and how it ended stand in `job.json`, how far it is in `progress.json`, what it says in `output.txt`; results are
the files that its command writes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any

from feint.files import write_whole
from feint.progress import FILE
from feint.web.allowed import checked
from feint.web.refusals import Refusal

QUEUED, RUNNING, STOPPED, FAILED, DONE = "queued", "running", "stopped", "failed", "done"
SHOWN = 20_000  # characters of what a job says: the last of them
WAITING = 20  # jobs at most that wait or run
WIDTH = "100"  # columns of what it says
GONE = -1  # exit code of a process that an earlier server started
# A lab that a script has started in the background ignores Ctrl-C: its experiments must not, since that is how they are stopped.
STARTED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from feint.cli import main; main()"
ENDINGS = {".json", ".svg", ".txt", ".npz", ".png", ".jsonl", ".toml", ".html", ".md"}

# What the lab adds, so that results are kept in the job's folder.
KEEPS = {
    "match": ["--save", "result.json", "--plot", "result.svg"],
    "tournament": ["--save", "result.json"],
    "train": ["--out", "run"],
    "study": ["--out", "report"],
}


@dataclass(frozen=True)
class Job:
    """What is kept of a job."""

    words: list[str]
    status: str = QUEUED
    created: float = 0.0
    begun: float = 0.0
    ended: float = 0.0
    process: int = 0  # of the one that runs it
    code: int | None = None
    cancelled: bool = False


class Jobs:
    """All jobs of a lab: so many at a time, the others wait. `look` sees to what has ended and what can begin."""

    def __init__(self, folder: Path, max_running: int = 1) -> None:
        self.folder, self.max_running = folder, max_running
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.known: dict[str, Job] = {}
        self._one_at_a_time = RLock()  # requests and the watch come in threads of their own: nothing is begun twice
        for path in sorted(folder.glob("*/job.json")) if folder.is_dir() else []:
            with suppress(OSError, ValueError, TypeError, Refusal):
                kept = Job(**json.loads(path.read_text("utf-8")))
                checked(kept.words)  # a file may have been altered, and what it says would be run
                self.known[path.parent.name] = kept

    def check_open(self) -> None:
        """Refuse where the lab runs no experiments."""
        if not self.max_running:
            raise Refusal("forbidden", "This lab runs no experiments: copy the command, and run it in a terminal.")

    def add(self, words: list[str]) -> str:
        """A new job, which begins as soon as there is room for it."""
        self.check_open()
        with self._one_at_a_time:
            if sum(job.status in (QUEUED, RUNNING) for job in self.known.values()) >= WAITING:
                raise Refusal("full", "Too many experiments are waiting. Cancel one, or come back later.")
            now = time.time()
            name = f"{int(now * 1000):x}"
            while name in self.known:
                name = f"{int(name, 16) + 1:x}"
            self._keep(name, Job(checked(words), created=now))
            self.look()
            return name

    def cancel(self, name: str) -> None:
        """End it as Ctrl-C would: what was done is kept."""
        with self._one_at_a_time:
            job = self.get(name)
            if job.status == QUEUED:
                self._keep(name, replace(job, status=STOPPED, ended=time.time()))
            elif job.status == RUNNING:
                self._keep(name, replace(job, cancelled=True))
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(job.process, signal.SIGINT)

    def resume(self, name: str) -> None:
        """Go on with one that was stopped."""
        with self._one_at_a_time:
            job = self.get(name)
            if job.status != STOPPED:
                raise Refusal("refused", f"Only what was stopped goes on; this one is {job.status}.")
            self._keep(name, replace(job, status=QUEUED, ended=0.0, code=None, cancelled=False))
            self.look()

    def get(self, name: str) -> Job:
        if name not in self.known:
            raise Refusal("no_such_job", "There is no such experiment.")
        return self.known[name]

    def look(self) -> None:
        """Take note of what has ended, and begin what waited for it."""
        with self._one_at_a_time:
            for name, job in [*self.known.items()]:
                if job.status == RUNNING and (code := self._code(name, job)) is not None:
                    self.running.pop(name, None)
                    ended = replace(job, status=_ended(code, job.cancelled), ended=time.time(), process=0, code=code)
                    self._keep(name, ended)
            waiting = [name for name, job in self.known.items() if job.status == QUEUED]
            for name in waiting[: max(0, self.max_running - sum(job.status == RUNNING for job in self.known.values()))]:
                self._begin(name)

    def interrupt(self) -> int:
        """Stop them all, as Ctrl-C would: they go on when they are resumed. How many there were."""
        running = [*self.running]
        for name in running:
            self.cancel(name)
        return len(running)

    def close(self) -> None:
        """Stop them all, and wait a little until they have ended."""
        self.interrupt()
        for process in self.running.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(5)
        self.look()

    def told(self, name: str) -> dict[str, Any]:
        """A job as the page shows it."""
        job, folder = self.get(name), self.folder / name
        share, said = _progress(folder, job)
        elapsed = (job.ended or time.time()) - job.begun
        left = elapsed * (1 - share) / share if job.status == RUNNING and share else None
        return {
            "job": name,
            "words": job.words,
            "status": job.status,
            "created": job.created,
            "told": said,
            "share": 1.0 if job.status == DONE else share,
            "left": left,
            "output": _output(folder) if job.status not in (QUEUED, RUNNING) else "",
            "resumable": job.status == STOPPED,
            "files": [{"name": each.name, "href": f"/api/jobs/{name}/files/{each.name}"} for each in results(folder)],
        }

    def all_told(self, since: float = 0.0) -> list[dict[str, Any]]:
        """The newest first: those under way, and all that have ended since a time."""
        told = [name for name, job in self.known.items() if job.status in (QUEUED, RUNNING) or job.ended >= since]
        return [self.told(name) for name in reversed(told)]

    def file(self, name: str, file_name: str) -> Path:
        """One of a job's results."""
        self.get(name)
        for each in results(self.folder / name):
            if each.name == file_name:
                return each
        raise Refusal("no_such_job", "This experiment has no such file.")

    def _begin(self, name: str) -> None:
        job, folder = self.known[name], self.folder / name
        words = job.words
        if words[0] == "train" and (folder / "run" / "run.toml").exists():
            command = ["train", "--resume", "run"]
        else:
            command = [*words, *KEEPS[words[0]]]
        (folder / "progress.json").unlink(missing_ok=True)
        told = {FILE: str(folder / "progress.json"), "COLUMNS": WIDTH, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
        with (folder / "output.txt").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", STARTED, *command],
                cwd=folder,
                env=os.environ | told,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C at the lab's terminal is the lab's
            )
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, process.pid, 5)  # tables come first
        self.running[name] = process
        self._keep(name, replace(job, status=RUNNING, begun=time.time(), process=process.pid))

    def _code(self, name: str, job: Job) -> int | None:
        """The exit code of a job that has ended."""
        if name in self.running:
            return self.running[name].poll()
        return None if _runs(job.process, self.folder / name) else GONE

    def _keep(self, name: str, job: Job) -> None:
        self.known[name] = job
        write_whole(self.folder / name / "job.json", json.dumps(asdict(job)), "The experiment")


def _runs(process: int, folder: Path) -> bool:
    """Whether a process is still there, and is the one that began in this folder: numbers are given again."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/cwd").resolve() == folder.resolve() if Path("/proc/self").exists() else True
    except OSError:
        return False


def results(folder: Path) -> list[Path]:
    """The files of a job that anybody may have."""
    found = [folder / each for each in ("result.json", "result.svg")]
    for part in ("run", "report"):
        found += sorted((folder / part).glob("*")) if (folder / part).is_dir() else []
    return [each for each in found if each.suffix in ENDINGS and each.is_file() and not each.is_symlink()]


def _ended(code: int, cancelled: bool) -> str:
    """130 is how a command of feint ends that was stopped and can go on; one that was killed can, too."""
    if code == 0:
        return DONE
    return STOPPED if cancelled or code == 130 or code < 0 else FAILED


def _progress(folder: Path, job: Job) -> tuple[float | None, str]:
    """Which share is done, and a word on it."""
    if job.status != RUNNING:
        said = {
            QUEUED: "waits for another to end",
            STOPPED: "stopped; it can go on",
            FAILED: "could not be run",
            DONE: "done",
        }
        return None, said[job.status]
    with suppress(OSError, ValueError, TypeError, KeyError):
        told = json.loads((folder / "progress.json").read_text("utf-8"))
        share = min(1.0, told["completed"] / told["total"]) if told["total"] else 0.0
        return share, f"{100 * share:.0f}% {str(told['told'])[:120]}".strip()
    return None, "begins, compiling"


def _output(folder: Path) -> str:
    with suppress(OSError):
        return (folder / "output.txt").read_text("utf-8", errors="replace")[-SHOWN:]
    return ""
