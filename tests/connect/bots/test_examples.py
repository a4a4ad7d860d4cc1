"""The example bots, as their authors would try them."""

import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

import feint
from feint.connect.bots import hire
from feint.outside import Question
from tests.commands.typed import typed

BOTS = Path(__file__).parents[3] / "examples" / "bots"
RECORDED = json.loads((Path(__file__).parent / "chat.json").read_text("utf-8"))


def test_python():
    done = typed("bot-test", BOTS / "bot.py", "--game", "kuhn", "-n", "8")
    assert (done.code, "did the same again" in done.stdout) == (0, True), done.stdout


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_c(tmp_path):
    made = tmp_path / "bot"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", made, BOTS / "bot.c"], check=True)
    done = typed("bot-test", made, "--game", "kuhn", "-n", "8")
    assert (done.code, "did the same again" in done.stdout) == (0, True), done.stdout


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js")
def test_javascript():
    """Its rule: all true cards, and a call where three cards or more are claimed."""
    bluff = feint.make("bluff", players=2)
    with hire(f"process:{BOTS / 'bot.js'}", bluff) as bot:
        table = feint.Table(bluff, [bot, "smart"], seed=2)
        moves = []
        while not table.over and table.moves < 60:
            view, legal, player = table.view(table.player), table.legal, table.player
            action = table.act()
            if player == 0:
                moves.append(action)
                assert view.asked == 0 or action == view.ranks + (2 if view.claim >= 3 else 1)
                assert (action == 0) == bool(view.asked == 0 and legal[0])
        assert len(moves) > 5
        assert not bot.complaints()
    refused = typed("bot-test", BOTS / "bot.js", "--game", "kuhn")
    assert (refused.code, "I only play bluff." in refused.stderr) == (2, True)


class Model(BaseHTTPRequestHandler):
    """A server that says again what a model said, and keeps what it was asked."""

    asked: list[dict] = []  # noqa: RUF012

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append({"path": self.path, "key": self.headers["Authorization"], **asked})
        said = json.dumps(RECORDED[(len(self.asked) - 1) % len(RECORDED)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


def test_a_language_model(monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(Model, "asked", [])
    monkeypatch.setenv("CHAT_URL", f"http://127.0.0.1:{server.server_port}/v1/chat/completions")
    monkeypatch.setenv("CHAT_MODEL", "some-model")
    monkeypatch.setenv("CHAT_KEY", "secret")
    monkeypatch.setenv("no_proxy", "*")
    game = feint.make("kuhn")
    table = feint.Table(game, ["random", "random"], seed=1)
    try:
        with hire(f"process:{BOTS / 'chat.py'}", game) as bot:
            answers = bot.decide([Question(table.view(0), table.legal)] * len(RECORDED))
        assert not bot.complaints()
    finally:
        server.shutdown()
        server.server_close()
    assert answers == [1, 0, 0, 0]  # "1", "0: check", no number, and a number that is no choice
    first = Model.asked[0]
    assert (first["path"], first["key"], first["model"]) == ("/v1/chat/completions", "Bearer secret", "some-model")
    assert "0: check\n1: bet" in first["messages"][0]["content"]
