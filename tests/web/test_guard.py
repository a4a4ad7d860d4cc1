"""Who may ask, how much, and what every answer carries."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect


def test_every_answer_has_a_strict_policy_and_no_code_within_pages(lab):
    for path in ("/", "/health", "/api/games", "/nowhere", "/table/x", "/run", "/static/index.html"):
        headers = lab.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"


def test_other_pages_may_not_change_anything_or_listen(lab):
    wanted = {"game": "kuhn"}
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{lab.port + 1}"):
        answer = lab.post("/api/play", wanted, headers={"origin": origin})
        assert (answer.status_code, answer.json()["error"]) == (403, "forbidden")
        with pytest.raises(InvalidStatus) as refused, connect(f"ws://127.0.0.1:{lab.port}/ws/x", origin=origin):
            pass
        assert refused.value.response.status_code == 403
    assert lab.post("/api/play", wanted, headers={"origin": lab.address}).status_code == 201


def test_a_name_that_others_point_at_this_machine_is_not_its_name(lab):
    for host, status in (
        ("evil.example", 403),
        ("localhost", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("a@b", 403),
        ("x:y", 403),
    ):
        assert httpx.get(f"{lab.address}/health", headers={"host": host}).status_code == status, host


def test_requests_that_are_too_large_or_strange_are_refused_in_a_sentence(lab):
    for content, error in (
        (b"{}", "malformed"),
        (b"nonsense", "malformed"),
        (b'{"game": "kuhn", "players": "two"}', "malformed"),
        (b'{"game": "kuhn", "surprise": 1}', "malformed"),
        (b'{"game": "chess"}', "no_such_game"),
        (b'{"game": "kuhn", "players": 99}', "refused"),
        (b'{"game": "kuhn", "options": {"decks": 2}}', "refused"),
        (b'{"game": "kuhn", "level": "godlike"}', "refused"),
        (b'{"game": "kuhn", "agents": ["nobody"]}', "refused"),
        (b'{"game": "kuhn", "agents": ["policy:/etc/passwd"]}', "refused"),
        (b'{"game": "kuhn", "agents": ["process:sleep"]}', "refused"),
        (b'{"game": "kuhn", "agents": ["random(file=\'policy:x\')"]}', "refused"),
        (b'{"game": "kuhn", "agents": []}', "refused"),
        (b'{"game": "kuhn", "name": "\\u202eAnn"}', "refused"),
        (b'{"game": "kuhn", "name": "' + b"x" * 100 + b'"}', "refused"),
        (b"x" * 20_000, "too_large"),
    ):
        answer = httpx.post(f"{lab.address}/api/play", content=content, headers={"content-type": "application/json"})
        assert answer.json()["error"] == error, (content[:60], answer.text)
        assert answer.json()["message"].endswith(".")
        assert 400 <= answer.status_code < 500
    assert lab.get("/api/tables/nowhere1").json()["error"] == "no_such_table"
    assert lab.get("/api/tables/..%2f").status_code in (400, 404)


def test_health_and_metrics(lab):
    assert lab.get("/health").json()["status"] == "ok"
    told = lab.get("/metrics").text
    assert "feint_moves_total" in told
    assert "feint_connections" in told


def test_what_happens_is_logged_without_names_and_tokens(lab):
    made = lab.play("kuhn", name="Zebedee")
    lines = [line for line in Path(lab.log.name).read_text().splitlines() if line.startswith("{")]
    told = [json.loads(line) for line in lines]
    assert {"time", "event", "table", "game"} == set(next(each for each in told if each.get("table") == made["table"]))
    assert not [line for line in lines if made["token"] in line or "Zebedee" in line]
