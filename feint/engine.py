"""JAX as feint uses it: compiled code is kept in the user's cache folder, so a second start is quick."""

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import jax
from jax._src import compilation_cache

from feint.store import Store, open_store

SWITCH = "FEINT_CACHE"  # a folder to use instead, or "off"
CHOOSER = "get_file_cache"  # what JAX calls for a cache in a folder; there is no public way to give it another
FORMER = {".": r".+-[0-9a-f]{64}-(cache|atime)", "programs": "[0-9a-f]{32}", "tables": r".+-[0-9a-f]{16}\.npz"}


def cache_folder() -> Path | None:
    """Where compiled code is kept, or None when FEINT_CACHE is "off", or the user has no home."""
    chosen = os.environ.get(SWITCH, "")
    if chosen.lower() in ("off", "0", "no", "false"):
        return None
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(chosen or f"{base}/feint/compiled").expanduser()
    except RuntimeError:
        return None


def program_store() -> Store | None:
    """What was kept by this process and by earlier ones; None where nothing is to be, or nothing can be trusted."""
    folder = cache_folder()
    return _store(folder) if folder else None


@cache
def _store(folder: Path) -> Store | None:
    with suppress(OSError):
        if not (folder / "kept").exists():
            _clear_former(folder)
    return open_store(folder / "kept")


def _clear_former(folder: Path) -> None:
    """Remove what earlier versions of feint kept, without checksums, and would never be read again."""
    for place, pattern in FORMER.items():
        former = folder / place
        for each in list(former.iterdir()) if former.is_dir() else ():
            if re.fullmatch(pattern, each.name) and each.is_file():
                each.unlink(missing_ok=True)
        if place != "." and former.is_dir():
            with suppress(OSError):  # something else is there
                former.rmdir()


@cache
def processor() -> str:
    """What tells processors apart for which code may differ."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.node()
    told = {line for line in lines if line.lower().startswith(("model name", "flags", "features", "cpu part"))}
    return sha256("".join(sorted(told)).encode()).hexdigest()


def cpu() -> jax.Device | None:
    """The processor, where JAX is not told to leave it alone: for small work whose programs a GPU would wait for."""
    with suppress(RuntimeError):
        return jax.local_devices(backend="cpu")[0]
    return None


class _ForJax:
    """The store as JAX's cache of compiled code, whose keys do not tell processors apart."""

    aside = False  # nothing is found, and nothing kept

    def __init__(self, store: Store) -> None:
        self._store, self._path = store, store.folder

    def get(self, key: str) -> bytes | None:
        return None if self.aside else self._store.get(f"jax {key} {processor()}")

    def put(self, key: str, value: bytes) -> None:
        if not self.aside:
            self._store.put(f"jax {key} {processor()}", value)


@contextmanager
def compiled_anew() -> Iterator[None]:
    """Within, what JAX compiles is not taken from what it has kept in our store, nor kept there."""
    _ForJax.aside = True
    try:
        yield
    finally:
        _ForJax.aside = False


def _keep_compiled_code() -> None:
    """Have JAX keep what it compiles in our store: files of its own have no checksum and no bound."""
    store = program_store()
    jax_files: Any = getattr(compilation_cache, CHOOSER, None)
    if store is None or jax_files is None or jax.config.values["jax_compilation_cache_dir"] is not None:
        return
    ours = str(store.folder)
    setattr(compilation_cache, CHOOSER, lambda path: (_ForJax(store), path) if path == ours else jax_files(path))
    jax.config.update("jax_compilation_cache_dir", ours)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")  # files that XLA writes and reads unchecked


_keep_compiled_code()
