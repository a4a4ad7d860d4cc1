"""Long work in portions, here and on a real Ray cluster of two nodes, one of which is killed half-way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import feint
from feint import clusters, registry, workers
from feint.arena import storage
from feint.arena.match import LANES
from feint.arena.portions import Player
from feint.arena.result import Result
from feint.arena.seatings import round_robin
from feint.errors import UserError
from feint.evolve.search import Search, Settings, Table
from feint.learn import away
from feint.learn.league import League
from feint.learn.several import resized
from feint.learn.train import CHECKPOINT, METRICS
from tests.commands.typed import typed
from tests.toys import Bettor, Stay
from tests.two_nodes import TwoNodes, two_nodes

needs_ray = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="Ray has no wheels for this Python, so that nothing runs on a cluster here."
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    with two_nodes() as begun, pytest.MonkeyPatch.context() as patch:
        for name, value in begun.env.items():
            patch.setenv(name, value)
        yield begun


@pytest.fixture(scope="module")
def connected(cluster: TwoNodes) -> Iterator[None]:
    """This process stays connected to the cluster, as a user's may: workers serve several commands, and load what they need once."""
    import ray

    ray.init(f"127.0.0.1:{cluster.port}", **clusters.QUIET)
    yield
    ray.shutdown()


@dataclass(frozen=True)
class Slow:
    """Takes its time over every portion, and leaves a mark whenever it begins and ends one, on which node and by which process."""

    folder: Path

    def __call__(self, portion: int) -> int:
        who = f"{os.getpgid(os.getppid())} {os.getpid()}"  # the node's group is that of whoever began the process
        (self.folder / f"{portion} begun {who}").touch()
        time.sleep(0.3)
        (self.folder / f"{portion} ended {who}").touch()
        return portion * portion


def test_here_a_portion_is_done_when_it_is_asked_for():
    begun = []

    def portions():
        for each in range(3):
            begun.append(each)
            yield each

    outcomes = workers.in_order(lambda each: each + 10, portions())
    assert begun == []
    assert next(outcomes) == 10
    assert begun == [0]
    assert list(outcomes) == [11, 12]
    assert not workers.elsewhere()
    assert workers.parallelism() == 1


def test_outcomes_come_in_order_whatever_is_finished_first(monkeypatch):
    monkeypatch.setattr(workers, "finished", lambda *_: [(2, "c"), (0, "a"), (1, "b"), (3, "d")])
    assert list(workers.in_order(str, range(4))) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "place", ["", "there", "ray://", "ray://host", "ray://host:port", "ray://host:1/x", "http://host:1"]
)
def test_what_is_no_place_is_refused(place):
    said = typed("match", "kuhn", "random", "random", "--on", place)
    assert said.code == 2
    assert said.stderr == f"feint: --on must be here, ray or ray://HOST:PORT, not {place!r}.\n"


@needs_ray
def test_where_nothing_answers_one_sentence_says_so_before_any_work(monkeypatch):
    said = typed("match", "kuhn", "random", "random", "--on", "ray://127.0.0.1:9")
    told = "feint: There is no Ray cluster at ray://127.0.0.1:9: nothing answers there.\n"
    assert (said.code, said.stdout, said.stderr) == (2, "", told)
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    said = typed("tournament", "kuhn", "random", "random", "--on", "ray")
    told = "feint: There is no Ray cluster at RAY_ADDRESS 127.0.0.1:9: nothing answers there.\n"
    assert (said.code, said.stdout, said.stderr) == (2, "", told)


def test_without_ray_one_sentence_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"^--on ray needs Ray: pip install 'feint\[ray\]'\.$"), workers.on("ray"):
        pass


def test_games_go_by_name_and_options():
    game = feint.make("leduc", suits=True)
    sent = workers._pickled(game)
    assert workers._received(sent) == game
    assert len(sent) < 200
    drawn = resized(feint.make("bluff"), "players=3,most=2..5")  # anew for every game
    assert workers._received(workers._pickled(drawn)) == drawn
    with pytest.raises(UserError, match="stay is a game that is not found by name"):
        workers._pickled(Stay())


def test_agents_go_by_name_but_those_of_a_file_as_they_are():
    game = feint.make("kuhn")
    trained = registry.make_agent("zoo:kuhn-1", game)
    named = ["random", "policy:somewhere.npz"]
    seats = [(0, 1)]
    player = Player(
        game, named, [registry.make_agent("random", game), trained], seats, 0, 1, False, 64, 64, None, False
    )
    sent = workers._received(workers._pickled(player))
    assert sent.named[0] == "random"
    assert type(sent.named[1]) is type(trained)
    with pytest.raises(UserError, match="Plain plays on this machine only"):
        workers._pickled(replace(player, named=[Plain(), "random"], agents=[Plain(), player.agents[0]]))


class Plain:
    def act(self, view, legal):
        return int(legal.argmax())


# ---- a real cluster


@needs_ray
def test_a_node_that_is_killed_has_its_portions_done_again_and_none_is_counted_twice(cluster, tmp_path, capfd):
    told: dict[int, int] = {}
    lost: list[int] = []
    doomed = cluster.processes[1]

    def marked(how: str, node: int) -> dict[int, int]:
        """Portions that were begun or ended at a node, and by which process."""
        names = [mark.name.split() for mark in tmp_path.glob(f"* {how} {node} *")]
        return {int(portion): int(process) for portion, _, _, process in names}

    def under_way() -> dict[int, int]:
        begun, ended = marked("begun", doomed.pid), marked("ended", doomed.pid)
        return {portion: begun[portion] for portion in begun.keys() - ended.keys()}

    def portions() -> Iterator[int]:
        """As many as it takes until the other node has begun one, and then some."""
        more = 4
        for number in range(200):
            yield number
            more -= doomed.poll() is not None
            if not more:
                return

    with workers.on("ray"):
        assert workers.elsewhere()
        assert workers.parallelism() == 2
        for number, outcome in workers.finished(Slow(tmp_path), portions()):
            assert number not in told
            told[number] = outcome
            if doomed.poll() is None and (there := under_way()):
                portion, process = there.popitem()
                os.kill(process, signal.SIGSTOP)  # from here on it ends nothing
                if portion in under_way():
                    lost.append(portion)
                    cluster.kill(1)
                    with suppress(ProcessLookupError):  # of a group of its own, it would outlive its node
                        os.kill(process, signal.SIGKILL)
                else:
                    os.kill(process, signal.SIGCONT)
    assert sorted(told) == list(range(len(told)))
    assert all(outcome == number * number for number, outcome in told.items())
    assert lost
    assert set(lost) <= marked("ended", cluster.processes[0].pid).keys()
    assert capfd.readouterr() == ("", "")
    cluster.join()


@needs_ray
def test_matches_and_tournaments_come_to_the_same_bytes(cluster):
    game, agents = feint.make("leduc"), ["random", "zoo:leduc-1", registry.make_agent("random", feint.make("leduc"))]
    played: list[int] = []

    def bytes_of(progress=None):
        seats = round_robin(3, 2, "all")
        long = feint.match(game, agents[:2], games=600, seed=3, duplicate=True, length=3, progress=progress)
        many, few = (
            feint.match(game, agents, seats, games, 5) for games in (1200, 60)
        )  # few of several seatings at once
        return [storage.as_json(each) for each in (many, few, long)]

    here = bytes_of()
    with workers.on("ray"):
        assert bytes_of(played.append) == here
        assert sum(played) == 600
    with workers.on(cluster.client):
        assert bytes_of() == here


@needs_ray
def test_what_is_said_of_a_portion_is_heard_while_it_is_done(cluster, tmp_path):
    said = tmp_path / "said"

    def hear(number: int, how_far: float) -> None:
        assert (number, how_far) == (0, 0.5)
        said.touch()

    with workers.on(cluster.client):
        assert list(workers.finished(Telling(said), ["portion"], hear)) == [(0, "portion")]
    said.unlink()
    assert list(workers.finished(Telling(said), ["portion"], hear)) == [(0, "portion")]


@dataclass(frozen=True)
class Telling:
    """Is not through before somebody has heard how far it is."""

    heard: Path

    def __call__(self, portion: str) -> str:
        workers.say(0.5)
        _wait_for(self.heard.exists)
        return portion


@needs_ray
@pytest.mark.usefixtures("connected")
def test_portions_are_done_meanwhile(tmp_path):
    """By workers as soon as they are begun, while this process does something else; here when they are asked for."""
    here = workers.meanwhile(Slow(tmp_path), 3)
    assert not list(tmp_path.iterdir())
    assert here() == 9
    with workers.on("ray"):
        two = [workers.meanwhile(Slow(tmp_path), portion) for portion in (4, 5)]
        _wait_for(lambda: {mark.name.split()[0] for mark in tmp_path.iterdir()} == {"3", "4", "5"})
        with workers.on("here"):
            assert not workers.elsewhere()
        assert workers.elsewhere()
        assert [outcome() for outcome in two] == [16, 25]


def _wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 120
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


@needs_ray
@pytest.mark.usefixtures("connected")
@pytest.mark.parametrize(
    "sections",
    [
        ["readings", "sampling", "four-flush"],  # in which nothing is played, so that nothing is compiled
        pytest.param(["experiment-2", "contradictions", "tit-for-tat"], marks=pytest.mark.slow),
    ],
)
def test_sections_of_a_study_come_to_the_same_bytes(sections, tmp_path):
    line = ["study", "bluff", "--games", 50, *(each for key in sections for each in ("--only", key)), "--out"]
    assert typed(*line, tmp_path / "here").code == 0
    there = typed(*line, tmp_path / "there", "--on", "ray")
    assert (there.code, there.stderr) == (0, "")
    assert {line[:4] for line in there.stdout.splitlines()[:3]} == {"1/3 ", "2/3 ", "3/3 "}
    assert _files(tmp_path / "there") == _files(tmp_path / "here")
    assert "kept from before" in typed(*line, tmp_path / "there", "--on", "ray").stdout


@needs_ray
@pytest.mark.usefixtures("connected")
def test_generations_of_a_search_come_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setitem(LANES, "cpu", 16)  # so that a generation is several portions

    def bytes_of(path: Path) -> bytes:
        tables = [Table((Bettor(1.0, 1.0, 1.0),)), Table((Bettor(0.0, 0.3, 1.0),), 3.0)]
        search = Search(feint.make("kuhn"), Bettor(), tables, settings=Settings(generations=2, population=10, deals=16))
        search.run()
        search.save(path)
        return path.read_bytes()

    here = bytes_of(tmp_path / "here.json")
    with workers.on("ray"):
        assert bytes_of(tmp_path / "there.json") == here


@needs_ray
@pytest.mark.slow
@pytest.mark.usefixtures("connected")
def test_a_search_says_the_same_and_comes_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setitem(LANES, "cpu", 8)
    line = [
        "search",
        "bidding",
        "split",
        "--table",
        "uniform,uniform",
        "--population",
        4,
        "--generations",
        2,
        "--deals",
        32,
    ]
    line += ["-n", 64, "--out"]
    here, there = typed(*line, tmp_path / "here.json"), typed(*line, tmp_path / "there.json", "--on", "ray")
    assert (there.code, there.stderr) == (0, "")
    assert there.stdout == here.stdout.replace("here.json", "there.json")
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


@needs_ray
@pytest.mark.usefixtures("connected")
def test_a_gallery_comes_to_the_same_bytes(tmp_path):
    line = ["gallery", "kuhn", "zoo:kuhn-1", "--games", 200, "--save"]
    here, there = typed(*line, tmp_path / "here.json"), typed(*line, tmp_path / "there.json", "--on", "ray")
    assert (there.code, there.stderr, there.stdout) == (0, "", here.stdout)
    assert (tmp_path / "there.json").read_bytes() == (tmp_path / "here.json").read_bytes()


@needs_ray
@pytest.mark.slow
def test_responses_are_trained_on_a_cluster_that_loses_a_node_to_the_same_bytes(cluster, tmp_path, monkeypatch):
    """Against the policy of a file that workers do not have."""
    monkeypatch.chdir(tmp_path)
    solved = ["solve", "kuhn", "--iterations", 50, "--out", "kuhn.npz"]
    assert typed(*solved).code == 0
    line = ["exploit", "kuhn", "policy:kuhn.npz", "--train", 61440, "--seeds", 2, "--games", 2000]
    line += ["--set", "width=16", "--set", "num_envs=64", "--out"]
    assert typed(*line, "here.json").code == 0
    monkeypatch.setattr(away, "SPAN", 0.2)
    kept = away.write_whole

    def write_and_kill(path: Path, *what: object) -> None:
        kept(path, *what)
        if path.name == "checkpoint.npz" and cluster.processes[-1].poll() is None:
            cluster.kill(-1)

    monkeypatch.setattr(away, "write_whole", write_and_kill)
    there = typed(*line, "there.json", "--on", "ray")
    assert (there.code, there.stderr) == (0, "")
    assert "Response 2 of 2," in there.stdout
    assert cluster.processes[-1].poll() is not None
    assert Path("there.json").read_bytes() == Path("here.json").read_bytes()
    cluster.join()


# A learner that stays as it began, and two exploiters: one sits down after the third update, the other, begun just before that, after the fifth.
LEAGUE = ["train", "kuhn", "--algorithm", "ppo", "--table", "past", "--steps", 6 * 128, "--games", 2000]
LEAGUE += [f"--set={each}" for each in ("num_envs=16", "num_steps=8", "width=16", "league_size=2")]
LEAGUE += [f"--set={each}" for each in ("learning_rate=1e-12", "final_learning_rate=1e-12")]
LEAGUE += ["--evaluations", 1, "--exploiters", 2, "--exploiter-steps", 40 * 1024, "--exploiter-delay", 2, "--out"]
# A driver that is killed when it has kept a run whose first exploiter is under way.
KILLED = """
import os, signal
from feint.cli import main
from feint.learn import train

def advance(run, then=train.Run.advance):
    if run.updates == 2:
        run.save()
        os.kill(os.getpid(), signal.SIGKILL)
    return then(run)

train.Run.advance = advance
main()
"""


@needs_ray
@pytest.mark.slow
def test_exploiters_are_trained_on_a_cluster_that_loses_its_driver_and_then_a_node_to_the_same_bytes(
    cluster, tmp_path, monkeypatch
):
    import ray

    assert typed(*LEAGUE, tmp_path / "here").code == 0
    line = [sys.executable, "-c", KILLED, *map(str, LEAGUE), "there", "--on", "ray"]
    ended = subprocess.run(line, cwd=tmp_path, env=cluster.env, capture_output=True, text=True, timeout=600)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert [path.name for path in (tmp_path / "there").glob("attacked-*")] == ["attacked-1.npz"]
    due = League.outcome

    def killed_before(league: League, update: int) -> object:
        """A node dies while each of the two trains somebody."""
        if cluster.processes[-1].poll() is None:
            _wait_for(lambda: not ray.available_resources().get("CPU"))
            cluster.kill(-1)
        return due(league, update)

    monkeypatch.setattr(League, "outcome", killed_before)
    there = typed("train", "--resume", tmp_path / "there", "--on", "ray")
    assert (there.code, there.stderr) == (0, "")
    assert cluster.processes[-1].poll() is not None
    assert _learned(tmp_path / "there") == _learned(tmp_path / "here")
    assert [each["joined"] for each in _learned(tmp_path / "here")[1] if "joined" in each] == [1, 1]
    cluster.join()


def _learned(folder: Path) -> tuple[bytes, list[dict[str, Any]]]:
    """The learner at the end of a run, and all that was told on the way, but for the time it took."""
    told = [json.loads(line) for line in (folder / METRICS).read_text().splitlines()]
    timeless = [{name: value for name, value in each.items() if name not in ("seconds", "seal")} for each in told]
    return (folder / CHECKPOINT).read_bytes(), timeless


def _files(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@needs_ray
@pytest.mark.usefixtures("connected")
def test_what_went_wrong_at_a_worker_is_said_here(monkeypatch):
    game = feint.make("kuhn")
    with workers.on("ray"):
        with pytest.raises(UserError, match="plays on this machine only"):
            feint.match(game, [Plain(), "random"])
        with pytest.raises(ZeroDivisionError):
            list(workers.finished(_fails, [0]))
        monkeypatch.setattr(workers, "_mark", lambda: "0.0.1 (1234abcd) with JAX 0.8.0")
        with pytest.raises(
            UserError, match=r"has feint .*, and this machine has feint 0\.0\.1 \(1234abcd\) with JAX 0\.8\.0: every"
        ):
            feint.match(game, ["random", "random"])


def _fails(portion: int) -> float:
    return 1 / portion


# A driver that comes to its end by a signal as soon as it has kept something, however fast the machine is.
ENDED = """
import os, sys
from feint.cli import main
from feint.commands import match

def look(keeping, then=match._Keeping.look):
    then(keeping)
    if keeping.took:
        os.kill(os.getpid(), int(signal))

signal = sys.argv.pop(1)
match.KEEP_EVERY = 0.0
match._Keeping.look = look
main()
"""


@needs_ray
@pytest.mark.slow
def test_a_driver_that_is_killed_or_stopped_goes_on_to_the_same_bytes(cluster, tmp_path):
    """Three sittings: killed, stopped by Ctrl-C, and to the end; a worker's death is tested above."""
    line = ["match", "leduc", "random", "random", "-n", "600000", "--save"]
    assert typed(*line, tmp_path / "here.json").code == 0

    def sat(*begun: str) -> tuple[int, str]:
        whole = [sys.executable, *begun, *line, "ray.json", "--on", "ray"]
        ended = subprocess.run(whole, cwd=tmp_path, env=cluster.env, capture_output=True, text=True, timeout=300)
        return ended.returncode, ended.stdout + ended.stderr

    kept = tmp_path / "ray.unfinished.json"
    code, _ = sat("-c", ENDED, f"{signal.SIGKILL:d}")
    first = Result.load(kept).played
    assert (code, (tmp_path / "ray.json").exists()) == (-signal.SIGKILL, False)
    code, told = sat("-c", ENDED, f"{signal.SIGINT:d}")
    second = Result.load(kept).played
    assert (code, 0 < first < second < 600_000) == (130, True)
    assert f"Going on from ray.unfinished.json after {first} games." in told
    assert f"Stopped after {second} of 600000 games" in told
    code, told = sat("-m", "feint")
    assert (code, kept.exists()) == (0, False)
    assert f"after {second} games." in told
    assert (tmp_path / "ray.json").read_bytes() == (tmp_path / "here.json").read_bytes()
