"""Whatever is sent, nothing crashes, nothing that was refused changes anything, and nobody learns what they cannot know."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import positive_data_acceptance
from schemathesis.specs.openapi.schemas import (
    OpenApiSchema,
)  # before there are threads: Python 3.11 reads no two programs at once

from feint.web.app import make_app
from feint.web.database import Database
from feint.web.guests import Guest
from feint.web.jobs import DONE, FAILED, STOPPED, Jobs
from feint.web.lab import Lab, Limits
from feint.web.offers import Offers
from feint.web.queries import whole
from feint.web.room import Room
from feint.web.socket import _Line
from feint.web.states import message

# ---- the addresses


QUIETLY: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [*HealthCheck],
    "database": None,
    "derandomize": True,
}


def operations_of(described: OpenApiSchema) -> list[APIOperation]:
    return [each.ok() for each in described.get_all_operations()]


def ask(operations: Sequence[APIOperation], examples: int) -> None:
    """Requests made from the description of addresses."""
    for operation in operations:

        @given(case=operation.as_strategy())
        @settings(max_examples=examples, **QUIETLY)
        def asked(case: Case) -> None:
            # What is well formed may still be refused: a game that there is not, a name that cannot be shown.
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        asked()


def ask_everything(address: str, examples: int) -> int:
    """Ask for all that runs no experiment; how many addresses there are."""
    described = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    operations = operations_of(described.exclude(path_regex="/api/jobs"))
    ask(operations, examples)
    return len(operations)


def test_every_address_answers_as_it_is_described(lab):
    assert ask_everything(lab.address, 4) >= 8


@pytest.mark.slow
def test_every_address_answers_as_it_is_described_however_often_it_is_asked(lab):
    assert ask_everything(lab.address, 300) >= 8


# ---- the addresses of experiments, whose processes end at once: done, failed or stopped, as their words have it

ENDING = "import sys; open('result.json', 'w').write('{}'); sys.exit((0, 2, 130)[len(''.join(sys.argv)) % 3])"
WORDS = ["match", "tournament", "train", "study", "kuhn", "leduc", "random", "zoo:kuhn-1", "--games", "--seed", "--option", "--save", "7", "-1", "x" * 200, "policy:x", ""]  # fmt: skip
FILES = ["result.json", "result.svg", "job.json", "..", "%2e%2e", "output.txt"]


def ask_experiments(folder: Path, examples: int, monkeypatch: pytest.MonkeyPatch) -> Jobs:
    """Ask for everything of experiments, by what the description says and by names and words that there are."""
    monkeypatch.setattr("feint.web.jobs.STARTED", ENDING)
    lab = Lab(Database(f"sqlite:///{folder / 'lab.sqlite'}"), Offers(["kuhn"]), lambda *_, **__: None)
    jobs = Jobs(folder / "jobs", max_running=2)
    described = schemathesis.openapi.from_asgi("/api/openapi.json", make_app(lab, jobs))
    operations = operations_of(described.include(path_regex="/api/jobs"))
    jobs.add(["match", "kuhn", "random"])
    ask(operations, examples)
    for operation in operations:

        @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE), data=st.data())
        @settings(max_examples=examples, **QUIETLY)
        def asked(case: Case, data: st.DataObject) -> None:
            jobs.look()
            if "name" in case.path_parameters:
                case.path_parameters["name"] = data.draw(st.sampled_from([*jobs.known]))
            if "file" in case.path_parameters:
                case.path_parameters["file"] = data.draw(st.sampled_from(FILES))
            if case.method == "POST" and case.path == "/api/jobs":
                parts = st.tuples(st.sampled_from(WORDS[:4]), st.sampled_from(WORDS[4:6]))
                case.body = {"words": [*data.draw(parts), *data.draw(st.lists(st.sampled_from(WORDS[4:]), max_size=3))]}
            case.call_and_validate(excluded_checks=[positive_data_acceptance])

        asked()
    jobs.close()
    lab.close()
    return jobs


def test_experiments_are_begun_stopped_and_gone_on_with_as_it_is_described(tmp_path, monkeypatch):
    jobs = ask_experiments(tmp_path, 5, monkeypatch)
    assert len(jobs.known) > 1
    assert {*(tmp_path / "jobs").iterdir()} == {tmp_path / "jobs" / name for name in jobs.known}


@pytest.mark.slow
def test_experiments_are_begun_stopped_and_gone_on_with_however_often(tmp_path, monkeypatch):
    jobs = ask_experiments(tmp_path, 200, monkeypatch)
    assert {job.status for job in jobs.known.values()} >= {DONE, FAILED, STOPPED}


# ---- the connection of a table

VALID: list[dict[str, Any]] = [
    {"move": 0, "action": 0},
    {"move": 1, "action": 1},
    {"move": 0, "actions": [0, 1]},
    {"next": True},
    {"notes": True},
    {"pace": 0.5},
    {"name": "Ann"},
    {"sit_in": 1, "agent": "random"},
    {"sit_in": 0, "agent": None},
    {"chair": 1, "agent": "random"},
    {"open": 1},
    {"token": "x"},
    {"watch": True},
]
STRANGE = [None, True, -1, 0, 1, 2**31, 2**70, 1e308, float("nan"), "", "0", "\ud800", "\x00", "x" * 300, [], [[]], {}, {"a": 1}, "policy:/etc/passwd", "me"]  # fmt: skip


def mutated(rng: random.Random) -> str | bytes:
    """A valid message with something wrong in it, mostly."""
    told = {**rng.choice(VALID)}
    for _ in range(rng.randrange(3)):
        name = rng.choice([*told, *rng.choice(VALID), "x"])
        told[name] = rng.choice(STRANGE) if rng.random() < 0.8 else rng.choice(list(rng.choice(VALID).values()))
    text = json.dumps(told)
    if rng.random() < 0.3:
        cut, letters = rng.randrange(len(text)), '{}[]":,0\\u\x00é'
        text = text[:cut] + rng.choice(letters) * rng.choice([0, 1, 1, 2, 5000]) + text[cut + rng.randrange(2) :]
    return text.encode(errors="replace") if rng.random() < 0.02 else text


class Told:
    """A socket's end in this process: what is to be heard, and what was sent."""

    def __init__(self) -> None:
        self.next: str | bytes = ""
        self.sent: list[str] = []

    async def receive(self) -> dict[str, Any]:
        return {"type": "websocket.receive", "text" if isinstance(self.next, str) else "bytes": self.next}

    async def send_text(self, text: str) -> None:
        self.sent.append(text)


def standing(room: Room) -> Any:
    """All of a table that can be changed."""
    moves = (room.round.number, room.round.table.actions) if room.round else None
    return moves, [*room.chairs], room.row.pace, room.row.closed


async def fuzz(folder, messages: int) -> dict[str, int]:
    """Send so many; how often each answer came."""
    rng, answers = random.Random(7), dict.fromkeys(["state", "error", "notes", "hint"], 0)
    lab = Lab(
        Database(f"sqlite:///{folder / 'lab.sqlite'}"), Offers(["kuhn"]), lambda *_, **__: None, Limits(messages=10**9)
    )
    made = await lab.seat_one(lab.offers.usual["kuhn"], ["random"], "Ann", True, 0.0)
    room = await lab.room(made["table"])
    while room.round is None:
        await asyncio.sleep(0.05)
    guests = [Guest(0, host=True), Guest(1, host=False), Guest(None, host=False)]
    lines = [(guest, Told()) for guest in guests]
    for number in range(messages):
        guest, told = rng.choice(lines)
        before, told.next, said = standing(room), mutated(rng), len(told.sent)
        line = _Line(lab, told)  # type: ignore[arg-type]
        await line._answer(room, guest)
        replies = [json.loads(text) for text in told.sent[said:]]
        for reply in replies:
            answers[reply["kind"]] += 1
        if replies and replies[-1]["kind"] == "error":
            assert standing(room) == before, told.next
            assert replies[-1]["message"]
        if number % 500 == 0:
            state = message(room, guest)
            assert "nonce" not in json.dumps(state) or state["over"]
        if room.round.table.over:
            await room.next_game(guests[0])
    found = await lab.database.read(lambda connection: whole(connection, room.id))
    assert found is not None
    assert [move.action for move in found.moves] == room.round.table.actions
    assert found.chairs == room.chairs
    room.close()
    lab.close()
    return answers


def test_messages_made_from_valid_ones_crash_nothing_and_change_nothing(tmp_path):
    answers = asyncio.run(fuzz(tmp_path, 1500))
    assert answers["error"] > 1000


@pytest.mark.slow
def test_a_hundred_thousand_messages_crash_nothing_and_change_nothing(tmp_path):
    answers = asyncio.run(fuzz(tmp_path, 100_000))
    assert answers["error"] > 60_000


def test_the_lab_still_stands_after_all_that(lab):
    assert httpx.get(f"{lab.address}/health").json()["status"] == "ok"
