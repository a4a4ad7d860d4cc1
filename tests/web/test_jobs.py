"""Experiments of the lab: real commands in processes of their own, stopped and gone on with, and what is not run."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from feint.arena.result import Result
from feint.registry import study_names
from feint.web.allowed import checked
from feint.web.jobs import DONE, FAILED, QUEUED, RUNNING, STOPPED, Jobs
from feint.web.plots import plots
from feint.web.refusals import Refusal

MATCH = ["match", "kuhn", "random", "random", "--games", "2000", "--seed", "3"]
LONG = ["match", "leduc", "random", "random", "--games", "200000000", "--seed", "1"]


def until(jobs, name, *statuses, seconds=120, share=None):
    """Look until a job is as it should be."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        jobs.look()
        told = jobs.told(name)
        if told["status"] in statuses and (share is None or (told["share"] or 0) > share):
            return told
        time.sleep(0.05)
    raise AssertionError(jobs.told(name))


def test_a_job_is_run_and_its_results_are_there(tmp_path):
    jobs = Jobs(tmp_path)
    first, second = jobs.add(MATCH), jobs.add(["match", "kuhn", "random", "nobody"])
    assert [jobs.get(name).status for name in (first, second)] == [RUNNING, QUEUED]  # one at a time
    told = until(jobs, first, DONE)
    assert {"result.json", "result.svg"} == {file["name"] for file in told["files"]}
    assert "99% interval" in told["output"]
    assert Result.load(jobs.file(first, "result.json")).played == 2000
    made, *by_seat = plots(tmp_path / first, "match")
    assert [each["title"] for each in by_seat] == ["Payoff in seat 1", "Payoff in seat 2"]
    assert all(row["low"] < row["value"] < row["high"] for row in made["rows"])
    assert "antes a game, with 99% intervals" in made["says"]
    told = until(jobs, second, FAILED)
    assert plots(tmp_path / second, "match") == []
    assert "nobody" in told["output"]
    assert "Traceback" not in told["output"]
    # Another server finds them as they were; whoever knows what has ended is told no more of it.
    assert [each["status"] for each in Jobs(tmp_path).all_told()] == [FAILED, DONE]
    assert [each["job"] for each in jobs.all_told(jobs.get(second).ended)] == [second]
    assert jobs.all_told(time.time()) == []
    with pytest.raises(Refusal, match="no such file"):
        jobs.file(first, "../job.json")


def test_a_cancelled_job_goes_on_and_a_killed_one_too(tmp_path):
    jobs = Jobs(tmp_path)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a lab that runs in the background
    name = jobs.add(LONG)
    signal.signal(signal.SIGINT, before)
    until(jobs, name, RUNNING, share=0.0)
    assert jobs.told(name)["left"] > 0
    with pytest.raises(Refusal, match="Only what was stopped"):
        jobs.resume(name)
    jobs.cancel(name)
    told = until(jobs, name, STOPPED)
    assert "Stopped after" in told["output"]
    jobs.resume(name)
    until(jobs, name, RUNNING, share=0.0)
    assert "Going on from" in (tmp_path / name / "output.txt").read_text()
    # A server that comes back finds it running, and stopped once it is gone.
    another = Jobs(tmp_path)
    another.look()
    assert another.get(name).status == RUNNING
    os.kill(jobs.running[name].pid, signal.SIGKILL)
    jobs.running[name].wait()
    until(another, name, STOPPED)


def test_a_job_is_begun_once_whoever_looks_meanwhile(tmp_path, monkeypatch):
    """The lab looks every second in a thread, and each request in another."""
    jobs, begun = Jobs(tmp_path), []

    def begin(name):
        begun.append(name)
        time.sleep(0.05)  # as a process takes to be started
        jobs._keep(name, replace(jobs.known[name], status=RUNNING, process=os.getpid()))

    monkeypatch.setattr(jobs, "_begin", begin)
    monkeypatch.setattr(jobs, "_code", lambda *_: None)
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(jobs.add, MATCH), *(threads.submit(jobs.look) for _ in range(8))]:
            each.result()
    assert len(begun) == 1


def test_a_lab_without_experiments_says_so(tmp_path):
    with pytest.raises(Refusal, match="runs no experiments"):
        Jobs(tmp_path, max_running=0).add(MATCH)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no other command"),
        (["play", "kuhn"], "no other command"),
        (["match"], "needs the name"),
        (["match", "../kuhn", "random"], "is not the name of a game"),
        (["match", "kuhn", "policy:/etc/passwd"], "files cannot"),
        (["match", "kuhn", "process:sh"], "files cannot"),
        (["match", "kuhn", "random", "--save", "x.json"], "does not take --save"),
        (["match", "kuhn", "random", "--games", "-1"], "whole number"),
        (["match", "kuhn", "random", "--games"], "whole number"),
        (["train", "kuhn", "--config", "x.toml"], "does not take --config"),
        (["train", "kuhn", "--set", "start=policy:x.npz"], "files cannot"),
        (["study", "bluff", "--out", "x"], "does not take --out"),
        (["match", "kuhn", "random\n"], "files cannot"),
        (["match", "kuhn", "-o"], "does not take -o"),
    ],
)
def test_what_the_lab_does_not_run(words, why):
    with pytest.raises(Refusal, match=why):
        checked(words)


@pytest.mark.parametrize(
    "words",
    [
        ["match", "okey:thesis", "greedy(wide=true)", "zoo:okey-1", "--duplicate", "--seats", "all"],
        ["tournament", "bluff", "smart", "anxious(2)", "--players", "4", "--option", "decks=2"],
        ["train", "bluff", "--opponents", "no-bluff,smart,3*past", "--set", "learning_rate=0.001"],
        ["study", "okey", "--only", "luck", "--games", "100"],
    ],
)
def test_what_it_runs(words):
    assert checked(words) == words


def test_every_study_can_be_chosen(lab):
    told = lab.get("/api/studies").json()
    assert [each["name"] for each in told] == study_names()
    assert all(each["title"] for each in told)


def test_experiments_over_http(lab):
    made = lab.post("/api/jobs", {"words": MATCH})
    assert made.status_code == 201, made.text
    name = made.json()["job"]
    end = time.monotonic() + 120
    while (told := lab.get(f"/api/jobs/{name}").json())["status"] != DONE and time.monotonic() < end:
        time.sleep(0.1)
    assert told["status"] == DONE, told
    assert lab.get("/api/jobs").json()["jobs"][0]["job"] == name
    (saved,) = (file for file in told["files"] if file["name"] == "result.json")
    answer = lab.get(saved["href"])
    assert answer.json()["agents"] == ["random", "random"]
    assert lab.get(f"/api/jobs/{name}/plots").json()[0]["title"] == "Payoff"
    assert answer.headers["content-disposition"].startswith("attachment")
    for address, status in ((f"/api/jobs/{name}/files/job.json", 404), ("/api/jobs/abc", 404), ("/api/jobs/..", 404)):
        assert lab.get(address).status_code == status
    refused = lab.post("/api/jobs", {"words": ["match", "kuhn", "policy:x.npz"]})
    assert (refused.status_code, refused.json()["error"]) == (422, "refused")
    assert lab.post(f"/api/jobs/{name}/resume", {}).status_code == 422
    seat = lab.play("kuhn", agents=["random"])
    assert seat["chair"] == 0
    assert isinstance(lab.get("/api/ratings").json(), dict)
