"""One file of each kind that feint reads: how it is made, how it is read, and how whoever alters it seals it again."""

import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import numpy as np

import feint
from feint import chance, zoo
from feint.arena import storage
from feint.arena.result import Result
from feint.arena.statistics import Interval
from feint.commands.match import merge_results
from feint.commands.zoo import list_zoo
from feint.evolve.search import Search, Settings, Table
from feint.games.holdem import acpc, definition
from feint.games.holdem.game import Holdem
from feint.learn import checkpoint
from feint.learn import settings as toml
from feint.learn.evaluate import Evaluation, Score
from feint.learn.experiment import Experiment
from feint.learn.gallery import Gallery
from feint.learn.inputs import Layout
from feint.learn.networks import Architecture, Network, NetworkAgent
from feint.learn.opponent_model import OpponentModel
from feint.learn.policy_file import PolicyFile, play_from
from feint.learn.train import METRICS, RUN, News, read_news
from feint.reading import seal
from feint.record import Record
from feint.solvers.blueprint_agent import BlueprintAgent
from feint.solvers.policy import SavedPolicy
from feint.solvers.tree import build
from feint.store import Store
from feint.studies import run as studies
from feint.table import Table as Seats
from feint.terminal.play import resume
from feint.terminal.replay import replay
from tests.arena.test_result import dealt, made
from tests.studies.toys import Experiments

KUHN, LEDUC = feint.make("kuhn"), feint.make("leduc")
LOG = Path(__file__).parents[1] / "data" / "acpc" / "2p.limit.h1000.r0.log"


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


def zeros(make: Callable[..., Any], *args: Any) -> Any:
    """What is made, with zeros for numbers, which take no compiling."""
    return jax.tree.map(lambda each: np.zeros(each.shape, each.dtype), eqx.filter_eval_shape(make, *args))


def policy(folder: Path) -> None:
    network = zeros(Network, Architecture(width=4, depth=1), Layout.of(KUHN), KUHN.actions, chance.key(1))
    agent = NetworkAgent(network, KUHN, False)
    PolicyFile.of(agent, KUHN, {"command": "feint train kuhn"}).save(folder / "policy.npz")


def of_leduc(kind: Any, recipe: dict[str, Any]) -> Callable[[Path], None]:
    return lambda folder: PolicyFile.of(zeros(kind.blank, recipe, LEDUC), LEDUC, {}).save(folder / "policy.npz")


def played(folder: Path, game: Any = KUHN) -> Any:
    return leaves(play_from(str(folder / "policy.npz"), game))


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


def gallery() -> Gallery:
    return Gallery(KUHN, "random", (("random",), ("zoo:kuhn-1",)), 10)


def measured(folder: Path) -> None:
    some = gallery()
    some.scores = [Score(("random", "me"), 10, Interval(0.5, 0.4, 0.6), Interval(0.0, -1.0, 1.0))]
    some.save(folder / "gallery.json")


def measured_on(folder: Path) -> Any:
    some = gallery()
    some.restore(folder / "gallery.json")
    return some.scores


def logged(folder: Path) -> None:
    (folder / "match.log").write_text("".join(LOG.read_text().splitlines(keepends=True)[:12]))


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
    return run.found, [each.tolist() for each in run.fitnesses]


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
    "blueprint": Kind(
        of_leduc(BlueprintAgent, {"sizes": list(LEDUC.betting.of(LEDUC, None).sizes), "decisions": 5, "rows": 9}),
        lambda folder: played(folder, LEDUC),
        "policy.npz",
        lambda header: header,
    ),
    "model": Kind(
        of_leduc(OpponentModel, {"hidden_units": 3}),
        lambda folder: played(folder, LEDUC),
        "policy.npz",
        lambda header: header,
    ),
    "gallery": Kind(measured, measured_on, "gallery.json", resealed()),
    # Text that anybody may write, of which nobody can tell whether it was altered.
    "log": Kind(logged, lambda folder: acpc.read_log(folder / "match.log"), "match.log", same=lambda *_: True),
    "definition": Kind(
        lambda folder: (folder / "game.txt").write_text(definition.written(Holdem())),
        lambda folder: Holdem(**definition.read(folder / "game.txt")),
        "game.txt",
        same=lambda *_: True,
    ),
    "solution": Kind(solution, played, "policy.npz", lambda header: header),
    "kept": Kind(
        stored,
        lambda folder: Store(folder).get("name"),
        Store(Path())._file("name").name,
        same=lambda found, before: found in (None, before),
    ),
}
