"""Bots at the table: asked in bulk, shown their own view alone, and whatever they do wrong, the match goes on and says so."""

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

import jsonschema_rs
import numpy as np
import pytest
from websockets.sync.server import serve

import feint
from feint.arena.match import match
from feint.connect.bots import bot as bots
from feint.connect.bots import hire, messages
from feint.errors import UserError
from feint.outside import FORFEIT, Place, Question
from tests.commands.typed import typed
from tests.connect.bots.programs import program

KUHN = feint.make("kuhn")
SCHEMA = jsonschema_rs.validator_for(json.loads((files("feint.connect.bots") / "schema.json").read_text("utf-8")))
LAST = "say(actions=[each['legal'][-1] for each in tables])"
# In one breath, and without numbers: a second answer that came later might be taken for the answer to what is asked next, and be noticed only after it.
TWICE = "os.write(1, 2 * (json.dumps({'actions': [each['legal'][-1] for each in tables]}) + '\\n').encode())"


class Last:
    """What the usual bot of these tests does, in this process."""

    def act(self, view, legal):
        return int(np.flatnonzero(legal)[-1])


def same(one, other):
    return all(
        getattr(one, name).tolist() == getattr(other, name).tolist()
        for name in ("wins", "draws", "moves", "payoff_sum")
    )


@pytest.fixture(scope="module")
def usual():
    return match(KUHN, [Last(), "random"], games=8, seed=3)


@pytest.fixture(scope="module")
def firsts():
    """The match of somebody who takes the first legal action."""

    class First:
        def act(self, view, legal):
            return int(np.argmax(legal))

    return match(KUHN, [First(), "random"], games=8, seed=3)


def test_a_program_plays_as_its_twin_here(tmp_path, usual):
    with hire(program(tmp_path), KUHN) as bot:
        result = match(KUHN, [bot, "random"], games=8, seed=3)
        assert same(result, usual)
        assert result.agents[0] == bot.spec
        assert not bot.complaints()


def test_what_is_said_is_what_the_schema_says(tmp_path):
    log = tmp_path / "log"
    keep = f"open({str(log)!r}, 'a').write(line)"
    spec = program(tmp_path, act=f"{keep}; {LAST}", begin=f"{keep}; hello(name='Anna', most=5, ends=True)")
    with hire(spec, KUHN) as bot:
        match(KUHN, [bot, "random"], games=16, length=2, seed=3)
    begun, *asked = map(json.loads, log.read_text("utf-8").splitlines())
    for message in (
        begun,
        *asked,
        {"protocol": 1},
        {"actions": [0, 1]},
        {"number": 3, "actions": [0]},
        {"error": "no"},
    ):
        SCHEMA.validate(message)
    assert not SCHEMA.is_valid({"actions": ["bet"]})
    assert (begun["game"], begun["options"], begun["players"], begun["actions"]) == ("kuhn", {"players": 2}, 2, 2)
    assert [message["number"] for message in asked] == list(range(1, len(asked) + 1))
    tables = [table for message in asked for table in message["tables"]]
    assert max(len(message["tables"]) for message in asked) == 5
    assert {table["table"] for table in tables} == set(range(8))
    assert {table["game"] for table in tables} == {0, 1}
    assert {table["chair"] for table in tables} == {0}
    assert len({(table["table"], table["game"], table["seed"]) for table in tables}) == 16  # a seed for every game
    assert all(len(table["legal"]) == len(table["names"]) for table in tables)
    ended = [end for message in asked for end in message.get("ended", [])]
    assert sorted((end["table"], end["game"]) for end in ended) == [
        (table, game) for table in range(8) for game in (0, 1)
    ]
    assert all(len(end["rewards"]) == 2 and sum(end["rewards"]) == 0 for end in ended)


def test_a_bot_is_shown_its_own_card_alone():
    table = feint.Table(KUHN, ["random", "random"], seed=4)
    question = Question(table.view(0), table.legal)
    told = json.loads(messages.written(messages.act(KUHN, [question], [])))["tables"][0]
    cards = table.state().cards.tolist()
    assert told["view"]["card"] == cards[0]
    assert cards[1] not in [value for name, value in told["view"].items() if name not in ("seat", "card")]
    assert told["names"] == [KUHN.describe(table.view(0), action) for action in told["legal"]]


def test_messages_are_the_same_without_orjson(monkeypatch):
    leduc = feint.make("leduc")
    table = feint.Table(leduc, ["random", "random"], seed=4)
    message = messages.act(
        leduc, [Question(table.view(0), table.legal)], [messages.end(Place(), table.view(1), np.float32([0.1, -0.1]))]
    )
    written = messages.written(message)
    monkeypatch.setattr(messages, "orjson", None)
    assert messages.written(message) == written


# ---- whatever it does wrong: one sentence, and the match goes on

WRONG = {
    "crash": ("sys.exit('out of cards')", "exited with code 1 instead of answering; the last that it wrote .* 'out of"),
    "killed": ("os.kill(os.getpid(), 9)", "was ended by SIGKILL instead of answering"),
    "hang": ("time.sleep(60)", "has not answered within 0.3 s, which is the limit"),
    "silent": ("os.close(1); time.sleep(60)", "closed its output instead of answering"),
    "nonsense": ("print('thinking', flush=True)", "answered 'thinking', which is not JSON .* standard error"),
    "list": ("print([0] * len(tables), flush=True)", "which is JSON, but not an object"),
    "no actions": ("say(moves=[0])", 'has no list "actions"'),
    "too few": ("say(actions=[])", r"gave 0 answers to 8 questions"),
    "illegal": ("say(actions=[7 for _ in tables])", r"answered 7 at table 0, game 0, move 0, where it may take 0 \(check\), 1"),
    "a name": ("say(actions=['bet' for _ in tables])", 'answered "bet" at table 0'),
    "a truth": ("say(actions=[True for _ in tables])", "answered true at table 0"),
    "flood": ("os.write(1, b'x' * 2**20)", "answered with more than .* bytes"),
    "twice": (TWICE, "said .* unasked"),
    "late": ("say(number=message['number'] - 1, actions=[0 for _ in tables])", "answered message 0 where message 1 was asked"),
    "no number": ("say(number='one', actions=[0 for _ in tables])", 'answered message "one" where message 1 was asked'),
    "latin": ("os.write(1, b'{\"actions\": \"\\xe9\"}\\n')", "answered in another encoding than UTF-8"),
    "utf-16": ("os.write(1, (json.dumps({'actions': []}) + '\\n').encode('utf-16-le'))", "another encoding than UTF-8"),
    "nested": ("os.write(1, b'[' * 60000 + b'\\n')", "which is not JSON"),
    "says why": ("say(error='I cannot count.')", r"says: I cannot count\."),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_bot_that_errs_takes_the_first_legal_action(wrong, tmp_path, monkeypatch, firsts):
    monkeypatch.setattr(bots, "CHANCES", 2)
    act, sentence = WRONG[wrong]
    with hire(program(tmp_path, act), KUHN, limit=0.3 if wrong == "hang" else 60) as bot:
        result = match(KUHN, [bot, "random"], games=8, seed=3)
    first, *others = bot.complaints()
    assert_that(first, sentence)
    assert "The first legal action was taken instead at" in first
    assert len(others) <= 2, others
    if wrong != "twice":  # whose first answers count
        assert same(result, firsts)


def test_an_answer_that_comes_a_second_time_is_known_at_once(tmp_path):
    """However late it comes: by its number it is no answer to the message that was sent since."""
    act = "say(number=max(1, message['number'] - 1), actions=[each['legal'][-1] for each in tables])"
    with hire(program(tmp_path, act), KUHN) as bot:
        given = [bot.decide([Question(KUHN_VIEW, np.array([True, True]))]) for _ in range(2)]
    assert given == [[1], [0]]
    assert_that(bot.complaints()[0], "answered message 1 where message 2 was asked")


def assert_that(told, sentence):
    with pytest.raises(UserError, match=sentence):
        raise UserError(told)


def test_it_is_started_again_and_in_the_end_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(bots, "CHANCES", 3)
    starts = tmp_path / "starts"
    spec = program(tmp_path, "sys.exit(3)", begin=f"open({str(starts)!r}, 'a').write('x'); hello()")
    with hire(spec, KUHN) as bot:
        for _ in range(5):
            assert bot.decide([Question(KUHN_VIEW, np.array([False, True]))]) == [1]
    assert starts.read_text() == "xxx"
    assert list(bot.troubles) == ["crash", "given up"]
    assert bot.complaints()[1].endswith(
        "has failed 3 times, and was asked no more. The first legal action was taken instead at 2 decisions."
    )


def test_a_forfeit_costs_the_most_there_is(tmp_path):
    """It errs where it is second to move: these games are lost, all others are played."""
    act = "say(actions=[each['legal'][-1] if each['move'] == 0 else 9 for each in tables])"
    with hire(program(tmp_path, act), KUHN, "forfeit") as bot:
        assert bot.decide([Question(KUHN_VIEW, np.array([True, True]), move=1)]) == [FORFEIT]
        result = match(KUHN, [bot, "random"], [(0, 1), (1, 0)], games=16, seed=3)
    assert result.games.tolist() == [8, 8]
    least, _ = KUHN.payoff_range
    assert result.payoff_sum[1].tolist() == [-8 * least, 8 * least]
    assert result.wins[1].tolist() == [8, 0]
    assert bot.complaints()[0].endswith("Its game was lost at 9 decisions.")


KUHN_VIEW = feint.Table(KUHN, ["random", "random"], seed=4).view(0)


@pytest.mark.parametrize(
    ("begin", "sentence"),
    [
        ("print('hello', flush=True)", "answered 'hello', which is not JSON"),
        ("say(name='Anna')", 'answered {"type": "begin"} with .* protocol is missing'),
        ("hello(colour='red')", "nothing called 'colour'"),
        ("say(protocol=2)", "speaks protocol 2, and only 1 is spoken here"),
        ("hello(most=-1)", "must be 0 or more"),
        ("say(error='I only play bluff.')", r"says: I only play bluff\."),
        ("sys.exit(1)", "exited with code 1"),
    ],
)
def test_a_bot_that_greets_wrongly_is_refused_before_anything_is_played(begin, sentence, tmp_path):
    with pytest.raises(UserError, match=sentence):
        hire(program(tmp_path, begin=begin), KUHN)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("process:", "lacks its command"),
        ("process:'", "not a command"),
        ("process:./nobody", "cannot be started: No such file"),
        ("process:/dev/null", "cannot be started: Permission denied"),
        ("http://", "not an address"),
        ("http://localhost:99999", "not an address"),
        ("http://127.0.0.1:1", "cannot be reached: Connection refused"),
        ("ws://127.0.0.1:1", "cannot be reached: Connection refused"),
        ("smart", "is not a bot"),
    ],
)
def test_what_is_no_bot_is_told(spec, sentence):
    with pytest.raises(UserError, match=sentence):
        hire(spec, KUHN)


def test_bad_rules_are_told(tmp_path):
    with pytest.raises(UserError, match="one of first, forfeit, not 'luck'"):
        hire(program(tmp_path), KUHN, "luck")


# ---- endpoints


def answered(text, act):
    message = json.loads(text)
    return json.dumps({"protocol": 1} if message["type"] == "begin" else act(message["tables"]))


def last(tables):
    return {"actions": [table["legal"][-1] for table in tables]}


@contextmanager
def http(act, status=200, keep=True):
    connections = set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            self.close_connection = True
            connections.add(self.client_address)
            try:
                said = answered(self.rfile.read(int(self.headers["Content-Length"])), act).encode()
            except ConnectionError:
                return
            self.send_response(200 if b"protocol" in said else status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
            self.close_connection = not keep

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/bot?of=mine"
        assert len(connections) == 1 or status != 200 or not keep or act is not last
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def websocket(act):
    def talk(socket):
        for text in socket:
            socket.send(answered(text, act))

    with serve(talk, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/bot"
        server.shutdown()


@pytest.mark.parametrize(
    "endpoint", [http, websocket, lambda act: http(act, keep=False)], ids=["http", "ws", "hangs up"]
)
def test_an_endpoint_plays_as_its_twin_here(endpoint, usual):
    with endpoint(last) as address, hire(address, KUHN) as bot:
        assert same(match(KUHN, [bot, "random"], games=8, seed=3), usual)
        assert not bot.complaints()


def broken(_):
    raise ConnectionError


def slow(tables):
    time.sleep(2)
    return last(tables)


@pytest.mark.parametrize(
    ("endpoint", "sentence"),
    [
        (lambda: http(slow), "has not answered within 0.3 s"),
        (lambda: websocket(slow), "has not answered within 0.3 s"),
        (lambda: http(last, status=500), "answered with the status 500"),
        (lambda: http(lambda _: {"actions": ["x" * 2**20]}), "answered with more than .* bytes"),
        (lambda: websocket(lambda _: {"actions": ["x" * 2**20]}), "answered with more than .* bytes"),
        (lambda: websocket(broken), "hung up instead of answering"),
        (lambda: http(broken), "hung up instead of answering"),
    ],
)
def test_an_endpoint_that_errs_is_told_and_the_match_goes_on(endpoint, sentence, monkeypatch, firsts):
    monkeypatch.setattr(bots, "CHANCES", 1)
    limit = 0.3 if "0.3 s" in sentence else 60
    with endpoint() as address, hire(address, KUHN, limit=limit) as bot:
        assert same(match(KUHN, [bot, "random"], games=8, seed=3), firsts)
    assert_that(bot.complaints()[0], sentence)


# ---- what is typed


def test_a_match_with_a_bot_on_the_command_line(tmp_path):
    spec = program(tmp_path, "say(actions=[5] * len(tables))")
    done = typed("match", "kuhn", "random", spec, "-n", 16, "--save", tmp_path / "result.json")
    assert done.code == 0, done.stderr
    assert "16 games in 2 seatings" in done.stdout
    assert done.stderr.startswith(f"feint: {spec[:20]}")
    assert "The first legal action was taken instead at" in done.stderr
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["agents"] == ["random", spec]
    refused = typed("match", "kuhn", "random", spec, "--fault", "luck")
    assert (refused.code, refused.stdout) == (2, "")


def test_whoever_was_hired_is_ended_and_told_of_once(tmp_path):
    told = []
    spec = program(tmp_path, "say(actions=[5] * len(tables))")
    with bots.hired([spec, "random"], KUHN, tell=told.append) as (bot, other):
        assert other == "random"
        assert bot.decide([Question(KUHN_VIEW, np.array([True, True]))]) == [0]
        bot.abandon()
        assert bot.decide([Question(KUHN_VIEW, np.array([False, True]))]) == [1]
    assert [sentence.endswith("at 1 decision.") for sentence in told] == [True, True]
    assert "was ended by SIGKILL" in told[1]


@pytest.mark.slow
def test_ctrl_c_ends_a_bot_that_hangs(tmp_path):
    """Within seconds, whatever the limit, and nothing is left running."""
    pid = tmp_path / "pid"
    spec = program(tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    command = [sys.executable, "-m", "feint.cli", "match", "kuhn", "random", spec, "-n", "8", "--limit", "500"]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not (pid.exists() and pid.read_text()):
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=60)
    assert (running.returncode, printed) == (
        130,
        "Stopped before any games were through; the same command begins again.\n",
    )
    time.sleep(0.5)
    left = subprocess.run(["ps", "-o", "stat=", "-p", pid.read_text()], capture_output=True, encoding="utf-8").stdout
    assert left.strip()[:1] in ("", "Z")  # it is gone, or waits to be buried


def test_a_bot_sits_down_with_people(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "bots"
    folder.mkdir()
    done = typed("play", "kuhn", "--seats", f"random,{program(folder)}", "--watch", "--pause", "0", "--seed", "1")
    assert done.code == 0, done.stderr
    (record,) = (tmp_path / "feint" / "games").glob("*.json")
    assert feint.Record.load(record).over


def test_bot_test_says_that_all_is_well(tmp_path):
    done = typed("bot-test", program(tmp_path).removeprefix("process:"), "--game", "kuhn", "-n", "8")
    assert done.code == 0, done.stdout + done.stderr
    assert "questions of 8 games with legal actions" in done.stdout
    assert "It did the same again" in done.stdout
    assert done.stdout.endswith("All is well.\n")


@pytest.mark.parametrize(
    ("act", "sentence", "code"),
    [
        ("say(actions=[each['legal'][time.time_ns() % 7 % 2] for each in tables])", "does not always do the same", 0),
        ("say(actions=[0, 0, 0, 0])", "answers to", 1),
        ("say(actions=[0] * len(tables)) if len(tables) > 1 else say(actions=0)", "one table at a time", 1),
    ],
)
def test_bot_test_says_what_is_wrong(act, sentence, code, tmp_path):
    done = typed("bot-test", program(tmp_path, act), "--game", "kuhn", "-n", "8")
    assert sentence in done.stdout
    assert done.code == code


def test_bot_test_of_every_game_leaves_out_those_a_bot_does_not_play(tmp_path):
    refuse = "hello() if message['game'] == 'kuhn' else say(error='Kuhn alone.')"
    spec = program(tmp_path, begin=refuse)
    done = typed("bot-test", spec, "-n", "8")
    assert done.code == 0
    assert done.stdout.count("says: Kuhn alone.") == len(feint.game_names()) - 1
    none = typed("bot-test", program(tmp_path, begin="say(error='Nothing.')"))
    assert (none.code, none.stdout.splitlines()[-1]) == (1, "It plays none of these games.")
    assert typed("bot-test", spec, "--game", "leduc").code == 2
    assert typed("bot-test", spec, "--option", "players=3").code == 2
