"""Every file that feint reads, altered in every way that comes to mind: it is refused in one sentence, or read as if it had not been.

A file that somebody altered and sealed again may say something else, but it must not cost a traceback either.
"""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import feint
from feint import archive, chance, zoo
from feint.arena import storage
from feint.arena.result import Result
from feint.arena.statistics import Interval
from feint.commands.match import merge_results
from feint.commands.zoo import list_zoo
from feint.errors import UserError
from feint.evolve.search import Search, Settings, Table
from feint.learn import checkpoint
from feint.learn import settings as toml
from feint.learn.evaluate import Evaluation, Score
from feint.learn.experiment import Experiment
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent
from feint.learn.policy_file import PolicyFile, play_from
from feint.learn.train import METRICS, RUN, News, read_news
from feint.reading import seal
from feint.record import Record
from feint.solvers.policy import SavedPolicy
from feint.solvers.tree import build
from feint.store import Store
from feint.studies import run as studies
from feint.table import Table as Seats
from feint.terminal.play import resume
from feint.terminal.replay import replay
from tests.arena.test_result import dealt, made
from tests.studies.toys import Experiments

KUHN = feint.make("kuhn")
FEW, MANY = 12, 600  # alterations of each kind of file, of each sort


@dataclass(frozen=True)
class Kind:
    """A kind of file: what makes one in a folder, what reads it and tells all that was read, and what seals it again."""

    make: Callable[[Path], None]
    read: Callable[[Path], Any]
    file: str
    sealed: Callable[[Any], Any] | None = None  # of JSON or of an archive's header, for those who know how
    same: Callable[[Any, Any], bool] = lambda found, before: found == before


def said(doing: Callable[[], Any]) -> str:
    """What a command prints."""
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        doing()
    return told.getvalue()


# ---- one of each kind


def resealed(name: str = "seal") -> Callable[[Any], Any]:
    return lambda data: data | {name: seal({key: value for key, value in data.items() if key != name})}


def record(folder: Path) -> None:
    table = Seats(KUHN, ["random", "me:Ann"], seed=3)
    while not table.over:
        table.play(1)
    Record.of(table).save(folder / "game.json")


def unfinished(folder: Path) -> None:
    table = Seats(KUHN, ["me", "me:Ann"], seed=3)
    table.play(0)
    Record.of(table).save(folder / "game.json")


def gone_on(folder: Path) -> str:
    return said(lambda: resume(str(folder / "game.json")))


def result(ending: str, duplicate: bool) -> Callable[[Path], None]:
    played = dealt(np.random.default_rng(0).normal(size=(7, 4))) if duplicate else made()
    return lambda folder: played.save(folder / f"result{ending}")


def merged(ending: str) -> Callable[[Path], bytes]:
    return lambda folder: storage.as_json(Result.load(folder / f"result{ending}"))


def merged_and_shown(folder: Path) -> str:
    return said(lambda: merge_results([folder / "result.json"], None))


def agent() -> NetworkAgent:
    """One with zeros for weights, which take no compiling."""
    blank = eqx.filter_eval_shape(Network, Architecture(width=4, depth=1), Layout.of(KUHN), KUHN.actions, chance.key(1))
    return NetworkAgent(jax.tree.map(lambda each: np.zeros(each.shape, each.dtype), blank), KUHN, False)


def policy(folder: Path) -> None:
    PolicyFile.of(agent(), KUHN, {"command": "feint train kuhn"}).save(folder / "policy.npz")


def played(folder: Path) -> Any:
    return leaves(play_from(str(folder / "policy.npz"), KUHN))


def leaves(tree: Any) -> list[Any]:
    return [(str(leaf.dtype), np.asarray(leaf).tolist()) for leaf in jax.tree.leaves(tree)]


LEARNER = {"weights": np.arange(6, dtype=np.float32).reshape(2, 3), "updates": np.int32(7), "key": chance.key(5)}


def checkpoint_read(folder: Path) -> Any:
    found = checkpoint.load(folder / "checkpoint.npz", LEARNER)
    return leaves({name: jax.random.key_data(each) if name == "key" else each for name, each in found.items()})


def ran(folder: Path) -> None:
    score = Score(("me", "random"), 10, Interval(0.5, 0.4, 0.6), Interval(0.0, -1.0, 1.0))
    news = [
        News(n, 100 * n, n / 2, {"loss": 1 / (n + 1)}, Evaluation((score,), 0.1) if n % 2 else None) for n in range(4)
    ]
    (folder / METRICS).write_text("".join(f"{each.as_json()}\n" for each in news))
    (folder / RUN).write_text(toml.write_sealed({"game": "kuhn", "algorithm": "ppo", "settings": {"num_envs": 4}}))


def within(found: list[News], before: list[News]) -> bool:
    """Lines of metrics may be lost with the end of a file or cut out whole, but none is ever another."""
    return all(each in before for each in found)


def search() -> Search:
    how = Settings(method="cem", population=4, deals=4)
    return Search(feint.make("bidding", players=3), "drifting", [Table(("uniform", "uniform"))], settings=how)


def searched(folder: Path) -> None:
    run = search()
    for fitness in np.random.default_rng(0).normal(size=(3, 4)):
        run._learn(run._drawn(), fitness)
    run.save(folder / "search.json")


def restored(folder: Path) -> Any:
    run = search()
    run.restore(folder / "search.json")
    return run.found, [each.tolist() for each in run.judged]


def studied(folder: Path) -> str:
    study = Experiments().study()
    page, _ = studies.run(study, studies.Settings(study.games), folder, console=None)
    return page.read_text()


def shipped(folder: Path) -> None:
    policy(folder)
    told = {"about": "A sentence.", "strength": [{"what": "It", "result": "wins", "command": "feint match"}]}
    (folder / "policy.json").write_text(json.dumps(told))


def listed(folder: Path) -> str:
    before = zoo.FOLDER
    zoo.FOLDER = folder
    try:
        return said(list_zoo)
    finally:
        zoo.FOLDER = before


def solution(folder: Path) -> None:
    tree = build(KUHN)
    even = tree.infosets.legal / tree.infosets.legal.sum(axis=1, keepdims=True)
    SavedPolicy.of(KUHN, tree.infosets, even, {"algorithm": "dcfr"}, {"iteration": np.float64(3)}).save(
        folder / "policy.npz"
    )


def stored(folder: Path) -> None:
    Store(folder).put("name", b"what took its time to make")


KINDS = {
    "record": Kind(record, lambda folder: said(lambda: replay(folder / "game.json", True)), "game.json", resealed()),
    "saved game": Kind(unfinished, gone_on, "game.json", resealed()),
    "result": Kind(result(".json", False), merged_and_shown, "result.json"),
    "duplicate result": Kind(result(".json", True), merged(".json"), "result.json"),
    "table": Kind(result(".csv", True), merged(".csv"), "result.csv"),
    "table's deals": Kind(result(".csv", True), merged(".csv"), "result.deals.csv"),
    "parquet": Kind(result(".parquet", True), merged(".parquet"), "result.parquet"),
    "parquet's deals": Kind(result(".parquet", True), merged(".parquet"), "result.deals.parquet"),
    "policy": Kind(policy, played, "policy.npz", lambda header: header),
    "checkpoint": Kind(
        lambda folder: checkpoint.save(folder / "checkpoint.npz", LEARNER), checkpoint_read, "checkpoint.npz"
    ),
    "metrics": Kind(ran, lambda folder: read_news(folder), METRICS, same=within),
    "run": Kind(ran, lambda folder: Experiment.of(toml.read_sealed(folder / RUN)), RUN),
    "search": Kind(searched, restored, "search.json", resealed()),
    "section": Kind(lambda folder: print(studied(folder)), studied, "sections/two.json", resealed()),
    "zoo": Kind(shipped, listed, "policy.json", lambda told: told, same=lambda *_: True),  # words of the package itself
    "solution": Kind(solution, played, "policy.npz", lambda header: header),
    "kept": Kind(
        stored,
        lambda folder: Store(folder).get("name"),
        Store(Path())._file("name").name,
        same=lambda found, before: found in (None, before),
    ),
}


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """A folder for each kind of file with a valid one in it, and what is read of it."""
    made_once: dict[str, tuple[Path, Any]] = {}

    def of(name: str) -> tuple[Path, Any]:
        if name not in made_once:
            folder = tmp_path_factory.mktemp("valid")
            KINDS[name].make(folder)
            copy = tmp_path_factory.mktemp("copy") / "folder"
            shutil.copytree(folder, copy)
            made_once[name] = folder, KINDS[name].read(copy)
        return made_once[name]

    return of


# ---- alterations


def flipped(content: bytes, chance: random.Random) -> bytes:
    spoilt = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 3, 20))):
        spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
    return bytes(spoilt)


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def spliced(content: bytes, chance: random.Random) -> bytes:
    """A stretch taken out, put in twice, overwritten by noise, or all of it from another place."""
    begin, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    end = min(end, begin + chance.choice((1, 8, 200)))
    middle = (b"", content[begin:end] * 2, chance.randbytes(end - begin), content[: end - begin])
    return content[:begin] + chance.choice(middle) + content[end:]


def replaced(content: bytes, chance: random.Random) -> bytes:
    """Another digit, which leaves everything as well formed as it was."""
    places = [match.start() for match in re.finditer(rb"\d", content)]
    at = chance.choice(places or [0])
    return content[:at] + chance.choice((b"0", b"1", b"7", b"9")) + content[at + 1 :]


def other(content: bytes, chance: random.Random) -> bytes:
    deep = 100_000
    return chance.choice(
        (
            b"",
            b"\x00",
            b"\n",
            b"null",
            b"{}",
            b"[]",
            b'"text"',
            b"NaN",
            b"\xff\xfe\x00",
            b"[" * deep,
            b'{"a":' * deep,
            b"[" * deep + b"]" * deep,
            b"# " + b"[" * deep,
            b"a = " + b"[" * deep,
            b"1" * 5000,
            content + content,
            content[::-1],
            content.replace(b"\n", b"\r\n"),
            chance.randbytes(300),
        )
    )


ALTERED = (flipped, flipped, cut, spliced, replaced, other)

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, -0.5, 1e308, 10**18, 10**400, -(10**30), float("nan"), float("inf"), "", "x", "1",
    "0", "\x1b[31m", "\u202e", "\ud800", "$^$", "[/x]", "a" * 5000, "../..", [], [[]], [None], [1, 2, 3], ["x"], {}, {"x": 1}, [[[[]]]] * 9,
)  # fmt: skip


def mutated(data: Any, chance: random.Random) -> Any:
    """Plain data with another value, a value less or one more somewhere."""
    if isinstance(data, dict | list) and data and chance.random() < 0.85:
        copy: Any = data.copy()
        at = chance.choice(list(copy) if isinstance(copy, dict) else range(len(copy)))
        what = chance.random()
        if what < 0.15:
            del copy[at]
        elif what < 0.25 and isinstance(copy, dict):
            copy[chance.choice(("surprise", "kind", "\x1b", ""))] = copy[at]
        elif what < 0.25:
            copy.append(copy[at])
        else:
            copy[at] = mutated(copy[at], chance)
        return copy
    if isinstance(data, int | float) and chance.random() < 0.4:
        return data + chance.choice((1, -1, 0.5, 64, 2**31, 2**63))
    return chance.choice(VALUES)


def resealed_json(content: bytes, kind: Kind, chance: random.Random) -> bytes:
    """JSON with something else in it, and a seal that fits."""
    data = mutated(json.loads(content), chance)
    return json.dumps(kind.sealed(data) if kind.sealed and isinstance(data, dict) else data).encode()


def resealed_archive(content: bytes, chance: random.Random) -> bytes:
    """Arrays of which one is gone, new or different, or the header is, with checksums that fit."""
    with np.load(BytesIO(content), allow_pickle=False) as file:
        arrays = dict(file)
    name = "header" if "header" in arrays and chance.random() < 0.6 else chance.choice(list(arrays))
    if name == "header":
        arrays[name] = np.array(json.dumps(mutated(json.loads(str(arrays[name])), chance)))
    else:
        old = arrays[name]
        arrays[name] = chance.choice(
            (
                old.astype(np.float64), old.astype("U9"), old.astype(complex), old.ravel(), old[..., None], np.zeros(0), np.array("text"),
                np.full(old.shape, np.nan), np.full(old.shape, np.inf, np.float32), np.zeros((3, 0, 2)), np.asfortranarray(old), old[:0] if old.ndim else old,
                np.full(old.shape, 2**31 - 1), np.full(old.shape, -1, old.dtype if old.dtype.kind != "u" else np.int32), old.astype(">f4"),
                np.zeros(old.shape, [("a", int)]),
            )
        )  # fmt: skip
    if chance.random() < 0.2:
        arrays[chance.choice(("surprise", "header", "run_x", ".network"))] = arrays.pop(name)
    return archive.packed(arrays)


def resealed_result(content: bytes, chance: random.Random) -> bytes:
    """A result of the form that had no seal, with something else in it."""
    data = json.loads(content) | {"format": storage.UNSEALED}
    return json.dumps(mutated(data, chance), indent=1).encode()


def resealed_lines(content: bytes, chance: random.Random) -> bytes:
    """Metrics as they were before they had seals, with something else in one of the lines."""
    lines = [
        {name: value for name, value in json.loads(line).items() if name != "seal"} for line in content.splitlines()
    ]
    at = chance.randrange(len(lines))
    lines[at] = mutated(lines[at], chance)
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def by_another(content: bytes, kind: Kind, chance: random.Random) -> bytes:
    if content.startswith(b"PK"):
        return resealed_archive(content, chance)
    if kind.file == METRICS:
        return resealed_lines(content, chance)
    if kind.file == "result.json":
        return resealed_result(content, chance)
    return resealed_json(content, kind, chance)


def read(name: str, folder: Path) -> Any:
    """What is read of a file, or the sentence that refuses it: one line, of which a terminal takes none for a command."""
    try:
        return KINDS[name].read(folder)
    except UserError as refused:
        sentence = str(refused)
        assert sentence
        assert "\n" not in sentence
        assert "\x1b" not in sentence
        return refused


def read_altered(name: str, original: Path, folder: Path, alter: Callable[[bytes], bytes]) -> Any:
    """What is read of a file after it was altered, beside all that it came with."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original, folder)
    path = folder / KINDS[name].file
    path.write_bytes(alter(path.read_bytes()))
    return read(name, folder)


def check(name: str, valid: Any, folder: Path, seed: int) -> None:
    (original, before), draw_ = valid(name), random.Random(seed)
    found = read_altered(name, original, folder, lambda whole: draw_.choice(ALTERED)(whole, draw_))
    assert isinstance(found, UserError) or KINDS[name].same(found, before)


def check_sealed(name: str, valid: Any, folder: Path, seed: int) -> None:
    draw_ = random.Random(seed)
    read_altered(name, valid(name)[0], folder, lambda whole: by_another(whole, KINDS[name], draw_))


SEALED = [
    name for name, kind in KINDS.items() if kind.sealed or kind.file in (METRICS, "result.json", "checkpoint.npz")
]
SEEDS = st.integers(0, 2**32 - 1)


def how(times: int) -> settings:
    return settings(
        max_examples=times, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )


@pytest.fixture(autouse=True)
def nothing_typed(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", StringIO(""))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_was_altered_is_refused_or_read_as_it_was(valid, tmp_path, name):
    how(FEW)(given(seed=SEEDS)(lambda seed: check(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.parametrize("name", SEALED)
def test_a_file_that_was_altered_and_sealed_again_costs_no_traceback(valid, tmp_path, name):
    how(FEW)(given(seed=SEEDS)(lambda seed: check_sealed(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_file_that_was_altered_in_many_ways(valid, tmp_path, name):
    how(MANY)(given(seed=SEEDS)(lambda seed: check(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.slow
@pytest.mark.parametrize("name", SEALED)
def test_a_file_that_was_altered_in_many_ways_and_sealed_again(valid, tmp_path, name):
    how(MANY)(given(seed=SEEDS)(lambda seed: check_sealed(name, valid, tmp_path / "altered", seed)))()


@pytest.mark.parametrize("instead", ["nothing", "folder", "dangling link", "pipe", "device", "own link"])
@pytest.mark.parametrize("name", KINDS)
def test_what_is_no_file_is_refused_and_not_waited_for(valid, tmp_path, name, instead):
    original, before = valid(name)
    folder = tmp_path / "altered"
    shutil.copytree(original, folder)
    path = folder / KINDS[name].file
    path.unlink()
    if instead == "folder":
        path.mkdir()
    elif instead == "pipe":
        os.mkfifo(path)
    elif instead != "nothing":
        path.symlink_to({"dangling link": "nowhere", "device": "/dev/zero", "own link": path.name}[instead])
    found = read(name, folder)
    assert isinstance(found, UserError) or KINDS[name].same(found, before)
