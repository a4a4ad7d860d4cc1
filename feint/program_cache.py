"""Programs kept whole: where one was compiled before, a later start neither traces nor lowers nor compiles it again.

JAX keeps what the compiler made, but finds it by what it compiles, which has to be traced and lowered first: half of the time of a
short match. Here a program is found by the code of feint, its arguments' shapes and the machine. On a CPU only: on a GPU,
starts are short beside what is run there. What JAX makes of a program to keep it is a pickle, and loading it is running it: that it is
what was put there is for the store to see to (`feint.store`).
"""

from __future__ import annotations

import builtins
import os
import pickle
import platform
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
from jax.experimental.serialize_executable import deserialize_and_load, serialize

from feint.engine import compiled_anew, processor, program_store
from feint.store import Store

KNOWN = (
    "feint",
    "typing",
    "abc",
)  # where the classes of those who play come from, but for those that Python itself has
_found_by_jax = 0  # programs that JAX had kept elsewhere: they are not whole, and cannot be kept again


def _count(event: str, **_: Any) -> None:
    global _found_by_jax
    _found_by_jax += event == "/jax/compilation_cache/cache_hits"


jax.monitoring.register_event_listener(_count)


class CachedProgram:
    """A jitted function of arrays, in which all that is static is named: `CachedProgram(jitted)(*arrays, name=static, ...)`."""

    def __init__(self, jitted: Any) -> None:
        self.jitted = jitted
        self.loaded: dict[str, Callable[..., Any]] = {}

    def __call__(self, *arrays: Any, **static: Any) -> Any:
        """What the function returns. Tracers, and what is no part of feint, take JAX's own way."""
        store = program_store() if jax.config.values["jax_enable_compilation_cache"] else None
        name = self._name(arrays, static) if store else None
        if store is None or name is None:
            return self.jitted(*arrays, **static)
        if name not in self.loaded:
            self.loaded[name] = _load(store, name, arrays) or self._compile(store, name, arrays, static)
        return self.loaded[name](*arrays)

    def _name(self, arrays: Any, static: dict[str, Any]) -> str | None:
        """The name of a program, made of all it depends on; None where it cannot be kept."""
        leaves, tree = jax.tree.flatten(arrays)
        if jax.default_backend() != "cpu" or any(isinstance(x, jax.core.Tracer) for x in leaves):
            return None
        # Trees and settings tell everything of a program but the code of those who play: of others' code nothing is known.
        whose = f"{self.jitted.__module__}.{self.jitted.__qualname__} {jax.config.values['jax_enable_x64']}"
        told = f"{whose} {tree} {sorted(static.items())} {[jax.typeof(x) for x in leaves]}"
        if " at 0x" in told or not all(map(_ours, (*arrays, *static.values()))):
            return None
        hurried = jax.config.values["jax_disable_most_optimizations"]
        return f"program {told} {_setting()} {hurried}"

    def _compile(self, store: Store, name: str, arrays: Any, static: dict[str, Any]) -> Callable[..., Any]:
        before = _found_by_jax
        with compiled_anew():  # once kept is enough, and only what was compiled here is whole
            program = self.jitted.lower(*arrays, **static).compile()
        if _found_by_jax == before:
            _save(store, name, program)
        return program


def _plays(node: Any) -> bool:
    return hasattr(node, "act") or hasattr(node, "move")


def _ours(value: Any) -> bool:
    """Whether the code behind a value, and behind whatever plays within it, is feint's."""
    within = jax.tree.leaves(value, is_leaf=lambda node: node is not value and _plays(node))
    if not all(_ours(each) for each in within if each is not value and _plays(each)):
        return False
    return not _plays(value) or all(map(_known, type(value).__mro__))


def _known(kind: type) -> bool:
    """Whether a class is feint's or Python's own: one that `exec` made says it were Python's, too."""
    return kind.__module__.split(".")[0] in KNOWN or getattr(builtins, kind.__name__, None) is kind


def _load(store: Store, name: str, arrays: Any) -> Callable[..., Any] | None:
    """A program kept before; None where there is none, or none that can be used."""
    found = store.get(name)
    if found is None:
        return None
    try:
        payload, out = pickle.loads(found)
        return deserialize_and_load(payload, jax.tree.structure((arrays, {})), out)
    except Exception:  # whatever is wrong with it, it can be made again
        return None


def _save(store: Store, name: str, program: Any) -> None:
    with suppress(ValueError, NotImplementedError):  # not every program can be written down
        payload, _, out = serialize(program)
        store.put(name, pickle.dumps((payload, out)))


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
    return f"{code} {versions} {platform.python_version()} {devices} {os.environ.get('XLA_FLAGS')} {processor()}"
