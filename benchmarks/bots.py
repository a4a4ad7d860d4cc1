"""Decisions a second of bots: the examples in each language, and the same over HTTP and a WebSocket on this machine.

    python -m benchmarks.bots                     Bluff with three that play smart, and Leduc with one that plays at random
    python -m benchmarks.bots --matches 1024

Every figure is of whole matches, with what the engine, the others and the messages take; the first match, which compiles, is not counted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import feint
from feint.arena import hosted
from feint.connect.bots import hire

BOTS = Path(__file__).parents[1] / "examples" / "bots"


def answer(text: str | bytes) -> str:
    """The first legal action everywhere."""
    message = json.loads(text)
    if message["type"] == "begin":
        return json.dumps({"protocol": 1})
    return json.dumps({"actions": [table["legal"][0] for table in message["tables"]]})


@contextmanager
def http() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            said = answer(self.rfile.read(int(self.headers["Content-Length"]))).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@contextmanager
def websocket() -> Iterator[str]:
    from websockets.sync.server import serve

    def talk(socket: Any) -> None:
        for text in socket:
            socket.send(answer(text))

    with serve(talk, "127.0.0.1", 0, max_size=2**26, compression=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()


def measure(name: str, opponent: str, spec: str, matches: int) -> str:
    """Decisions a second of a bot, on the clock and by what this process computes."""
    game = feint.make(name)
    agents = [feint.make_agent(opponent, game)]
    with hire(spec, game) as bot:
        counted = [0]
        decide = bot.decide

        def counting(questions: Any) -> list[int]:
            counted[0] += len(questions)
            return decide(questions)

        bot.decide = counting  # type: ignore[method-assign]
        seating = [0] + [1] * (game.players - 1)

        def play(first: int) -> None:
            hosted.play(game, [bot, *agents], [spec, opponent], seating, seed=1, first=first, matches=matches)

        play(0)
        counted[0] = 0
        began, computed = time.perf_counter(), time.process_time()
        play(matches)
        clock, computed = time.perf_counter() - began, time.process_time() - computed
        assert not bot.complaints(), bot.complaints()
    return f"{counted[0] / clock:8,.0f} a second, {computed / counted[0] * 1e6:5.0f} us of computing in feint for each"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=512)
    matches = parser.parse_args().matches
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "bot"
        subprocess.run(["cc", "-O2", "-o", made, BOTS / "bot.c"], check=True)
        programs = {"C": f"process:{made}", "Python": f"process:{BOTS / 'bot.py'}"}
        if shutil.which("node"):
            programs["JavaScript"] = f"process:{BOTS / 'bot.js'}"
        with http() as over_http, websocket() as over_websocket:
            for name, opponent in (("bluff", "smart"), ("leduc", "random")):
                for kind, spec in {**programs, "HTTP": over_http, "WebSocket": over_websocket}.items():
                    if kind != "JavaScript" or name == "bluff":
                        print(f"{name:6} {kind:10} {measure(name, opponent, spec, matches)}", flush=True)


if __name__ == "__main__":
    main()
