"""Where long work is done: here, or by the workers of a Ray cluster, with the same outcome to the last bit.

Work is divided into portions. What does them is pickled once, games in it by name and options; a portion is a few numbers. Whoever has
long work writes `for number, outcome in finished(do, portions)`, and `with on("ray")` around it decides where it is done.
A worker or a machine that dies has its portions done again by others; each is handed out once, by its number.
What takes minutes may `say` meanwhile how far it is, and is heard wherever it is done. Whoever has other things to do until an outcome
is due has it worked out `meanwhile`.
"""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, lru_cache, partial, reduce
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jax

from feint import clusters, registry
from feint.errors import UserError
from feint.game import Game
from feint.interrupts import check, undone
from feint.program_cache import digest
from feint.version import __version__

HERE, RAY, CLIENT = "here", "ray", "ray://"
AHEAD = 4  # portions for each worker that are under way or next in line
LATER = object()  # a portion that cannot be told before another is finished, which is under way
RETRIES = 10  # times that a portion is done again after the worker that had it died
LOOK = 0.25  # seconds between two looks for Ctrl-C

Do = Callable[[Any], Any]  # what does a portion; it can be pickled
Hear = Callable[[int, Any], None]  # is told the number of a portion that is under way, and what was said of it last

_cluster: ContextVar[Cluster | None] = ContextVar("cluster", default=None)
_say: ContextVar[Callable[[Any], None]] = ContextVar("say", default=lambda _: None)


def check_place(place: str) -> None:
    """Refuse what is no place: one is `here`, `ray` or `ray://HOST:PORT`."""
    with suppress(ValueError):  # of a port that is no number
        parts = urlsplit(place)
        if place in (HERE, RAY) or (place == f"{CLIENT}{parts.netloc}" and parts.hostname and parts.port):
            return
    raise UserError(f"--on must be {HERE}, {RAY} or {CLIENT}HOST:PORT, not {place!r}.")


@contextmanager
def on(place: str) -> Iterator[None]:
    """Within, portions are done at a place: `here`; `ray`, the cluster that this machine is part of, or one of this machine alone, started for
    it; or the cluster behind `ray://HOST:PORT`."""
    check_place(place)
    if place == HERE:
        with _working_on(None):
            yield
        return
    address = place.removeprefix(CLIENT) if place != RAY else os.environ.get("RAY_ADDRESS", "").removeprefix(CLIENT)
    told = place if place != RAY else f"RAY_ADDRESS {address}"
    clusters.check_answers(address, told)
    ray = clusters.imported()
    with undone(lambda: None if ours else ray.shutdown()):
        ours = ray.is_initialized()  # by a program of the user's, who goes on with it
        if not ours:
            clusters.connect(ray, place, address if place != RAY else None)
        with _working_on(Cluster(ray, place)):
            yield


@contextmanager
def _working_on(cluster: Cluster | None) -> Iterator[None]:
    token = _cluster.set(cluster)
    try:
        yield
    finally:
        _cluster.reset(token)


def elsewhere() -> bool:
    """Whether portions are done by other processes."""
    return _cluster.get() is not None


def parallelism() -> int:
    """How many portions are done at the same time."""
    cluster = _cluster.get()
    return cluster.workers() if cluster else 1


def finished(do: Do, portions: Iterable[Any], hear: Hear | None = None) -> Iterator[tuple[int, Any]]:
    """The number of each portion, from 0, and what came of it, as they are finished; here one after the other, each when it is asked for."""
    cluster = _cluster.get()
    if cluster:
        yield from cluster.finished(do, portions, hear)
    else:
        yield from ((number, _aloud(do, portion, number, hear)) for number, portion in enumerate(portions))


def meanwhile(do: Do, portion: Any) -> Callable[[], Any]:
    """What is called for the outcome of a portion: a worker is doing it until then, and here it is done when that is called."""
    cluster = _cluster.get()
    return cluster.meanwhile(do, portion) if cluster else partial(do, portion)


def say(said: Any) -> None:
    """How far a portion is, told by what does it to whoever waits for it."""
    _say.get()(said)


def _aloud(do: Do, portion: Any, number: int, hear: Hear | None) -> Any:
    token = _say.set(lambda said: hear(number, said) if hear else None)
    try:
        return do(portion)
    finally:
        _say.reset(token)


def in_order(do: Do, portions: Iterable[Any]) -> Iterator[Any]:
    """What came of each portion, in their order."""
    early: dict[int, Any] = {}
    due = 0
    for number, outcome in finished(do, portions):
        early[number] = outcome
        while due in early:
            yield early.pop(due)
            due += 1


class Cluster:
    """A Ray cluster that this process is connected to. Where it has GPUs, every portion takes one; else it takes a processor."""

    def __init__(self, ray: Any, place: str) -> None:
        self.ray, self.place = ray, place
        self.kind = "GPU" if ray.cluster_resources().get("GPU") else "CPU"
        if not ray.cluster_resources().get(self.kind):
            raise UserError(f"The Ray cluster of --on {place} has no processors to work on: ray start adds machines.")

    def workers(self) -> int:
        """How many there are just now: machines come and go."""
        return max(1, int(self.ray.cluster_resources().get(self.kind, 0)))

    def finished(self, do: Do, portions: Iterable[Any], hear: Hear | None) -> Iterator[tuple[int, Any]]:
        asked = self._asked()
        sent, numbered = self.ray.put(_pickled(do)), enumerate(portions)
        under_way: dict[Any, int] = {}
        ear = self.ray.remote(num_cpus=0, max_restarts=-1)(_Ear).remote() if hear else None
        while True:
            for number, portion in islice(numbered, max(0, AHEAD * self.workers() - len(under_way))):
                if portion is LATER:
                    break
                under_way[asked.remote(_mark(), sent, portion, number, ear)] = number
            if not under_way:
                return
            ended, _ = self.ray.wait(list(under_way), timeout=LOOK)
            check()
            if hear:
                for number, said in self._said(ear, under_way.values()):
                    hear(number, said)
            for each in ended:
                yield under_way.pop(each), self._outcome(each)

    def meanwhile(self, do: Do, portion: Any) -> Callable[[], Any]:
        begun = self._asked().remote(_mark(), self.ray.put(_pickled(do)), portion, 0, None)

        def outcome() -> Any:
            while not self.ray.wait([begun], timeout=LOOK)[0]:
                check()
            return self._outcome(begun)

        return outcome

    def _asked(self) -> Any:
        """`_done`, to be asked of whichever worker is free."""
        needs = {"num_gpus": 1, "num_cpus": 0} if self.kind == "GPU" else {"num_cpus": 1}
        return self.ray.remote(max_retries=RETRIES, **needs)(_done)

    def _said(self, ear: Any, numbers: Collection[int]) -> list[tuple[int, Any]]:
        """What was said last of these portions; nothing where the machine that listened has died, until another does."""
        with suppress(self.ray.exceptions.RayError):
            heard = self.ray.get(ear.heard.remote(), timeout=LOOK)
            return [each for each in heard.items() if each[0] in numbers]
        return []

    def _outcome(self, ended: Any) -> Any:
        try:
            return self.ray.get(ended)
        except self.ray.exceptions.RayTaskError as failed:
            raise failed.cause from None
        except self.ray.exceptions.RayError as lost:
            why = str(lost).strip().partition("\n")[0]
            raise UserError(
                f"The workers of --on {self.place} died {RETRIES + 1} times over one portion: {why}"
            ) from None


# ---- at the worker


def _done(mark: str, sent: bytes, portion: Any, number: int, ear: Any) -> Any:
    """One portion, by a worker that has the same code as whoever asks."""
    if mark != _mark():
        raise UserError(
            f"The worker on {socket.gethostname()} has feint {_mark()}, and this machine has feint {mark}: every machine must have the same."
        )
    return _aloud(_received(sent), portion, number, _told_to(ear) if ear else None)


def _told_to(ear: Any) -> Hear:
    """Tells what is said, though not all of it where it is said all the time."""
    last = -LOOK

    def told(number: int, said: Any) -> None:
        nonlocal last
        if time.monotonic() - last >= LOOK:
            last = time.monotonic()
            ear.hear.remote(number, said)

    return told


class _Ear:
    """Listens, somewhere in the cluster, to what workers say."""

    def __init__(self) -> None:
        self.last: dict[int, Any] = {}

    def hear(self, number: int, said: Any) -> None:
        self.last[number] = said

    def heard(self) -> dict[int, Any]:
        return self.last  # and it stays: an answer may come too late to be read


@lru_cache(maxsize=4)
def _received(sent: bytes) -> Do:
    try:
        return pickle.loads(sent)
    except (ImportError, AttributeError) as missing:
        raise UserError(
            f"The worker on {socket.gethostname()} does not find what is to play: {missing}. Games and agents of your own have to be "
            "in a package that is installed on every machine."
        ) from None


@cache
def _mark() -> str:
    """Which feint this is, to the letter, and which JAX."""
    files = (path for path in Path(__file__).parent.rglob("*") if path.suffix in (".py", ".csv", ".npz"))
    return f"{__version__} ({digest(files)[:8]}) with JAX {jax.__version__}"


class _Pickler(pickle.Pickler):
    """Games go by name and options: their look-up tables are made, or found, on the machine that plays."""

    def reducer_override(self, each: Any) -> Any:
        if not isinstance(each, Game):
            return NotImplemented
        fixed = each.fixed
        if fixed.name not in registry.game_names() or registry.game_class(fixed.name) is not type(fixed):
            raise UserError(
                f"{each.name} is a game that is not found by name: to be played on other machines it has to be in a package that is installed "
                "on every one of them, with an entry point in feint.games."
            )
        return _made, (each.name, {name: getattr(each, name) for name in fixed.options()}, each.drawn)


def _made(name: str, options: dict[str, Any], drawn: dict[str, int]) -> Game:
    return reduce(lambda game, each: game.drawing(*each), drawn.items(), registry.make(name, **options))


def _pickled(do: Do) -> bytes:
    written = BytesIO()
    _Pickler(written).dump(do)
    return written.getvalue()
