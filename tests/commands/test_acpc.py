"""`feint acpc` as it is typed."""

import random
import re
import socket
from pathlib import Path

import pytest

from feint.games.holdem import definition
from feint.games.holdem.game import Holdem
from tests.commands.typed import typed
from tests.test_fuzz_cli import ODD

LOGS = Path(__file__).parents[1] / "data" / "acpc"


@pytest.fixture
def three(tmp_path, monkeypatch):
    """A folder with a definition in it."""
    monkeypatch.chdir(tmp_path)
    Path("three.game").write_text(definition.written(Holdem(players=3)))


@pytest.mark.usefixtures("three")
def test_what_is_refused_before_anything_is_done():
    Path("free.game").write_text(Path("three.game").read_text().replace("limit", "nolimit"))
    deal = ["deal", "--hands", "2", "--game"]
    play = ["play", "--wait", "0", "--agent"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for line, says in {
            (*deal, "free.game"): "free.game defines a game without limits; only limit games are played here.",
            (*deal, "none.game"): "There is no file none.game.",
            (*deal, "three.game", "--ports", "1,2"): "--ports must be 3 ports, one for each bot, not 2.",
            (*deal, "three.game", "--ports", "1,x,2"): "--ports must be numbers from 1 to 65535 with commas between them",
            (*deal, "three.game", "--ports", ""): "--ports must be numbers from 1 to 65535 with commas between them",
            (*deal, "three.game", "--ports", "9" * 5000): "--ports must be numbers from 1 to 65535",
            (*deal, "three.game", "--names", ""): "--names must be 3 different names",
            (*deal, "three.game", "--names", "a,b,b"): "--names must be 3 different names",
            (*deal, "three.game", "--names", "a,b,c d"): "--names must be 3 different names",
            (*deal, "three.game", "--seat", "4=random"): "--seat must be a seat from 1 to 3",
            (*deal, "three.game", "--seat", "1" * 5000 + "=random"): "--seat must be a seat from 1 to 3",
            (*deal, "three.game", "--seat", "1=rundom"): "There is no holdem agent called 'rundom'.",
            (*deal, "three.game", "--seat", "1=random", "--seat", "1=random"): "--seat must be a seat from 1 to 3",
            (
                *deal, "three.game", "--seat", "1=random", "--seat", "2=random", "--ports", str(port),
            ): f"Nobody can be waited for at 127.0.0.1, port {port}: Address already in use.",
            (*deal, "three.game", "--host", "192.0.2.1"): "Nobody can be waited for at 192.0.2.1, any port: ",
            (*play, "random", "--port", "1"): "No dealer at 127.0.0.1, port 1: Connection refused.",
            (*play, "rundom", "--port", "1"): "There is no holdem agent called 'rundom'.",
            (*play, "me", "--port", "1"): "There is no holdem agent called 'me'.",
            (*play, "random", "--port", "1", "--game", "free.game"): "free.game defines a game without limits",
            ("check", "three.game"): "three.game is not a log of an ACPC dealer",
            ("check", "none.log"): "There is no file none.log.",
        }.items():  # fmt: skip
            done = typed("acpc", *line)
            assert (done.code, done.stdout) == (2, ""), line
            assert done.stderr.startswith(f"feint: {says}"), done.stderr
            assert done.stderr.count("\n") == 1
    assert not Path("runs").exists() or not list(Path("runs").rglob("*.log"))


@pytest.mark.parametrize("players", [2, 3])
def test_a_log_is_checked_and_told_in_mbb(players):
    done = typed("acpc", "check", LOGS / f"{players}p.limit.h1000.r0.log")
    assert done.code == 0, done.stderr
    assert "1000 hands by the rules" in done.stdout
    won = {2: ("+455", "+46"), 3: ("+3,705", "+370")}[players]
    assert all(text in done.stdout for text in (f"p{2 * players - 3}", *won))


def test_a_log_that_is_not_by_the_rules(tmp_path):
    text = (LOGS / "2p.limit.h1000.r0.log").read_text()
    (tmp_path / "paid.log").write_text(text.replace(":20|-20:p1|p2", ":30|-30:p1|p2", 1))
    (tmp_path / "sum.log").write_text(text.replace("SCORE:455|-455", "SCORE:465|-465"))
    for name, says in (
        ("paid", "Hand 0 pays 20|-20 by the rules, and 30|-30 in the log."),
        ("sum", "The hands add up to 455|-455, and the score is 465|-465."),
    ):
        done = typed("acpc", "check", tmp_path / f"{name}.log")
        assert done.code == 1
        assert says in done.stderr


@pytest.mark.usefixtures("three")
def test_a_match_within_the_dealer_and_what_it_leaves():
    line = ["deal", "--game", "three.game", "--hands", "2", "--names", "Ann,Ben,Cleo"]
    line += ["--seat", "1=always-call", "--seat", "2=always-raise", "--seat", "3=random"]
    done = typed("acpc", *line)
    assert done.code == 0, done.stderr
    lines = done.stdout.splitlines()
    log = Path("runs/acpc/three-2-0.log").read_text().splitlines()
    assert lines[0] == log[-1]  # nobody was waited for
    assert re.fullmatch(r"SCORE:[-\d.|]+:Ann\|Ben\|Cleo", log[-1])
    assert log[:4] == [
        "# name/game/hands/seed three-2-0 three.game 2 0",
        "#--t_response 600000",
        "#--t_hand 600000",
        "#--t_per_hand 7000",
    ]
    again = typed("acpc", *line)
    assert (again.code, again.stdout) == (2, "")
    assert "is finished" in again.stderr
    assert typed("acpc", *line, "--fresh").stdout == done.stdout
    assert Path("runs/acpc/three-2-0.log").read_text().splitlines() == log


MATCH = [
    "deal",
    "--game",
    "three.game",
    "--hands",
    "1",
    "--fresh",
    *(f"--seat={seat}=always-call" for seat in (1, 2, 3)),
]
TAKES = {
    "deal": (
        MATCH,
        ["--game", "--hands", "--seed", "--ports", "--names", "--seat", "--log", "--timeout", "--average", "--start"],
    ),
    "play": (
        ["play", "--agent", "random", "--port", "1", "--wait", "0"],
        ["--agent", "--game", "--seed", "--level"],  # nothing is waited for, and nobody else called at
    ),
    "check": (["check", "none.log"], ["--game", "--level"]),
    "phh": (["phh", "none.log", "--out", "x.phhs"], ["--out", "--game"]),
}


@pytest.mark.usefixtures("three")
def test_whatever_is_typed_is_done_or_refused_in_a_sentence():
    draw = random.Random(5)
    for _ in range(40):
        needed, options = TAKES[draw.choice(sorted(TAKES))]
        typed_at = [*needed, draw.choice(options), draw.choice(ODD)]
        done = typed("acpc", *typed_at)
        assert done.code in (0, 2), (typed_at, done)
        assert "Traceback" not in done.stderr
        assert not done.code or done.stderr.splitlines()[-1].strip(), typed_at
