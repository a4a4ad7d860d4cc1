"""Ctrl-C closes the lab: at once, with one sentence, and nothing is lost."""

import re
import sqlite3

import httpx

from feint.web.jobs import QUEUED, RUNNING, STOPPED, Jobs
from tests.terminals import Terminal
from tests.web.test_jobs import LONG, until


def test_ctrl_c_closes_the_lab_at_once_and_keeps_tables_and_experiments(tmp_path):
    kept = f"sqlite:///{tmp_path / 'lab.sqlite'}"
    opens = ["-m", "feint.cli", "lab", "--port", "0", "--games", "leduc", "--database", kept]
    at = Terminal(*opens, env={"JAX_PLATFORMS": "cpu"})
    address = re.search(r"http://127\.0\.0\.1:\d+", at.until("closes it")) or [""]
    made = httpx.post(f"{address[0]}/api/play", json={"game": "leduc"}, timeout=60).json()
    assert httpx.post(f"{address[0]}/api/jobs", json={"words": LONG}, timeout=60).json()["status"] in (QUEUED, RUNNING)
    at.press_ctrl_c()
    code, said = at.end()
    assert code == 130
    told = [line for line in said if not line.startswith("{")]  # what the log says is for programs
    assert " ".join(told) == (
        "The lab is closed; all tables are kept, and are as they were when it is opened again. 1 experiment was stopped, and can go on."
    )
    # Both are kept.
    jobs = Jobs(tmp_path / "jobs")
    until(jobs, next(iter(jobs.known)), STOPPED)
    with sqlite3.connect(tmp_path / "lab.sqlite") as found:
        assert found.execute("SELECT id, closed FROM tables").fetchall() == [(made["table"], 0)]
