"""Programs kept whole: where one was compiled before, a later start neither traces nor lowers nor compiles it again.

JAX keeps what the compiler made, but finds it by what it compiles, which has to be traced and lowered first: half of the time of a
short match. Here a program is found by the code of feint, its arguments' shapes and the machine. On a CPU only: on a GPU,
starts are short beside what is run there.
"""

from __future__ import annotations

import os
import pickle
import platform
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
from jax.experimental.serialize_executable import deserialize_and_load, serialize

from feint.engine import cache_folder
from feint.files import write_whole

KNOWN = ("feint", "builtins", "typing", "abc")  # where the classes of those who play come from
MOST = 200  # programs that are kept; of more, those that were not used for longest go
_found_by_jax = 0  # programs that JAX had kept: they are not whole, and cannot be kept again


def _count(event: str, **_: Any) -> None:
    global _found_by_jax
    _found_by_jax += event == "/jax/compilation_cache/cache_hits"


jax.monitoring.register_event_listener(_count)


class Kept:
    """A jitted function of arrays, in which all that is static is named: `Kept(jitted)(*arrays, name=static, ...)`."""

    def __init__(self, jitted: Any) -> None:
        self.jitted = jitted
        self.loaded: dict[Path, Callable[..., Any]] = {}

    def __call__(self, *arrays: Any, **static: Any) -> Any:
        """What the function returns. Tracers, and what is no part of feint, take JAX's own way."""
        path = self._path(arrays, static)
        if path is None:
            return self.jitted(*arrays, **static)
        if path not in self.loaded:
            self.loaded[path] = _load(path, arrays) or self._compile(path, arrays, static)
        return self.loaded[path](*arrays)

    def _path(self, arrays: Any, static: dict[str, Any]) -> Path | None:
        """The file of a program, named after all it depends on; None where it cannot be kept."""
        folder = _folder()
        leaves, tree = jax.tree.flatten(arrays)
        if folder is None or any(isinstance(x, jax.core.Tracer) for x in leaves):
            return None
        # Trees and settings tell everything of a program but the code of those who play: of others' code nothing is known.
        told = f"{self.jitted.__name__} {tree} {sorted(static.items())} {[jax.typeof(x) for x in leaves]}"
        if " at 0x" in told or not all(map(_ours, (*arrays, *static.values()))):
            return None
        return folder / sha256(f"{told} {_setting()}".encode()).hexdigest()[:32]

    def _compile(self, path: Path, arrays: Any, static: dict[str, Any]) -> Callable[..., Any]:
        before, least = _found_by_jax, jax.config.values["jax_persistent_cache_min_compile_time_secs"]
        jax.config.update("jax_persistent_cache_min_compile_time_secs", float("inf"))  # once kept is enough
        try:
            program = self.jitted.lower(*arrays, **static).compile()
        finally:
            jax.config.update("jax_persistent_cache_min_compile_time_secs", least)
        if _found_by_jax == before:
            _save(path, program)
        return program


def _folder() -> Path | None:
    """Where programs are kept, or None where they are not to be."""
    compiled = cache_folder() if jax.config.values["jax_enable_compilation_cache"] else None
    return compiled / "programs" if compiled and jax.default_backend() == "cpu" else None


def _plays(node: Any) -> bool:
    return hasattr(node, "act") or hasattr(node, "move")


def _ours(value: Any) -> bool:
    """Whether the code behind a value, and behind whatever plays within it, is feint's."""
    within = jax.tree.leaves(value, is_leaf=lambda node: node is not value and _plays(node))
    if not all(_ours(each) for each in within if each is not value and _plays(each)):
        return False
    return not _plays(value) or all(kind.__module__.split(".")[0] in KNOWN for kind in type(value).__mro__)


def _load(path: Path, arrays: Any) -> Callable[..., Any] | None:
    """A program kept before; None where there is none, or none that can be used."""
    try:
        payload, out = pickle.loads(path.read_bytes())
        path.touch()
        return deserialize_and_load(payload, jax.tree.structure((arrays, {})), out)
    except Exception:  # whatever is wrong with it, it can be made again
        return None


def _save(path: Path, program: Any) -> None:
    try:
        payload, _, out = serialize(program)
        write_whole(path, pickle.dumps((payload, out)))
        kept = sorted(path.parent.iterdir(), key=lambda each: each.stat().st_mtime)
        for old in kept[:-MOST]:
            old.unlink(missing_ok=True)
    except (OSError, ValueError):
        return  # a full or read-only disk costs speed, never the game


def digest(files: Iterable[Path]) -> str:
    """A name for what is in these files."""
    whole = sha256()
    for path in sorted(files):
        whole.update(path.read_bytes())
    return whole.hexdigest()


@cache
def _setting() -> str:
    """The code of feint and whatever else compiled programs depend on."""
    code = digest(path for path in Path(__file__).parent.rglob("*") if path.suffix in (".py", ".csv"))
    versions = [version(name) for name in ("jax", "jaxlib", "equinox", "numpy")]
    devices = [device.device_kind for device in jax.local_devices()]
    flags = [os.environ.get("XLA_FLAGS"), jax.config.values["jax_enable_x64"]]
    return f"{code} {versions} {platform.python_version()} {devices} {flags} {_processor()}"


def _processor() -> str:
    """What tells processors apart for which code may differ."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.node()
    told = {line for line in lines if line.lower().startswith(("model name", "flags", "features", "cpu part"))}
    return sha256("".join(sorted(told)).encode()).hexdigest()
