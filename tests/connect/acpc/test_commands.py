"""The dealer and the seat as commands: stopped by Ctrl-C, killed, and gone on with."""

import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from feint.games.holdem import definition
from tests.connect.acpc.matches import HOST, THREE
from tests.terminals import Terminal

ENV = {"PYTHONPATH": str(Path(__file__).parents[3])}
FEINT = ["-m", "feint.cli", "acpc"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("three.game").write_text(definition.written(THREE))


def test_ctrl_c_while_bots_are_waited_for():
    at = Terminal(*FEINT, "deal", "--game", "three.game", "--hands", "5", "--seat", "1=random", env=ENV)
    at.until(r"\d+ \d+\r\n")
    at.press_ctrl_c()
    code, said = at.end()
    sentence = "Stopped after 0 of 5 hands, which runs/acpc/three-5-0.log keeps; the same command goes on."
    assert (code, " ".join(said)) == (130, sentence)


def test_ctrl_c_while_a_dealer_is_listened_to():
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
        at = Terminal(*FEINT, "play", "--agent", "always-call", "--port", str(port), env=ENV)
        connection, _ = server.accept()
        with connection:
            assert connection.recv(100) == b"VERSION:2.0.0\r\n"
            connection.sendall(b"hello\r\n" * 3)
            assert "'hello' was passed over" in at.until("without a word")
            at.press_ctrl_c()
            code, said = at.end()
    assert (code, said[-1]) == (130, "Stopped after 0 hands.")
    assert at.seen.count("passed over") == 1


@pytest.mark.slow
def test_a_dealer_that_is_killed_goes_on_to_the_same_log():
    whole, parts = (["--log", f"{name}/three.log"] for name in ("whole", "parts"))
    assert run(whole, None) == 0
    draw, killed = random.Random(3), 0
    for _ in range(6):
        killed += run(parts, draw.uniform(0.0, 3.0)) < 0
    while run(parts, None) < 0:
        pass
    assert killed > 2
    assert Path("parts/three.log").read_text() == Path("whole/three.log").read_text()
    assert Path("whole/three.log").read_text().count("STATE") == 300


def run(log: list[str], kill_after: float | None) -> int:
    """The exit code of a dealer with two clients, killed so many seconds after its first hand of this time."""
    path = Path(log[1])
    before = path.stat().st_size if path.exists() else 0
    line = ["deal", "--game", "three.game", "--hands", "300", "--seed", "7", "--seat", "2=random", *log]
    with subprocess.Popen(
        [sys.executable, *FEINT, *line], env=os.environ | ENV, stdout=subprocess.PIPE, encoding="utf-8"
    ) as dealer:
        assert dealer.stdout
        ports = dealer.stdout.readline().split()
        if dealer.poll() is not None and not ports:  # it was finished already
            return 0
        play = [sys.executable, *FEINT, "play", "--game", "three.game", "--seed", "7", "--agent", "random", "--port"]
        clients = [
            subprocess.Popen([*play, port], env=os.environ | ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for port in ports
        ]
        if kill_after is not None:
            while dealer.poll() is None and path.stat().st_size == before:
                time.sleep(0.01)
            time.sleep(kill_after)
            dealer.kill()
        dealer.wait(600)
        for client in clients:
            client.wait(60)
    return dealer.returncode
