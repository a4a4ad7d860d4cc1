"""Matches through the dealer, over loopback."""

import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from feint.connect.acpc import audit
from feint.connect.acpc.dealer import Broken, Limits, named_in
from feint.connect.acpc.lines import LONGEST
from feint.errors import UserError
from feint.games.holdem import acpc
from feint.table import Table
from tests.connect.acpc.matches import BOT, HOST, NAMES, THREE, Recall, client, outsider, played, replying
from tests.connect.acpc.mutants import mutant


def own_log(agents: list[str], hands: int, seed: int = 0, names: tuple[str, ...] = NAMES) -> list[str]:
    """The hands of a match at one of feint's own tables, as lines of a log."""
    table = Table(THREE, agents, seed)
    lines = []
    while table.number < hands:
        while not table.over:
            table.act()
        by_position = [names[table.chair(position)] for position in range(3)]
        lines.append(str(acpc.hand_of(THREE, table.state(), table.number, by_position)))
        table.next_game()
    return lines


def test_two_agents_and_a_program_that_knows_nothing_of_feint(tmp_path):
    check_match(tmp_path / "match.log", hands=20)


@pytest.mark.slow
def test_a_thousand_hands(tmp_path):
    check_match(tmp_path / "match.log", hands=1000)


def check_match(path: Path, hands: int) -> None:
    sitters = [client("random", seed=5), outsider(), client("always-call", game=None)]
    at, (first, _, third) = played(path, sitters, hands, seed=5)
    log = acpc.read_log(path)
    assert len(log.hands) == hands
    assert list(audit.faults(THREE, log)) == []
    assert log.names == NAMES
    np.testing.assert_allclose(log.score, at.log.sums)
    np.testing.assert_allclose([sum(first.paid), sum(third.paid)], [log.score[0], log.score[2]], atol=0.01)
    assert len(first.paid) == len(third.paid) == hands
    assert [(bot.ignored, bot.changed) for bot in at.bots.values()] == [(0, 0)] * 3


def test_a_match_is_the_one_that_feint_plays_at_its_own_table(tmp_path):
    agents = ["random", "always-raise", "random"]
    wanted = own_log(agents, 12, seed=3)
    played(tmp_path / "over ports", [client(agent, seed=3) for agent in agents], 12, seed=3)
    played(tmp_path / "within", ["random", client("always-raise"), "random"], 12, seed=3)
    for name in ("over ports", "within"):
        assert (tmp_path / name).read_text().splitlines()[1:-1] == wanted


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("MATCHSTATE:0:7::AsAd||:c", "c"),
        ("MATCHSTATE:0:7::AsAd||:r20", "r"),
        ("MATCHSTATE:0:7::AsAd||:x", "x"),
        ("MATCHSTATE:0:7::AsAd||", "-"),
        ("MATCHSTATE:0:7::AsAd||c", "-"),
        ("MATCHSTATE:0:7::AsAd||:", "-"),
        ("MATCHSTATE:0:6::AsAd||:c", None),
        ("MATCHSTATE:0:7:c:AsAd||:c", None),
        ("# MATCHSTATE:0:7::AsAd||:c", None),
        ("", None),
    ],
)
def test_what_a_reply_names(reply, named):
    assert named_in(reply, "MATCHSTATE:0:7::AsAd||") == named


# ---- what bots do wrong


def test_actions_that_are_none_or_are_not_legal_become_calls(tmp_path):
    wanted = own_log(["always-call"] * 3, 6, seed=1)
    at, _ = played(
        tmp_path / "log", [replying(lambda line: f"{line}:q\r\n".encode()), "always-call", "always-call"], 6, seed=1
    )
    assert (tmp_path / "log").read_text().splitlines()[1:-1] == wanted
    assert at.bots[0].changed == 6 * 4
    folds = [replying(lambda line: f"{line}:f\r\n".encode()), "always-call", "always-call"]
    at, _ = played(tmp_path / "folded", folds, 6, seed=1)
    hands = acpc.read_log(tmp_path / "folded").hands
    assert list(audit.faults(THREE, acpc.Log(hands))) == []
    assert [acpc.betting_text(hand.betting[:1]) for hand in hands[:3]] == [
        "cfc",
        "fcc",
        "ccc",
    ]  # the big blind owes nothing
    assert at.bots[0].changed == 2 * 4


def test_lines_that_answer_nothing_change_nothing(tmp_path):
    check_noise(tmp_path, lines=2_000)


@pytest.mark.slow
def test_a_hundred_thousand_lines_that_answer_nothing_change_nothing(tmp_path):
    check_noise(tmp_path, lines=100_000)


def check_noise(folder: Path, lines: int) -> None:
    draw, sent = random.Random(2), []

    def noisy(line: str) -> bytes:
        right = f"{line}:c"
        mutants = (mutant(draw, right) for _ in range(lines // 40))
        noise = [each for each in mutants if not each.startswith(line)]  # which would be an answer
        sent.extend(each for each in noise if len(each.encode()) < LONGEST and not each.startswith(("#", ";")))
        return b"".join(f"{each}\r\n".encode() for each in [*noise, right])

    at, _ = played(folder / "log", [replying(noisy), "random", "always-raise"], 10, seed=6)
    assert (folder / "log").read_text().splitlines()[1:-1] == own_log(
        ["always-call", "random", "always-raise"], 10, seed=6
    )
    assert len(sent) > lines / 2
    assert at.bots[0].ignored == len(sent)


@pytest.mark.parametrize(
    ("limits", "answer", "says"),
    [
        (Limits(), lambda _: None, r"Seat 1 \(Ann\) has left"),
        (Limits(response=0.3), lambda _: b"# thinking\r\n" * 10_000, r"Seat 1 \(Ann\) ran out of time after (0\.[3-9]|[1-9]\d*\.\d) s"),
        (Limits(hand=0.3), lambda _: b"", "ran out of time"),
        (Limits(per_hand=0.03), lambda line: b"" if ":3:" in line else f"{line}:c\r\n".encode(), "ran out of time"),
    ],
    ids=["left", "response", "hand", "average"],
)  # fmt: skip
def test_whoever_leaves_or_takes_too_long_ends_the_match(tmp_path, limits, answer, says):
    with pytest.raises(Broken, match=says):
        played(tmp_path / "log", [replying(answer), "always-call", "always-call"], 10, limits=limits)
    log = (tmp_path / "log").read_text().splitlines()
    assert log[1:] == own_log(["always-call"] * 3, 10)[: len(log) - 1]


def test_a_bot_that_is_killed_ends_the_match_and_others_go_on_with_it(tmp_path):
    def killed(port: int) -> None:
        running = subprocess.Popen([sys.executable, str(BOT), HOST, str(port), "1"])
        while not (tmp_path / "log").exists() or (tmp_path / "log").read_text().count("STATE") < 3:
            time.sleep(0.01)
        running.kill()
        running.wait()

    with pytest.raises(Broken, match=r"Seat 2 \(Ben\) has left"):
        played(tmp_path / "log", [client("random"), killed, "always-call"], 10_000)
    before = (tmp_path / "log").read_text()
    assert before.endswith("\n")
    assert "SCORE" not in before
    hands = before.count("STATE") + 3
    text = before.replace(" 10000 ", f" {hands} ")
    (tmp_path / "log").write_text(text)
    played(tmp_path / "log", [client("random"), outsider(), "always-call"], hands)
    after = (tmp_path / "log").read_text()
    assert after.startswith(text)
    assert list(audit.faults(THREE, acpc.read_log(tmp_path / "log"))) == []


def test_whoever_does_not_come_or_does_not_tell_its_version(tmp_path):
    def silent(port: int) -> None:
        with socket.create_connection((HOST, port)) as connection:
            connection.sendall(b"hello\r\n")

    with pytest.raises(Broken, match=r"Nobody came to seat 2 \(Ben\) within 0\.2 s"):
        played(tmp_path / "log", ["random", lambda _: None, "random"], 1, limits=Limits(start=0.2))
    with pytest.raises(Broken, match=r"Seat 2 \(Ben\) did not begin with its version"):
        played(tmp_path / "log", ["random", silent, "random"], 1)


# ---- going on


def test_a_log_cut_off_anywhere_goes_on_to_the_same_match(tmp_path):
    sitters = [Recall(), client("random", seed=8), "random"]
    played(tmp_path / "whole", sitters, 6, seed=8)
    whole = (tmp_path / "whole").read_bytes()
    header, score = whole.index(b"\n") + 1, whole.index(b"SCORE")
    for cut in (header, header + 20, whole.index(b"STATE:3"), whole.index(b"STATE:4") - 1, score, len(whole) - 2):
        (tmp_path / "log").write_bytes(whole[:cut])
        played(tmp_path / "log", sitters, 6, seed=8)
        assert (tmp_path / "log").read_bytes() == whole


def test_a_log_of_another_match_is_refused(tmp_path):
    played(tmp_path / "log", ["random", "always-call", "random"], 3, seed=8)
    text = "\n".join((tmp_path / "log").read_text().splitlines()[:-1]) + "\n"
    for found, says in {
        text.replace(" 3 8", " 3 9"): "is the log of another match",
        text.replace("STATE:1", "STATE:2"): "hand 2 is not of this match",
        text.replace("|Ben", "|Bob"): "is not of this match",
        text.replace("STATE:0:", "STATE:0:f"): "is not a hand of this match",
    }.items():
        (tmp_path / "log").write_text(found)
        with pytest.raises(UserError, match=says):
            played(tmp_path / "log", ["random", "always-call", "random"], 3, seed=8)
        assert (tmp_path / "log").read_text() == found
